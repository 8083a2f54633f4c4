/** Numbers as the 16 bits of float16 (IEEE binary16) and bfloat16, and back. Rounds to nearest, ties to even. */

const buffer = new DataView(new ArrayBuffer(8));

/**
 * Rounds a finite number's magnitude to a float of `fraction` bits whose smallest normal exponent is `minimum`.
 * Every step is a power of two, so the only rounding is the one that is asked for.
 */
function roundMagnitude(magnitude: number, fraction: number, minimum: number): number {
  buffer.setFloat64(0, magnitude);
  const exponent = Math.max((buffer.getUint16(0) >>> 4) - 1023, minimum);
  const unit = 2 ** (exponent - fraction);
  const scaled = magnitude / unit;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return (up ? below + 1 : below) * unit;
}

/** The bits of the nearest float16; NaN is 0x7e00. */
export function toFloat16Bits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  const rounded = roundMagnitude(magnitude, 10, -14);
  if (rounded < 2 ** -14) return sign | (rounded * 2 ** 24);
  buffer.setFloat64(0, rounded);
  const exponent = (buffer.getUint16(0) >>> 4) - 1023;
  return sign | ((exponent + 15) << 10) | ((rounded / 2 ** exponent - 1) * 1024);
}

/** The number that float16 bits stand for. */
export function fromFloat16Bits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The bits of the nearest bfloat16; NaN is 0x7fc0. */
export function toBfloat16Bits(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (!Number.isFinite(value)) return sign | 0x7f80;
  // Eight bits of mantissa always fit float32, whose upper half is the bfloat16; too large ones become Infinity.
  buffer.setFloat32(0, roundMagnitude(Math.abs(value), 7, -126));
  return sign | buffer.getUint16(0);
}

/** The number that bfloat16 bits stand for. */
export function fromBfloat16Bits(bits: number): number {
  buffer.setUint32(0, bits << 16);
  return buffer.getFloat32(0);
}
