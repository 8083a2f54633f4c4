/** What algorithms read from and write to, by element type. */
import type { OperatorObject } from "../operators";
import type { ElementSpec } from "../types/element";
import type { ScalarValue } from "../types/scalar";

/** Whether an array or iterator can be read, written, or both. */
export type Direction = "input" | "output" | "both";

/** For the compiler alone: the key of the direction. */
export declare const direction: unique symbol;

/** An array or iterator of which the compiler knows the element type and the direction. */
export interface Directed<N extends ElementSpec, D extends Direction> {
  /** The element type: a scalar's name, or a struct type. */
  readonly type: N;
  /** How many elements it has; Infinity for iterators without an end. */
  readonly length: number;
  /** @internal */
  readonly [direction]: D;
}

/** What can be read: a device array, or an iterator that is an input. */
export type InputIterator<N extends ElementSpec = ElementSpec> = Directed<N, "input" | "both">;

/** What can be written: a device array, or an iterator that is an output. */
export type OutputIterator<N extends ElementSpec = ElementSpec> = Directed<N, "output" | "both">;

/** A device array, or an iterator that can be read. */
export type Input<N extends ElementSpec = ElementSpec> = InputIterator<N>;

/** A device array, or an iterator that can be written. */
export type Output<N extends ElementSpec = ElementSpec> = OutputIterator<N>;

/** No value has this type, but it lets the compiler take array literals for tuples before it knows which. */
export type TupleHint = [TupleHint, ...TupleHint[]];

/** What an operator may answer where a value is wanted: for a scalar a comparison's boolean too. */
type Result<R> = ([R] extends [ScalarValue] ? R | boolean : R) | TupleHint;

/** A function of the values, or an operator made by `ops`, `bind` or `cpp`. */
export type UnaryOperator<X, R> = ((x: X) => Result<R>) | OperatorObject;

/** A function of two values, or an operator made by `ops`, `bind` or `cpp`. */
export type BinaryOperator<X, Y, R> = ((x: X, y: Y) => Result<R>) | OperatorObject;
