/** Where the CUDA driver, the CUDA compilers and CCCL are on this machine. Looks at files only; loads nothing. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { ToolkitNotFoundError } from "../../errors";
import { packageRoot } from "./addon";

/** What a search depends on. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  /** This package's folder. */
  packageRoot: string;
  /** The machine's root folder; every absolute folder that is not from `env` is taken within it. */
  systemRoot: string;
  home: string;
}

/** What backend cuda loads to compile. */
export interface Toolkit {
  nvrtc: string;
  nvJitLink: string;
  cccl: string;
  /** Compiler options for the folders of CUB, Thrust, libcu++ and CUDA, in this order. */
  includeOptions: string[];
}

const here = (): Surroundings => ({ env: process.env, packageRoot: packageRoot(), systemRoot: "/", home: homedir() });

/** Where `cuda-compute toolkit` puts the compilers of one CUDA version. */
export function toolkitCache(major: number, { env, home }: Pick<Surroundings, "env" | "home"> = here()): string {
  const asked = env["XDG_CACHE_HOME"];
  const cache = asked !== undefined && path.isAbsolute(asked) ? asked : path.join(home, ".cache");
  return path.join(cache, "cuda-compute", `cuda-${String(major)}`);
}

/** The major CUDA version (12 or 13) whose libraries a driver runs; 13000 stands for a driver of CUDA 13.0. */
export function cudaMajor(driverVersion: number): 12 | 13 {
  return driverVersion >= 13000 ? 13 : 12;
}

/** The entries of a folder that match, newest version first; none where there is no folder. */
function list(folder: string, pattern: RegExp): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

const fromPathVariable = (value: string | undefined): string[] =>
  (value ?? "").split(":").filter((folder) => path.isAbsolute(folder));

/** The folders that the dynamic linker knows. */
function linkerFolders({ env, systemRoot }: Surroundings): string[] {
  const configured = list(path.join(systemRoot, "etc/ld.so.conf.d"), /\.conf$/)
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .map((line) => line.trim())
    .filter((line) => path.isAbsolute(line));
  const usual = ["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib", "/lib"];
  const known = new Set([...usual, ...configured].map((folder) => path.join(systemRoot, folder)));
  return [...fromPathVariable(env["LD_LIBRARY_PATH"]), ...known];
}

/** Python's folders of installed packages. */
function sitePackages({ env, systemRoot, home }: Surroundings): string[] {
  const prefixes = [
    ...[env["VIRTUAL_ENV"], env["CONDA_PREFIX"], path.join(home, ".local")].filter((prefix) => prefix !== undefined),
    ...["usr/local", "usr"].map((prefix) => path.join(systemRoot, prefix)),
  ];
  return prefixes.flatMap((prefix) =>
    list(path.join(prefix, "lib"), /^python3/).flatMap((python) =>
      ["site-packages", "dist-packages"].map((name) => path.join(python, name)),
    ),
  );
}

/** A toolkit's folders, in which a library or the headers may be. */
interface Place {
  libraries: string[];
  includes: string[];
}

const toolkitPlace = (folder: string): Place => ({
  libraries: ["lib64", "lib", "targets/x86_64-linux/lib"].map((name) => path.join(folder, name)),
  includes: ["include", "targets/x86_64-linux/include"].map((name) => path.join(folder, name)),
});

/** pip's wheels of CUDA 13 share one folder; most of CUDA 12 have one each. */
function pipPlace(folder: string, major: number): Place {
  const nvidia = path.join(folder, "nvidia");
  const shared = path.join(nvidia, `cu${String(major)}`);
  const separate =
    major === 12 ? ["cuda_nvrtc", "nvjitlink", "cuda_runtime"].map((name) => path.join(nvidia, name)) : [];
  const folders = [shared, ...separate];
  return {
    libraries: folders.map((each) => path.join(each, "lib")),
    includes: folders.map((each) => path.join(each, "include")),
  };
}

/** Where a toolkit may be, in the order of the search. */
function toolkitPlaces(surroundings: Surroundings, major: number): Place[] {
  const { env, systemRoot } = surroundings;
  const named = [env["CUDA_HOME"], env["CUDA_PATH"]].filter(
    (folder): folder is string => folder !== undefined && folder !== "",
  );
  const local = path.join(systemRoot, "usr/local");
  return [
    ...[
      ...named,
      path.join(surroundings.packageRoot, "vendor/cuda"),
      toolkitCache(major, surroundings),
      path.join(local, "cuda"),
      ...list(local, new RegExp(`^cuda-${String(major)}`)),
    ].map(toolkitPlace),
    { libraries: linkerFolders(surroundings), includes: [path.join(systemRoot, "usr/include")] },
    ...sitePackages(surroundings).map((folder) => pipPlace(folder, major)),
  ];
}

/** The file that a variable names; a variable that is set decides alone. */
function namedByVariable(variable: string, what: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = env[variable];
  if (file === undefined || file === "") return undefined;
  if (existsSync(file)) return path.resolve(file);
  throw new ToolkitNotFoundError(`${what} was not found: ${variable} names ${file}, which does not exist.`, {
    searched: [file],
  });
}

/** The first of the files that exists, and all that were looked for up to it. */
function firstOf(
  files: string[],
  accept: (file: string) => boolean = existsSync,
): { path?: string; searched: string[] } {
  const at = files.findIndex(accept);
  const found = files[at];
  return found === undefined ? { searched: files } : { path: found, searched: files.slice(0, at + 1) };
}

/**
 * The CUDA driver's library.
 *
 * @throws ToolkitNotFoundError which names every file that was looked for
 */
export function findDriver(surroundings: Surroundings = here()): { path: string; searched: string[] } {
  const named = namedByVariable("CUDA_COMPUTE_LIBCUDA", "The CUDA driver (libcuda.so.1)", surroundings.env);
  if (named !== undefined) return { path: named, searched: [named] };
  const extra = ["/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"];
  const folders = [...linkerFolders(surroundings), ...extra.map((each) => path.join(surroundings.systemRoot, each))];
  const { path: found, searched } = firstOf(folders.map((folder) => path.join(folder, "libcuda.so.1")));
  if (found !== undefined) return { path: found, searched };
  throw new ToolkitNotFoundError(
    "The CUDA driver (libcuda.so.1) was not found. It comes with the NVIDIA driver, 525 or later; in a container it is " +
      "there when the container was started with its GPUs.",
    { code: "ERR_DRIVER_NOT_FOUND", searched },
  );
}

const fetchCommand = (major: number): string => `\`npx cuda-compute toolkit --cuda ${String(major)}\` fetches it.`;

/** CUDA's version as its headers have it (13000 for 13.0); undefined where there are none. */
export function headersVersion(folder: string): number | undefined {
  try {
    const text = readFileSync(path.join(folder, "cuda_runtime_api.h"), "utf8");
    return Number(/^#define\s+CUDART_VERSION\s+(\d+)/m.exec(text)?.[1]);
  } catch {
    return undefined;
  }
}

/** The file of a library of one major version: its own link, or the file of the newest full version. */
function findCompiler(
  variable: string,
  title: string,
  file: string,
  places: Place[],
  major: number,
  env: NodeJS.ProcessEnv,
): { path: string; searched: string[] } {
  const named = namedByVariable(variable, title, env);
  if (named !== undefined) return { path: named, searched: [named] };
  const name = `${file}.so.${String(major)}`;
  const folders = places.flatMap((place) => place.libraries);
  const { path: found, searched } = firstOf(
    folders.flatMap((folder) => [
      path.join(folder, name),
      // CUDA 12.0's NVRTC has the minor version in its name.
      ...list(folder, new RegExp(`^${file}\\.so\\.${String(major)}\\.\\d+$`)),
    ]),
  );
  if (found !== undefined) return { path: found, searched };
  throw new ToolkitNotFoundError(`${title} (${name}) was not found. ${fetchCommand(major)}`, { searched });
}

function findCudaHeaders(places: Place[], major: number, env: NodeJS.ProcessEnv): { path: string; searched: string[] } {
  const named = namedByVariable("CUDA_COMPUTE_CUDA_INCLUDE", "The folder of the CUDA headers", env);
  if (named !== undefined) return { path: named, searched: [named] };
  const { path: found, searched } = firstOf(
    places.flatMap((place) => place.includes),
    (folder) => Math.floor((headersVersion(folder) ?? 0) / 1000) === major,
  );
  if (found !== undefined) return { path: found, searched };
  throw new ToolkitNotFoundError(
    `The headers of CUDA ${String(major)} (cuda_runtime_api.h) were not found. ${fetchCommand(major)}`,
    { searched: searched.map((folder) => path.join(folder, "cuda_runtime_api.h")) },
  );
}

const libraryInWheel = (major: number): string => `cuda/compute/cu${String(major)}/cccl/libcccl.c.parallel.so`;
const headersInWheel = "cuda/cccl/headers/include";

/** The C parallel library and the folder of CCCL's headers. */
function findCccl(surroundings: Surroundings, major: number): { library: string; headers: string; searched: string[] } {
  const { env } = surroundings;
  const title = "CCCL's C parallel library";
  const named = namedByVariable("CUDA_COMPUTE_CCCL", title, env);
  const isFile = named?.endsWith(".so") === true;
  const roots = [
    // A library in the layout of its wheel has its headers beside it; any other is used with the vendored headers.
    ...(named === undefined ? [] : [isFile ? path.resolve(path.dirname(named), "../../../..") : named]),
    ...(named === undefined || isFile ? [path.join(surroundings.packageRoot, "vendor/cccl")] : []),
    ...(named === undefined || isFile ? sitePackages(surroundings) : []),
  ];
  const candidates = roots.map((root) => path.join(root, libraryInWheel(major)));
  const library = isFile ? { path: named, searched: [named] } : firstOf(candidates);
  if (library.path === undefined) {
    throw new ToolkitNotFoundError(
      `${title} for CUDA ${String(major)} was not found. It comes with this package (npm install cuda-compute); in a ` +
        "clone, `npm install` puts it into vendor/cccl.",
      { searched: library.searched },
    );
  }
  const headers = firstOf(
    roots.map((root) => path.join(root, headersInWheel)),
    (folder) => existsSync(path.join(folder, "cub/cub.cuh")),
  );
  if (headers.path === undefined) {
    throw new ToolkitNotFoundError(
      "CCCL's headers (cub/cub.cuh) were not found. They come with this package; in a clone, `npm install` puts them " +
        "into vendor/cccl.",
      { searched: headers.searched },
    );
  }
  return {
    library: library.path,
    headers: headers.path,
    searched: [...library.searched, ...headers.searched],
  };
}

/**
 * What a driver of this version (13000 for CUDA 13.0) needs to compile.
 *
 * @throws ToolkitNotFoundError for the first part that is missing, with where it was looked for and what mends it
 */
export function findToolkit(
  driverVersion: number,
  surroundings: Surroundings = here(),
): Toolkit & { searched: string[] } {
  const major = cudaMajor(driverVersion);
  const { env } = surroundings;
  const places = toolkitPlaces(surroundings, major);
  const nvrtc = findCompiler("CUDA_COMPUTE_NVRTC", "The CUDA compiler NVRTC", "libnvrtc", places, major, env);
  const linker = findCompiler(
    "CUDA_COMPUTE_NVJITLINK",
    "The CUDA linker nvJitLink",
    "libnvJitLink",
    places,
    major,
    env,
  );
  const cuda = findCudaHeaders(places, major, env);
  const cccl = findCccl(surroundings, major);
  return {
    nvrtc: nvrtc.path,
    nvJitLink: linker.path,
    cccl: cccl.library,
    includeOptions: [cccl.headers, cccl.headers, cccl.headers, cuda.path].map((folder) => `-I${folder}`),
    searched: [...nvrtc.searched, ...linker.searched, ...cuda.searched, ...cccl.searched],
  };
}

/**
 * nvJitLink reads the LTO-IR of its own version and of earlier ones.
 *
 * @throws ToolkitNotFoundError with code `ERR_TOOLKIT_VERSIONS` when nvJitLink is older than NVRTC
 */
export function checkVersions(
  nvrtc: readonly [number, number],
  nvJitLink: readonly [number, number],
  paths: { nvrtc: string; nvJitLink: string },
): void {
  if (nvJitLink[0] > nvrtc[0] || (nvJitLink[0] === nvrtc[0] && nvJitLink[1] >= nvrtc[1])) return;
  throw new ToolkitNotFoundError(
    `nvJitLink ${nvJitLink.join(".")} (${paths.nvJitLink}) is older than NVRTC ${nvrtc.join(".")} (${paths.nvrtc}), ` +
      "whose code it must link. Install one CUDA toolkit with both, or name the two by CUDA_COMPUTE_NVRTC and " +
      "CUDA_COMPUTE_NVJITLINK.",
    { code: "ERR_TOOLKIT_VERSIONS", searched: [paths.nvrtc, paths.nvJitLink] },
  );
}
