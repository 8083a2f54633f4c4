/** Machines that are set up in other ways. Needs the built package (`npm run build`). */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runNode } from "../helpers/child";
import { childBackends } from "../helpers/child-backends";
import { runSimulated, simulated } from "../helpers/simulated-child";

/** A launch, of what compiles fastest. */
const launch = `
  const array = cc.DeviceArray.zeros(3, "float32");
  cc.forEach({ input: array, op: (x) => {} });
`;

describe("a package whose addon", () => {
  /** A copy of the package without its addon, and what is printed where backend cuda is asked for. */
  function copyOfPackage(): string {
    const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
    for (const part of ["dist", "package.json"]) {
      cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
    }
    symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
    return folder;
  }

  async function refusal(folder: string): Promise<Record<string, string>> {
    const script = `
      const cc = require(${JSON.stringify(folder)});
      try { cc.setBackend("cuda"); } catch ({ name, code, message }) {
        console.log(JSON.stringify({ name, code, message, backend: cc.getBackend().name }));
      }`;
    const { code, stdout, stderr } = await runNode(["-e", script], { ...simulated(), CUDA_COMPUTE_BACKEND: undefined });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout) as Record<string, string>;
  }

  const refused = { name: "ToolkitNotFoundError", code: "ERR_ADDON_NOT_FOUND", backend: "host" };

  test("is missing runs on host, and says that it is missing and what it needs", async () => {
    const error = await refusal(copyOfPackage());
    expect(error).toMatchObject(refused);
    expect(error["message"]).toMatch(/Could not locate the bindings file.*glibc 2\.34/);
  });

  test("cannot be loaded runs on host, and says why in the dynamic linker's words", async () => {
    const folder = copyOfPackage();
    mkdirSync(path.join(folder, "build/Release"), { recursive: true });
    writeFileSync(path.join(folder, "build/Release/cuda_compute.node"), "neither of this processor nor a library");
    const error = await refusal(folder);
    expect(error).toMatchObject(refused);
    expect(error["message"]).toMatch(/cuda_compute\.node: (invalid ELF header|file too short).*glibc 2\.34/);
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

describe.each(childBackends)("on backend $name", ({ run }) => {
  /** A launch would compile in each of the processes: copies and fills are the device's work too. */
  const work = `
    function work(name) {
      const array = cc.DeviceArray.full(3, 7, "float32");
      array.subarray(1).fill(8, { stream: new cc.Stream() });
      console.log(name, array.toArray().join());
    }`;
  const module = `const cc = require(${JSON.stringify(root)}); ${work}`;

  test("processes that are started, forked or of a cluster work after their parent used the device", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
    const file = path.join(folder, "child.js");
    writeFileSync(file, `${module} work(process.argv[2]); require("node:cluster").worker?.disconnect();`);
    const script = `${work} ${launch}
      work("parent");
      const { spawn, fork } = require("node:child_process");
      const cluster = require("node:cluster");
      cluster.setupPrimary({ exec: ${JSON.stringify(file)}, args: ["cluster"], execArgv: [] });
      const start = {
        started: () => spawn(process.execPath, [${JSON.stringify(file)}, "started"], { stdio: "inherit" }),
        forked: () => fork(${JSON.stringify(file)}, ["forked"]),
        cluster: () => cluster.fork(),
      };
      (async () => {
        for (const [name, begin] of Object.entries(start)) {
          const code = await new Promise((done) => begin().once("exit", done));
          console.log(name, "exit code", code);
          work("parent");
        }
      })();`;
    const parent = "parent 7,8,8";
    const child = (name: string): string[] => [`${name} 7,8,8`, `${name} exit code 0`, parent];
    const lines = [parent, ...child("started"), ...child("forked"), ...child("cluster"), ""];
    expect(await run(script)).toEqual({ code: 0, signal: null, stderr: "", stdout: lines.join("\n") });
  });
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
