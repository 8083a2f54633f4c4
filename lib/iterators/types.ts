/** What algorithms read from and write to, by element type. */
import type { DeviceArray } from "../memory/device-array";
import type { OperatorObject } from "../operators";
import type { ScalarName } from "../types/scalar";
import type { ConstantIterator } from "./constant";
import type { CountableName, CountingIterator } from "./counting";
import type { TransformedIterator, TransformedOutputIterator } from "./transformed";

/** A device array, or an iterator that can be read. */
export type Input<N extends ScalarName = ScalarName> =
  | DeviceArray<N>
  | ConstantIterator<N>
  | TransformedIterator<N>
  | (N extends CountableName ? CountingIterator<N> : never);

/** A device array, or an iterator that can be written. */
export type Output<N extends ScalarName = ScalarName> = DeviceArray<N> | TransformedOutputIterator<N>;

/** A function of the values, or an operator made by `ops`, `bind` or `cpp`. */
export type UnaryOperator<X, R> = ((x: X) => R | boolean) | OperatorObject;

/** A function of two values, or an operator made by `ops`, `bind` or `cpp`. */
export type BinaryOperator<X, Y, R> = ((x: X, y: Y) => R | boolean) | OperatorObject;
