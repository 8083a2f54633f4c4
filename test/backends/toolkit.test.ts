import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  checkVersions,
  cudaMajor,
  findDriver,
  findToolkit,
  type Surroundings,
  toolkitCache,
} from "../../lib/backends/cuda/toolkit";
import type { ToolkitNotFoundError } from "../../lib/errors";

/** A machine of its own in a temporary folder. */
let machine: string;
let surroundings: Surroundings;

beforeEach(() => {
  machine = mkdtempSync(path.join(tmpdir(), "cuda-compute-toolkit-"));
  surroundings = { env: {}, packageRoot: at("package"), systemRoot: machine, home: at("home") };
});

afterEach(() => {
  rmSync(machine, { recursive: true, force: true });
});

function at(name: string): string {
  return path.join(machine, name);
}

function put(name: string, content = ""): string {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  return at(name);
}

/** The compilers and headers of one CUDA version, as a toolkit or a wheel lays them out. */
function putToolkit(folder: string, { major = 13, libraries = "lib" } = {}) {
  const text = `#define CUDART_VERSION  ${String(major * 1000)}\n`;
  return {
    nvrtc: put(`${folder}/${libraries}/libnvrtc.so.${String(major)}`),
    nvJitLink: put(`${folder}/${libraries}/libnvJitLink.so.${String(major)}`),
    include: path.dirname(put(`${folder}/include/cuda_runtime_api.h`, text)),
  };
}

/** CCCL in the layout of its wheel. */
function putCccl(folder = "package/vendor/cccl") {
  const include = path.resolve(path.dirname(put(`${folder}/cuda/cccl/headers/include/cub/cub.cuh`)), "..");
  const library = (major: number): string =>
    put(`${folder}/cuda/compute/cu${String(major)}/cccl/libcccl.c.parallel.so`);
  return { include, cu12: library(12), cu13: library(13) };
}

function errorOf(action: () => unknown): ToolkitNotFoundError {
  try {
    action();
  } catch (error) {
    return error as ToolkitNotFoundError;
  }
  throw new Error("expected an error");
}

describe("the driver's CUDA version chooses the libraries", () => {
  test.each([
    [12000, 12],
    [12090, 12],
    [13000, 13],
    [13010, 13],
    [14000, 13],
  ])("%i runs those of CUDA %i", (driver, major) => {
    expect(cudaMajor(driver)).toBe(major);
  });
});

describe("findDriver", () => {
  test("prefers the file that CUDA_COMPUTE_LIBCUDA names", () => {
    put("usr/lib/x86_64-linux-gnu/libcuda.so.1");
    surroundings.env["CUDA_COMPUTE_LIBCUDA"] = put("mine/libcuda.so");
    expect(findDriver(surroundings)).toEqual({ path: at("mine/libcuda.so"), searched: [at("mine/libcuda.so")] });
  });

  test("a variable that names no file is an error, even where the system has a driver", () => {
    put("usr/lib/x86_64-linux-gnu/libcuda.so.1");
    surroundings.env["CUDA_COMPUTE_LIBCUDA"] = "/nowhere/libcuda.so.1";
    expect(errorOf(() => findDriver(surroundings))).toMatchObject({
      name: "ToolkitNotFoundError",
      message:
        "The CUDA driver (libcuda.so.1) was not found: CUDA_COMPUTE_LIBCUDA names /nowhere/libcuda.so.1, " +
        "which does not exist.",
      searched: ["/nowhere/libcuda.so.1"],
    });
  });

  test.each([
    "usr/lib/x86_64-linux-gnu",
    "usr/lib64",
    "usr/local/nvidia/lib64",
    "usr/lib/wsl/lib",
    "run/opengl-driver/lib",
  ])("looks in /%s", (folder) => {
    const driver = put(`${folder}/libcuda.so.1`);
    expect(findDriver(surroundings).path).toBe(driver);
  });

  test("looks in the folders that the dynamic linker is configured for", () => {
    put("etc/ld.so.conf.d/nvidia.conf", "# the driver\n/opt/driver/lib\n");
    const driver = put("opt/driver/lib/libcuda.so.1");
    expect(findDriver(surroundings).path).toBe(driver);
  });

  test("LD_LIBRARY_PATH comes before the system's folders", () => {
    put("usr/lib/x86_64-linux-gnu/libcuda.so.1");
    const driver = put("first/libcuda.so.1");
    surroundings.env["LD_LIBRARY_PATH"] = `${at("none")}:${at("first")}`;
    expect(findDriver(surroundings).path).toBe(driver);
  });

  test("without a driver, says what brings one and where it was looked for", () => {
    const error = errorOf(() => findDriver(surroundings));
    expect(error).toMatchObject({ name: "ToolkitNotFoundError", code: "ERR_DRIVER_NOT_FOUND" });
    expect(error.message).toMatch(/libcuda\.so\.1.*comes with the NVIDIA driver/);
    expect(error.searched).toContain(at("usr/local/nvidia/lib64/libcuda.so.1"));
  });
});

describe("findToolkit", () => {
  test("finds everything in the package's own vendor folder", () => {
    const cuda = putToolkit("package/vendor/cuda");
    const cccl = putCccl();
    expect(findToolkit(13000, surroundings)).toMatchObject({
      nvrtc: cuda.nvrtc,
      nvJitLink: cuda.nvJitLink,
      cccl: cccl.cu13,
      includeOptions: [cccl.include, cccl.include, cccl.include, cuda.include].map((folder) => `-I${folder}`),
    });
  });

  /** Every place, in the order of the search. */
  const places: [string, { libraries?: string; env?: Record<string, string> }][] = [
    ["named-home", { libraries: "lib64", env: { CUDA_HOME: "named-home" } }],
    ["named-path", { libraries: "targets/x86_64-linux/lib", env: { CUDA_PATH: "named-path" } }],
    ["package/vendor/cuda", {}],
    ["home/.cache/cuda-compute/cuda-13", {}],
    ["usr/local/cuda", { libraries: "lib64" }],
    ["usr/local/cuda-13.0", { libraries: "lib64" }],
    ["venv/lib/python3.12/site-packages/nvidia/cu13", { env: { VIRTUAL_ENV: "venv" } }],
    ["home/.local/lib/python3.11/site-packages/nvidia/cu13", {}],
    ["usr/lib/python3/dist-packages/nvidia/cu13", {}],
  ];

  test.each(places.map(([folder], index) => [folder, index] as const))(
    "%s comes before all that follow",
    (_, index) => {
      putCccl();
      const found = places.slice(index).map(([folder, { libraries = "lib", env = {} }]) => {
        for (const [name, value] of Object.entries(env)) surroundings.env[name] = at(value);
        return putToolkit(folder, { libraries });
      });
      const toolkit = findToolkit(13000, surroundings);
      expect(toolkit).toMatchObject({ nvrtc: found[0]?.nvrtc, nvJitLink: found[0]?.nvJitLink });
      expect(toolkit.includeOptions[3]).toBe(`-I${String(found[0]?.include)}`);
    },
  );

  test("of several toolkits in /usr/local the newest of the driver's major version is used", () => {
    putCccl();
    for (const [name, major] of [
      ["cuda-12.9", 12],
      ["cuda-13.0", 13],
      ["cuda-13.10", 13],
      ["cuda-13.2", 13],
    ] as const) {
      putToolkit(`usr/local/${name}`, { major, libraries: "lib64" });
    }
    expect(findToolkit(13000, surroundings).nvrtc).toBe(at("usr/local/cuda-13.10/lib64/libnvrtc.so.13"));
    expect(findToolkit(12080, surroundings).nvrtc).toBe(at("usr/local/cuda-12.9/lib64/libnvrtc.so.12"));
  });

  test("a driver of CUDA 12 gets CUDA 12's library and pip's separate folders, not a toolkit of CUDA 13", () => {
    const cccl = putCccl();
    putToolkit("package/vendor/cuda");
    surroundings.env["VIRTUAL_ENV"] = at("venv");
    const packages = "venv/lib/python3.12/site-packages/nvidia";
    const nvrtc = put(`${packages}/cuda_nvrtc/lib/libnvrtc.so.12`);
    const nvJitLink = put(`${packages}/nvjitlink/lib/libnvJitLink.so.12`);
    put(`${packages}/cuda_runtime/include/cuda_runtime_api.h`, "#define CUDART_VERSION  12090\n");
    const toolkit = findToolkit(12090, surroundings);
    expect(toolkit).toMatchObject({ nvrtc, nvJitLink, cccl: cccl.cu12 });
    expect(toolkit.includeOptions[3]).toBe(`-I${at(`${packages}/cuda_runtime/include`)}`);
  });

  test("a variable for one part changes that part alone", () => {
    const cuda = putToolkit("package/vendor/cuda");
    putCccl();
    surroundings.env["CUDA_COMPUTE_NVJITLINK"] = put("mine/libnvJitLink.so");
    surroundings.env["CUDA_COMPUTE_CUDA_INCLUDE"] = path.dirname(put("mine/include/cuda.h"));
    const toolkit = findToolkit(13000, surroundings);
    expect(toolkit).toMatchObject({ nvrtc: cuda.nvrtc, nvJitLink: at("mine/libnvJitLink.so") });
    expect(toolkit.includeOptions[3]).toBe(`-I${at("mine/include")}`);
  });

  test("CUDA_COMPUTE_CCCL names a library, used with the vendored headers", () => {
    putToolkit("package/vendor/cuda");
    const vendored = putCccl();
    surroundings.env["CUDA_COMPUTE_CCCL"] = put("mine/libcccl.c.parallel.so");
    const toolkit = findToolkit(13000, surroundings);
    expect(toolkit.cccl).toBe(at("mine/libcccl.c.parallel.so"));
    expect(toolkit.includeOptions[0]).toBe(`-I${vendored.include}`);
  });

  test("CUDA_COMPUTE_CCCL names a library within its wheel's layout, used with the headers beside it", () => {
    putToolkit("package/vendor/cuda");
    putCccl();
    const mine = putCccl("mine");
    surroundings.env["CUDA_COMPUTE_CCCL"] = mine.cu13;
    const toolkit = findToolkit(13000, surroundings);
    expect(toolkit.cccl).toBe(mine.cu13);
    expect(toolkit.includeOptions[0]).toBe(`-I${mine.include}`);
  });

  test("CUDA_COMPUTE_CCCL names a folder in the wheel's layout", () => {
    putToolkit("package/vendor/cuda");
    const mine = putCccl("mine");
    surroundings.env["CUDA_COMPUTE_CCCL"] = at("mine");
    expect(findToolkit(13000, surroundings).cccl).toBe(mine.cu13);
  });

  test.each([
    ["NVRTC", "lib/libnvrtc.so.13", /NVRTC \(libnvrtc\.so\.13\).*`npx cuda-compute toolkit --cuda 13`/],
    ["nvJitLink", "lib/libnvJitLink.so.13", /nvJitLink \(libnvJitLink\.so\.13\).*`npx cuda-compute toolkit --cuda 13`/],
    ["the headers", "include/cuda_runtime_api.h", /headers of CUDA 13.*`npx cuda-compute toolkit --cuda 13`/],
  ])("without %s, names the file, every place and the command that mends it", (_, file, message) => {
    putToolkit("package/vendor/cuda");
    putCccl();
    rmSync(at(`package/vendor/cuda/${file}`));
    const error = errorOf(() => findToolkit(13000, surroundings));
    expect(error).toMatchObject({ name: "ToolkitNotFoundError", code: "ERR_TOOLKIT_NOT_FOUND" });
    expect(error.message).toMatch(message);
    expect(error.searched).toEqual(expect.arrayContaining([at(`package/vendor/cuda/${file}`)]));
    expect(error.searched).toEqual(expect.arrayContaining([at(`usr/local/cuda/${file}`)]));
  });

  test("without CCCL, says that it comes with the package", () => {
    putToolkit("package/vendor/cuda");
    const error = errorOf(() => findToolkit(13000, surroundings));
    expect(error.message).toMatch(/C parallel library for CUDA 13 was not found.*comes with this package/);
    expect(error.searched).toContain(at("package/vendor/cccl/cuda/compute/cu13/cccl/libcccl.c.parallel.so"));
  });

  test("headers of another CUDA version are passed over", () => {
    putCccl();
    putToolkit("package/vendor/cuda");
    put("package/vendor/cuda/include/cuda_runtime_api.h", "#define CUDART_VERSION  12090\n");
    const { include } = putToolkit("usr/local/cuda");
    expect(findToolkit(13000, surroundings).includeOptions[3]).toBe(`-I${include}`);
  });
});

test("XDG_CACHE_HOME moves the folder of fetched compilers; a relative one is ignored", () => {
  expect(toolkitCache(13, { env: { XDG_CACHE_HOME: "/big/cache" }, home: "/home/me" })).toBe(
    "/big/cache/cuda-compute/cuda-13",
  );
  expect(toolkitCache(12, { env: { XDG_CACHE_HOME: "cache" }, home: "/home/me" })).toBe(
    "/home/me/.cache/cuda-compute/cuda-12",
  );
});

describe("checkVersions", () => {
  const paths = { nvrtc: "/a/libnvrtc.so.13", nvJitLink: "/b/libnvJitLink.so.13" };

  test.each<[[number, number], [number, number]]>([
    [
      [13, 0],
      [13, 0],
    ],
    [
      [12, 9],
      [13, 0],
    ],
    [
      [13, 0],
      [13, 1],
    ],
  ])("NVRTC %j with nvJitLink %j is fine", (nvrtc, nvJitLink) => {
    expect(() => {
      checkVersions(nvrtc, nvJitLink, paths);
    }).not.toThrow();
  });

  test.each<[[number, number], [number, number]]>([
    [
      [13, 1],
      [13, 0],
    ],
    [
      [13, 0],
      [12, 9],
    ],
  ])("NVRTC %j with nvJitLink %j is an error with both versions and paths", (nvrtc, nvJitLink) => {
    const error = errorOf(() => {
      checkVersions(nvrtc, nvJitLink, paths);
    });
    expect(error.code).toBe("ERR_TOOLKIT_VERSIONS");
    expect(error.message).toContain(`nvJitLink ${nvJitLink.join(".")} (/b/libnvJitLink.so.13)`);
    expect(error.message).toContain(`NVRTC ${nvrtc.join(".")} (/a/libnvrtc.so.13)`);
  });
});
