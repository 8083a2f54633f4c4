/** Complex elements, and the arithmetic that comes with them. */
import {
  type Complex,
  DeviceArray,
  binaryTransform,
  complex,
  complex128,
  complex64,
  inclusiveScan,
  reduceInto,
  unaryTransform,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";

const of = (re: number, im: number): Complex => ({ re, im });
const numbers = [of(1, 2), of(-3, 0.5), of(0, -1), of(2.5, -4), of(-0.25, -8)];
const others = [of(2, -1), of(0.5, 4), of(3, 0), of(-1, -1), of(0, 2)];

/** The relative distance of two complex numbers. */
const distance = (a: Complex, b: Complex): number =>
  Math.hypot(a.re - b.re, a.im - b.im) / Math.max(1, Math.hypot(b.re, b.im));

/** What an operator makes of complex128 numbers on the backend. */
function computed(op: (a: Complex) => Complex, values: Complex[]): Complex[] {
  const input = DeviceArray.from(values, complex128);
  const output = DeviceArray.empty(values.length, complex128);
  unaryTransform({ input, output, op });
  return output.toArray();
}

function computed2(op: (a: Complex, b: Complex) => Complex, left: Complex[], right: Complex[]): Complex[] {
  const output = DeviceArray.empty(left.length, complex128);
  binaryTransform({
    input1: DeviceArray.from(left, complex128),
    input2: DeviceArray.from(right, complex128),
    output,
    op,
  });
  return output.toArray();
}

describeOnBackends("complex numbers", () => {
  test("add, subtract and multiply as their formulas", () => {
    const expected = (formula: (a: Complex, b: Complex) => Complex): Complex[] =>
      numbers.map((a, i) => formula(a, others[i] as Complex));
    expect(computed2(complex.add, numbers, others)).toEqual(expected((a, b) => of(a.re + b.re, a.im + b.im)));
    expect(computed2(complex.subtract, numbers, others)).toEqual(expected((a, b) => of(a.re - b.re, a.im - b.im)));
    expect(computed2(complex.multiply, numbers, others)).toEqual(
      expected((a, b) => of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)),
    );
  });

  test("a quotient times the divisor is the dividend", () => {
    const quotients = computed2(complex.divide, numbers, others);
    const products = computed2(complex.multiply, quotients, others);
    products.forEach((product, i) => {
      expect(distance(product, numbers[i] as Complex)).toBeLessThan(1e-15);
    });
  });

  test("a quotient overflows only where it is too large itself", () => {
    expect(computed2(complex.divide, [of(1e300, 1e300)], [of(1e300, 1e300)])).toEqual([of(1, 0)]);
  });

  test("negate and conjugate change signs", () => {
    expect(computed(complex.negate, [of(1, -2)])).toEqual([of(-1, 2)]);
    expect(computed(complex.conjugate, [of(1, -2)])).toEqual([of(1, 2)]);
  });

  test("abs and arg are the polar form", () => {
    const input = DeviceArray.from([of(3, 4), of(-1, 0), of(0, -2)], complex128);
    const output = DeviceArray.empty(3, "float64");
    unaryTransform({ input, output, op: complex.abs });
    expect(output.toArray()).toEqual([5, 1, 2]);
    unaryTransform({ input, output, op: complex.arg });
    const angles = output.toArray();
    [Math.atan2(4, 3), Math.PI, -Math.PI / 2].forEach((angle, i) => {
      expect(angles[i]).toBeCloseTo(angle, 14);
    });
  });

  test("exp undoes log, and e to the iπ is -1", () => {
    computed(complex.exp, computed(complex.log, numbers)).forEach((value, i) => {
      expect(distance(value, numbers[i] as Complex)).toBeLessThan(1e-14);
    });
    const [minusOne] = computed(complex.exp, [of(0, Math.PI)]);
    expect(distance(minusOne as Complex, of(-1, 0))).toBeLessThan(1e-15);
  });

  test("square roots have the root's square, a real part that is not negative, and the cut below the negative axis", () => {
    const roots = computed(complex.sqrt, numbers);
    computed2(complex.multiply, roots, roots).forEach((square, i) => {
      expect(distance(square, numbers[i] as Complex)).toBeLessThan(1e-14);
    });
    expect(roots.every(({ re }) => re >= 0)).toBe(true);
    expect(computed(complex.sqrt, [of(-4, 0), of(-4, -0), of(0, 0)])).toEqual([of(0, 2), of(0, -2), of(0, 0)]);
  });

  test("equals compares both parts", () => {
    const output = DeviceArray.empty(3, "bool");
    binaryTransform({
      input1: DeviceArray.from([of(1, 2), of(1, 2), of(NaN, 0)], complex64),
      input2: DeviceArray.from([of(1, 2), of(1, 3), of(NaN, 0)], complex64),
      output,
      op: complex.equals,
    });
    expect(output.toArray()).toEqual([true, false, false]);
  });

  test("complex64 rounds each step to float32", () => {
    const output = DeviceArray.empty(1, complex64);
    const input = DeviceArray.from([of(16_777_216, 0), of(1, 0), of(1, 0)], complex64);
    reduceInto({ input: input.subarray(0, 2), output, op: complex.add });
    expect(output.toArray()).toEqual([of(16_777_216, 0)]);
  });

  test("are what operators of one's own call, in scans too", () => {
    const output = DeviceArray.empty(4, complex128);
    const input = DeviceArray.from([of(0, 1), of(0, 1), of(0, 1), of(0, 1)], complex128);
    inclusiveScan({ input, output, op: (a, b) => complex.multiply(a, b) });
    expect(output.toArray()).toEqual([of(0, 1), of(-1, 0), of(-0, -1), of(1, -0)]);
  });
});
