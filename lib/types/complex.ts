/** Complex numbers: two struct types, and arithmetic that operators use. */
import { struct } from "./struct";

/** A complex number of two float32. */
export const complex64 = struct({ re: "float32", im: "float32" });

/** A complex number of two float64. */
export const complex128 = struct({ re: "float64", im: "float64" });

/** A complex number's value. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/**
 * Arithmetic of complex numbers: plain functions, which are operators by themselves (`op: complex.multiply`), helpers of
 * others (`(a, b) => complex.add(complex.multiply(a, b), b)`), and work in JavaScript too. Elements of `complex64` round
 * after each step to float32, as everything in operators does.
 *
 * `divide` is Smith's method (Communications of the ACM 5, 1962, algorithm 116), which does not overflow where the
 * quotient does not; `sqrt` has its cut along the negative real axis, as the one of C99 (ISO/IEC 9899:1999, G.6).
 */
export const complex = Object.freeze({
  add: (a: Complex, b: Complex): Complex => ({ re: a.re + b.re, im: a.im + b.im }),

  subtract: (a: Complex, b: Complex): Complex => ({ re: a.re - b.re, im: a.im - b.im }),

  multiply: (a: Complex, b: Complex): Complex => ({
    re: a.re * b.re - a.im * b.im,
    im: a.re * b.im + a.im * b.re,
  }),

  divide: (a: Complex, b: Complex): Complex => {
    if (Math.abs(b.re) >= Math.abs(b.im)) {
      const ratio = b.im / b.re;
      const scale = b.re + b.im * ratio;
      return { re: (a.re + a.im * ratio) / scale, im: (a.im - a.re * ratio) / scale };
    }
    const ratio = b.re / b.im;
    const scale = b.re * ratio + b.im;
    return { re: (a.re * ratio + a.im) / scale, im: (a.im * ratio - a.re) / scale };
  },

  negate: (a: Complex): Complex => ({ re: -a.re, im: -a.im }),

  conjugate: (a: Complex): Complex => ({ re: a.re, im: -a.im }),

  /** Its distance from 0. */
  abs: (a: Complex): number => Math.hypot(a.re, a.im),

  /** Its angle, from -π to π. */
  arg: (a: Complex): number => Math.atan2(a.im, a.re),

  exp: (a: Complex): Complex => {
    const length = Math.exp(a.re);
    return { re: length * Math.cos(a.im), im: length * Math.sin(a.im) };
  },

  log: (a: Complex): Complex => ({ re: Math.log(Math.hypot(a.re, a.im)), im: Math.atan2(a.im, a.re) }),

  sqrt: (a: Complex): Complex => {
    const length = Math.hypot(a.re, a.im);
    const re = Math.sqrt((length + Math.abs(a.re)) / 2);
    if (re === 0) return { re: 0, im: a.im };
    const im = Math.abs(a.im) / (2 * re);
    const isLeft = a.re < 0;
    const height = isLeft ? re : im;
    return { re: isLeft ? im : re, im: a.im < 0 || 1 / a.im < 0 ? -height : height };
  },

  equals: (a: Complex, b: Complex): boolean => a.re === b.re && a.im === b.im,
});
