/** The Python wheels that hold CCCL and the CUDA compilers: which ones, where they come from, and unpacking them. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inflateRawSync } from "node:zlib";

/** A wheel, pinned by its hash. */
export interface Wheel {
  name: string;
  version: string;
  file: string;
  sha256: string;
}

/** A folder that wheels are unpacked into. */
export interface Bundle {
  title: string;
  wheels: readonly Wheel[];
  /** Where an entry of a wheel goes in the folder; undefined for what is left out. */
  place: (wheel: Wheel, entry: string) => string | undefined;
}

const wheel = (name: string, version: string, tags: string, sha256: string): Wheel => ({
  name,
  version,
  file: `${name.replaceAll("-", "_")}-${version}-${tags}.whl`,
  sha256,
});

const licence = /^[^/]+\.dist-info\/licenses\/[^/]+$/i;

/** The C parallel library for CUDA 12 and 13 and CCCL's headers, in the wheel's own layout. */
export const cccl: Bundle = {
  title: "CCCL",
  wheels: [
    wheel(
      "cuda-cccl",
      "1.2.1",
      "cp312-cp312-manylinux_2_26_x86_64",
      "0b480822bbff1d1a89210a4839ab0f424cf5b7cadfa753b7049f7e4122f71b51",
    ),
  ],
  place: (_, entry) =>
    /^cuda\/compute\/cu1[23]\/cccl\/libcccl\.c\.parallel\.so$/.test(entry) ||
    (entry.startsWith("cuda/cccl/headers/include/") && !entry.endsWith(".py"))
      ? entry
      : undefined,
};

/** NVRTC, nvJitLink and the CUDA headers go to lib/ and include/; nothing here needs the CUDA runtime library. */
function placeCuda({ name }: Wheel, entry: string): string | undefined {
  if (licence.test(entry)) return `licenses/${name}.txt`;
  const [, folder, rest = ""] = /^nvidia\/[^/]+\/(include|lib)\/(.+)$/.exec(entry) ?? [];
  if (folder === "include") return rest.endsWith(".py") ? undefined : `include/${rest}`;
  return folder === "lib" && /^lib(nvrtc|nvrtc-builtins|nvJitLink)\.so\.[\d.]+$/.test(rest) ? `lib/${rest}` : undefined;
}

/** The CUDA compilers that are known to work with {@link cccl}, by the driver's major version. */
export const cudaCompilers: Readonly<Record<12 | 13, Bundle>> = {
  13: {
    title: "the compilers of CUDA 13",
    wheels: [
      wheel(
        "nvidia-cuda-nvrtc",
        "13.0.88",
        "py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64",
        "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
      ),
      wheel(
        "nvidia-nvjitlink",
        "13.0.88",
        "py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64",
        "13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b",
      ),
      wheel(
        "nvidia-cuda-runtime",
        "13.0.96",
        "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
      ),
    ],
    place: placeCuda,
  },
  12: {
    title: "the compilers of CUDA 12",
    wheels: [
      wheel(
        "nvidia-cuda-nvrtc-cu12",
        "12.9.86",
        "py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64",
        "210cf05005a447e29214e9ce50851e83fc5f4358df8b453155d5e1918094dcb4",
      ),
      wheel(
        "nvidia-nvjitlink-cu12",
        "12.9.86",
        "py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64",
        "e3f1171dbdc83c5932a45f0f4c99180a70de9bd2718c1ab77d14104f6d7147f9",
      ),
      wheel(
        "nvidia-cuda-runtime-cu12",
        "12.9.79",
        "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64",
        "25bba2dfb01d48a9b59ca474a1ac43c6ebf7011f1b0b8cc44f54eb6ac48a96c3",
      ),
    ],
    place: placeCuda,
  },
};

/** What could not be fetched or unpacked, in words for the person at the terminal. */
export class WheelError extends Error {
  override readonly name = "WheelError";
}

/** Written last: a folder with it is whole. */
const manifestName = "manifest.json";

/** What a bundle's folder holds: its wheels, and the hash of each shared library. */
export interface Manifest {
  wheels: Record<string, { version: string; sha256: string }>;
  libraries: Record<string, string>;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const wheelsOf = (bundle: Bundle): Manifest["wheels"] =>
  Object.fromEntries(bundle.wheels.map(({ name, version, sha256 }) => [name, { version, sha256 }]));

/** The manifest of a folder; undefined where there is none. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, manifestName), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}

/** The libraries in a folder whose bytes are not those that its manifest tells of. */
export function changedLibraries(folder: string): string[] {
  return Object.entries(readManifest(folder)?.libraries ?? {})
    .filter(([name, expected]) => {
      const file = path.join(folder, name);
      return !existsSync(file) || sha256(readFileSync(file)) !== expected;
    })
    .map(([name]) => name);
}

/** True when a folder holds exactly these wheels. Reads one small file. */
export function isInstalled(bundle: Bundle, folder: string): boolean {
  return JSON.stringify(readManifest(folder)?.wheels) === JSON.stringify(wheelsOf(bundle));
}

/**
 * Puts a bundle's files into `folder`, in place of what is there, at once: a broken download or unpacking leaves the
 * folder as it was. Wheels that lie in `downloads` are used; the others are fetched by pip.
 *
 * @returns false when everything was there already
 * @throws WheelError which says which file to put where
 */
export function install(bundle: Bundle, folder: string, downloads: string, env = process.env): boolean {
  if (isInstalled(bundle, folder)) return false;
  mkdirSync(path.dirname(folder), { recursive: true });
  const staged = mkdtempSync(`${folder}.`);
  try {
    const manifest: Manifest = { wheels: wheelsOf(bundle), libraries: {} };
    for (const wheel of bundle.wheels) {
      for (const [name, bytes] of unzip(obtain(wheel, downloads, staged, env), (entry) => bundle.place(wheel, entry))) {
        const file = path.join(staged, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, bytes);
        if (/\.so(\.|$)/.test(name)) manifest.libraries[name] = sha256(bytes);
      }
    }
    writeFileSync(path.join(staged, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(staged, folder);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  return true;
}

/** A wheel's bytes, with the right hash. */
function obtain(wheel: Wheel, downloads: string, scratch: string, env: NodeJS.ProcessEnv): Buffer {
  const kept = path.join(downloads, wheel.file);
  if (existsSync(kept)) {
    const bytes = readFileSync(kept);
    if (sha256(bytes) === wheel.sha256) return bytes;
    throw new WheelError(`${kept} is not ${wheel.name} ${wheel.version}: its SHA-256 is not ${wheel.sha256}.`);
  }
  const byHand =
    `Without a network, put the file ${wheel.file} (SHA-256 ${wheel.sha256}; \`pip download --no-deps ` +
    `${wheel.name}==${wheel.version}\` fetches it on another machine) into ${downloads} and try again.`;
  const requirements = path.join(scratch, "requirements.txt");
  writeFileSync(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const [, abi = "", platforms = ""] = /-(?:cp312|py3)-(\w+)-([\w.]+)\.whl$/.exec(wheel.file) ?? [];
  const result = spawnSync(
    "python3",
    [
      ...["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "--retries", "2"],
      ...["--python-version", "3.12", "--implementation", "cp", "--abi", abi],
      ...platforms.split(".").flatMap((platform) => ["--platform", platform]),
      ...["--dest", scratch, "--requirement", requirements],
    ],
    { encoding: "utf8", env: { ...env, PIP_DISABLE_PIP_VERSION_CHECK: "1" } },
  );
  if (result.error !== undefined || result.stderr.includes("No module named pip")) {
    const missing = result.error === undefined ? "pip (python3 -m pip)" : "python3";
    throw new WheelError(
      `${wheel.name} ${wheel.version} cannot be fetched: ${missing} is missing. Install it, on Debian and Ubuntu by ` +
        `\`apt-get install python3-pip\`. ${byHand}`,
    );
  }
  const fetched = path.join(scratch, wheel.file);
  if (result.status !== 0 || !existsSync(fetched)) {
    const reason = result.stderr.trim().split("\n").at(-1) ?? "";
    throw new WheelError(`pip could not fetch ${wheel.name} ${wheel.version} (${reason}). ${byHand}`);
  }
  const bytes = readFileSync(fetched);
  rmSync(fetched);
  rmSync(requirements);
  return bytes;
}

/** The files of a zip archive that `place` has a place for. */
function* unzip(archive: Buffer, place: (entry: string) => string | undefined): Generator<[string, Buffer]> {
  const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0) throw new WheelError("The wheel is not a zip archive.");
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const method = archive.readUInt16LE(at + 10);
    const packedSize = archive.readUInt32LE(at + 20);
    const nameLength = archive.readUInt16LE(at + 28);
    const local = archive.readUInt32LE(at + 42);
    const entry = archive.toString("utf8", at + 46, at + 46 + nameLength);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const name = entry.endsWith("/") ? undefined : place(entry);
    if (name === undefined) continue;
    if (name.split("/").includes("..")) throw new WheelError(`The wheel has an entry outside its folder: ${entry}.`);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(start, start + packedSize);
    yield [name, method === 0 ? packed : inflateRawSync(packed)];
  }
}
