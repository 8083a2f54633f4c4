/**
 * Closures are read through an inspector session inside the process: whatever else inspects it, and whatever kind of
 * thread, module or context they come from. Needs the built package (`npm run build`).
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DebuggerClient } from "../helpers/debugger-client";
import { type ChildResult, root, runChild, runNode } from "../helpers/child";
import { simulated } from "../helpers/simulated-child";

const host = { CUDA_COMPUTE_BACKEND: "host", NODE_OPTIONS: undefined };

/** A number that changes, an array, a function and an object are captured; x is 1, 2 and 3. */
const program = `
  function apply(op) {
    const output = cc.DeviceArray.zeros(3, "float64");
    cc.unaryTransform({ input: cc.counting(1), output, op });
    return [...output.toTypedArray()];
  }
  function run() {
    let scale = 2;
    const offsets = cc.DeviceArray.from(new Float64Array([10, 20, 30]));
    const settings = { shift: 0.5 };
    const square = (x) => x * x;
    const op = (x) => square(x) * scale + offsets[x - 1] + settings.shift;
    const before = apply(op);
    scale = 3;
    return [...before, ...apply(op)].join();
  }`;
const answer = [2 + 10.5, 8 + 20.5, 18 + 30.5, 3 + 10.5, 12 + 20.5, 27 + 30.5].join();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-inspector-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Writes a file that a child process runs. */
function fileOf(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const printed = (...lines: string[]): object => ({ code: 0, stderr: "", stdout: [...lines, ""].join("\n") });

describe("closures of every kind of place", () => {
  test("the main thread", async () => {
    expect(await runChild(`${program} console.log(run());`, host)).toMatchObject(printed(answer));
  });

  test("several worker threads at once, and the main thread beside them", async () => {
    const worker = `const cc = require(${JSON.stringify(root)});
      ${program}
      const { parentPort, workerData } = require("node:worker_threads");
      const wrong = [];
      for (let i = 0; i < 100; i++) {
        const own = workerData * 1000 + i;
        const found = apply((x) => x * own).join();
        if (found !== [own, 2 * own, 3 * own].join()) wrong.push(found);
      }
      parentPort.postMessage({ wrong, answer: run() });`;
    const script = `${program}
      const { Worker } = require("node:worker_threads");
      const workers = [1, 2, 3, 4].map((workerData) => new Worker(${JSON.stringify(worker)}, { eval: true, workerData }));
      const messages = workers.map((worker) => new Promise((resolve, reject) => {
        worker.once("message", resolve).once("error", reject);
      }));
      const wrong = [];
      const turn = () => { for (let i = 0; i < 10; i++) if (apply((x) => x + i)[0] !== 1 + i) wrong.push(i); };
      const timer = setInterval(turn, 1);
      Promise.all(messages).then((messages) => {
        clearInterval(timer);
        for (const message of messages) console.log(message.wrong.length, message.answer);
        console.log(wrong.length);
      });`;
    const line = `0 ${answer}`;
    expect(await runChild(script, host)).toMatchObject(printed(line, line, line, line, "0"));
  });

  test("a variable of a script, of another context, and of a function of that context", async () => {
    const script = `${program}
      const vm = require("node:vm");
      vm.runInThisContext("let ofScript = 5; var ofGlobal = 6;");
      console.log(apply(vm.runInThisContext("(x) => x * ofScript + ofGlobal")).join());
      const context = vm.createContext({});
      console.log(apply(vm.runInContext("let ofContext = 7; (x) => x * ofContext", context)).join());
      console.log(apply(vm.runInContext("((k) => (x) => x * k)(8)", context)).join());`;
    expect(await runChild(script, host)).toMatchObject(printed("11,16,21", "7,14,21", "8,16,24"));
  });

  test("a module's variable, an import that changes, and a property of a namespace", async () => {
    const exporter = fileOf("exporter.mjs", "export let k = 5;\nexport const next = () => { k++; };\n");
    const importer = fileOf(
      "importer.mjs",
      `import { k, next } from ${JSON.stringify(exporter)};
      import * as all from ${JSON.stringify(exporter)};
      import { createRequire } from "node:module";
      const cc = createRequire(import.meta.url)(${JSON.stringify(root)});
      ${program}
      let own = 2;
      const op = (x) => x * k + own + all.k;
      console.log(apply(op).join());
      next();
      own = 3;
      console.log(apply(op).join());`,
    );
    expect(await runNode([importer], host)).toMatchObject(printed("12,17,22", "15,21,27"));
  });
});

describe("while something else inspects the process", () => {
  test("a debugger could attach, and none does", async () => {
    const result = await runChild(`${program} console.log(run());`, host, ["--inspect=0"]);
    expect(result).toMatchObject({ code: 0, stdout: `${answer}\n` });
    expect(result.stderr).toContain("Debugger listening on ws://");
  });

  test("the inspector is opened and closed again", async () => {
    const script = `${program}
      const inspector = require("node:inspector");
      console.log(run());
      inspector.open(0, "127.0.0.1");
      console.log(run());
      inspector.close();
      console.log(run());`;
    expect(await runChild(script, host)).toMatchObject({ code: 0, stdout: `${answer}\n`.repeat(3) });
  });

  test("sessions of the user's own, with debugger and profilers on", async () => {
    const script = `${program}
      const { Session } = require("node:inspector");
      const session = new Session();
      session.connect();
      const events = [];
      session.on("inspectorNotification", ({ method }) => events.push(method));
      for (const method of ["Runtime.enable", "Debugger.enable", "Profiler.enable", "Profiler.start"]) session.post(method);
      session.post("HeapProfiler.startSampling");
      console.log(run());
      session.post("Runtime.evaluate", { expression: "globalThis.own = { kept: 1 }", objectGroup: "own" }, (_, { result }) => {
        console.log(run());
        session.post("Runtime.getProperties", { objectId: result.objectId }, (error) => console.log(error));
      });
      session.disconnect();
      console.log(run(), events.includes("Debugger.paused"));`;
    expect(await runChild(script, host)).toMatchObject(printed(answer, answer, "null", `${answer} false`));
  });

  test("coverage of the engine is taken", async () => {
    const environment = { ...host, NODE_V8_COVERAGE: path.join(folder, "coverage") };
    expect(await runChild(`${program} console.log(run());`, environment)).toMatchObject(printed(answer));
  });
});

interface Debugged extends ChildResult {
  /** The functions in which the process paused. */
  readonly pauses: string[];
  /** What the debugger was answered while the process was paused at its breakpoint. */
  readonly whilePaused: unknown[];
}

/** Runs a file under a debugger that has a breakpoint in the file's function `elsewhere`. */
async function runDebugged(text: string, environment: Record<string, string | undefined>): Promise<Debugged> {
  const file = fileOf("debugged.js", text);
  const parameters = ["--expose-gc", "--inspect-brk=127.0.0.1:0", file];
  const child = spawn(process.execPath, parameters, { cwd: root, env: { ...process.env, ...environment } });
  const [pauses, whilePaused]: [string[], unknown[]] = [[], []];
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  const address = await new Promise<string>((resolve) => {
    child.stderr.on("data", (data: Buffer) => {
      stderr += data.toString();
      const [found] = /ws:\/\/\S+/.exec(stderr) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));

  const paused = async (client: DebuggerClient, params: Record<string, unknown>): Promise<void> => {
    const { callFrames, hitBreakpoints } = params as {
      callFrames: { functionName: string; callFrameId: string }[];
      hitBreakpoints?: string[];
    };
    const [frame] = callFrames;
    if (frame !== undefined && (hitBreakpoints ?? []).length > 0) {
      pauses.push(frame.functionName);
      const { callFrameId } = frame;
      const evaluated = await client.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: "run()" });
      const { value, description } = evaluated["result"] as { value?: unknown; description?: string };
      whilePaused.push(value ?? description);
    }
    await client.post("Debugger.resume");
  };
  const failures: unknown[] = [];
  const client = await DebuggerClient.connect(address, ({ method, params }, self) => {
    if (method === "Debugger.paused") paused(self, params).catch((error: unknown) => failures.push(error));
    // The process waits for its debugger to go.
    if (method === "Runtime.executionContextDestroyed") self.close();
  });
  await client.post("Runtime.enable");
  await client.post("Debugger.enable");
  const lineNumber = text.split("\n").findIndex((line) => line.includes("function elsewhere")) + 1;
  await client.post("Debugger.setBreakpointByUrl", { url: `file://${file}`, lineNumber });
  await client.post("Runtime.runIfWaitingForDebugger");
  const code = await ended;
  expect(failures).toEqual([]);
  return { code, signal: null, stdout, stderr, pauses, whilePaused };
}

describe("under a debugger", () => {
  const begin = `const cc = require(${JSON.stringify(root)});
    ${program}
    function elsewhere(run) {
      return run;
    }
`;

  test("calls before, at and after a breakpoint elsewhere answer right", async () => {
    const { code, stdout, pauses, whilePaused } = await runDebugged(
      `${begin} console.log(run());\n elsewhere(run);\n console.log(run());`,
      host,
    );
    expect({ code, stdout, pauses, whilePaused }).toEqual({
      code: 0,
      stdout: `${answer}\n${answer}\n`,
      pauses: ["elsewhere"],
      whilePaused: [answer],
    });
  });

  test("captured arrays in the device's memory are freed once they are dropped", async () => {
    const { code, stdout } = await runDebugged(
      `${begin} for (let i = 0; i < 20; i++) run();
      const before = cc.memory.stats().liveArrays;
      gc();
      console.log(before > 0, cc.memory.stats().liveArrays, cc.memory.stats().liveBytes);`,
      simulated(),
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "true 0 0\n" });
  });
});

test("thousands of readings leave the heap as it was", async () => {
  const script = `${program}
    let sum = 0;
    const read = (count) => { for (let i = 0; i < count; i++) sum += apply((x) => x * i)[0]; };
    // The collection's callbacks, which let go of what they were registered with, need a turn of the loop.
    const used = async () => {
      gc();
      await new Promise((done) => setTimeout(done, 10));
      gc();
      return process.memoryUsage().heapUsed;
    };
    (async () => {
      read(1000);
      const before = await used();
      read(5000);
      console.log((await used()) - before < 500_000, sum === (999 * 1000 + 4999 * 5000) / 2);
    })();`;
  expect(await runChild(script, host, ["--expose-gc"])).toMatchObject(printed("true true"));
});

describe("where there is no inspector", () => {
  const attempts = `${program}
    const k = 3;
    try { apply((x) => x * k); } catch (error) { console.log(error.name, error.code, error.message, error.cause.message); }
    console.log(apply((x) => cc.int32(Math.abs(x)) * 3).join());
    console.log(apply(cc.bind((x, { k }) => x * k, { k })).join());`;
  const advice =
    "CompileError ERR_OPERATOR_CAPTURE unaryTransform.op: the variables that the function captures (k) could not be " +
    "read. Give them with bind((x, { scale }) => x * scale, { scale }).";

  test("a Node that was built without it: closures are refused with advice, all else works", async () => {
    const preload = fileOf(
      "no-inspector.cjs",
      `const Module = require("node:module");
      const isInspector = (id) => /^(node:)?inspector/.test(id);
      const load = Module._load;
      Module._load = (id, ...rest) => {
        if (isInspector(id)) throw Object.assign(new Error("Inspector is not available"), { code: "ERR_INSPECTOR_NOT_AVAILABLE" });
        return load(id, ...rest);
      };
      const { getBuiltinModule } = process;
      process.getBuiltinModule = (id) => (isInspector(id) ? undefined : getBuiltinModule(id));`,
    );
    expect(await runChild(attempts, host, ["--require", preload])).toMatchObject(
      printed(`${advice} this Node is built without its inspector`, "3,6,9", "3,6,9"),
    );
  });

  test("Node's permission model forbids it: the same", async () => {
    const [major = 0] = process.versions.node.split(".").map(Number);
    const flag = major < 24 ? "--experimental-permission" : "--permission";
    const { code, stdout } = await runChild(attempts, host, [flag, "--allow-fs-read=*", "--no-warnings"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${advice} Access to this API has been restricted\n3,6,9\n3,6,9\n`,
    });
  });
});
