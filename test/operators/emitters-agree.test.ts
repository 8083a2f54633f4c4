import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { DeviceArray } from "../../lib";
import { CompileError } from "../../lib/errors";
import { cudaPrelude } from "../../lib/operators";
import type { CaptureValue, StateFrame } from "../../lib/operators/operator";
import { fromBfloat16Bits, fromFloat16Bits } from "../../lib/types/float16";
import type { ScalarName, ScalarType, ScalarValue } from "../../lib/types/scalar";
import { writeElement } from "../../lib/types/value";
import { type ScalarOperator, specialize } from "./helpers";
import { elementOf, type GeneratedProgram, operatorOf, programs, type RawElement, rawElements } from "./programs";

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
static long long saturated(double a) {
  return a >= 0x1p63 ? 0x7fffffffffffffffLL : a < -0x1p63 ? (long long)0x8000000000000000ULL : (long long)a;
}
static long long __double2ll_ru(double a) { return saturated(std::ceil(a)); }
static long long __double2ll_rd(double a) { return saturated(std::floor(a)); }
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
  readonly table: GeneratedProgram;
}

/** Trials lie in records: state, then the two elements, then the result. */
const record = { size: 128, first: 64, second: 72, result: 80 };
const rounds = 12;
const programCount = Number(process.env["CUDA_COMPUTE_PROGRAMS"] ?? 200);

test("the emitted C++ and the emitted JavaScript give the same bits, without undefined behaviour", () => {
  const seed = Date.now() % 2 ** 31;
  const trials: Trial[] = [];
  for (const program of fc.sample(programs, { numRuns: programCount, seed })) {
    const { text, types, result, helper, tableType } = program;
    const names = types.map((type) => type.name).join();
    try {
      const operator = specialize(operatorOf(program), result === undefined ? names : `${names} -> ${result.name}`);
      const described = `${text} on ${names}, f = ${helper}, t of ${tableType.name}`;
      trials.push({ text: described, operator, table: program });
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
    }
  }
  // Some programs mix 64-bit integers with bit operations and have no meaning; most do.
  expect(trials.length).toBeGreaterThan(programCount / 4);

  const raw = fc.sample(rawElements, { numRuns: trials.length * rounds * 2, seed });
  const inputs = new DataView(new ArrayBuffer(trials.length * rounds * record.size));
  const pairs: ScalarValue[][] = [];
  const pointers: string[] = [];
  const tables: string[] = [];
  trials.forEach(({ operator, table }, index) => {
    const bytes = new DataView(new ArrayBuffer(24));
    table.table.forEach((element, at) => {
      const { tableType } = table;
      writeElement(bytes, at * tableType.size, tableType, elementOf(tableType, element));
    });
    const list = [...new Uint8Array(bytes.buffer)].join();
    tables.push(`alignas(8) static unsigned char table${String(index)}[24] = {${list}};`);
    for (let round = 0; round < rounds; round++) {
      const trial = index * rounds + round;
      const base = trial * record.size;
      const pair = operator.parameters.map((type, which) => elementOf(type, raw[trial * 2 + which] as RawElement));
      pairs.push(pair);
      const pointer = (position: number): void => {
        pointers.push(`  *(void**)(data + ${String(position)}) = table${String(index)};\n`);
      };
      cudaState(operator, { view: inputs, pointer }, base);
      pair.forEach((value, which) => {
        const type = operator.parameters[which] as ScalarType;
        writeElement(inputs, base + (which === 0 ? record.first : record.second), type, value);
      });
    }
  });

  const folder = mkdtempSync(join(tmpdir(), "cuda-compute-emitters-"));
  try {
    const calls = trials.map((_, index) => {
      const at = (position: number): string => `data + i * ${String(record.size)} + ${String(position)}`;
      const operands = [0, record.first, record.second, record.result].map(at).join(", ");
      const [first, end] = [index * rounds, (index + 1) * rounds];
      return `  for (int i = ${String(first)}; i < ${String(end)}; i++) op${String(index)}(${operands});\n`;
    });
    const functions = trials.map(({ operator }, index) => operator.cuda(`op${String(index)}`));
    const main =
      `alignas(64) static unsigned char data[${String(inputs.byteLength)}];\nint main() {\n` +
      "  if (std::fread(data, 1, sizeof(data), stdin) != sizeof(data)) return 1;\n" +
      `${pointers.join("")}${calls.join("")}` +
      "  return std::fwrite(data, 1, sizeof(data), stdout) == sizeof(data) ? 0 : 1;\n}\n";
    writeFileSync(join(folder, "operators.cc"), [shim, prelude, ...functions, ...tables, main].join("\n"));
    const program = join(folder, "operators");
    const flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-w"];
    execFileSync("g++", [...flags, "-o", program, join(folder, "operators.cc")]);
    const output = execFileSync(program, { input: new Uint8Array(inputs.buffer), maxBuffer: 2 ** 30 });
    const outputs = new DataView(output.buffer, output.byteOffset, output.byteLength);
    const differences: string[] = [];
    trials.forEach(({ text, operator }, index) => {
      const host = operator.host(operator.use.values);
      for (let round = 0; round < rounds; round++) {
        const trial = index * rounds + round;
        const found = readElement(outputs, trial * record.size + record.result, operator.resultType);
        const expected = host(...(pairs[trial] ?? []));
        if (Object.is(found, expected)) continue;
        const of = `(${(pairs[trial] ?? []).map(String).join(", ")})`;
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

/** The state as the cuda backend has it. The arrays at hand are the host's: their addresses are filled in here. */
function cudaState(operator: ScalarOperator, frame: StateFrame, position: number): void {
  const onDevice = operator.use.values.map((value) => {
    if (!(value instanceof DeviceArray)) return value;
    const writeState = (_: unknown, at: number): void => {
      frame.pointer(at, 0, 0, 0);
    };
    return { backend: { name: "cuda" }, length: value.length, writeState } as unknown as CaptureValue;
  });
  operator.writeState(onDevice, frame, position);
}
