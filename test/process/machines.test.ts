/** Machines that are set up in other ways. Needs the built package (`npm run build`). */
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { paths } from "../helpers/simulated-device";
import { root, runChild, runNode } from "../helpers/child";

const simulated = { CUDA_COMPUTE_BACKEND: "cuda", CUDA_COMPUTE_LIBCUDA: paths.driver, CUDA_COMPUTE_CCCL: paths.cccl };
const control = `
  const device = require(${JSON.stringify(path.join(path.dirname(paths.driver), "simulated_control.node"))});
  device.open(${JSON.stringify(paths.driver)});
`;
const reduce = `
  const array = cc.DeviceArray.zeros(3, "float32");
  cc.reduceInto({ input: array, output: array.subarray(0, 1), op: (a, b) => a + b, init: 0 });
`;

test("without its addon the package runs on host and says why cuda is not to be had", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  cpSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const script = `
    const cc = require(${JSON.stringify(folder)});
    console.log(cc.getBackend().name);
    try { cc.setBackend("cuda"); } catch (error) { console.log(error.name, error.code, error.message.includes("glibc")); }`;
  const { code, stdout, stderr } = await runNode(["-e", script], { ...simulated, CUDA_COMPUTE_BACKEND: undefined });
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: "",
    stdout: "host\nToolkitNotFoundError ERR_ADDON_NOT_FOUND true\n",
  });
});

test("a driver too old for every library is refused by version, with what it would need", async () => {
  const script = `${control} device.setDriverVersion(11080);
    try { ${reduce} } catch (error) { console.log(error.name, error.message); }`;
  const { code, stdout } = await runChild(script, simulated);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ToolkitNotFoundError .*11\.8.*12\.0.*525/);
});

test("kernels are compiled for the device at hand: another compute capability is another build", async () => {
  const script = `${control} device.setComputeCapability(80); ${reduce} console.log(cc.caches.stats().loads);`;
  expect(await runChild(script, simulated)).toMatchObject({ code: 0, stdout: "1\n" });
});

test("a child process works after its parent used the device", async () => {
  const child = `const cc = require(${JSON.stringify(root)}); ${reduce} console.log("child", array.toTypedArray().length);`;
  const script = `${reduce}
    const { execFileSync } = require("node:child_process");
    process.stdout.write(execFileSync(process.execPath, ["-e", ${JSON.stringify(child)}]));`;
  expect(await runChild(script, simulated)).toMatchObject({ code: 0, stdout: "child 3\n" });
});

test("a process that is done with the device is idle", async () => {
  const script = `${reduce} array.toTypedArray();
    const before = process.cpuUsage();
    setTimeout(() => {
      const { user, system } = process.cpuUsage(before);
      console.log(user + system < 100_000);
    }, 1000);`;
  expect(await runChild(script, simulated)).toMatchObject({ code: 0, stdout: "true\n" });
});

test("millions of cached calls leave the JavaScript heap as it was", async () => {
  const script = `${reduce}
    const call = () => cc.reduceInto({ input: array, output: array.subarray(0, 1), op: (a, b) => a + b, init: 0 });
    for (let i = 0; i < 50_000; i++) call();
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 500_000; i++) call();
    gc();
    console.log(process.memoryUsage().heapUsed - before < 1_000_000);`;
  expect(await runChild(script, simulated, ["--expose-gc"])).toMatchObject({ code: 0, stdout: "true\n" });
});
