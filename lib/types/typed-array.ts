/** Which typed array holds which element type. */
import { ArgumentTypeError, withArticle } from "../errors";
import type { ElementSpec, FieldSpec, Struct } from "./element";
import { type ScalarName, type ScalarType, scalarTypes } from "./scalar";

/** Float16Array where the user's `lib` declares it: naming it outright would be `any` to a program without it. */
type DeclaredFloat16Array = typeof globalThis extends { Float16Array: { prototype: infer A } } ? A : never;

/** float16's own typed array where the runtime has one (Node 24 on), else its 16 bits in a Uint16Array. */
type Float16Elements = Uint16Array | DeclaredFloat16Array;

interface TypedArrays {
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: Float16Elements;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  bool: Uint8Array;
}

/**
 * The typed array that holds elements of a type: BigInt64Array for `int64`, Uint8Array of 0 and 1 for `bool`,
 * Uint16Array of bits for `bfloat16`, and for `float16` a Float16Array where the runtime has it, else its bits. Structs
 * are their bytes.
 */
export type TypedArrayOf<S extends ElementSpec> = S extends ScalarName ? TypedArrays[S] : Uint8Array;

/** A field's values of all elements: a typed array, or an object of those where the field is a struct. */
type ColumnOf<S> = [FieldSpec] extends [S] ? Column : KnownColumnOf<S>;

type KnownColumnOf<S> = S extends readonly [infer E, number]
  ? ColumnOf<E>
  : S extends ScalarName
    ? TypedArrays[S]
    : S extends ElementSpec
      ? ColumnsOf<S>
      : never;

/**
 * The elements of a struct type by field: a typed array for each, `{ x: Float32Array; id: BigInt64Array }`. Structs
 * within it are objects of columns, and a fixed-size array's column has its items of all elements, one element's after
 * the other's.
 */
export type ColumnsOf<S extends ElementSpec> =
  S extends Struct<infer F> ? { -readonly [K in keyof F]: ColumnOf<F[K]> } : Columns;

/** Columns of a struct type that is not known. */
export interface Columns {
  [field: string]: Column;
}

type Column = AnyTypedArray | Columns;

/** Any typed array that device arrays are made from. */
export type AnyTypedArray = TypedArrays[ScalarName] | Uint8ClampedArray;

/** The element type that a typed array stands for when no type is named. */
export type NameOfTypedArray<A> = A extends Int8Array
  ? "int8"
  : A extends Int16Array
    ? "int16"
    : A extends Int32Array
      ? "int32"
      : A extends BigInt64Array
        ? "int64"
        : A extends Uint8Array | Uint8ClampedArray
          ? "uint8"
          : A extends Uint16Array
            ? "uint16"
            : A extends Uint32Array
              ? "uint32"
              : A extends BigUint64Array
                ? "uint64"
                : A extends Float32Array
                  ? "float32"
                  : A extends Float64Array
                    ? "float64"
                    : A extends DeclaredFloat16Array
                      ? "float16"
                      : never;

interface TypedArrayConstructor<A> {
  new (length: number): A;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): A;
  readonly name: string;
}

const Float16 = (globalThis as { Float16Array?: TypedArrayConstructor<DeclaredFloat16Array> }).Float16Array;

const constructors: { readonly [N in ScalarName]: TypedArrayConstructor<TypedArrays[N]> } = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Float16 ?? Uint16Array,
  bfloat16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  bool: Uint8Array,
};

/** Types by the name of the typed array that implies them; found by name so that arrays of other realms count. */
const impliedTypes: Readonly<Record<string, ScalarName>> = {
  Int8Array: "int8",
  Int16Array: "int16",
  Int32Array: "int32",
  BigInt64Array: "int64",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Uint16Array: "uint16",
  Uint32Array: "uint32",
  BigUint64Array: "uint64",
  Float16Array: "float16",
  Float32Array: "float32",
  Float64Array: "float64",
};

/** Further typed arrays that may carry a type's bytes when the type is named. */
const carriers: Partial<Record<ScalarName, readonly string[]>> = {
  bool: ["Uint8Array"],
  float16: ["Float16Array", "Uint16Array"],
  bfloat16: ["Uint16Array"],
  uint8: ["Uint8Array", "Uint8ClampedArray"],
};

/** The typed array class of a value, by its tag; undefined for anything else (a DataView too). */
export function typedArrayName(value: unknown): string | undefined {
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return undefined;
  return (value as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag];
}

/** A new zeroed typed array for `length` elements of a type. */
export function newTypedArray<N extends ScalarName>(name: N, length: number): TypedArrays[N] {
  return new constructors[name](length);
}

/** A typed array of a type over existing bytes. */
export function viewAs<N extends ScalarName>(
  name: N,
  buffer: ArrayBufferLike,
  byteOffset: number,
  length: number,
): TypedArrays[N] {
  return new constructors[name](buffer, byteOffset, length);
}

/**
 * The element type of a typed array, as named or as implied by its class.
 *
 * @throws ArgumentTypeError when the array cannot carry the named type.
 */
export function typeOfTypedArray(array: unknown, name: ScalarName | undefined, argument: string): ScalarType {
  const tag = typedArrayName(array);
  const implied = tag === undefined ? undefined : impliedTypes[tag];
  if (tag === undefined || implied === undefined) throw new ArgumentTypeError(argument, "a typed array", array);
  if (name === undefined || name === implied) return scalarTypes[implied];
  if (carriers[name]?.includes(tag)) return scalarTypes[name];
  const wanted = carriers[name]?.join(" or ") ?? constructors[name].name;
  throw new ArgumentTypeError(argument, `${withArticle(wanted)} for elements of type ${name}`, array);
}
