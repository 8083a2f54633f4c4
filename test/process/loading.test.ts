/** How the package loads, and what it says where something is missing. Needs the built package (`npm run build`). */
import { mkdtempSync, copyFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { paths } from "../helpers/simulated-device";
import { root, runChild, runNode } from "../helpers/child";

const noCuda = { CUDA_COMPUTE_BACKEND: undefined, CUDA_COMPUTE_LIBCUDA: "/nowhere/libcuda.so.1" };
const simulated = { CUDA_COMPUTE_BACKEND: "cuda", CUDA_COMPUTE_LIBCUDA: paths.driver, CUDA_COMPUTE_CCCL: paths.cccl };

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
    const environment = { ...simulated, CUDA_COMPUTE_NVRTC: "/nowhere/libnvrtc.so.13" };
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
    const error = await errorOf(call, { ...simulated, CUDA_COMPUTE_CCCL: other });
    expect(error).toMatchObject({
      name: "ToolkitNotFoundError",
      code: "ERR_CCCL_VERSION",
      message: expect.stringMatching(/1\.2\.1/),
    });
  });

  test("a driver that sees no device is a CudaError, and automatic choice falls back to host", async () => {
    const control = JSON.stringify(path.join(path.dirname(paths.driver), "simulated_control.node"));
    const script = `
      const device = require(${control});
      device.open(${JSON.stringify(paths.driver)});
      device.setDeviceCount(0);
      ${sum} console.log(cc.getBackend().reason);`;
    const { stdout } = await runChild(script, { ...simulated, CUDA_COMPUTE_BACKEND: undefined });
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
    const { stdout } = await runChild(script, { ...simulated, ...compilers, LD_PRELOAD });
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
    expect(await errorOf(call, simulated)).toMatchObject({
      name: "TypeError",
      code: "ERR_BACKEND_MISMATCH",
      message: expect.stringMatching(/^reduceInto\.output: /),
    });
  });
});

describe("ends of the process", () => {
  const work = `
    const input = cc.DeviceArray.zeros(100000, "float32");
    const output = cc.DeviceArray.zeros(1, "float32");
    cc.reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
    const read = output.read();
  `;
  const ends: [string, string, number][] = [
    ["naturally", "", 0],
    ["by process.exit with work and reads under way", "process.exit(0)", 0],
    ["by an uncaught error", "throw new Error('mine')", 1],
    [
      "with a compilation under way",
      `cc.makeReduceIntoAsync({ input, output, op: (a, b) => a * b + 1, init: 0 }); process.exit(0)`,
      0,
    ],
  ];
  test.each(ends)("%s", async (_, end, expected) => {
    for (let round = 0; round < 3; round++) {
      const { code, signal, stderr } = await runChild(work + end, simulated);
      expect({ code, signal }).toEqual({ code: expected, signal: null });
      if (expected === 0) expect(stderr).toBe("");
    }
  });

  test("live arrays and streams alone do not keep the process alive", async () => {
    const { code } = await runChild(`globalThis.a = [cc.DeviceArray.zeros(10, "int8"), new cc.Stream()]`, simulated);
    expect(code).toBe(0);
  });
});

describe("worker threads", () => {
  const worker = `
    const { Worker, isMainThread, workerData } = require("node:worker_threads");
    function work() {
      const input = cc.DeviceArray.from(new Int32Array([1, 2, 3]));
      const output = cc.DeviceArray.zeros(1, "int32");
      for (let i = 0; i < 10; i++) cc.reduceInto({ input, output, op: (a, b) => a * 2 + b * 2 - (a + b), init: i });
      cc.inclusiveScan({ input, output: input, op: (a, b) => a + b });
      return output.read();
    }
  `;

  test("eight workers and the main thread share builds, and each ends cleanly", async () => {
    const script = `${worker}
      const source = ${JSON.stringify(`const cc = require(${JSON.stringify(root)});${worker} work();`)};
      Promise.all(Array.from({ length: 8 }, () => new Promise((resolve, reject) => {
        new Worker(source, { eval: true }).on("exit", resolve).on("error", reject);
      })).concat([work()])).then((codes) => {
        console.log(codes.slice(0, 8).join(), JSON.stringify(cc.caches.stats()));
      });`;
    const { code, stdout, stderr } = await runChild(script, simulated);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [codes, statistics] = stdout.trim().split(" ");
    expect(codes).toBe("0,0,0,0,0,0,0,0");
    expect(JSON.parse(statistics ?? "")).toMatchObject({ kernelsCompiled: 2, links: 1, loads: 2 });
  });

  const storm = `
    function build(own) {
      const input = cc.DeviceArray.from(new Int32Array([1, 2, 3]));
      const results = [];
      // The operators' texts differ in a number, which is none that is captured.
      const distinct = own.map((k) => new Function("a", "b", "return a + b + " + k + " * (a - a)"));
      for (let round = 0; round < 3; round++) {
        for (const op of distinct) {
          const output = cc.DeviceArray.empty(1, "int32");
          cc.reduceInto({ input, output, op, init: round });
          results.push(output);
        }
        for (let i = 0; i < 20; i++) {
          const output = cc.DeviceArray.empty(1, "int32");
          cc.reduceInto({ input, output, op: (a, b) => a + b + round * i * (b - b), init: i });
          results.push(output);
        }
      }
      return results.map((array) => array.toArray()[0]);
    }
  `;
  /** Six threads and the main one: two operators of each one's own, and one that all share, at once. */
  const stormOnAll = `${storm}
    const source = ${JSON.stringify(`const cc = require(${JSON.stringify(root)});${storm}
      const { parentPort, workerData } = require("node:worker_threads");
      parentPort.postMessage(build(workerData));`)};
    const { Worker } = require("node:worker_threads");
    const work = Array.from({ length: 6 }, (_, i) => new Promise((resolve, reject) => {
      const workerData = [2 * i + 5, 2 * i + 6];
      new Worker(source, { eval: true, workerData }).on("message", resolve).on("error", reject);
    }));
    Promise.all([build([100, 101]), ...work]).then((all) => {
      console.log(JSON.stringify({ all, statistics: cc.caches.stats() }));
    });`;

  test("operators of each thread's own and shared ones, used at once, have their own results", async () => {
    const { code, stderr, stdout } = await runChild(stormOnAll, { CUDA_COMPUTE_BACKEND: "host" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // 1 + 2 + 3 and the init: the round, and then the number of the call.
    const expected = [0, 1, 2].flatMap((round) => [
      6 + round,
      6 + round,
      ...Array.from({ length: 20 }, (_, i) => 6 + i),
    ]);
    const { all } = JSON.parse(stdout) as { all: number[][] };
    expect(all).toEqual(Array.from({ length: 7 }, () => expected));
  });

  test("builds of many threads at once: one kernel for operators with captures and one without, one link for each operator", async () => {
    const { code, stderr, stdout } = await runChild(stormOnAll, simulated);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { statistics } = JSON.parse(stdout) as { statistics: object };
    expect(statistics).toMatchObject({ kernelsCompiled: 2, links: 15 });
  });

  test("workers that are terminated or throw with work queued leave the process well", async () => {
    const script = `${worker}
      const make = (end) => ${JSON.stringify(`const cc = require(${JSON.stringify(root)});${worker} work();`)} + end;
      (async () => {
        for (let i = 0; i < 10; i++) {
          const thrower = new Worker(make("throw new Error('mine')"), { eval: true });
          await new Promise((resolve) => thrower.on("error", resolve));
          const stays = new Worker(make("setInterval(() => {}, 1000); require('node:worker_threads').parentPort.postMessage(0)"), { eval: true });
          await new Promise((resolve) => stays.on("message", resolve));
          await stays.terminate();
        }
        console.log("done", cc.memory.stats().liveArrays);
      })();`;
    const { code, stdout } = await runChild(script, simulated);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done 0\n" });
  });
});

test("the addon loads again through a second copy of its module", async () => {
  const script = `
    ${sum}
    for (const key of Object.keys(require.cache)) delete require.cache[key];
    const again = require(${JSON.stringify(root)});
    const b = again.DeviceArray.from(new Float32Array([4]));
    console.log(b.toTypedArray()[0], again.DeviceArray === cc.DeviceArray);`;
  expect(await runChild(script, simulated)).toMatchObject({ code: 0, stderr: "", stdout: "cuda 0\n4 false\n" });
});
