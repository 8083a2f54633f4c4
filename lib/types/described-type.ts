/** Element types as plain objects, which a message between threads can carry. */
import { ArgumentTypeError } from "../errors";
import type { ElementType, StructType } from "./element";
import { type ScalarName, type ScalarType, scalarTypes } from "./scalar";
import { arrayType, structType } from "./struct";

/** A scalar's name, a fixed-size array, or a struct's fields. */
export type DescribedType =
  | ScalarName
  | { readonly element: DescribedType; readonly length: number }
  | { readonly fields: readonly (readonly [string, DescribedType])[]; readonly isTuple: boolean };

export function describeType(type: ElementType): DescribedType {
  if (type.kind === "array") return { element: describeType(type.element), length: type.length };
  if (type.kind !== "struct") return type.name;
  return { fields: type.fields.map((field) => [field.name, describeType(field.type)]), isTuple: type.isTuple };
}

/**
 * The type that was described; equal ones are one object within a thread, so it is the one that the thread declared.
 *
 * @throws ArgumentTypeError for anything that {@link describeType} does not give
 */
export function describedType(description: unknown, argument: string): ScalarType | StructType {
  const type = readType(description, argument);
  if (type.kind === "array") throw new ArgumentTypeError(argument, "an element type", description);
  return type;
}

function readType(description: unknown, argument: string): ElementType {
  if (typeof description === "string" && Object.hasOwn(scalarTypes, description)) {
    return scalarTypes[description as ScalarName];
  }
  if (typeof description === "object" && description !== null) {
    const { element, length, fields, isTuple } = description as Record<string, unknown>;
    if (element !== undefined && typeof length === "number") {
      return arrayType(readType(element, argument), length, argument);
    }
    if (Array.isArray(fields) && fields.length > 0) {
      const types = fields.map((field: unknown) => {
        const [name, type] = Array.isArray(field) ? (field as unknown[]) : [];
        if (typeof name !== "string") throw new ArgumentTypeError(argument, "fields with names", field);
        return [name, readType(type, argument)] as const;
      });
      return structType(types, argument, isTuple === true);
    }
  }
  throw new ArgumentTypeError(argument, "a described element type", description);
}
