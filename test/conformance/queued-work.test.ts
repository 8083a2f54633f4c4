/**
 * Work that is queued keeps what it uses, however soon it is dropped, disposed or written over, and on whatever streams.
 * On a GPU a kernel of some milliseconds goes first, so that all that follows is asked for while it runs.
 */
import { describeOnBackends, testBackends } from "../helpers/backends";
import {
  DeviceArray,
  Stream,
  bind,
  inclusiveScan,
  makeReduceInto,
  permuted,
  reduceInto,
  sum,
  unaryTransform,
  zipped,
} from "../../lib";
import { collectGarbage } from "../../lib/backends/collector";

const items = 1 << 12;
const rounds = testBackends.includes("cuda") ? 1_000_000 : 10;

/** A generator of pseudo-random numbers, `rounds` steps on: long on a GPU, where each step waits for the one before. */
const churn = bind(
  (x: number, { rounds }: { rounds: number }) => {
    let y = x;
    for (let i = 0; i < rounds; i++) y = (Math.imul(y, 1_664_525) + 1_013_904_223) | 0;
    return y;
  },
  { rounds },
);

function churned(x: number, times = 1): number {
  let y = x;
  for (let i = 0; i < rounds * times; i++) y = (Math.imul(y, 1_664_525) + 1_013_904_223) | 0;
  return y;
}

type Numbers = DeviceArray<"int32">;

/** Queues long work on an array. */
function churnOn(array: Numbers, stream?: Stream): void {
  unaryTransform({ input: array, output: array, op: churn, ...(stream && { stream }) });
}

function copy(input: Numbers, output: Numbers, stream?: Stream): void {
  unaryTransform({ input, output, op: (x) => x, ...(stream && { stream }) });
}

const full = (value: number): Numbers => DeviceArray.full(items, value, "int32");
const every = (value: number): Int32Array => new Int32Array(items).fill(value);

/** Arrays that take the bytes of those just freed, and are written at once. */
function reuseBytes(count = 4): Numbers[] {
  collectGarbage("full");
  return Array.from({ length: count }, (_, i) => full(-1 - i));
}

function expectUnharmed(arrays: readonly Numbers[]): void {
  arrays.forEach((array, i) => {
    expect(array.toTypedArray()).toEqual(every(-1 - i));
  });
}

const ends: [string, (array: Numbers) => void][] = [
  [
    "disposed",
    (array) => {
      array.dispose();
    },
  ],
  ["dropped", () => undefined],
];

describeOnBackends("queued work", () => {
  let streams: Stream[] = [];

  function newStream(): Stream {
    const stream = new Stream();
    streams.push(stream);
    return stream;
  }

  afterEach(() => {
    for (const stream of streams) stream.dispose();
    streams = [];
  });

  describe.each(ends)("on an array that is %s", (_, end) => {
    test.each([
      ["the default stream", 0],
      ["another stream", 1],
      ["three streams", 3],
    ])("on %s runs to its end, and nothing made meanwhile is written", (_name, count) => {
      const on = count === 0 ? [undefined] : Array.from({ length: count }, newStream);
      const output = full(0);
      // Functions of their own, so that no register holds what they made.
      (() => {
        const array = full(1);
        for (const stream of on) churnOn(array, stream);
        copy(array, output, on.at(-1));
        end(array);
      })();
      expectUnharmed(reuseBytes());
      expect(output.toTypedArray()).toEqual(every(churned(1, on.length)));
    });

    test("captured by an operator reads its elements", () => {
      const output = full(1);
      (() => {
        const table = full(5);
        churnOn(output);
        const op = bind((x: number, c: { table: Numbers }) => (x & 0) + (c.table[7] as number), { table });
        unaryTransform({ input: output, output, op });
        end(table);
      })();
      expectUnharmed(reuseBytes());
      expect(output.toTypedArray()).toEqual(every(5));
    });

    test("under iterators reads its elements", () => {
      const output = full(1);
      (() => {
        const [table, indices] = [full(6), full(3)];
        churnOn(output);
        const pairs = zipped(permuted(table, indices), output);
        unaryTransform({ input: pairs, output, op: ([x, y]) => x + (y & 0) });
        end(table);
        end(indices);
      })();
      expectUnharmed(reuseBytes());
      expect(output.toTypedArray()).toEqual(every(6));
    });
  });

  test("is waited for by a reader on another stream", () => {
    const [array, output] = [full(2), full(0)];
    churnOn(array, newStream());
    copy(array, output, newStream());
    expect(output.toTypedArray()).toEqual(every(churned(2)));
  });

  test("that reads is waited for by a writer on another stream", () => {
    const [array, slow, output] = [full(3), full(1), full(0)];
    const reading = newStream();
    churnOn(slow, reading);
    copy(array, output, reading);
    array.fill(9, { stream: newStream() });
    expect(array.toTypedArray()).toEqual(every(9));
    expect(output.toTypedArray()).toEqual(every(3));
  });

  test("that reads on several streams is waited for by a writer on one more", () => {
    const array = full(4);
    const outputs = Array.from({ length: 3 }, (_, i) => {
      const [stream, slow, output] = [newStream(), full(i), full(0)];
      churnOn(slow, stream);
      copy(array, output, stream);
      return output;
    });
    array.copyFrom(every(8), { stream: newStream() });
    for (const output of outputs) expect(output.toTypedArray()).toEqual(every(4));
    expect(array.toTypedArray()).toEqual(every(8));
  });

  test("on one stream is waited for by a host read on another", () => {
    const array = full(5);
    churnOn(array, newStream());
    expect(array.toTypedArray({ stream: newStream() })).toEqual(every(churned(5)));
  });

  test("has its own temporary storage on each stream, for a function and for one that was made", () => {
    const input = DeviceArray.from(Int32Array.from({ length: items }, (_, i) => i));
    const total = (items * (items - 1)) / 2;
    const scanned = Int32Array.from({ length: items }, (_, i) => (i * (i + 1)) / 2);
    const result = (): DeviceArray<"int64"> => DeviceArray.zeros(1, "int64");
    const call = { input, op: (a: bigint, b: bigint) => a + b, init: 0n };
    const made = makeReduceInto({ ...call, output: result() });
    const results = Array.from({ length: 4 }, () => {
      const stream = newStream();
      churnOn(full(1), stream);
      const [direct, again, sums] = [result(), result(), full(0)];
      reduceInto({ ...call, output: direct, stream });
      made({ input, output: again, init: 0n, stream });
      inclusiveScan({ input, output: sums, op: (a, b) => a + b, stream });
      return { direct, again, sums };
    });
    for (const { direct, again, sums } of results) {
      expect([direct.toArray(), again.toArray()]).toEqual([[BigInt(total)], [BigInt(total)]]);
      expect(sums.toTypedArray()).toEqual(scanned);
    }
  });

  test("takes what a typed array held when it was given, though it is written over at once", () => {
    const array = full(0);
    churnOn(array);
    const source = every(11);
    array.copyFrom(source);
    source.fill(12);
    expect(array.toTypedArray()).toEqual(every(11));
  });

  test("on a stream that is disposed runs to its end", () => {
    const [array, stream] = [full(6), new Stream()];
    churnOn(array, stream);
    stream.dispose();
    expect(array.toTypedArray()).toEqual(every(churned(6)));
  });

  test("is read by a promise whose array is disposed, and by one whose array is dropped", async () => {
    const read = (end: (array: Numbers) => void): Promise<Int32Array> => {
      const array = full(7);
      churnOn(array);
      const promise = array.read();
      end(array);
      return promise;
    };
    const reads = ends.map(([, end]) => read(end));
    expectUnharmed(reuseBytes());
    for (const values of await Promise.all(reads)) expect(values).toEqual(every(churned(7)));
  });

  test("is read by a thousand promises whose arrays are disposed, dropped or written over at once", async () => {
    const read = (i: number): Promise<Int32Array> => {
      const array = DeviceArray.full(1_000, i, "int32", { stream: streams[i % streams.length] });
      const promise = array.read();
      if (i % 3 === 0) array.dispose();
      if (i % 3 === 1) array.fill(-1, { stream: streams[(i + 1) % streams.length] });
      return promise;
    };
    for (let i = 0; i < 3; i++) newStream();
    churnOn(full(9), streams[0]);
    const reads = Array.from({ length: 1_000 }, (_, i) => read(i));
    expectUnharmed(reuseBytes());
    (await Promise.all(reads)).forEach((values, i) => {
      expect(values).toEqual(new Int32Array(1_000).fill(i));
    });
  });

  test("is summed by a promise whose input is dropped", async () => {
    const total = (() => {
      const array = full(1);
      churnOn(array);
      return sum(array);
    })();
    expectUnharmed(reuseBytes());
    expect(await total).toBe(churned(1) * items);
  });

  test("keeps what a view covers when the array it is a view of is dropped", () => {
    const view = (() => {
      const array = full(8);
      churnOn(array);
      return array.subarray(10, 20);
    })();
    expectUnharmed(reuseBytes());
    expect(view.toTypedArray()).toEqual(every(churned(8)).subarray(10, 20));
  });
});
