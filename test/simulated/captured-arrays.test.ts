/** Arrays that an operator captures: their code compiles, they are held for the call alone, and freed after its work. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { cppCases } from "../helpers/cpp-operators";
import {
  DeviceArray,
  atomicAdd,
  atomicAnd,
  atomicCompareExchange,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicSub,
  atomicXor,
  bind,
  caches,
  counting,
  cpp,
  ltoir,
  makeUnaryTransform,
  memory,
  reduceInto,
  transformed,
  unaryTransform,
} from "../../lib";

const length = 1 << 10;

afterEach(() => {
  simulatedDevice.releaseAll();
  collect();
  expect(simulatedDevice.lastViolation()).toBe("");
  expect(memory.stats().liveArrays).toBe(0);
});

type Numbers = Record<number, number>;
type BigInts = Record<number, bigint>;

test.each(["int32", "uint32", "float32", "float64"] as const)("every atomic on %s compiles", (type) => {
  const array = DeviceArray.zeros(4, type);
  const isInteger = type.endsWith("int32");
  const bits = bind(
    (i: number, { array }: { array: Numbers }) => {
      atomicAnd(array, i, 1);
      atomicOr(array, i + 0.5, 2);
      return atomicXor(array, i, 3);
    },
    { array },
  );
  const numbers = bind(
    (i: number, { array }: { array: Numbers }) => {
      atomicAdd(array, i, 1);
      atomicSub(array, 0, i);
      atomicMin(array, i, 3);
      const before = atomicMax(array, i, 3);
      if (before > 2) atomicExchange(array, i, before);
      array[i] = array[i + 1]! * 2;
      return atomicCompareExchange(array, i, 1, 2);
    },
    { array },
  );
  const output = DeviceArray.zeros(4, "float64");
  const call = { input: counting(0), output, numItems: 4 };
  unaryTransform({ ...call, op: numbers });
  if (isInteger) unaryTransform({ ...call, op: bits });
});

test.each(["int64", "uint64"] as const)("every atomic on %s compiles", (type) => {
  const array = DeviceArray.zeros(4, type);
  const op = bind(
    (i: number, { array }: { array: BigInts }) => {
      atomicAnd(array, i, 1n);
      atomicOr(array, i, 2n);
      atomicXor(array, i, 3n);
      atomicAdd(array, i, 1n);
      atomicSub(array, i, 1n);
      atomicMin(array, i, 3n);
      atomicMax(array, i, 3n);
      atomicExchange(array, i, 3n);
      array[i] = array[i + 1]! * 2n;
      const before = atomicCompareExchange(array, i, 1n, 2n);
      return Number(before);
    },
    { array },
  );
  unaryTransform({ input: counting(0), output: DeviceArray.zeros(4, "float64"), numItems: 4, op });
});

test("operators in CUDA C++ with captured values compile and link", () => {
  const table = DeviceArray.zeros(4, "float16");
  const op = cpp("__device__ float op(float x, const State& s) { return x * s.scale + __half2float(s.table[0]); }");
  const array = DeviceArray.zeros(4, "float32");
  unaryTransform({ input: array, output: array, op: bind(op, { scale: 2, table }) });
});

describe("operators in CUDA C++ compile and link for", () => {
  test.each(cppCases)("%s", (_title, run) => {
    const { loads } = caches.stats();
    run();
    expect(caches.stats().loads).toBe(loads + 1);
  });
});

test("LTO-IR is linked into transforms, reductions and iterators", () => {
  const code = readFileSync(join(__dirname, "../operators/fixtures/scaled-difference.ltoir"));
  const op = ltoir(code, { name: "scaled_difference", parameters: ["float32", "float32"], result: "float32" });
  const input = DeviceArray.zeros(4, "float32");
  const links = caches.stats().links;
  reduceInto({ input, output: DeviceArray.zeros(1, "float32"), op });
  expect(caches.stats().links).toBe(links + 1);
});

describe.each([
  ["read", (table: Numbers) => bind((i: number, { table }: { table: Numbers }) => table[i]!, { table })],
  [
    "written",
    (table: Numbers) =>
      bind(
        (i: number, { table }: { table: Numbers }) => {
          table[i] = 1;
          return i;
        },
        { table },
      ),
  ],
])("an array that is %s by queued work", (_use, operator) => {
  test.each([
    [
      "disposed",
      (array: DeviceArray<"float32">) => {
        array.dispose();
      },
    ],
    ["dropped", () => undefined],
  ])("and %s is freed after it", (_end, end) => {
    const output = DeviceArray.zeros(length, "float32");
    const op = (table: unknown) => operator(table as Numbers);
    const call = { input: counting(0), output, numItems: length };
    (() => {
      unaryTransform({ ...call, op: op(DeviceArray.zeros(length, "float32")) });
    })();
    collect();
    memory.stats();
    const before = simulatedDevice.counters().liveBytes;
    simulatedDevice.holdAll();
    (() => {
      const table = DeviceArray.zeros(length, "float32");
      unaryTransform({ ...call, op: op(table) });
      end(table);
    })();
    collect();
    memory.stats();
    expect(simulatedDevice.counters().liveBytes).toBe(before + length * 4);
    simulatedDevice.releaseAll();
    collect();
    memory.stats();
    expect(simulatedDevice.counters().liveBytes).toBe(before);
    output.dispose();
  });
});

test("nothing keeps a captured array after the call: closures, bound and made operators, iterators' states", () => {
  const output = DeviceArray.zeros(length, "float32");
  const made = (() => {
    const table = DeviceArray.zeros(length, "float32");
    const numbers = table as unknown as Numbers;
    unaryTransform({ input: counting(0), output, numItems: length, op: (i) => numbers[i]! + 1 });
    const op = bind((i: number, { numbers }: { numbers: Numbers }) => numbers[i]!, { numbers });
    const input = transformed(counting(0), (i) => numbers[i]! * 2, "float32");
    unaryTransform({ input, output, numItems: length, op: (x) => x });
    return makeUnaryTransform({ input: counting(0), output, numItems: length, op });
  })();
  collect();
  expect(memory.stats().liveArrays).toBe(1);
  expect(typeof made).toBe("function");
  output.dispose();
});

test("a captured array of another backend, or a disposed one, is refused before anything is queued", () => {
  const output = DeviceArray.zeros(4, "float32");
  const table = DeviceArray.zeros(4, "float32");
  const numbers = table as unknown as Numbers;
  const op = (i: number): number => numbers[i]!;
  unaryTransform({ input: counting(0), output, numItems: 4, op });
  const before = simulatedDevice.counters().launches;
  table.dispose();
  expect(() => {
    unaryTransform({ input: counting(0), output, numItems: 4, op });
  }).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }) as Error);
  expect(simulatedDevice.counters().launches).toBe(before);
  output.dispose();
});
