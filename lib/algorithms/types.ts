/** How options imply the operator's types, and what a made function is called with. */
import type { DeviceArray } from "../memory/device-array";
import type { TupleHint } from "../iterators/types";
import type { ElementSpec, Struct, ValueOf } from "../types/element";
import type { IntegerName, ScalarName, ScalarValueOf } from "../types/scalar";
import type { AnyTypedArray, NameOfTypedArray } from "../types/typed-array";

/** Options of a made function's calls: operators only where they capture values, with the meaning they had. */
export type CallOptions<T, Operators extends keyof T> = Omit<T, Operators> & Partial<Pick<T, Operators>>;

type Float = "float16" | "bfloat16" | "float32" | "float64";
type Signed = "int8" | "int16" | "int32" | "int64";
type Wide = "int64" | "uint64";

/** The JavaScript value of the scalar type that holds two others, by NumPy's promotion. */
type PromotedScalar<A extends ScalarName, B extends ScalarName> = [A] extends [B]
  ? ScalarValueOf<A>
  : A extends Float
    ? number
    : B extends Float
      ? number
      : A extends Wide
        ? MixedWide<A, B>
        : B extends Wide
          ? MixedWide<B, A>
          : A extends "bool"
            ? ScalarValueOf<B>
            : number;

/** The value of a field that holds those of two structs, and `never` where nothing does. */
type PromotedField<A, B> = A extends readonly [infer E, infer N]
  ? B extends readonly [infer D, N]
    ? PromotedField<E, D>[]
    : never
  : A extends ElementSpec
    ? B extends ElementSpec
      ? Promoted<A, B>
      : never
    : never;

type PromotedFields<A, B> = [keyof A, keyof B] extends [keyof B, keyof A]
  ? { -readonly [K in keyof A]: PromotedField<A[K], B[K & keyof B]> }
  : never;

/** The JavaScript value of the type that holds two others: of structs, field by field. */
type Promoted<A extends ElementSpec, B extends ElementSpec> = A extends ScalarName
  ? B extends ScalarName
    ? PromotedScalar<A, B>
    : never
  : [A] extends [B]
    ? ValueOf<A>
    : A extends Struct<infer F>
      ? B extends Struct<infer G>
        ? PromotedFields<F, G>
        : never
      : never;

/** What elements of a type convert to: scalars to any scalar, structs to structs of the same fields. */
export type Convertible<I extends ElementSpec> = I extends ScalarName ? ScalarName : Exclude<ElementSpec, ScalarName>;

/** A device array for counts. */
export type CountArray = DeviceArray<IntegerName>;

/** uint64 beside a signed type is float64; any other 64-bit integer stays one. */
type MixedWide<W extends Wide, B extends ScalarName> = W extends "uint64"
  ? B extends Signed
    ? number
    : bigint
  : B extends "uint64"
    ? number
    : bigint;

/**
 * What the accumulator of a reduction or scan is in JavaScript: the element of an init that is an array, else what
 * holds input and output.
 */
export type Accumulator<I extends ElementSpec, O extends ElementSpec, Init> =
  Init extends DeviceArray<infer N>
    ? ValueOf<N>
    : Init extends AnyTypedArray
      ? ValueOf<NameOfTypedArray<Init>>
      : Promoted<I, O>;

type ValueInit<I extends ElementSpec, O extends ElementSpec> = [Promoted<I, O>] extends [never]
  ? never
  : Promoted<I, O> extends bigint
    ? bigint | number
    : Promoted<I, O> | TupleHint;

/** An initial value: plain, or a typed array of one element whose type the accumulator takes. */
export type ReduceInit<I extends ElementSpec, O extends ElementSpec> = ValueInit<I, O> | AnyTypedArray;

/** As {@link ReduceInit}, or a device array of one element that is read when the work runs. */
export type ScanInit<I extends ElementSpec, O extends ElementSpec> = ReduceInit<I, O> | DeviceArray;

/** The init of a made function's calls: arrays of the same type, or any plain value where it was made with one. */
export type CallInit<I extends ElementSpec, O extends ElementSpec, Init> = Init extends
  DeviceArray | AnyTypedArray | undefined
  ? Init
  : ValueInit<I, O>;
