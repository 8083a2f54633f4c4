/** The types of elements: scalars, structs of them, and the fixed-size arrays within structs. */
import type { ScalarName, ScalarType, ScalarValue, ScalarValueOf } from "./scalar";

/** A field of a struct, and where it lies. */
export interface Field {
  readonly name: string;
  readonly type: ElementType;
  /** Bytes from the struct's beginning, as in C++. */
  readonly offset: number;
}

/** A struct type, made by `struct`. Equal declarations are one object, so types compare by identity. */
export interface StructType {
  readonly kind: "struct";
  /** The declaration as text. */
  readonly name: string;
  /** The type's small integer in build tables, apart from those of the scalars. @internal */
  readonly id: number;
  /** Bytes of one element, the padding at its end included. */
  readonly size: number;
  readonly alignment: number;
  /** In the order of the declaration, which is that of memory. */
  readonly fields: readonly Field[];
  /** True where the value is an array and not an object: fields are then named 0, 1, … @internal */
  readonly isTuple: boolean;
  /** The C++ struct that holds it, with the members f0, f1, …; types of one layout share it. @internal */
  readonly cudaStorage: string;
  /** C++ text that defines `cudaStorage`, and may stand in a text more than once. @internal */
  readonly cudaDefinition: string;
}

/** A fixed-size array, as a field of a struct. Equal ones are one object. */
export interface ArrayType {
  readonly kind: "array";
  readonly name: string;
  /** @internal */
  readonly id: number;
  readonly size: number;
  readonly alignment: number;
  readonly element: ElementType;
  readonly length: number;
  /** The C++ struct that holds it, with the one member `items`. @internal */
  readonly cudaStorage: string;
  /** C++ text that defines `cudaStorage`, and may stand in a text more than once. @internal */
  readonly cudaDefinition: string;
}

/** A type of several scalars. */
export type AggregateType = StructType | ArrayType;

/** Any type of an element or of a part of one. */
export type ElementType = ScalarType | AggregateType;

/** A struct's value. */
export interface ElementObject {
  readonly [field: string]: ElementValue;
}

/** Any element's value: structs are objects, fixed-size arrays (and tuples) are arrays. */
export type ElementValue = ScalarValue | ElementObject | readonly ElementValue[];

/** How a field's type is written: a scalar's name, a struct type, or `[element, length]`. */
export type FieldSpec = ScalarName | StructType | readonly [element: FieldSpec, length: number];

/** What `struct` is given: types by field name. */
export type StructFields = Readonly<Record<string, FieldSpec>>;

declare const declared: unique symbol;

/**
 * A struct type whose declaration TypeScript knows.
 *
 * @typeParam F - the declaration, as in `Struct<{ x: "float32"; id: "int64" }>`
 */
export interface Struct<F extends StructFields | readonly FieldSpec[]> extends StructType {
  /** For the compiler alone; a function, so that a struct with more fields is another type. @internal */
  readonly [declared]: (fields: F) => F;
}

/** How an element type is written: a scalar's name, or a struct type. */
export type ElementSpec = ScalarName | StructType;

/** The JavaScript value of a field; of any field where nothing is known of it. */
type FieldValue<S> = [FieldSpec] extends [S] ? ElementValue : KnownFieldValue<S>;

type KnownFieldValue<S> = S extends readonly [infer E, number]
  ? FieldValue<E>[]
  : S extends ElementSpec
    ? ValueOf<S>
    : never;

type FieldValues<F> = { -readonly [K in keyof F]: FieldValue<F[K]> };

/**
 * The JavaScript value of one element: BigInt for the 64-bit integers, boolean for `bool`, number for the other
 * scalars, and for a struct an object of its fields' values.
 */
export type ValueOf<S extends ElementSpec> = S extends ScalarName
  ? ScalarValueOf<S>
  : S extends Struct<infer F>
    ? FieldValues<F>
    : ElementObject;

/** True for the types that hold one scalar. */
export function isScalarType(type: ElementType): type is ScalarType {
  return type.kind !== "struct" && type.kind !== "array";
}

/** The type as a user writes it. */
export function specOf(type: ScalarType | StructType): ElementSpec {
  return type.kind === "struct" ? type : type.name;
}
