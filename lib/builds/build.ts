/** What a build is asked for with, and what it does. Neither holds an array, an address or a value. */
import type { Algorithm } from "../algorithms/algorithm";
import type { Call } from "../algorithms/call";
import type { Shape } from "./shape";
import type { SpecializedOperator } from "../operators/operator";
import type { ElementType } from "../types/element";

/** One array or iterator argument, without its data. */
export interface SlotRequest {
  /** `absentShape` where the algorithm can do without it. */
  readonly shape: Shape;
  /** The type in which the algorithm reads or writes it; differs from the shape's own where values convert. */
  readonly as: ElementType;
  readonly direction: "input" | "output" | "both";
}

/** An operator with a result, or one that is called for its effects. */
export type AnyOperator = SpecializedOperator<ElementType | undefined>;

/** How an initial value is given: by value, in a device array, or not at all. */
export type InitKind = "value" | "future" | "none";

/** Everything that a build depends on. */
export interface BuildRequest {
  readonly algorithm: Algorithm;
  /** In the order of the C function's arguments. */
  readonly slots: readonly SlotRequest[];
  readonly operators: readonly AnyOperator[];
  /** Absent for algorithms that know no initial value. */
  readonly init?: { readonly kind: InitKind; readonly type: ElementType };
  /** Types of the values beside the initial one. */
  readonly values?: readonly ElementType[];
  /** Integers that select a variant of the kernel, by the C function's name for them. */
  readonly options: Readonly<Record<string, number>>;
}

/** A compiled algorithm for one signature and operator. */
export interface Build {
  /** Enqueues the call on its stream. Nothing of the call is kept. */
  run(call: Call): void;
}
