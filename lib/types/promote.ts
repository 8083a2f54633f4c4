import { converts } from "./convert";
import { type ElementType, isScalarType } from "./element";
import { type ScalarName, type ScalarType, scalarTypes } from "./scalar";
import { arrayType, structType } from "./struct";

/** Bits of mantissa that a float type keeps, the sign of integers aside. */
const exactBits: Partial<Record<ScalarName, number>> = { float16: 11, bfloat16: 8, float32: 24, float64: 53 };

function bitsNeeded(type: ScalarType): number {
  return type.kind === "bool" ? 1 : type.size * 8;
}

/** The float type that NumPy promotes an integer type to beside a float of `float`'s width. */
function floatBeside(integer: ScalarType, float: ScalarType): ScalarType {
  if (integer.kind === "bool") return float;
  const fits = (candidate: ScalarType): boolean => (exactBits[candidate.name] ?? 0) >= bitsNeeded(integer);
  if (fits(float)) return float;
  return fits(scalarTypes.float32) && float.size <= 4 ? scalarTypes.float32 : scalarTypes.float64;
}

/**
 * The type that holds both, by NumPy's rules (`numpy.result_type`): int32 with uint32 is int64, int64 with uint64
 * is float64, int8 with float16 is float16, int32 with float32 is float64. float16 with bfloat16 is float32.
 *
 * Of structs with the same field names each field by itself, in the first one's order; of fixed-size arrays of one
 * length their elements. Undefined where there is none.
 */
export function promote(a: ScalarType, b: ScalarType): ScalarType;
export function promote(a: ElementType, b: ElementType): ElementType | undefined;
export function promote(a: ElementType, b: ElementType): ElementType | undefined {
  if (a === b) return a;
  if (isScalarType(a) && isScalarType(b)) return promoteScalars(a, b);
  const key = a.id * 2 ** 26 + b.id;
  let type = known.get(key);
  if (type === undefined) {
    type = promoteAggregates(a, b);
    if (type !== undefined) known.set(key, type);
  }
  return type;
}

/** What aggregates promote to, by both numbers: calls ask for it each time. */
const known = new Map<number, ElementType>();

function promoteAggregates(a: ElementType, b: ElementType): ElementType | undefined {
  if (!converts(a, b)) return undefined;
  if (a.kind === "array" && b.kind === "array") {
    return arrayType(promoteParts(a.element, b.element), a.length, "promote");
  }
  if (a.kind !== "struct" || b.kind !== "struct") return undefined;
  const fields = a.fields.map(({ name, type }) => {
    const other = b.fields.find((field) => field.name === name);
    return [name, promoteParts(type, other?.type ?? type)] as const;
  });
  return structType(fields, "promote", a.isTuple);
}

/** Of parts of types that convert to each other. */
function promoteParts(a: ElementType, b: ElementType): ElementType {
  return promote(a, b) as ElementType;
}

function promoteScalars(a: ScalarType, b: ScalarType): ScalarType {
  if (a.kind === "bool") return b;
  if (b.kind === "bool") return a;
  if (a.kind === "float" && b.kind === "float") {
    if (a.size !== b.size) return a.size > b.size ? a : b;
    return scalarTypes.float32;
  }
  if (a.kind === "float") return floatBeside(b, a);
  if (b.kind === "float") return floatBeside(a, b);
  if (a.kind === b.kind) return a.size > b.size ? a : b;
  const [signed, unsigned] = a.kind === "int" ? [a, b] : [b, a];
  if (signed.size > unsigned.size) return signed;
  return (
    [scalarTypes.int16, scalarTypes.int32, scalarTypes.int64].find((type) => type.size > unsigned.size) ??
    scalarTypes.float64
  );
}
