/** What the rest of the library sees of an operator, whatever it was written as. */
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Argument, LinkedCode } from "../builds/shape";
import type { ElementType, ElementValue } from "../types/element";
import type { ScalarValue } from "../types/scalar";

/** A captured value: a scalar, or an array in device memory. */
export type CaptureValue = ScalarValue | Argument;

/** Captured values of one call, in the order of the operator's state. */
export type CaptureValues = readonly CaptureValue[];

/** Where states are written: bytes, and addresses of arrays that the addon fills in. */
export type StateFrame = Pick<CallFrame, "view" | "pointer"> & {
  /** True for a frame that only notes which arrays there are, of whatever backend. */
  readonly anyBackend?: boolean;
};

/** The values of an operator without captures. */
export const noValues: CaptureValues = Object.freeze([]);

/** An operator together with the values that its captured variables have now. Made for one call and not kept. */
export interface OperatorUse {
  readonly operator: Operator;
  readonly values: CaptureValues;
}

/** An operator before its types are known. One without captures is its own use, so that a call allocates nothing. */
export interface Operator extends OperatorUse {
  /** A small integer, one for each meaning before typing (source text and capture types, named kind, C++ text). */
  readonly id: number;
  /** How many elements it takes at most; fewer where the last parameters have default values. */
  readonly arity: number;
  readonly leastArity: number;
  /** The variables it captures, in the order of their values; empty where a call needs no function to read them from. */
  readonly captureNames: readonly string[];
  /**
   * The operator for given types; made once and kept.
   *
   * @param result what to convert to; undefined for the type that the expression has by itself.
   * @param argument names the option in errors, as in `reduceInto.op`.
   * @throws CompileError when the function has no meaning for these types.
   */
  specialize(
    parameters: readonly ElementType[],
    result: ElementType | undefined,
    argument: string,
  ): SpecializedOperator;
  /** The same, called for its effects: what it answers is dropped. */
  specializeEffect(parameters: readonly ElementType[], argument: string): SpecializedOperator<undefined>;
}

/** What an operator answers on the host. */
export type HostResult<Result> = Result extends ElementType ? ElementValue : undefined;

/** An operator for given types. Holds types and text; never a captured value. */
export interface SpecializedOperator<Result extends ElementType | undefined = ElementType> {
  /** SHA-256 of the meaning: names, comments and layout of the source do not change it. */
  readonly fingerprint: string;
  readonly parameters: readonly ElementType[];
  /** Undefined for an operator that is called for its effects. */
  readonly resultType: Result;
  /** The `cccl_op_kind_t` whose own code gives the same bits for these types. */
  readonly wellKnown: number | undefined;
  /** Captured values as a C struct; 0 when there are none. */
  readonly stateSize: number;
  readonly stateAlignment: number;
  /** Device code that is ready, and that its text calls. */
  readonly linked: readonly LinkedCode[];
  /** Throws where the operator writes to captured arrays: not every algorithm calls it once for each element. */
  refuseWrites(argument: string): void;
  /** Writes the captured values as that struct, little endian. `position` is a multiple of its alignment. */
  writeState(values: CaptureValues, frame: StateFrame, position: number): void;
  /**
   * CUDA C++ text that defines
   * `static __device__ __forceinline__ void NAME(const void* state, const void* a[, const void* b][, void* out])`
   * and stands on `cudaPrelude` alone: it defines the types that it uses.
   */
  cuda(name: string): string;
  /**
   * The same meaning in JavaScript on element values, converted to `resultType`.
   *
   * @throws CompileError for operators written in CUDA C++, which need the cuda backend.
   */
  host(values: CaptureValues): (...elements: ElementValue[]) => HostResult<Result>;
}
