import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Bundle,
  cccl,
  changedLibraries,
  cudaCompilers,
  install,
  isInstalled,
  type Wheel,
} from "../../lib/cli/wheels";

let folder: string;
let target: string;
let downloads: string;
/** No python3 on the path. */
const noPython = { PATH: "/nowhere" };

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-wheels-"));
  target = path.join(folder, "vendor", "thing");
  downloads = path.join(folder, "vendor", "downloads");
  mkdirSync(downloads, { recursive: true });
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A wheel of these files in the folder of downloads, zipped by another program. */
function putWheel(name: string, files: Record<string, string>): Wheel {
  const source = mkdtempSync(path.join(folder, "source-"));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(source, file)), { recursive: true });
    writeFileSync(path.join(source, file), content);
  }
  const file = `${name}-1.0-py3-none-any.whl`;
  const archive = path.join(downloads, file);
  execFileSync("python3", ["-m", "zipfile", "-c", archive, ...readdirSync(source)], { cwd: source });
  return { name, version: "1.0", file, sha256: sha256(readFileSync(archive)) };
}

const bundleOf = (...wheels: Wheel[]): Bundle => ({
  title: "the thing",
  wheels,
  place: (_, entry) => (entry.endsWith(".py") ? undefined : entry),
});

test("a wheel that lies in the downloads is unpacked without python or a network", () => {
  const long = "0123456789".repeat(10_000);
  const bundle = bundleOf(putWheel("thing", { "lib/libthing.so": long, "include/a/b.h": "b", "left/out.py": "" }));
  expect(isInstalled(bundle, target)).toBe(false);
  expect(install(bundle, target, downloads, noPython)).toBe(true);
  expect(isInstalled(bundle, target)).toBe(true);
  expect(readFileSync(path.join(target, "lib/libthing.so"), "utf8")).toBe(long);
  expect(readFileSync(path.join(target, "include/a/b.h"), "utf8")).toBe("b");
  expect(readdirSync(target).sort()).toEqual(["include", "lib", "manifest.json"]);
});

test("the manifest holds the wheels' versions and hashes and the hash of each shared library", () => {
  const wheel = putWheel("thing", { "lib/libthing.so": "code", "lib/libthing.so.13": "more", "include/b.h": "b" });
  install(bundleOf(wheel), target, downloads, noPython);
  expect(JSON.parse(readFileSync(path.join(target, "manifest.json"), "utf8"))).toEqual({
    wheels: { thing: { version: "1.0", sha256: wheel.sha256 } },
    libraries: {
      "lib/libthing.so": "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b",
      "lib/libthing.so.13": sha256(Buffer.from("more")),
    },
  });
  expect(changedLibraries(target)).toEqual([]);
  writeFileSync(path.join(target, "lib/libthing.so"), "another");
  rmSync(path.join(target, "lib/libthing.so.13"));
  expect(changedLibraries(target).sort()).toEqual(["lib/libthing.so", "lib/libthing.so.13"]);
});

test("a second install touches nothing and needs no wheel", () => {
  const bundle = bundleOf(putWheel("thing", { "lib/libthing.so": "code" }));
  install(bundle, target, downloads, noPython);
  const before = statSync(path.join(target, "lib/libthing.so")).ino;
  rmSync(downloads, { recursive: true });
  expect(install(bundle, target, downloads, noPython)).toBe(false);
  expect(statSync(path.join(target, "lib/libthing.so")).ino).toBe(before);
});

test("another version replaces the folder, with nothing left of the old one", () => {
  install(bundleOf(putWheel("thing", { "old.h": "" })), target, downloads, noPython);
  install(bundleOf(putWheel("other", { "new.h": "" })), target, downloads, noPython);
  expect(readdirSync(target).sort()).toEqual(["manifest.json", "new.h"]);
});

test("a file with another hash is refused, and what was installed stays", () => {
  const first = putWheel("thing", { "a.h": "" });
  install(bundleOf(first), target, downloads, noPython);
  const second = putWheel("second", { "b.h": "" });
  const archive = path.join(downloads, second.file);
  writeFileSync(archive, readFileSync(archive).subarray(0, 50));
  expect(() => install(bundleOf(second), target, downloads, noPython)).toThrow(
    `${archive} is not second 1.0: its SHA-256 is not ${second.sha256}.`,
  );
  expect(isInstalled(bundleOf(first), target)).toBe(true);
  expect(readdirSync(path.dirname(target)).sort()).toEqual(["downloads", "thing"]);
});

test("an install that breaks halfway leaves nothing that looks whole", () => {
  const good = putWheel("good", { "a.h": "" });
  const missing: Wheel = { name: "missing", version: "1.0", file: "missing-1.0-py3-none-any.whl", sha256: "0" };
  expect(() => install(bundleOf(good, missing), target, downloads, noPython)).toThrow(/missing 1\.0/);
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(path.dirname(target))).toEqual(["downloads"]);
});

test("an entry that would land outside the folder is refused", () => {
  const bundle: Bundle = { ...bundleOf(putWheel("thing", { "a.h": "" })), place: () => "../../outside.h" };
  expect(() => install(bundle, target, downloads, noPython)).toThrow(/outside its folder/);
  expect(existsSync(path.join(folder, "outside.h"))).toBe(false);
});

describe("when a wheel cannot be fetched, the message names the file, its hash and the folder to put it into", () => {
  const wheel: Wheel = { name: "thing", version: "1.0", file: "thing-1.0-py3-none-any.whl", sha256: "abc" };

  /** A python3 that prints this to stderr and fails. */
  function failingPython(stderr: string): NodeJS.ProcessEnv {
    const bin = path.join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(path.join(bin, "python3"), `#!/bin/sh\nprintf '%s\\n' '${stderr}' >&2\nexit 1\n`);
    chmodSync(path.join(bin, "python3"), 0o755);
    return { PATH: `${bin}:/usr/bin:/bin` };
  }

  const byHand = (): string =>
    "Without a network, put the file thing-1.0-py3-none-any.whl (SHA-256 abc; " +
    `\`pip download --no-deps thing==1.0\` fetches it on another machine) into ${downloads} and try again.`;

  test("without python3", () => {
    expect(() => install(bundleOf(wheel), target, downloads, noPython)).toThrow(
      `thing 1.0 cannot be fetched: python3 is missing. Install it, on Debian and Ubuntu by \`apt-get install ` +
        `python3-pip\`. ${byHand()}`,
    );
  });

  test("without pip", () => {
    const env = failingPython("/usr/bin/python3: No module named pip");
    expect(() => install(bundleOf(wheel), target, downloads, env)).toThrow(
      `thing 1.0 cannot be fetched: pip (python3 -m pip) is missing. Install it, on Debian and Ubuntu by ` +
        `\`apt-get install python3-pip\`. ${byHand()}`,
    );
  });

  test("without a network", () => {
    const env = failingPython("WARNING: retrying\nERROR: No matching distribution found for thing==1.0");
    expect(() => install(bundleOf(wheel), target, downloads, env)).toThrow(
      `pip could not fetch thing 1.0 (ERROR: No matching distribution found for thing==1.0). ${byHand()}`,
    );
  });
});

describe("what is taken from the wheels", () => {
  test("of CCCL: both C parallel libraries and the headers, in their layout", () => {
    const place = (entry: string): string | undefined => cccl.place(cccl.wheels[0]!, entry);
    for (const kept of [
      "cuda/compute/cu12/cccl/libcccl.c.parallel.so",
      "cuda/compute/cu13/cccl/libcccl.c.parallel.so",
      "cuda/cccl/headers/include/cub/cub.cuh",
      "cuda/cccl/headers/include/cuda/std/__config",
    ]) {
      expect(place(kept)).toBe(kept);
    }
    for (const left of [
      "cuda/compute/cu13/_bindings_impl.cpython-312-x86_64-linux-gnu.so",
      "cuda/compute/types.py",
      "cuda/cccl/headers/include/__init__.py",
      "cuda/cccl/headers/lib/cmake/cub/cub-config.cmake",
    ]) {
      expect(place(left)).toBeUndefined();
    }
  });

  test.each([
    ["nvidia/cu13/lib/libnvrtc.so.13", "lib/libnvrtc.so.13"],
    ["nvidia/cu13/lib/libnvrtc-builtins.so.13.0", "lib/libnvrtc-builtins.so.13.0"],
    ["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "lib/libnvrtc.so.12"],
    ["nvidia/cu13/lib/libnvJitLink.so.13", "lib/libnvJitLink.so.13"],
    ["nvidia/cu13/include/cuda_fp16.h", "include/cuda_fp16.h"],
    ["nvidia/cu13/include/cooperative_groups/reduce.h", "include/cooperative_groups/reduce.h"],
    ["nvidia_x-13.0.88.dist-info/licenses/License.txt", "licenses/nvidia-cuda-nvrtc.txt"],
    ["nvidia/cu13/lib/libnvrtc.alt.so.13", undefined],
    ["nvidia/cu13/lib/libnvrtc-builtins.alt.so.13.0", undefined],
    ["nvidia/cu13/lib/libcudart.so.13", undefined],
    ["nvidia/cu13/lib/libcudart_static.a", undefined],
    ["nvidia_x-13.0.88.dist-info/METADATA", undefined],
  ])("of the compilers: %s to %s", (entry, expected) => {
    const { place, wheels } = cudaCompilers[13];
    expect(place(wheels[0]!, entry)).toBe(expected);
  });
});
