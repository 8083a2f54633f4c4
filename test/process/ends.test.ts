/** How a process ends, whatever it has queued or under way; and what it does while it waits. */
import { childBackends } from "../helpers/child-backends";
import { root } from "../helpers/child";
import { runSimulated } from "../helpers/simulated-child";

/** Everything that can be under way but a launch: arrays, a stream with work, reads on it and on the default one. */
const work = `
  const input = cc.DeviceArray.full(100000, 3, "float32");
  const stream = new cc.Stream();
  const copy = cc.DeviceArray.empty(100000, "float32", { stream }).copyFrom(input, { stream });
  const reads = [input.read(), copy.read({ stream })];
`;
const launch = `cc.forEach({ input, op: (x) => {} });`;

const quiet = /^$/;
const ends: [string, string, number, RegExp][] = [
  ["naturally", "", 0, quiet],
  ["by process.exit with work and reads under way", "process.exit(0)", 0, quiet],
  ["by an uncaught error", "throw new Error('mine')", 1, /\nError: mine\n( {4}at [^\n]*\n)+\nNode.js v[\d.]+\n$/],
  ["by a promise that nobody handles", "Promise.reject(new Error('mine'))", 1, /\nError: mine\n( {4}at [^\n]*\n)+/],
];

describe.each(childBackends)("a process of backend $name ends", ({ run }) => {
  // The launch's kernel is compiled in each process, so that most rounds go without.
  const rounds = [launch, "", ""];

  test.each(ends)("%s", async (_, end, expected, errors) => {
    for (const round of rounds) {
      const { code, signal, stdout, stderr } = await run(work + round + end);
      expect({ code, signal, stdout }).toEqual({ code: expected, signal: null, stdout: "" });
      expect(stderr).toMatch(errors);
    }
  });

  test("by process.exit with a compilation under way", async () => {
    const end = `cc.makeForEachAsync({ input, op: (x) => {} }); setImmediate(() => process.exit(3));`;
    expect(await run(work + end)).toEqual({ code: 3, signal: null, stdout: "", stderr: "" });
  });
});

describe.each(["SIGINT", "SIGTERM"])("%s, though the compilers take it over meanwhile", (signal) => {
  // Ends a process that the signal does not.
  const watchdog = `new (require("node:worker_threads").Worker)(
    "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 120_000)", { eval: true }).unref();`;
  const input = `const input = cc.DeviceArray.zeros(3, "float32"); const op = (x) => {};`;
  const kill = `process.kill(process.pid, "${signal}"); setInterval(() => {}, 1000);`;

  test.each([
    ["once something was compiled", `cc.forEach({ input, op }); ${kill}`],
    ["while something compiles", `cc.makeForEachAsync({ input, op }); setTimeout(() => { ${kill} }, 300);`],
  ])("ends a process %s", async (_, script) => {
    expect(await runSimulated(watchdog + input + script)).toEqual({ code: null, signal, stdout: "", stderr: "" });
  });

  test("reaches a listener after a compilation", async () => {
    const script = `process.on("${signal}", () => { console.log("heard"); process.exit(3); }); cc.forEach({ input, op });`;
    const ended = { code: 3, signal: null, stdout: "heard\n", stderr: "" };
    expect(await runSimulated(watchdog + input + script + kill)).toEqual(ended);
  });
});

test("a process ends by process.exit with work that the device never begins", async () => {
  const script = `device.holdAll(); device.setWaitLimit(100); ${work} process.exit(0);`;
  expect(await runSimulated(script)).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
});

test("arrays, streams and events keep no process alive, and nothing runs while it waits", async () => {
  const script = `${work} ${launch}
    globalThis.kept = [input, copy, stream, stream.record()];
    Promise.all(reads).then(async () => {
      await new Promise((done) => setTimeout(done, 500));
      const before = process.cpuUsage();
      await new Promise((done) => setTimeout(done, 1000));
      const { user, system } = process.cpuUsage(before);
      console.log("milliseconds of work: " + (user + system < 100_000 ? "few" : (user + system) / 1000));
    });`;
  const stdout = "milliseconds of work: few\n";
  expect(await runSimulated(script)).toEqual({ code: 0, signal: null, stdout, stderr: "" });
});

test("the addon loads again and again, in one module registry after another, and keeps nothing", async () => {
  // Scratch and events are of the thread's one default stream: each turn makes the default stream wait for another.
  const script = `
    const turn = () => {
      for (const key of Object.keys(require.cache)) delete require.cache[key];
      const again = require(${JSON.stringify(root)});
      const input = again.DeviceArray.from(new Float32Array([4]));
      again.forEach({ input, op: (x) => {} });
      const stream = new again.Stream();
      input.fill(1, { stream });
      return [input.toTypedArray()[0], again.DeviceArray === cc.DeviceArray];
    };
    turn();
    collect();
    const before = JSON.stringify(counts());
    const results = new Set();
    for (let i = 0; i < 20; i++) results.add(String(turn()));
    collect();
    console.log([...results].join(" "), JSON.stringify(counts()) === before ? "as before" : before + JSON.stringify(counts()));
    console.log(cc.caches.stats().kernelsCompiled);`;
  const stdout = "1,false as before\n1\n";
  expect(await runSimulated(script)).toEqual({ code: 0, signal: null, stdout, stderr: "" });
});
