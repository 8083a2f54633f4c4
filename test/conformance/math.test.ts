/** Functions of `Math` on a device, against the engine's own: within the errors that docs/operators.md states. */
import { DeviceArray, binaryTransform, unaryTransform } from "../../lib";
import { describeOnBackends } from "../helpers/backends";

/** The most units in the last place between an answer and the engine's, for float32 and float64. */
const errors: Readonly<Record<string, readonly [number, number]>> = {
  sqrt: [0, 0],
  cbrt: [2, 2],
  exp: [2, 2],
  expm1: [2, 2],
  log: [2, 2],
  log2: [2, 2],
  log10: [3, 2],
  log1p: [2, 2],
  sin: [3, 3],
  cos: [3, 3],
  tan: [5, 3],
  asin: [5, 3],
  acos: [4, 3],
  atan: [3, 3],
  sinh: [4, 3],
  cosh: [3, 2],
  tanh: [3, 2],
  asinh: [4, 4],
  acosh: [5, 4],
  atanh: [4, 3],
  atan2: [4, 3],
  hypot: [4, 3],
  pow: [5, 3],
};

const count = 20_000;

/** Numbers of all magnitudes, of both signs, and the special ones. */
function inputs(seed: number): Float64Array {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const special = [0, -0, 1, -1, 0.5, -0.5, 2, Math.PI, -Math.PI / 2, 1e-30, 1e30, Infinity, -Infinity, NaN];
  return Float64Array.from({ length: count }, (_, index) => {
    const given = special[index];
    if (given !== undefined) return Math.fround(given);
    const range = [1, 10, 700, 2 ** ((index % 60) - 30)][index % 4] as number;
    return Math.fround((random() * 2 - 1) * range);
  });
}

/** How many floats lie between two numbers; 0 for NaN and NaN. */
function distance(bits: 32 | 64, a: number, b: number): number {
  if (Object.is(a, b)) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const view = new DataView(new ArrayBuffer(8));
  const order = (value: number): bigint => {
    if (bits === 32) view.setFloat32(0, value);
    else view.setFloat64(0, value);
    const whole = bits === 32 ? BigInt(view.getInt32(0)) : view.getBigInt64(0);
    return whole < 0n ? -BigInt.asUintN(bits - 1, whole) : whole;
  };
  // The two zeros are one place, and count as half a unit apart.
  return Math.max(Math.abs(Number(order(a) - order(b))), 0.5);
}

describeOnBackends("Math", () => {
  const [first, second] = [inputs(1), inputs(2)];

  test.each(["float32", "float64"] as const)("every function of %s is within its error", (type) => {
    const bits = type === "float32" ? 32 : 64;
    const round = type === "float32" ? Math.fround : (value: number): number => value;
    const upload = (values: Float64Array): DeviceArray<"float32"> =>
      DeviceArray.from([...values], type) as DeviceArray<"float32">;
    const [input1, input2] = [upload(first), upload(second)];
    const output = DeviceArray.empty(count, type) as DeviceArray<"float32">;
    const unary: Record<string, (x: number) => number> = {
      sqrt: (x) => Math.sqrt(x),
      cbrt: (x) => Math.cbrt(x),
      exp: (x) => Math.exp(x),
      expm1: (x) => Math.expm1(x),
      log: (x) => Math.log(x),
      log2: (x) => Math.log2(x),
      log10: (x) => Math.log10(x),
      log1p: (x) => Math.log1p(x),
      sin: (x) => Math.sin(x),
      cos: (x) => Math.cos(x),
      tan: (x) => Math.tan(x),
      asin: (x) => Math.asin(x),
      acos: (x) => Math.acos(x),
      atan: (x) => Math.atan(x),
      sinh: (x) => Math.sinh(x),
      cosh: (x) => Math.cosh(x),
      tanh: (x) => Math.tanh(x),
      asinh: (x) => Math.asinh(x),
      acosh: (x) => Math.acosh(x),
      atanh: (x) => Math.atanh(x),
    };
    const binary: Record<string, (x: number, y: number) => number> = {
      atan2: (x, y) => Math.atan2(x, y),
      hypot: (x, y) => Math.hypot(x, y),
      pow: (x, y) => Math.pow(x, y),
    };
    const found: Record<string, { error: number; at: number[] }> = {};
    const measure = (name: string, op: (x: number, y: number) => number): void => {
      const answers = output.toTypedArray();
      let worst = { error: 0, at: [] as number[] };
      answers.forEach((answer, index) => {
        const at = [first[index] as number, second[index] as number];
        const error = distance(bits, answer, round(op(...(at as [number, number]))));
        if (error > worst.error) worst = { error, at };
      });
      found[name] = worst;
    };
    for (const [name, op] of Object.entries(unary)) {
      unaryTransform({ input: input1, output, op });
      measure(name, op);
    }
    for (const [name, op] of Object.entries(binary)) {
      binaryTransform({ input1, input2, output, op });
      measure(name, op);
    }
    const allowed = (name: string): number => errors[name]?.[bits === 32 ? 0 : 1] ?? 0;
    expect(Object.keys(found).sort()).toEqual(Object.keys(errors).sort());
    if (process.env["CUDA_COMPUTE_SHOW_ERRORS"]) console.log(type, JSON.stringify(found));
    expect(Object.entries(found).filter(([name, { error }]) => error > allowed(name))).toEqual([]);
  });
});
