/** What algorithms read from and write to, by element type. */
import type { DeviceArray } from "../memory/device-array";
import type { OperatorObject } from "../operators";
import type { ElementSpec } from "../types/element";
import type { ScalarValue } from "../types/scalar";
import type { ConstantIterator } from "./constant";
import type { CountableName, CountingIterator } from "./counting";
import type { TransformedIterator, TransformedOutputIterator } from "./transformed";

/** A device array, or an iterator that can be read. */
export type Input<N extends ElementSpec = ElementSpec> =
  | DeviceArray<N>
  | ConstantIterator<N>
  | TransformedIterator<N>
  | (N extends CountableName ? CountingIterator<N> : never);

/** A device array, or an iterator that can be written. */
export type Output<N extends ElementSpec = ElementSpec> = DeviceArray<N> | TransformedOutputIterator<N>;

/** What an operator may answer where a value is wanted: for a scalar a comparison's boolean too. */
type Result<R> = [R] extends [ScalarValue] ? R | boolean : R;

/** A function of the values, or an operator made by `ops`, `bind` or `cpp`. */
export type UnaryOperator<X, R> = ((x: X) => Result<R>) | OperatorObject;

/** A function of two values, or an operator made by `ops`, `bind` or `cpp`. */
export type BinaryOperator<X, Y, R> = ((x: X, y: Y) => Result<R>) | OperatorObject;
