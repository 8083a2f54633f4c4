/** Worker threads: builds are shared, arrays can be, and however a worker ends it takes what it has with it. */
import { childBackends } from "../helpers/child-backends";
import { type ChildResult, workerSource } from "../helpers/child";
import { runSimulated } from "../helpers/simulated-child";

/** In the scripts: starts a worker, whose end is a promise of its own. */
const start = `
  const { Worker } = require("node:worker_threads");
  const start = (source, workerData) => {
    const worker = new Worker(source, { eval: true, workerData, stderr: true });
    worker.ended = new Promise((done) => {
      let error;
      worker.on("error", (cause) => { error = cause.message; });
      worker.on("exit", (code) => { done({ code, error }); });
    });
    return worker;
  };
  const message = (worker) => new Promise((done) => worker.once("message", done));
  const codes = async (workers) => (await Promise.all(workers.map(({ ended }) => ended)))
    .map(({ code, error }) => [code, error].filter((part) => part !== undefined).join(" ")).join();
`;

/** The main thread waits for all, and says what came. */
const main = (script: string): string => `${start} (async () => { ${script} })();`;

async function lines(child: Promise<ChildResult>): Promise<string[]> {
  const { code, stdout, stderr } = await child;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trim().split("\n");
}

describe("builds", () => {
  const own = (thread: number): [number, number] => [100 * thread + 1, 100 * thread + 2];
  /** Two operators of each thread's own, and one that all share, whose captures change. */
  const storm = `
    function build(own) {
      const input = cc.DeviceArray.from(new Int32Array([1]));
      const results = [];
      const call = (op) => {
        const output = cc.DeviceArray.zeros(1, "int32");
        cc.unaryTransform({ input, output, op });
        results.push(output);
      };
      // The operators' texts differ in a number, which is none that is captured.
      const distinct = own.map((k) => new Function("x", "return x + " + k));
      for (let round = 0; round < 3; round++) {
        distinct.forEach(call);
        for (let i = 0; i < 20; i++) call((x) => x * round + i);
      }
      return results.map((array) => array.toArray()[0]);
    }
  `;
  const stormOnAll = `${storm} ${main(`
    const source = ${workerSource(`${storm} parentPort.postMessage(build(workerData));`)};
    const owns = ${JSON.stringify([1, 2, 3, 4, 5, 6, 7, 8].map(own))};
    const workers = owns.map((own) => start(source, own));
    const messages = workers.map(message);
    const all = [build(${JSON.stringify(own(9))}), ...(await Promise.all(messages))];
    console.log(await codes(workers));
    console.log(JSON.stringify(all));
    console.log(JSON.stringify(cc.caches.stats()));`)}`;

  test.each(childBackends)(
    "of eight workers and the main thread at once, of each one's own and shared ones: backend $name",
    async ({ executes, run }) => {
      const [codes, results, statistics] = await lines(run(stormOnAll));
      expect(codes).toBe("0,0,0,0,0,0,0,0");
      const expected = [9, 1, 2, 3, 4, 5, 6, 7, 8].map((thread) =>
        [0, 1, 2].flatMap((round) => [
          ...own(thread).map((k) => 1 + k),
          ...Array.from({ length: 20 }, (_, i) => round + i),
        ]),
      );
      if (executes) expect(JSON.parse(results ?? "")).toEqual(expected);
      // One kernel for operators with captures and one without, and one link for each operator.
      else expect(JSON.parse(statistics ?? "")).toMatchObject({ kernelsCompiled: 2, links: 19 });
    },
  );

  test("stay when the worker that made them ends, as does the device's context, where no other thread uses it", async () => {
    const work = workerSource(`
      const input = cc.DeviceArray.zeros(3, "int32");
      cc.forEach({ input, op: (x) => {} });
      input.read().then(() => { parentPort.postMessage(cc.caches.stats()); });`);
    const script = main(`
      for (let i = 0; i < 3; i++) {
        const worker = start(${work});
        const { kernelsCompiled, links, loads, hits } = await message(worker);
        await worker.ended;
        console.log(kernelsCompiled, links, loads, hits, device.counters().liveContexts);
      }`);
    expect(await lines(runSimulated(script))).toEqual(["1 1 1 0 1", "1 1 1 1 1", "1 1 1 2 1"]);
  });
});

test.each(childBackends.filter(({ executes }) => executes))(
  "eight workers and the main thread run algorithms of every kind at once: backend $name",
  async ({ run }) => {
    const work = `
      function work(seed) {
        const values = Int32Array.from({ length: 1000 }, (_, i) => (i * 7919 + seed) % 1009);
        const sorted = values.slice().sort();
        const array = (data) => cc.DeviceArray.from(data);
        const int = (length) => cc.DeviceArray.empty(length, "int32");
        const add = (a, b) => a + b;
        const found = (name, array, expected) => {
          const got = array.toTypedArray();
          return got.length === expected.length && got.every((x, i) => x === expected[i]) ? [] : [name];
        };
        const input = array(values);
        const wrong = [];
        for (let round = 0; round < 3; round++) {
          const one = int(1), all = int(1000), counts = int(1), halves = int(2), keys = int(1000);
          const total = values.reduce(add, 0);
          cc.reduceInto({ input, output: one, op: add, init: round });
          wrong.push(...found("reduceInto", one, [total + round]));
          let sum = 0;
          cc.inclusiveScan({ input, output: all, op: add });
          wrong.push(...found("inclusiveScan", all, values.map((x) => (sum += x))));
          cc.unaryTransform({ input, output: all, op: (x) => x * 2 + seed });
          wrong.push(...found("unaryTransform", all, values.map((x) => x * 2 + seed)));
          cc.radixSort({ inputKeys: input, outputKeys: keys });
          wrong.push(...found("radixSort", keys, sorted));
          cc.mergeSort({ inputKeys: input, outputKeys: keys, op: (a, b) => a > b });
          wrong.push(...found("mergeSort", keys, sorted.slice().reverse()));
          cc.select({ input, output: all, outputCount: counts, op: (x) => x < seed });
          const kept = values.filter((x) => x < seed);
          wrong.push(...found("select", counts, [kept.length]), ...found("select", all.subarray(0, kept.length), kept));
          const [startOffsets, endOffsets] = [array(new Int32Array([0, 300])), array(new Int32Array([300, 1000]))];
          cc.segmentedReduce({ input, output: halves, op: add, init: 0, startOffsets, endOffsets });
          const part = values.subarray(0, 300).reduce(add, 0);
          wrong.push(...found("segmentedReduce", halves, [part, total - part]));
          const touched = cc.DeviceArray.zeros(1009, "int32");
          cc.forEach({ input, op: (x) => { touched[x] = x + seed; } });
          const marks = new Int32Array(1009);
          for (const x of values) marks[x] = x + seed;
          wrong.push(...found("forEach", touched, marks));
        }
        return wrong;
      }`;
    const script = `${work} ${main(`
      const source = ${workerSource(`${work} parentPort.postMessage(work(workerData));`)};
      const workers = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => start(source, 100 * i));
      const messages = workers.map(message);
      console.log(JSON.stringify([work(50), ...(await Promise.all(messages))].flat()));
      console.log(await codes(workers));`)}`;
    expect(await lines(run(script))).toEqual(["[]", "0,0,0,0,0,0,0,0"]);
  },
);

describe("a worker that ends takes what it has with it", () => {
  /** How workers end, once they have said that all is under way; the last two are terminated. */
  const ends = [
    ``,
    `throw new Error("mine");`,
    `setImmediate(() => { throw new Error("mine"); });`,
    `process.exit(7);`,
    `setInterval(() => {}, 1000);`,
    `for (;;) cc.DeviceArray.zeros(10, "int8").fill(1);`,
  ];
  const codesOfEnds = "0,1 mine,1 mine,7,1,1";

  /** Runs each end some times, all ends at once, and holds the device's counters together. */
  const rounds = (count: number, work: string, first = ""): string =>
    main(`
      const sources = [${ends.map((end) => workerSource(`${work} parentPort.postMessage("under way"); ${end}`)).join()}];
      const all = async (round) => {
        ${first}
        const workers = sources.map((source, i) => start(source, round * 10 + i));
        await Promise.all(workers.map(message));
        for (const worker of workers.slice(-2)) worker.terminate();
        await new Promise((done) => setTimeout(done, 10));
        device.releaseAll();
        return codes(workers);
      };
      await all(0);
      const before = JSON.stringify(counts());
      const seen = new Set();
      for (let i = 1; i <= ${String(count)}; i++) seen.add(await all(i));
      console.log([...seen].join(" and "));
      const after = JSON.stringify(counts());
      console.log(after === before ? "as before" : before + " became " + after);
      console.log(cc.memory.stats().liveArrays, JSON.parse(after).violations, device.counters().livePinnedBytes <= 64 << 20);`);

  const expected = [codesOfEnds, "as before", "0 0 true"];

  const everything = `
    const input = cc.DeviceArray.zeros(100000, "float32");
    const streams = [new cc.Stream(), new cc.Stream({ ordered: false })];
    const copies = streams.map((stream) => cc.DeviceArray.empty(100000, "float32", { stream }).copyFrom(input, { stream }));
    cc.forEach({ input, op: (x) => {} });
    const reads = [input.read(), ...copies.map((copy, i) => copy.read({ stream: streams[i] }))];
    const finished = streams.map((stream) => stream.finished());
    const handles = [input.share(), copies[0].subarray(5).share()];
  `;

  test("with work done, promises pending and handles that nobody received", async () => {
    expect(await lines(runSimulated(rounds(6, everything)))).toEqual(expected);
  });

  test("with work queued that the device has not begun", async () => {
    expect(await lines(runSimulated(rounds(6, everything, "device.holdAll();")))).toEqual(expected);
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

describe.each(childBackends)("arrays that threads share [backend $name]", ({ run }) => {
  test("a worker sees and changes the main thread's array", async () => {
    const worker = workerSource(`
      const array = cc.DeviceArray.fromShared(workerData.part);
      const before = array.toArray();
      array.fill(7);
      parentPort.postMessage([before, array.type, array.length]);`);
    const script = main(`
      const array = cc.DeviceArray.from(new Int16Array([1, 2, 3, 4]));
      const worker = start(${worker}, { part: array.subarray(1, 3).share() });
      console.log(JSON.stringify(await message(worker)), JSON.stringify(array.toArray()));
      console.log((await worker.ended).code, JSON.stringify(array.toArray()));`);
    expect(await lines(run(script))).toEqual(['[[2,3],"int16",2] [1,7,7,4]', "0 [1,7,7,4]"]);
  });

  test("a worker's result outlives the worker where its handle does, also where no other thread has used the device", async () => {
    const worker = workerSource(`
      parentPort.postMessage(cc.DeviceArray.from(new Int32Array([5, 6])).share({ outlive: true }));`);
    const script = main(`
      const worker = start(${worker});
      const [handle, { code }] = await Promise.all([message(worker), worker.ended]);
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
        await worker.ended;
      }
      console.log(cc.memory.stats().liveArrays);`);
    expect(await lines(run(script))).toEqual([...Array<string>(4).fill("[1.5,2.5]"), "0"]);
  });
});

test.each(childBackends.filter(({ name }) => name !== "host"))(
  "a handle of a worker that has ended is refused with code ERR_SHARED_GONE, and holds nothing: backend $name",
  async ({ run }) => {
    const worker = workerSource(`parentPort.postMessage(cc.DeviceArray.from(new Int32Array([5, 6])).share());`);
    const script = main(`
    const worker = start(${worker});
    const [handle] = await Promise.all([message(worker), worker.ended]);
    try { cc.DeviceArray.fromShared(handle); } catch (error) { console.log(error.name, error.code); }
    console.log(cc.memory.stats().liveArrays);`);
    expect(await lines(run(script))).toEqual(["TypeError ERR_SHARED_GONE", "0"]);
  },
);

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
    for (const worker of workers) worker.postMessage("end");
    await codes(workers);
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
    const messages = workers.map(message);
    array.dispose();
    console.log((await Promise.all(messages)).join(), await codes(workers));
    const { liveAllocations, liveStreams, liveEvents, pendingWork, violations } = device.counters();
    console.log(liveAllocations, liveStreams, pendingWork, violations);
    // The main thread's default stream keeps the one event by which others wait for it.
    console.log(liveEvents <= 1, cc.memory.stats().liveArrays);`);
  expect(await lines(runSimulated(script))).toEqual(["true,true,true,true 0,0,0,0", "0 0 0 0", "true 0"]);
});
