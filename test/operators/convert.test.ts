import { hostConvert } from "../../lib/types/convert";
import { type ScalarName, scalarTypes } from "../../lib/types/scalar";

const numbers = [
  0,
  -0,
  1,
  -1,
  1.5,
  -1.5,
  127,
  128,
  255,
  256,
  -129,
  32768,
  65535.9,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32 + 5,
];
numbers.push(
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  2 ** 70 + 2 ** 20,
  1e300,
  -1e300,
  0.1,
  1e-320,
  NaN,
  Infinity,
  -Infinity,
);

describe("a number converts to", () => {
  test.each([
    ["int8", Int8Array],
    ["int16", Int16Array],
    ["int32", Int32Array],
    ["uint8", Uint8Array],
    ["uint16", Uint16Array],
    ["uint32", Uint32Array],
    ["float32", Float32Array],
    ["float64", Float64Array],
  ] as const)("%s as a store into the typed array does", (name, TypedArray) => {
    const convert = hostConvert(scalarTypes.float64, scalarTypes[name]);
    expect(numbers.map(convert)).toEqual([...TypedArray.from(numbers)]);
  });

  test.each([
    ["int64", BigInt64Array],
    ["uint64", BigUint64Array],
  ] as const)("%s truncated and modulo 2^64; NaN and Infinity become 0", (name, TypedArray) => {
    const convert = hostConvert(scalarTypes.float64, scalarTypes[name]);
    const whole = numbers.map((value) => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n));
    expect(numbers.map(convert)).toEqual([...TypedArray.from(whole)]);
  });

  test("bool as Boolean() does: NaN is false", () => {
    const convert = hostConvert(scalarTypes.float64, scalarTypes.bool);
    expect([0, -0, NaN, 0.1, -1, Infinity].map(convert)).toEqual([false, false, false, true, true, true]);
  });
});

describe("a BigInt converts to", () => {
  const values = [0n, 1n, -1n, 300n, -(1n << 63n), (1n << 53n) + 1n, (1n << 62n) + (1n << 38n) + 1n];
  test.each([
    ["int8", (v: bigint) => Number(BigInt.asIntN(8, v))],
    ["uint16", (v: bigint) => Number(BigInt.asUintN(16, v))],
    ["int32", (v: bigint) => Number(BigInt.asIntN(32, v))],
    ["uint32", (v: bigint) => Number(BigInt.asUintN(32, v))],
    ["uint64", (v: bigint) => BigInt.asUintN(64, v)],
    ["float64", Number],
    ["float32", (v: bigint) => Math.fround(Number(v))],
    ["bool", Boolean],
  ] as const)("%s", (name, expected) => {
    expect(values.map(hostConvert(scalarTypes.int64, scalarTypes[name as ScalarName]))).toEqual(
      values.map((value) => expected(value)),
    );
  });
});

test("true is 1 and false is 0 in every number type", () => {
  for (const type of Object.values(scalarTypes)) {
    if (type.kind === "bool") continue;
    expect([true, false].map(hostConvert(scalarTypes.bool, type)).map(Number)).toEqual([1, 0]);
  }
});
