/** Operators as people write them in TypeScript: what the tools of tools.test.ts are run on. */

export const sum = (a: number, b: number): number => a + b;

export const arithmetic = (a: number, b: number): number => (a - b) * 2 + (a * b) / 3 - -a;

export function difference(left: number, right: number): number {
  const delta = left - right;
  const half = 0.5;
  return delta * half;
}

export const larger = function (a: number, b: number): number {
  if (a > b) return a;
  return b;
};

export const clamp = (value: number): number => (value < 0 ? 0 : value > 1000 ? 1000 : value);

export const sign = (value: number): number => {
  if (value > 0) {
    return 1;
  } else if (value < 0) {
    return -1;
  } else {
    return 0;
  }
};

/** Braces only where they are needed. */
export const bucket = (value: number): number => {
  if (value < 10) return 0;
  if (value < 100) return 1;
  if (value < 1000 && value !== 500) return 2;
  else return 3;
};

export const inRange = (value: number): boolean => value >= 1 && value <= 1000;

export const outOfRange = (value: number): boolean => {
  const inside = !(value < 1) && !(value > 1000);
  return !inside;
};

export const isUsable = (value: number): boolean => {
  if (Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) return false;
  return true;
};

export const power = (base: number, exponent: number): number => base ** 2 + 2 ** exponent;

export const distance = (x: number, y: number): number => Math.sqrt(x * x + y * y) + Math.PI;

export const roundTo = (value: number): number => Math.round(value * 1e3) / 1_000;

export const largest = <T extends number>(a: T, b: T | string): number => Math.max(a, b as T, 0x10);

export const polynomial = (x: number, y: number): number => {
  let result: number = x;
  result *= 3;
  result += y;
  result -= x * y;
  result /= 4;
  return result;
};

export const harmonic = (n: number, x: number): number => {
  let total = 0;
  for (let i = 1; i <= n; i++) {
    total += x / i;
  }
  return total;
};

export const skipping = (n: number, x: number): number => {
  let total = 0;
  for (let i = 0; i < n; i++) {
    if (i % 3 === 1) continue;
    if (total > 1e6) break;
    total += i * x;
  }
  return total;
};

export function collatz(start: number): number {
  let n = start;
  let steps = 0;
  while (n > 1 && steps < 200) {
    n = n % 2 === 0 ? n / 2 : 3 * n + 1;
    steps++;
  }
  return steps;
}

export function newton(value: number): number {
  let guess = value;
  let steps = 0;
  do {
    const next = (guess + value / guess) / 2;
    if (!(next < guess)) break;
    guess = next;
    steps += 1;
  } while (steps < 30);
  return guess;
}

export const pairs = (n: number, limit: number): number => {
  let count = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      if (i * j > limit) break;
      count++;
    }
  }
  return count;
};

export const escapes = (x: number, y: number): number => {
  let re = 0;
  let im = 0;
  for (let i = 0; i < 20; i++) {
    const square = re * re - im * im + x;
    im = 2 * re * im + y;
    re = square;
    if (re * re + im * im > 4) return i;
  }
  return -1;
};

export const mix = (hash: number, value: number): number => {
  let mixed = hash ^ (value & 0xffff);
  mixed = Math.imul(mixed, 0x5bd1e995);
  mixed ^= mixed >>> 13;
  return mixed | 0;
};

export const bigMix = (a: bigint, b: bigint): bigint => {
  const product = a * 31n + b;
  return product > 1000n ? product >> 2n : product;
};

export const bigPower = (a: bigint, b: bigint): bigint => a ** 3n - b;

export const wrapping = (value: number): number => {
  const undefinedBefore: number = value > 1000 ? Infinity : NaN;
  return value > 10 ? undefinedBefore : -value;
};

/** Statements that minifiers move into the conditions after them. */
export function halvings(value: number, limit: number): number {
  let rest = value;
  let count = 0;
  for (;;) {
    rest /= 2;
    if (rest < limit || count > 50) break;
    count++;
  }
  return count;
}

export function digits(value: number): number {
  let rest = Math.abs(value);
  let count = 0;
  do {
    count++;
    rest = Math.floor(rest / 10);
  } while (rest > 0);
  return count;
}

export function overshoot(value: number, limit: number): number {
  let over = 0;
  if (value > 0) {
    over = value - limit;
    if (over > 0) return over;
  }
  over -= limit;
  return over * over;
}

/** A parameter that is written to, and a second name for it. */
export function reduced(value: number, step: number): number {
  const original = value;
  while (value > step && step > 0) value -= step;
  return original > value ? value : original + 1;
}

export const both = (a: number, b: number): number => (a && b) || 7;

export function chooses(kind: number, x: number): number {
  let result: number;
  if (kind === 0) result = x;
  else if (kind === 1) result = x * x;
  else {
    const cube = x * x * x;
    result = cube - 1;
  }
  return result + kind;
}

export const methods = {
  lerp(from: number, to: number): number {
    const span = to - from;
    return from + span * 0.25;
  },
};

export class Scoring {
  static score(hits: number, misses: number): number {
    return hits > misses ? (hits - misses) * 10 : 0;
  }
  total(hits: number, misses: number): number {
    return hits * 2 + misses;
  }
}

/** A number that is captured. */
export function scaledBy(scale: number): (x: number) => number {
  return (x) => x * scale + 1;
}

export function thresholded(limits: { low: number; high: number }): (x: number) => boolean {
  return function (x: number): boolean {
    return x > limits.low && x < limits.high;
  };
}

export default (a: number, b: number): number => Math.abs(a - b);
