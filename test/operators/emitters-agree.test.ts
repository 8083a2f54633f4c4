import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { CompileError } from "../../lib/errors";
import { bind, cudaPrelude } from "../../lib/operators";
import type { CaptureValues } from "../../lib/operators";
import { fromBfloat16Bits, fromFloat16Bits } from "../../lib/types/float16";
import { type ScalarName, type ScalarType, type ScalarValue, scalarTypes } from "../../lib/types/scalar";
import { hostConvert } from "../../lib/types/convert";
import { writeElement } from "../../lib/types/value";
import { type ScalarOperator, functionFrom, specialize } from "./helpers";

/** What the emitted device code needs, for an ordinary C++ compiler: the arithmetic of the two is IEEE's on both. */
const shim = String.raw`
#include <cmath>
#include <cstdio>
#include <cstring>
#define __device__
#define __forceinline__ inline
template <class To, class From> static To as(From from) { To to; std::memcpy(&to, &from, sizeof(to)); return to; }
static float __fadd_rn(float a, float b) { return a + b; }
static float __fmul_rn(float a, float b) { return a * b; }
static float __fdiv_rn(float a, float b) { return a / b; }
static float __fsqrt_rn(float a) { return std::sqrt(a); }
static double __dadd_rn(double a, double b) { return a + b; }
static double __dmul_rn(double a, double b) { return a * b; }
static double __ddiv_rn(double a, double b) { return a / b; }
static double __dsqrt_rn(double a) { return std::sqrt(a); }
static int __float_as_int(float a) { return as<int>(a); }
static float __int_as_float(int a) { return as<float>(a); }
static long long __double_as_longlong(double a) { return as<long long>(a); }
static double __longlong_as_double(long long a) { return as<double>(a); }
static int __float2int_rz(float a) { return (int)a; }
static int __double2int_rz(double a) { return (int)a; }
static long long __double2ll_rz(double a) { return (long long)a; }
static unsigned long long __double2ull_rz(double a) { return (unsigned long long)a; }
static float __double2float_rz(double a) {
  const float nearest = (float)a;
  return std::fabs((double)nearest) > std::fabs(a) ? std::nextafterf(nearest, 0.0f) : nearest;
}
static unsigned int __float_as_uint(float a) { return as<unsigned int>(a); }
static float __uint_as_float(unsigned int a) { return as<float>(a); }
template <class T, class F> static T change(T* at, F next) { const T old = *at; *at = next(old); return old; }
template <class T> static T atomicAdd(T* at, T value) { return change(at, [&](T old) { return (T)(old + value); }); }
template <class T> static T atomicMin(T* at, T value) { return change(at, [&](T old) { return value < old ? value : old; }); }
template <class T> static T atomicMax(T* at, T value) { return change(at, [&](T old) { return old < value ? value : old; }); }
template <class T> static T atomicAnd(T* at, T value) { return change(at, [&](T old) { return old & value; }); }
template <class T> static T atomicOr(T* at, T value) { return change(at, [&](T old) { return old | value; }); }
template <class T> static T atomicXor(T* at, T value) { return change(at, [&](T old) { return old ^ value; }); }
template <class T> static T atomicExch(T* at, T value) { return change(at, [&](T) { return value; }); }
template <class T> static T atomicCAS(T* at, T expected, T value) {
  return change(at, [&](T old) { return old == expected ? value : old; });
}
static int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned int)a); }
`;

const prelude = cudaPrelude
  .replace(/asm\("cvt\.f32\.f16[^;]*;"[^;]*;/, "a = (float)as<_Float16>(bits);")
  .replace(/asm\("cvt\.rn\.f16\.f32[^;]*;"[^;]*;/, "bits = as<unsigned short>((_Float16)a);");

const types = Object.values(scalarTypes);
const isInteger64 = (type: ScalarType): boolean => type.name === "int64" || type.name === "uint64";

const wrap64 = (type: ScalarType, value: bigint): bigint =>
  type.kind === "int" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);

/** Expressions over a, b, the capture c.k and the local v. Only functions that IEEE or integers define to the bit. */
const expressions = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  const leaf = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("a", "b", "v", "c.k") },
    fc.constantFrom(
      "0",
      "1",
      "2",
      "3",
      "7",
      "-1",
      "-0",
      "0.5",
      "0.1",
      "31",
      "255",
      "1e10",
      "4294967295",
      "NaN",
      "1e300",
    ),
    fc.constantFrom("Infinity", "true", "false", "5n", "-3n"),
  );
  const binary = fc.constantFrom("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "<", "<=", ">", ">=", "==");
  const logical = fc.constantFrom("!=", "&&", "||");
  const unary = fc.constantFrom("-", "~", "!", "+");
  const math = fc.constantFrom("abs", "floor", "ceil", "round", "trunc", "sign", "sqrt", "fround", "clz32");
  const conversion = fc.constantFrom(...types.map((type) => type.name), "Number", "Boolean", "BigInt");
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 1, arbitrary: leaf },
      {
        weight: 4,
        arbitrary: fc
          .tuple(inner, fc.oneof({ weight: 5, arbitrary: binary }, logical), inner)
          .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      },
      { weight: 1, arbitrary: fc.tuple(unary, inner).map(([operator, x]) => `(${operator} ${x})`) },
      { weight: 1, arbitrary: fc.tuple(math, inner).map(([name, x]) => `Math.${name}(${x})`) },
      { weight: 1, arbitrary: fc.tuple(conversion, inner).map(([name, x]) => `${name}(${x})`) },
      { weight: 1, arbitrary: fc.tuple(inner, inner, inner).map(([x, y, z]) => `(${x} ? ${y} : ${z})`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("min", "max", "imul"), inner, inner)
          .map(([name, x, y]) => `Math.${name}(${x}, ${y})`),
      },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([x, y]) => `Math.trunc(${x} / ${y})`) },
      { weight: 1, arbitrary: inner.map((x) => `((${x}) ** 2)`) },
    ),
  };
}).expression;

const programs = fc
  .tuple(
    expressions,
    expressions,
    expressions,
    fc.constantFrom("=", "+=", "-=", "*=", "/=", "%=", "|=", "<<="),
    fc.tuple(fc.constantFrom(...types), fc.constantFrom(...types)),
    fc.option(fc.constantFrom(...types), { nil: undefined }),
    fc.oneof(fc.double(), fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), fc.boolean()),
  )
  .map(([first, second, result, assignment, parameters, resultType, captured]) => ({
    text: `(a, b, c) => { let v = a; if (${first.replace(/\bv\b/g, "b")}) v ${assignment} ${second}; return ${result}; }`,
    parameters,
    resultType,
    captured,
  }));

const special = [0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, 3, 7, 127, 128, 255, -129, 32767, 65535, 65504, 2 ** 31, 2 ** 32];
special.push(-(2 ** 31), 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64, 1e300, 1e-300, 1e-40, 0.1, NaN, Infinity, -Infinity);
const elementNumbers = fc.oneof(fc.constantFrom(...special), fc.double(), fc.integer({ min: -300, max: 300 }));
const elementBigInts = fc.oneof(fc.bigInt({ min: -5n, max: 70n }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));

function readElement(view: DataView, position: number, type: ScalarType): ScalarValue {
  const readers: Record<ScalarName, () => ScalarValue> = {
    int8: () => view.getInt8(position),
    int16: () => view.getInt16(position, true),
    int32: () => view.getInt32(position, true),
    int64: () => view.getBigInt64(position, true),
    uint8: () => view.getUint8(position),
    uint16: () => view.getUint16(position, true),
    uint32: () => view.getUint32(position, true),
    uint64: () => view.getBigUint64(position, true),
    float16: () => fromFloat16Bits(view.getUint16(position, true)),
    bfloat16: () => fromBfloat16Bits(view.getUint16(position, true)),
    float32: () => view.getFloat32(position, true),
    float64: () => view.getFloat64(position, true),
    bool: () => view.getUint8(position) !== 0,
  };
  return readers[type.name]();
}

interface Trial {
  readonly text: string;
  readonly operator: ScalarOperator;
  readonly values: CaptureValues;
}

const noArrays = (): never => {
  throw new Error("no array is captured");
};

/** Trials lie in records of 64 bytes: state, then the two elements, then the result. */
const record = { size: 64, first: 16, second: 24, result: 32 };
const rounds = 12;
const programCount = Number(process.env["CUDA_COMPUTE_PROGRAMS"] ?? 300);

test("the emitted C++ and the emitted JavaScript give the same bits, without undefined behaviour", () => {
  const seed = Date.now() % 2 ** 31;
  const trials: Trial[] = [];
  for (const { text, parameters, resultType, captured } of fc.sample(programs, { numRuns: programCount, seed })) {
    const op = bind(functionFrom(text) as (a: never, b: never, c: { k: ScalarValue }) => ScalarValue, { k: captured });
    const names = parameters.map((type) => type.name).join();
    try {
      const operator = specialize(op, resultType === undefined ? names : `${names} -> ${resultType.name}`);
      trials.push({ text: `${text} on ${names}`, operator, values: operator.use.values });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
    }
  }
  // Some programs mix 64-bit integers with bit operations and have no meaning; most do.
  expect(trials.length).toBeGreaterThan(programCount / 3);

  const numbers = fc.sample(elementNumbers, { numRuns: trials.length * rounds * 2, seed });
  const bigints = fc.sample(elementBigInts, { numRuns: trials.length * rounds * 2, seed });
  const inputs = new DataView(new ArrayBuffer(trials.length * rounds * record.size));
  const pairs: ScalarValue[][] = [];
  trials.forEach(({ operator, values }, index) => {
    for (let round = 0; round < rounds; round++) {
      const trial = index * rounds + round;
      const base = trial * record.size;
      const pair = operator.parameters.map((type, which) => {
        const at = trial * 2 + which;
        return isInteger64(type)
          ? wrap64(type, bigints[at] ?? 0n)
          : hostConvert(scalarTypes.float64, type)(numbers[at] ?? 0);
      });
      pairs.push(pair);
      operator.writeState(values, { view: inputs, pointer: noArrays }, base);
      pair.forEach((value, which) => {
        const type = operator.parameters[which];
        if (type !== undefined) writeElement(inputs, base + (which === 0 ? record.first : record.second), type, value);
      });
    }
  });

  const folder = mkdtempSync(join(tmpdir(), "cuda-compute-emitters-"));
  try {
    const calls = trials.map(
      (_, index) =>
        `  for (int i = ${String(index * rounds)}; i < ${String((index + 1) * rounds)}; i++)\n` +
        `    op${String(index)}(data + i * 64, data + i * 64 + 16, data + i * 64 + 24, data + i * 64 + 32);\n`,
    );
    const functions = trials.map(({ operator }, index) => operator.cuda(`op${String(index)}`));
    const main =
      `alignas(64) static unsigned char data[${String(inputs.byteLength)}];\nint main() {\n` +
      "  if (std::fread(data, 1, sizeof(data), stdin) != sizeof(data)) return 1;\n" +
      `${calls.join("")}  return std::fwrite(data, 1, sizeof(data), stdout) == sizeof(data) ? 0 : 1;\n}\n`;
    writeFileSync(join(folder, "operators.cc"), [shim, prelude, ...functions, main].join("\n"));
    const program = join(folder, "operators");
    const flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-w"];
    execFileSync("g++", [...flags, "-o", program, join(folder, "operators.cc")]);
    const output = execFileSync(program, { input: new Uint8Array(inputs.buffer), maxBuffer: 2 ** 30 });
    const outputs = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const differences: string[] = [];
    trials.forEach(({ text, operator, values }, index) => {
      const host = operator.host(values);
      for (let round = 0; round < rounds; round++) {
        const trial = index * rounds + round;
        const found = readElement(outputs, trial * record.size + record.result, operator.resultType);
        const expected = host(...(pairs[trial] ?? []));
        if (Object.is(found, expected)) continue;
        const of = `(${(pairs[trial] ?? []).map(String).join(", ")}) with k = ${values.map(String).join()}`;
        differences.push(`${text}${of}: C++ ${String(found)}, JavaScript ${String(expected)} (seed ${String(seed)})`);
      }
    });
    expect(differences).toEqual([]);
  } catch (error) {
    if (process.env["CUDA_COMPUTE_KEEP"]) writeFileSync("/tmp/failed.cc", readFileSync(join(folder, "operators.cc")));
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 300_000);
