/** Operators whose products and sums may be one rounding instead of two. */
import { ArgumentTypeError } from "../errors";
import { BoundOperator } from "./bind";

/** An operator that may fuse, made by `fused`. */
export class FusedOperator {
  /** @internal */
  constructor(readonly inner: ((...elements: never[]) => unknown) | BoundOperator) {}
}

/**
 * Lets the compiler fuse `a * b + c` of floats into one operation with one rounding, which is faster and usually closer
 * to the real result, but no longer the bits that JavaScript computes. On the host backend nothing changes.
 *
 * @param op a function, or one with its captures bound
 * @throws ArgumentTypeError for anything else: CUDA C++ decides by itself
 */
// The elements' types are parameters only to give an unannotated one the type number.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function fused<X = number, Y = X>(op: ((x: X, y: Y) => unknown) | BoundOperator): FusedOperator {
  const given: unknown = op;
  if (typeof given !== "function" && !(given instanceof BoundOperator)) {
    throw new ArgumentTypeError("fused.op", "a function, or one made by bind()", op);
  }
  return new FusedOperator(op);
}
