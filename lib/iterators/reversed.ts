import type { Argument } from "../builds/shape";
import type { ElementSpec } from "../types/element";
import { AffineIterator } from "./affine";
import { accessible } from "./readable";
import type { Directed, Direction } from "./types";

/** An array or iterator from its end to its beginning. Owns it. */
export class ReversedIterator<
  N extends ElementSpec = ElementSpec,
  D extends Direction = Direction,
> extends AffineIterator<N, D> {
  /** @internal */
  constructor(child: Argument) {
    const { length } = child;
    super("reversed", child, length === Infinity ? 0 : length - 1, -1, length);
  }
}

/**
 * The elements in reverse: element i is `x[x.length - 1 - i]`. Where x has no end, it goes backwards from where x
 * stands, so that `reversed(counting(5))` is 5, 4, 3, … An input if x can be read, an output if it can be written; both
 * for arrays.
 *
 * A call must not write to an array that it reads in another order. The length is that of x, which lives as long as the
 * iterator does.
 *
 * @param x - an array or iterator of any type
 * @throws TypeError for anything else, and for a disposed array
 */
export function reversed<N extends ElementSpec, D extends Direction>(x: Directed<N, D>): ReversedIterator<N, D> {
  return new ReversedIterator<N, D>(accessible(x, "reversed.x"));
}
