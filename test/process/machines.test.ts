/** Machines that are set up in other ways. Needs the built package (`npm run build`). */
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runNode } from "../helpers/child";
import { runSimulated, simulated } from "../helpers/simulated-child";

/** A launch, of what compiles fastest. */
const launch = `
  const array = cc.DeviceArray.zeros(3, "float32");
  cc.forEach({ input: array, op: (x) => {} });
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
  const script = `device.setDriverVersion(11080);
    try { ${launch} } catch (error) { console.log(error.name, error.message); }`;
  const { code, stdout } = await runSimulated(script);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ToolkitNotFoundError .*11\.8.*12\.0.*525/);
});

test("kernels are compiled for the device at hand: another compute capability is another build", async () => {
  const script = `device.setComputeCapability(80); ${launch} console.log(cc.caches.stats().loads);`;
  expect(await runSimulated(script)).toMatchObject({ code: 0, stdout: "1\n" });
});

test("a child process works after its parent used the device", async () => {
  const child = `const cc = require(${JSON.stringify(root)}); ${launch} console.log("child", array.toTypedArray().length);`;
  const script = `${launch}
    const { execFileSync } = require("node:child_process");
    process.stdout.write(execFileSync(process.execPath, ["-e", ${JSON.stringify(child)}]));`;
  expect(await runSimulated(script)).toMatchObject({ code: 0, stdout: "child 3\n" });
});

test("millions of cached calls leave the JavaScript heap as it was", async () => {
  const script = `
    const array = cc.DeviceArray.zeros(3, "float32");
    const call = () => cc.reduceInto({ input: array, output: array.subarray(0, 1), op: (a, b) => a + b, init: 0 });
    for (let i = 0; i < 50_000; i++) call();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 500_000; i++) call();
    collect();
    console.log(process.memoryUsage().heapUsed - before < 1_000_000);`;
  expect(await runSimulated(script)).toMatchObject({ code: 0, stdout: "true\n" });
});
