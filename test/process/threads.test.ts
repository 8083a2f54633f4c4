/** Worker threads: builds are shared, arrays can be, and however a worker ends it takes what it has with it. */
import { runChild } from "../helpers/child";
import { runSimulated, workerSource } from "../helpers/simulated-child";

/** In the scripts: starts a worker, and waits for its end. */
const start = `
  const { Worker } = require("node:worker_threads");
  const start = (source, workerData) => new Worker(source, { eval: true, workerData, stderr: true });
  const ended = (worker) => new Promise((done) => {
    let error;
    worker.on("error", (cause) => { error = cause.message; });
    worker.on("exit", (code) => { done({ code, error }); });
  });
  const message = (worker) => new Promise((done) => worker.once("message", done));
`;

/** The main thread waits for all, and says what came. */
const main = (script: string): string => `${start} (async () => { ${script} })();`;

async function lines(child: Promise<{ code: number | null; stdout: string; stderr: string }>): Promise<string[]> {
  const { code, stdout, stderr } = await child;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trim().split("\n");
}

test("eight workers and the main thread share builds, and each ends cleanly", async () => {
  const work = `
    function work() {
      const input = cc.DeviceArray.from(new Int32Array([1, 2, 3]));
      const output = cc.DeviceArray.zeros(1, "int32");
      for (let i = 0; i < 10; i++) cc.reduceInto({ input, output, op: (a, b) => a * 2 + b * 2 - (a + b), init: i });
      cc.forEach({ input, op: (x) => {} });
      return output.read();
    }`;
  const [codes, statistics] = await lines(
    runSimulated(
      work +
        main(`
          const workers = Array.from({ length: 8 }, () => start(${workerSource(`${work} work();`)}));
          const [results] = await Promise.all([Promise.all(workers.map(ended)), work()]);
          console.log(results.map(({ code, error }) => code + (error ?? "")).join());
          console.log(JSON.stringify(cc.caches.stats()));`),
    ),
  );
  expect(codes).toBe("0,0,0,0,0,0,0,0");
  expect(JSON.parse(statistics ?? "")).toMatchObject({ kernelsCompiled: 2, links: 2, loads: 2 });
});

describe("a worker that ends takes what it has with it", () => {
  /** Ways for a worker to end; each says so first, so that the main thread knows that all is under way. */
  const ends = {
    returns: `parentPort.postMessage(0);`,
    throws: `parentPort.postMessage(0); throw new Error("mine");`,
    "throws later": `parentPort.postMessage(0); setImmediate(() => { throw new Error("mine"); });`,
    exits: `parentPort.postMessage(0); process.exit(7);`,
    "is terminated": `parentPort.postMessage(0); setInterval(() => {}, 1000);`,
    "is terminated in a loop": `parentPort.postMessage(0);
      for (;;) cc.DeviceArray.zeros(1000, "int8").fill(1);`,
  };
  const codes = {
    returns: 0,
    throws: 1,
    "throws later": 1,
    exits: 7,
    "is terminated": 1,
    "is terminated in a loop": 1,
  };

  /** Runs each end some times, one worker at a time and several at once, and holds the device's counters together. */
  const rounds = (count: number, work: string): string =>
    main(`
      const sources = {${Object.entries(ends)
        .map(([name, end]) => `${JSON.stringify(name)}: ${workerSource(work + end)}`)
        .join(",")}};
      const once = async (name, number) => {
        const worker = start(sources[name], number);
        const end = ended(worker);
        await message(worker);
        if (name.startsWith("is terminated")) await worker.terminate();
        return (await end).code;
      };
      const all = (number) => Promise.all(Object.keys(sources).map((name, i) => once(name, number * 10 + i)));
      await all(1);
      const before = JSON.stringify(counts());
      const seen = new Set();
      for (let i = 2; i < ${String(count + 2)}; i++) seen.add((await all(i)).join());
      console.log([...seen].join(" "));
      const after = JSON.stringify(counts());
      console.log(after === before ? "as before" : before + " became " + after, cc.memory.stats().liveArrays);`);

  const expected = [Object.values(codes).join(), "as before 0"];

  test("with work queued, reads pending and handles that nobody received", async () => {
    const work = `
      const input = cc.DeviceArray.zeros(100000, "float32");
      const streams = [new cc.Stream(), new cc.Stream({ ordered: false })];
      const copies = streams.map((stream) => cc.DeviceArray.empty(100000, "float32", { stream }).copyFrom(input, { stream }));
      cc.forEach({ input, op: (x) => {} });
      const reads = [input.read(), ...copies.map((copy, i) => copy.read({ stream: streams[i] }))];
      const finished = streams.map((stream) => stream.finished());
      const handles = [input.share(), copies[0].subarray(5).share()];
    `;
    expect(await lines(runSimulated(rounds(12, work)))).toEqual(expected);
  });

  test("with compilations running", async () => {
    const work = `
      const input = cc.DeviceArray.zeros(100, "float32");
      const op = new Function("x", "if (x > " + workerData + ") return;");
      cc.makeForEachAsync({ input, op });
    `;
    expect(await lines(runSimulated(rounds(2, work)))).toEqual(expected);
  });
});

describe.each(["host", "cuda"])("arrays that threads share [backend %s]", (backend) => {
  const run = (script: string) =>
    backend === "cuda" ? runSimulated(script) : runChild(script, { CUDA_COMPUTE_BACKEND: "host" });

  test("a worker sees and changes the main thread's array", async () => {
    const worker = workerSource(`
      const array = cc.DeviceArray.fromShared(workerData.part);
      const before = array.toArray();
      array.fill(7);
      parentPort.postMessage([before, array.type, array.length]);`);
    const script = main(`
      const array = cc.DeviceArray.from(new Int16Array([1, 2, 3, 4]));
      const worker = start(${worker}, { part: array.subarray(1, 3).share() });
      const end = ended(worker);
      console.log(JSON.stringify(await message(worker)), JSON.stringify(array.toArray()));
      console.log((await end).code, JSON.stringify(array.toArray()));`);
    expect(await lines(run(script))).toEqual(['[[2,3],"int16",2] [1,7,7,4]', "0 [1,7,7,4]"]);
  });

  test("a worker's result outlives the worker where its handle does", async () => {
    const worker = workerSource(`
      parentPort.postMessage(cc.DeviceArray.from(new Int32Array([5, 6])).share({ outlive: true }));`);
    const script = main(`
      const worker = start(${worker});
      const [handle, { code }] = await Promise.all([message(worker), ended(worker)]);
      const result = cc.DeviceArray.fromShared(handle);
      console.log(code, JSON.stringify(result.toArray()));
      result.dispose();
      console.log(cc.memory.stats().liveArrays);`);
    expect(await lines(run(script))).toEqual(["0 [5,6]", "0"]);
  });

  test("the memory lives while one of many threads has it", async () => {
    const worker = workerSource(`
      const array = cc.DeviceArray.fromShared(workerData);
      parentPort.on("message", () => {
        parentPort.postMessage(array.toArray());
        parentPort.close();
      });
      parentPort.postMessage("received");`);
    const script = main(`
      const array = cc.DeviceArray.from(new Float32Array([1.5, 2.5]));
      const workers = Array.from({ length: 4 }, () => start(${worker}, array.share()));
      await Promise.all(workers.map(message));
      array.dispose();
      for (const worker of workers) {
        worker.postMessage("go");
        console.log(JSON.stringify(await message(worker)));
        await ended(worker);
      }
      console.log(cc.memory.stats().liveArrays);`);
    expect(await lines(run(script))).toEqual([...Array<string>(4).fill("[1.5,2.5]"), "0"]);
  });
});

test("a handle of a worker that has ended is refused with code ERR_SHARED_GONE, and holds nothing", async () => {
  const worker = workerSource(`parentPort.postMessage(cc.DeviceArray.from(new Int32Array([5, 6])).share());`);
  const script = main(`
    const worker = start(${worker});
    const [handle] = await Promise.all([message(worker), ended(worker)]);
    try { cc.DeviceArray.fromShared(handle); } catch (error) { console.log(error.name, error.code); }
    console.log(cc.memory.stats().liveArrays, device.counters().liveAllocations);`);
  expect(await lines(runSimulated(script))).toEqual(["TypeError ERR_SHARED_GONE", "0 0"]);
});

test("an array that a thread drops is freed after the work that other threads have queued on it", async () => {
  const worker = workerSource(`
    const array = cc.DeviceArray.fromShared(workerData);
    const stream = new cc.Stream();
    array.fill(7, { stream });
    parentPort.on("message", () => parentPort.close());
    parentPort.postMessage("queued");`);
  const script = main(`
    const array = cc.DeviceArray.zeros(1000, "int8");
    const handles = [array.share(), array.share()];
    device.holdAll();
    const workers = handles.map((handle) => start(${worker}, handle));
    await Promise.all(workers.map(message));
    array.fill(9);
    array.dispose();
    const ends = workers.map(ended);
    for (const worker of workers) worker.postMessage("end");
    await Promise.all(ends);
    console.log(cc.memory.stats().liveArrays, device.counters().liveAllocations);
    device.releaseAll();
    const { liveAllocations, liveStreams, pendingWork, violations } = device.counters();
    console.log(liveAllocations, liveStreams, pendingWork, violations, device.lastViolation());`);
  expect(await lines(runSimulated(script))).toEqual(["0 1", "0 0 0 0"]);
});

test("threads that use, copy, share on and drop one array at once do nothing wrong", async () => {
  const worker = workerSource(`
    let array = cc.DeviceArray.fromShared(workerData);
    const streams = [undefined, new cc.Stream(), new cc.Stream({ ordered: false })];
    const reads = [];
    for (let i = 0; i < 300; i++) {
      const stream = streams[i % 3];
      const copy = cc.DeviceArray.empty(array.length, "int32", { stream }).copyFrom(array, { stream });
      if (i % 50 === 0) reads.push(copy.read({ stream }));
      if (i % 7 === 0) array = cc.DeviceArray.fromShared(array.share());
      array.fill(5, { stream });
    }
    array.dispose();
    Promise.all(reads).then((results) => parentPort.postMessage(results.every((all) => all.every((x) => x === 5))));`);
  const script = main(`
    const array = cc.DeviceArray.full(10000, 5, "int32");
    const workers = Array.from({ length: 4 }, () => start(${worker}, array.share()));
    const ends = workers.map(ended);
    array.dispose();
    console.log((await Promise.all(workers.map(message))).join());
    console.log((await Promise.all(ends)).map(({ code }) => code).join());
    console.log(JSON.stringify({ ...counts(), livePinnedBytes: 0 }), device.lastViolation(), cc.memory.stats().liveArrays);`);
  const none = { liveAllocations: 0, liveStreams: 0, liveEvents: 0, livePinnedBytes: 0, pendingWork: 0, violations: 0 };
  expect(await lines(runSimulated(script))).toEqual(["true,true,true,true", "0,0,0,0", `${JSON.stringify(none)}  0`]);
});
