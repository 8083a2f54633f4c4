/** How a process ends, whatever it has queued or under way; and what it does while it waits. */
import { runSimulated } from "../helpers/simulated-child";

/** Everything that can be under way: arrays, a launch, reads, and a stream with work. */
const work = `
  const input = cc.DeviceArray.zeros(100000, "float32");
  const stream = new cc.Stream();
  const copy = cc.DeviceArray.empty(100000, "float32", { stream }).copyFrom(input, { stream });
  cc.forEach({ input, op: (x) => {} });
  const reads = [input.read(), copy.read({ stream })];
`;

const ends: [string, string, number, RegExp][] = [
  ["naturally", "", 0, /^$/],
  ["by process.exit with work and reads under way", "process.exit(0)", 0, /^$/],
  [
    "by process.exit with a compilation under way",
    `cc.makeForEachAsync({ input, op: (x) => { if (x > 3) return; } }); setImmediate(() => process.exit(3))`,
    3,
    /^$/,
  ],
  [
    "by an uncaught error right after a launch",
    "throw new Error('mine')",
    1,
    /^[^\n]*\n[^]*\nError: mine\n(    at [^\n]*\n)+\nNode.js v[\d.]+\n$/,
  ],
  ["by a promise that nobody handles", "Promise.reject(new Error('mine'))", 1, /Error: mine\n(    at [^\n]*\n)+/],
];

describe("a process ends", () => {
  test.each(ends)("%s", async (_, end, expected, errors) => {
    const { code, signal, stdout, stderr } = await runSimulated(work + end);
    expect({ code, signal, stdout }).toEqual({ code: expected, signal: null, stdout: "" });
    expect(stderr).toMatch(errors);
  });
});

test("arrays, streams and events keep no process alive, and nothing runs while it waits", async () => {
  const script = `
    const { readdirSync, readFileSync } = require("node:fs");
    ${work}
    globalThis.kept = [input, copy, stream, stream.record()];
    // User and system time of all threads, in ticks of 10 ms.
    const ticks = () => readdirSync("/proc/self/task").reduce((sum, id) => {
      const fields = readFileSync("/proc/self/task/" + id + "/stat", "utf8").split(") ")[1].split(" ");
      return sum + Number(fields[11]) + Number(fields[12]);
    }, 0);
    Promise.all(reads).then(() => {
      console.log(JSON.stringify(process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe)/.test(name))));
      setTimeout(() => {
        const before = ticks();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
        const during = ticks() - before;
        setTimeout(() => console.log(during <= 5 ? "idle" : during + " ticks"), 0);
      }, 500);
    });`;
  const { code, stdout, stderr } = await runSimulated(script);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "[]\nidle\n", stderr: "" });
});

test("the addon loads again and again, in one module registry after another, and keeps nothing", async () => {
  const script = `
    const lives = () => {
      const again = require(${JSON.stringify(process.cwd())});
      const input = again.DeviceArray.from(new Float32Array([4]));
      again.forEach({ input, op: (x) => {} });
      const stream = new again.Stream();
      input.fill(1, { stream });
      return [input.toTypedArray()[0], again.DeviceArray === cc.DeviceArray];
    };
    const round = () => {
      for (const key of Object.keys(require.cache)) delete require.cache[key];
      return lives();
    };
    round();
    collect();
    const before = JSON.stringify(counts());
    const results = new Set();
    for (let i = 0; i < 50; i++) results.add(String(round()));
    collect();
    console.log([...results].join(" "));
    console.log(JSON.stringify(counts()) === before ? "nothing kept" : before + JSON.stringify(counts()));`;
  const { code, stdout, stderr } = await runSimulated(script);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "1,false\nnothing kept\n", stderr: "" });
});
