/** How the package loads, and what it says where something is missing. Needs the built package (`npm run build`). */
import { copyFileSync, cpSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runChild, runNode } from "../helpers/child";
import { runSimulated, simulated } from "../helpers/simulated-child";
import { paths } from "../helpers/simulated-device";

const noCuda = { CUDA_COMPUTE_BACKEND: undefined, CUDA_COMPUTE_LIBCUDA: "/nowhere/libcuda.so.1" };

const sum = `
  const input = cc.DeviceArray.from(new Float32Array([1, 2, 3]));
  const output = cc.DeviceArray.zeros(1, "float32");
  cc.reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
  console.log(cc.getBackend().name, output.toTypedArray()[0]);
`;

const caught = (call: string): string => `
  try { ${call}; console.log("no error"); } catch (error) {
    console.log(JSON.stringify({ name: error.name, code: error.code, message: error.message, searched: error.searched }));
  }
`;

async function errorOf(call: string, environment: Record<string, string | undefined>) {
  const { code, stdout, stderr } = await runChild(caught(call), environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as { name: string; code: string; message: string; searched?: string[] };
}

describe("on a machine without CUDA", () => {
  test("require works and backend host runs", async () => {
    expect(await runChild(sum, noCuda)).toEqual({ code: 0, signal: null, stdout: "host 6\n", stderr: "" });
  });

  test("import works, with named exports", async () => {
    const script = `import { DeviceArray, reduceInto, getBackend } from ${JSON.stringify(
      path.join(root, "dist/lib/index.js"),
    )};\n${sum.replaceAll("cc.", "")}`;
    const file = path.join(mkdtempSync(path.join(tmpdir(), "cuda-compute-")), "main.mjs");
    writeFileSync(file, script);
    expect(await runNode([file], noCuda)).toEqual({ code: 0, signal: null, stdout: "host 6\n", stderr: "" });
  });

  test("the package can be imported by its own name", async () => {
    const script = `import("cuda-compute").then((cc) => console.log(typeof cc.reduceInto, typeof cc.default.reduceInto))`;
    expect(await runNode(["-e", script], noCuda)).toMatchObject({ code: 0, stdout: "function function\n" });
  });

  test("isCudaAvailable is false and does not throw; the reason is told", async () => {
    const { stdout } = await runChild(`console.log(cc.isCudaAvailable(), cc.getBackend().reason)`, noCuda);
    expect(stdout).toMatch(/^false .*libcuda\.so\.1/);
  });

  test("asking for backend cuda is a ToolkitNotFoundError that names the driver and where it was looked for", async () => {
    const error = await errorOf(`cc.setBackend("cuda")`, noCuda);
    expect(error).toMatchObject({ name: "ToolkitNotFoundError", message: expect.stringMatching(/libcuda\.so\.1/) });
    expect(error.searched).toContain("/nowhere/libcuda.so.1");
  });

  test("an unknown backend in the environment is a TypeError that names the variable", async () => {
    const error = await errorOf(`cc.getBackend()`, { ...noCuda, CUDA_COMPUTE_BACKEND: "gpu" });
    expect(error).toMatchObject({ name: "TypeError", message: expect.stringMatching(/^CUDA_COMPUTE_BACKEND: /) });
  });
});

describe("on a machine with a driver", () => {
  test("arrays work without a toolkit; the first build says what is missing, and the next call still works", async () => {
    const environment = { ...simulated(), CUDA_COMPUTE_NVRTC: "/nowhere/libnvrtc.so.13" };
    const script = `
      const input = cc.DeviceArray.from(new Float32Array([1, 2, 3]));
      const output = cc.DeviceArray.zeros(1, "float32");
      const call = () => cc.reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
      ${caught("call()")}
      ${caught("call()")}
      console.log(input.toTypedArray().join(), cc.memory.stats().liveArrays);`;
    const { code, stdout, stderr } = await runChild(script, environment);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [first, second, arrays] = stdout.trim().split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({
      name: "ToolkitNotFoundError",
      message: expect.stringMatching(/NVRTC|nvrtc/),
    });
    expect(second).toBe(first);
    expect(arrays).toBe("1,2,3 2");
  });

  test("a library that is not the pinned C library is refused by version", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
    const other = path.join(folder, "libcccl.c.parallel.so");
    copyFileSync(paths.driver, other);
    const call = `const a = cc.DeviceArray.zeros(1, "float32"); cc.reduceInto({ input: a, output: a, op: (a, b) => a + b, init: 0 })`;
    const error = await errorOf(call, { ...simulated(), CUDA_COMPUTE_CCCL: other });
    expect(error).toMatchObject({
      name: "ToolkitNotFoundError",
      code: "ERR_CCCL_VERSION",
      message: expect.stringMatching(/1\.2\.1/),
    });
  });

  test("a driver that sees no device is a CudaError, and automatic choice falls back to host", async () => {
    const script = `device.setDeviceCount(0); ${sum} console.log(cc.getBackend().reason);`;
    const { stdout } = await runSimulated(script, { CUDA_COMPUTE_BACKEND: undefined });
    expect(stdout).toMatch(/^host 6\n.*(no GPU|NO_DEVICE|no CUDA)/);
  });

  test("each failure of what opens the device or loads the compilers is told, and the next try goes on", async () => {
    const opening = [
      "cuInit",
      "cuDriverGetVersion",
      "cuDeviceGetCount",
      "cuDeviceGet",
      "cuDeviceGetName",
      "cuDeviceGetAttribute",
      "cuDeviceTotalMem_v2",
      "cuDevicePrimaryCtxRetain",
      "cuCtxSetCurrent",
      "cuDeviceGetDefaultMemPool",
      "cuMemPoolSetAttribute",
    ];
    const loading = ["nvrtcVersion", "nvJitLinkVersion"];
    const control = JSON.stringify(path.join(path.dirname(paths.driver), "simulated_control.node"));
    const script = `
      const device = require(${control});
      device.open(${JSON.stringify(paths.driver)});
      for (const name of ${JSON.stringify([...opening, ...loading])}) device.failNext(name, 1, 999);
      const tell = (call) => {
        for (;;) {
          try { return call(); } catch ({ name, code, message }) { console.log(name, code, message); }
        }
      };
      const array = tell(() => cc.DeviceArray.zeros(1, "float32"));
      tell(() => cc.forEach({ input: array, op: (x) => x }));
      console.log(array.toTypedArray().join(), device.counters().liveContexts);`;
    const compilers = { CUDA_COMPUTE_NVRTC: paths.nvrtc, CUDA_COMPUTE_NVJITLINK: paths.nvJitLink };
    // Before any function of theirs can be made to fail, they are loaded.
    const LD_PRELOAD = `${paths.nvrtc}:${paths.nvJitLink}`;
    const { stdout } = await runChild(script, { ...simulated(), ...compilers, LD_PRELOAD });
    const tells = (what: string): string => expect.stringMatching(new RegExp(`^${what}\\b`)) as string;
    expect(stdout.trim().split("\n")).toEqual([
      ...opening.map((name) => tells(`CudaError CUDA_ERROR_UNKNOWN ${name.replace(/_v2$/, "")} failed`)),
      ...loading.map((name) => tells(`ToolkitNotFoundError ERR_LIBRARY_LOAD .*${name}`)),
      "0 1",
    ]);
  });

  test("an array of another backend is refused, naming the argument", async () => {
    const call = `
      const cuda = cc.DeviceArray.zeros(1, "float32"); cc.setBackend("host");
      const host = cc.DeviceArray.zeros(1, "float32");
      cc.reduceInto({ input: cuda, output: host, op: (a, b) => a + b, init: 0 })`;
    expect(await errorOf(call, simulated())).toMatchObject({
      name: "TypeError",
      code: "ERR_BACKEND_MISMATCH",
      message: expect.stringMatching(/^reduceInto\.output: /),
    });
  });
});

test("the package loads by require, by import, once more and from a second copy, in one process", async () => {
  const copy = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
  const parts = ["dist", "package.json", "build/Release/cuda_compute.node"];
  for (const part of parts) cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  for (const part of ["node_modules", "vendor"]) symlinkSync(path.join(root, part), path.join(copy, part));
  const script = `(async () => {
    const imported = await import("cuda-compute");
    for (const key of Object.keys(require.cache)) delete require.cache[key];
    const again = require(${JSON.stringify(root)});
    const copy = require(${JSON.stringify(copy)});
    const packages = { cc, imported, again, copy };
    for (const [name, { DeviceArray, getBackend }] of Object.entries(packages)) {
      const array = DeviceArray.from(new Float32Array([4, 5]));
      array.subarray(1).fill(7);
      console.log(name, getBackend().name, array.toArray().join());
    }
    const classes = new Set(Object.values(packages).map(({ DeviceArray }) => DeviceArray));
    console.log(classes.size, device.counters().violations);
  })();`;
  expect(await runSimulated(script)).toEqual({
    code: 0,
    signal: null,
    stderr: "",
    stdout: "cc cuda 4,7\nimported cuda 4,7\nagain cuda 4,7\ncopy cuda 4,7\n3 0\n",
  });
});
