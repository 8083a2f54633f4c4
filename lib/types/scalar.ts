/** The scalar element types: one table that everything else reads. */

/** The name of a scalar element type. */
export type ScalarName =
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float16"
  | "bfloat16"
  | "float32"
  | "float64"
  | "bool";

/** The types of offsets, indices and counts. */
export type IntegerName = Exclude<ScalarName, "float16" | "bfloat16" | "float32" | "float64" | "bool">;

/** What family of numbers a type belongs to. */
export type ScalarKind = "int" | "uint" | "float" | "bool";

/** A scalar element type. There is exactly one object for each name, so types compare by identity. */
export interface ScalarType {
  readonly name: ScalarName;
  /** `cccl_type_enum` of the C library; also the type's small integer in build tables. */
  readonly id: number;
  readonly kind: ScalarKind;
  /** Bytes of one element. */
  readonly size: number;
  /** What its address is a multiple of: its size. */
  readonly alignment: number;
  /** The type that holds it in CUDA C++ memory (float16 and bfloat16 as their 16 bits). */
  readonly cudaStorage: string;
}

function scalar(name: ScalarName, id: number, kind: ScalarKind, size: number, cudaStorage: string): ScalarType {
  return Object.freeze({ name, id, kind, size, alignment: size, cudaStorage });
}

/** Every scalar type by its name. */
export const scalarTypes: Readonly<Record<ScalarName, ScalarType>> = Object.freeze({
  int8: scalar("int8", 0, "int", 1, "signed char"),
  int16: scalar("int16", 1, "int", 2, "short"),
  int32: scalar("int32", 2, "int", 4, "int"),
  int64: scalar("int64", 3, "int", 8, "long long"),
  uint8: scalar("uint8", 4, "uint", 1, "unsigned char"),
  uint16: scalar("uint16", 5, "uint", 2, "unsigned short"),
  uint32: scalar("uint32", 6, "uint", 4, "unsigned int"),
  uint64: scalar("uint64", 7, "uint", 8, "unsigned long long"),
  float16: scalar("float16", 8, "float", 2, "unsigned short"),
  bfloat16: scalar("bfloat16", 13, "float", 2, "unsigned short"),
  float32: scalar("float32", 9, "float", 4, "float"),
  float64: scalar("float64", 10, "float", 8, "double"),
  bool: scalar("bool", 12, "bool", 1, "bool"),
});

/** True for the types whose values are BigInts in JavaScript. */
export function isBigIntType(type: ScalarType): boolean {
  return type.size === 8 && (type.kind === "int" || type.kind === "uint");
}

/** The JavaScript value of a scalar: BigInt for the 64-bit integers, boolean for `bool`, number for the rest. */
export type ScalarValueOf<N extends ScalarName> = N extends "int64" | "uint64"
  ? bigint
  : N extends "bool"
    ? boolean
    : number;

/** Any scalar's value. */
export type ScalarValue = number | bigint | boolean;
