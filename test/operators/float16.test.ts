import { fromBfloat16Bits, fromFloat16Bits, toBfloat16Bits, toFloat16Bits } from "../../lib/types/float16";

/** The value of bits by the definition of the format. */
function valueOf(bits: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits >>> 15 ? -1 : 1;
  const exponent = (bits >>> fractionBits) & (2 ** exponentBits - 1);
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  if (exponent === 2 ** exponentBits - 1) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

describe.each([
  ["float16", toFloat16Bits, fromFloat16Bits, 5, 10, 0x7e00],
  ["bfloat16", toBfloat16Bits, fromBfloat16Bits, 8, 7, 0x7fc0],
] as const)("%s", (_name, toBits, fromBits, exponentBits, fractionBits, nan) => {
  const infinity = (2 ** exponentBits - 1) << fractionBits;

  test("every pattern of bits has its value, and the value has those bits", () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = valueOf(bits, exponentBits, fractionBits);
      if (!Object.is(fromBits(bits), value)) throw new Error(`bits ${String(bits)}: ${String(fromBits(bits))}`);
      const back = Number.isNaN(value) ? nan : bits;
      if (toBits(value) !== back) throw new Error(`value ${String(value)}: ${String(toBits(value))}`);
    }
  });

  test("a number between two neighbours becomes the nearer, and the even one from the middle", () => {
    for (let bits = 0; bits < infinity - 1; bits++) {
      const [low, high] = [valueOf(bits, exponentBits, fractionBits), valueOf(bits + 1, exponentBits, fractionBits)];
      const middle = (low + high) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      const nudge = (high - low) * 2 ** -20;
      const found = [toBits(middle), toBits(middle - nudge), toBits(middle + nudge), toBits(-middle)];
      expect(found).toEqual([even, bits, bits + 1, even | 0x8000]);
    }
  });

  test("too large is Infinity, from half of a step beyond the largest", () => {
    const largest = valueOf(infinity - 1, exponentBits, fractionBits);
    const step = largest - valueOf(infinity - 2, exponentBits, fractionBits);
    expect(toBits(largest + step / 2)).toBe(infinity);
    expect(toBits(largest + step / 2.001)).toBe(infinity - 1);
    expect(toBits(-Number.MAX_VALUE)).toBe(infinity | 0x8000);
  });

  test("what is nearer to zero than to the smallest subnormal keeps its sign", () => {
    expect([toBits(Number.MIN_VALUE), toBits(-Number.MIN_VALUE), toBits(-0)]).toEqual([0, 0x8000, 0x8000]);
  });
});

test("a double rounds to bfloat16 once, not through float32", () => {
  // Just above the middle of 1 and 1 + 2^-7; as a float32 it would be the middle itself and round to even, to 1.
  expect(fromBfloat16Bits(toBfloat16Bits(1 + 2 ** -8 + 2 ** -40))).toBe(1 + 2 ** -7);
  expect(fromFloat16Bits(toFloat16Bits(1 + 2 ** -11 + 2 ** -40))).toBe(1 + 2 ** -10);
});
