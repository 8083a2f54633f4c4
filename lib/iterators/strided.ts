import type { Argument } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { ElementSpec } from "../types/element";
import { AffineIterator } from "./affine";
import { accessible } from "./readable";
import type { Directed, Direction } from "./types";

/** How many elements lie at offset, offset + stride, … below `length`. */
function stridedLength(length: number, stride: number, offset: number): number {
  if (length === Infinity) return Infinity;
  if (offset >= length) return 0;
  const room = stride > 0 ? length - 1 - offset : offset;
  return Math.floor(room / Math.abs(stride)) + 1;
}

/** Every stride-th element of an array or iterator. Owns it. */
export class StridedIterator<
  N extends ElementSpec = ElementSpec,
  D extends Direction = Direction,
> extends AffineIterator<N, D> {
  readonly stride: number;
  readonly offset: number;

  /** @internal */
  constructor(child: Argument, stride: number, offset: number) {
    super("strided", child, offset, stride, stridedLength(child.length, stride, offset));
    this.stride = stride;
    this.offset = offset;
  }
}

function safeInteger(value: unknown, argument: string, expected: string): number {
  if (typeof value !== "number") throw new ArgumentTypeError(argument, expected, value);
  if (!Number.isSafeInteger(value)) throw new ArgumentRangeError(argument, expected, value);
  return value;
}

/**
 * Every stride-th element: element i is `x[offset + i * stride]`. An input if x can be read, an output if it can be
 * written (what lies between stays as it is); both for arrays.
 *
 * The length is as many elements as x has at those places, so a negative stride wants an offset:
 * `strided(x, -2, x.length - 1)`. Where x has no end, neither has this. x lives as long as the iterator does.
 *
 * @param x - an array or iterator of any type
 * @param stride - a whole number of elements, not 0
 * @param offset - the first element's place in x: from 0 to its length, or any whole number where x has no end
 * @throws TypeError for an x that is none or was disposed, or arguments that are no numbers; RangeError for a stride of
 *   0, and for numbers that are fractional or out of range
 */
export function strided<N extends ElementSpec, D extends Direction>(
  x: Directed<N, D>,
  stride: number,
  offset = 0,
): StridedIterator<N, D> {
  const child = accessible(x, "strided.x");
  const step = safeInteger(stride, "strided.stride", "a whole number other than 0");
  if (step === 0) throw new ArgumentRangeError("strided.stride", "a whole number other than 0", stride);
  const { length } = child;
  const range = length === Infinity ? "a whole number" : `a whole number from 0 to ${String(length)}`;
  const first = safeInteger(offset, "strided.offset", range);
  if (length !== Infinity && (first < 0 || first > length)) {
    throw new ArgumentRangeError("strided.offset", range, offset);
  }
  return new StridedIterator<N, D>(child, step, first);
}
