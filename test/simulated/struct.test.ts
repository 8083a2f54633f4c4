/** Structs under the real compiler: layouts that it is held against, kernels of them, and operators in C++ over them. */
import { simulatedDevice } from "../helpers/simulated-backend";
import fc from "fast-check";
import {
  CompileError,
  DeviceArray,
  binaryTransform,
  constant,
  cpp,
  exclusiveScan,
  inclusiveScan,
  reduceInto,
  struct,
  transformed,
  unaryTransform,
} from "../../lib";
import { cudaConvert } from "../../lib/types/convert";
import { type ElementType, type StructType, isScalarType } from "../../lib/types/element";
import { type ScalarName, scalarTypes } from "../../lib/types/scalar";
import { arrayType, cudaDefinitions, structType } from "../../lib/types/struct";
import { structTypes } from "../helpers/structs";

afterEach(() => {
  expect(simulatedDevice.lastViolation()).toBe("");
});

/** Compiles device code as a part of an operator. */
function compile(text: string): void {
  const array = DeviceArray.zeros(1, "float32");
  const op = cpp(`${text}\n__device__ float op(float a) { return a; }`, { name: "op", arity: 1 });
  unaryTransform({ input: array, output: array, op });
}

/** The same type with another scalar in every place. */
function withScalars(type: ElementType, name: ScalarName): ElementType {
  if (isScalarType(type)) return scalarTypes[name];
  if (type.kind === "array") return arrayType(withScalars(type.element, name), type.length, "test");
  return structType(
    type.fields.map((field) => [field.name, withScalars(field.type, name)]),
    "test",
  );
}

const types: StructType[] = [
  struct({ x: "float32", id: "int64" }),
  struct({ a: "bool", b: "int16", c: "bool", d: "int32", e: "bool" }),
  struct({ tag: "int8", inner: struct({ v: "float64", f: "int8" }), h: "float16" }),
  struct({ tag: "int8", m: [["float32", 3], 2], p: [struct({ a: "int32", b: "int8" }), 3] }),
  ...fc.sample(structTypes, { numRuns: 20, seed: 1 }),
];

describe("arrays of structs in the device's memory", () => {
  const Odd = struct({ a: "uint8", b: "uint8", c: "uint8" });
  const Wide = struct({ x: "float64", n: struct({ i: "int64", on: "bool" }) });

  test.each([0, 1, 2, 3, 4, 1000])("%i elements are filled, and nothing beside them", (length) => {
    const odd = { a: 1, b: 2, c: 3 };
    const wide = { x: 0.5, n: { i: -1n, on: true } };
    const zero = { a: 0, b: 0, c: 0 };
    const array = DeviceArray.zeros(length + 2, Odd);
    array.subarray(1, length + 1).fill(odd);
    expect(array.toArray()).toEqual([zero, ...Array<typeof odd>(length).fill(odd), zero]);
    expect(DeviceArray.full(length, wide, Wide).toArray()).toEqual(Array(length).fill(wide));
  });

  test("objects, columns and bytes go to the device and come back", async () => {
    const objects = [{ x: 0.5, n: { i: 2n ** 62n, on: true } }, { x: -0, n: { i: -1n, on: false } }]; // prettier-ignore
    const array = DeviceArray.from(objects, Wide);
    expect(array.toArray()).toEqual(objects);
    const columns = {
      x: new Float64Array([0.5, -0]),
      n: { i: new BigInt64Array([2n ** 62n, -1n]), on: new Uint8Array([1, 0]) },
    };
    expect(array.toColumns()).toEqual(columns);
    expect(DeviceArray.fromColumns(columns, Wide).toTypedArray()).toEqual(await array.read());
  });
});

describe("the compiler lays structs out as the library does", () => {
  test("every definition's assertions hold, and one stands where it stood before", () => {
    compile(cudaDefinitions(types) + cudaDefinitions(types));
  });

  test("an offset, a size or an alignment that were wrong would be found", () => {
    const text = cudaDefinitions([struct({ v: "int32", w: "int64" })]);
    const assertions = text.split("\n").filter((line) => line.startsWith("static_assert"));
    expect(assertions.join("\n")).toMatch(/sizeof\(\w+\) == 16 && alignof\(\w+\) == 8[^]*f0\) == 0[^]*f1\) == 8/);
    for (const [right, wrong] of [
      ["== 16 &&", "== 12 &&"],
      ["alignof(", "1 + alignof("],
      ["f1) == 8", "f1) == 4"],
    ] as const) {
      expect(() => {
        compile(text.replace(right, wrong));
      }).toThrow(CompileError);
    }
  });

  test("conversions between structs compile, in both directions", () => {
    const converters = types.slice(0, 12).flatMap((type, index) => {
      const pairs = (["float16", "uint64", "bool"] as const).map((name) => [type, withScalars(type, name)] as const);
      return pairs.flatMap(([a, b], which) =>
        [[a, b] as const, [b, a] as const].map(
          ([from, to], direction) =>
            cudaDefinitions([from, to]) +
            `__device__ ${to.cudaStorage} convert${[index, which, direction].join("_")}(${from.cudaStorage} value) ` +
            `{ return ${cudaConvert(from, to, "value")}; }\n`,
        ),
      );
    });
    compile(converters.join(""));
  });
});

const Best = struct({ v: "float32", i: "int32" });
const Narrow = struct({ i: "int8", v: "float16" });
const larger = cpp("__device__ Result op(Operand0 a, Operand1 b) { return a.v > b.v ? a : b; }");
const bests = (length: number): DeviceArray<typeof Best> => DeviceArray.zeros(length, Best);

describe("kernels of structs build and launch", () => {
  const launches = (action: () => void): number => {
    const before = simulatedDevice.counters().launches;
    action();
    return simulatedDevice.counters().launches - before;
  };

  test("reduce, with an init and without", () => {
    const reduce = (init?: { v: number; i: number }): void =>
      reduceInto({ input: bests(100), output: bests(1), op: larger, ...(init && { init }) });
    expect([launches(() => reduce()), launches(() => reduce({ v: 0, i: 1 }))]).toEqual([1, 1]);
  });

  test("scans, from a value and from a device array", () => {
    const [input, output, op] = [bests(100), bests(100), larger];
    expect(launches(() => inclusiveScan({ input, output, op }))).toBe(1);
    expect(launches(() => exclusiveScan({ input, output, op, init: { v: 1, i: 2 } }))).toBe(1);
    expect(launches(() => exclusiveScan({ input, output, op, init: bests(1) }))).toBe(1);
  });

  test("fields that convert on the way in and out", () => {
    const [input, output] = [DeviceArray.zeros(100, Narrow), DeviceArray.zeros(1, Narrow)];
    const init = { v: 0, i: 0 };
    expect(launches(() => reduceInto({ input, output: bests(1), op: larger, init }))).toBe(1);
    expect(launches(() => reduceInto({ input: bests(100), output, op: larger, init }))).toBe(1);
  });

  test("iterators of structs", () => {
    const flip = cpp("__device__ Operand0 op(Operand0 a) { a.v = -a.v; return a; }");
    const input = transformed(constant({ v: 1, i: 2 }, Best), flip, Best);
    expect(launches(() => reduceInto({ input, output: bests(1), op: larger, init: { v: 0, i: 0 }, numItems: 9 }))).toBe(1); // prettier-ignore
  });
});

describe("operators in C++ see the structs under their names", () => {
  const Inner = struct({ r: "float16", k: ["uint8", 2] });
  const Outer = struct({ inner: Inner, list: [Inner, 2], m: [["float64", 3], 2], id: "int64", on: "bool" });

  test("nested structs, arrays of them and 16-bit floats, each with its own C++ type", () => {
    const op = cpp(`
      #include <cuda/std/type_traits>
      static_assert(cuda::std::is_same_v<decltype(Operand0::inner), Operand0_inner>);
      static_assert(cuda::std::is_same_v<decltype(Operand0_inner::r), __half>);
      static_assert(cuda::std::is_same_v<decltype(Operand0_inner::k), unsigned char[2]>);
      static_assert(cuda::std::is_same_v<decltype(Operand0::list), Operand0_inner[2]>);
      static_assert(cuda::std::is_same_v<decltype(Operand0::m), double[2][3]>);
      static_assert(cuda::std::is_same_v<decltype(Operand0::id), long long>);
      static_assert(cuda::std::is_same_v<decltype(Operand0::on), bool>);
      static_assert(cuda::std::is_same_v<Result, Operand0_inner>);
      __device__ Result op(Operand0 a) { return a.list[1]; }`);
    unaryTransform({ input: DeviceArray.zeros(1, Outer), output: DeviceArray.zeros(1, Inner), op });
  });

  test("equal types are one type, and scalars beside them have names too", () => {
    const op = cpp(`
      #include <cuda/std/type_traits>
      static_assert(cuda::std::is_same_v<Operand0, Operand1> && cuda::std::is_same_v<Operand1, Result>);
      __device__ Result op(Operand0 a, Operand1 b) { return a.id < b.id ? a : b; }`);
    const array = DeviceArray.zeros(1, Outer);
    binaryTransform({ input1: array, input2: array, output: DeviceArray.zeros(1, Outer), op });
    const scalar = cpp("__device__ Result op(Operand0 a) { static_assert(sizeof(Result) == 8); return a.m[0][0]; }");
    unaryTransform({ input: DeviceArray.zeros(1, Outer), output: DeviceArray.zeros(1, "float64"), op: scalar });
  });

  test("errors keep the lines of the source", () => {
    const op = cpp("\n\n__device__ Result op(Operand0 a, Operand1 b) {\n  return a.w > b.v ? a : b;\n}");
    const reduce = (): void => reduceInto({ input: bests(1), output: bests(1), op });
    expect(reduce).toThrow(/operator\.cu\(4\): error: class ".*Operand0" has no member "w"/);
  });

  test.each(["a b", "a\nb", "a-b", "a;b", "länge", "class", "not", "a__b", "_A", "$x"])(
    "a field %j, which C++ has not, is refused",
    (name) => {
      const Odd = struct({ [name]: "float32" });
      const op = cpp("__device__ Result op(Operand0 a, Operand1 b) { return a; }");
      const reduce = (): void =>
        reduceInto({ input: DeviceArray.zeros(1, Odd), output: DeviceArray.zeros(1, Odd), op });
      expect(reduce).toThrow(expect.objectContaining({ code: "ERR_OPERATOR" }));
      expect(reduce).toThrow(`reduceInto.op: the field ${JSON.stringify(name)} of `);
    },
  );

  test("the result type that the source spells out may be an operand's", () => {
    const flip = cpp("__device__ Operand0 op(Operand0 a) { a.v = -a.v; return a; }");
    expect(transformed(bests(1), flip).type).toBe(Best);
  });
});
