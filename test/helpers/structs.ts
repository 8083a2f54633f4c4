/** Random struct types and their values, and operators over structs that both backends run. */
import fc from "fast-check";
import { type FieldSpec, type ScalarName, type Struct, type StructFields, cpp, struct } from "../../lib";
import type { OperatorObject } from "../../lib/operators";
import type { ElementType, ElementValue } from "../../lib/types/element";
import { allTypes } from "./elements";

const fieldNames = fc.constantFrom("x", "y", "id", "value", "toString", "a b", "länge", "_");

const declarations = fc.letrec<{ fields: StructFields; field: FieldSpec }>((tie) => ({
  fields: fc.dictionary(fieldNames, tie("field"), { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
  field: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom<ScalarName>(...allTypes) },
    { weight: 1, arbitrary: tie("fields").map((fields) => struct(fields)) },
    { weight: 1, arbitrary: fc.tuple(tie("field"), fc.integer({ min: 1, max: 4 })) },
  ),
}));

/** Struct types up to three levels deep, with names of all kinds. */
export const structTypes: fc.Arbitrary<Struct<StructFields>> = declarations.fields.map((fields) => struct(fields));

/** Values that each float type holds exactly. */
const floats = fc.oneof(
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 0.5, -1.25, 2 ** -14),
  fc.integer({ min: -128, max: 128 }),
);

/** Values of a type, written as a user writes them. */
export function valuesOf(type: ElementType): fc.Arbitrary<ElementValue> {
  if (type.kind === "array") {
    const { element, length } = type;
    return fc.array(valuesOf(element), { minLength: length, maxLength: length });
  }
  if (type.kind === "struct") {
    return fc.record(Object.fromEntries(type.fields.map((field) => [field.name, valuesOf(field.type)])), {
      noNullPrototype: true,
    });
  }
  if (type.kind === "bool") return fc.boolean();
  if (type.kind === "float") return floats;
  const bits = BigInt(type.size * 8);
  const [min, max] = type.kind === "int" ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  const whole = fc.bigInt({ min, max });
  return bits === 64n ? whole : whole.map(Number);
}

/** An operator in C++ that the host backend runs as a JavaScript function. */
export function onBoth(source: string, host: (...elements: never[]) => unknown): OperatorObject {
  const operator = cpp(source);
  const specialize = operator.specialize.bind(operator);
  operator.specialize = (...types) =>
    Object.assign(Object.create(specialize(...types)) as ReturnType<typeof specialize>, {
      host: () => host as (...elements: ElementValue[]) => ElementValue,
    });
  return operator;
}
