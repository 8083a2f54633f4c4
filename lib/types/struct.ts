/** Struct types: their layout is that of a C++ struct with the same fields. */
import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import {
  type ArrayType,
  type ElementType,
  type Field,
  type FieldSpec,
  type Struct,
  type StructFields,
  type StructType,
  isScalarType,
} from "./element";
import { type ScalarName, type ScalarType, scalarTypes } from "./scalar";

/** The most bytes of one element. */
const largestElement = 65_536;

/** Scalars have the numbers below. */
let lastId = 255;

/** Types by their name, which says all of the declaration. */
const structs = new Map<string, StructType>();
const arrays = new Map<string, ArrayType>();

const alignUp = (position: number, alignment: number): number => Math.ceil(position / alignment) * alignment;

/** What decides the bytes: scalars and nesting, without names. */
function layoutText(type: ElementType): string {
  if (isScalarType(type)) return type.name;
  if (type.kind === "array") return `${layoutText(type.element)}[${String(type.length)}]`;
  return `{${type.fields.map((field) => `${layoutText(field.type)};`).join("")}}`;
}

function storageName(layout: string): string {
  return `cuda_compute_${createHash("sha256").update(layout).digest("hex").slice(0, 16)}`;
}

/** Definitions of the structs among the types, each once. */
export function cudaDefinitions(types: Iterable<ElementType>): string {
  const texts = new Set<string>();
  for (const type of types) if (!isScalarType(type)) texts.add(type.cudaDefinition);
  return [...texts].join("");
}

/** Where a member lies: NVRTC has no `__builtin_offsetof` and, without a header, no other name for it. */
const offsetMacro =
  "#ifndef CUDA_COMPUTE_OFFSET\n#ifdef __CUDACC_RTC__\n" +
  "#define CUDA_COMPUTE_OFFSET(type, member) __INTADDR__(&static_cast<type*>(nullptr)->member)\n" +
  "#else\n#define CUDA_COMPUTE_OFFSET(type, member) __builtin_offsetof(type, member)\n#endif\n#endif\n";

/** A C++ struct that the device compiler holds against our own idea of its layout. */
function definition(
  storage: string,
  members: readonly { text: string; name: string; type: ElementType; offset: number }[],
  size: number,
  alignment: number,
): string {
  const assert = (condition: string): string => `static_assert(${condition}, "layout of ${storage}");\n`;
  return (
    cudaDefinitions(members.map((member) => member.type)) +
    offsetMacro +
    `#ifndef ${storage}_defined\n#define ${storage}_defined\n` +
    `struct ${storage} {\n${members.map(({ text }) => `  ${text};\n`).join("")}};\n` +
    assert(`sizeof(${storage}) == ${String(size)} && alignof(${storage}) == ${String(alignment)}`) +
    members
      .map(({ name, offset }) => assert(`CUDA_COMPUTE_OFFSET(${storage}, ${name}) == ${String(offset)}`))
      .join("") +
    "#endif\n"
  );
}

/** A type is shown as its declaration by `console.log`. */
const shownAsName = {
  [inspect.custom]: {
    value(this: StructType | ArrayType): string {
      return `${this.name} [${String(this.size)} bytes]`;
    },
  },
};

/** Makes a type final. */
const finish = <T extends StructType | ArrayType>(type: T): T =>
  Object.freeze(Object.defineProperties(type, shownAsName));

const isPlainName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);

function structName(fields: readonly (readonly [string, ElementType])[], isTuple: boolean): string {
  if (isTuple) return `(${fields.map(([, type]) => type.name).join(", ")})`;
  const written = fields.map(([name, type]) => `${isPlainName(name) ? name : JSON.stringify(name)}: ${type.name}`);
  return `struct { ${written.join(", ")} }`;
}

/** As C++ lays out: fields in order, each aligned to its type; the whole aligned to its strictest field. */
function layOut(types: readonly (readonly [string, ElementType])[]): {
  fields: readonly Field[];
  size: number;
  alignment: number;
} {
  let size = 0;
  let alignment = 1;
  const fields = types.map(([name, type]) => {
    const offset = alignUp(size, type.alignment);
    size = offset + type.size;
    alignment = Math.max(alignment, type.alignment);
    return Object.freeze({ name, type, offset });
  });
  return { fields: Object.freeze(fields), size: alignUp(size, alignment), alignment };
}

/**
 * The struct type of these fields.
 *
 * @throws ArgumentRangeError for one that is too large
 */
export function structType(
  types: readonly (readonly [string, ElementType])[],
  argument: string,
  isTuple = false,
): StructType {
  const name = structName(types, isTuple);
  let type = structs.get(name);
  if (type !== undefined) return type;
  const { fields, size, alignment } = layOut(types);
  if (size > largestElement) {
    throw new ArgumentRangeError(argument, `fields of at most ${String(largestElement)} bytes`, size);
  }
  const cudaStorage = storageName(`{${fields.map((field) => `${layoutText(field.type)};`).join("")}}`);
  const members = fields.map((field, index) => {
    const member = `f${String(index)}`;
    return { text: `${field.type.cudaStorage} ${member}`, name: member, type: field.type, offset: field.offset };
  });
  type = finish({
    kind: "struct",
    name,
    id: ++lastId,
    size,
    alignment,
    fields,
    isTuple,
    cudaStorage,
    cudaDefinition: definition(cudaStorage, members, size, alignment),
  });
  structs.set(name, type);
  return type;
}

/** The type of several values beside each other, which are an array in JavaScript. */
export function tupleType(types: readonly ElementType[]): StructType {
  return structType(
    types.map((type, index) => [String(index), type]),
    "tuple",
    true,
  );
}

/** Dimensions from the outermost in, as C++ writes them. */
function arrayName(element: ElementType, length: number): string {
  let name = `[${String(length)}]`;
  let inner = element;
  while (inner.kind === "array") {
    name += `[${String(inner.length)}]`;
    inner = inner.element;
  }
  return inner.name + name;
}

/**
 * The type of a fixed number of elements in a row.
 *
 * @throws ArgumentRangeError for a length that is none, or too large
 */
export function arrayType(element: ElementType, length: number, argument: string): ArrayType {
  if (!Number.isSafeInteger(length) || length < 1) {
    throw new ArgumentRangeError(argument, "a length that is a whole number from 1", length);
  }
  const size = element.size * length;
  if (size > largestElement) {
    throw new ArgumentRangeError(argument, `an array of at most ${String(largestElement)} bytes`, size);
  }
  const name = arrayName(element, length);
  let type = arrays.get(name);
  if (type !== undefined) return type;
  const { alignment } = element;
  const cudaStorage = storageName(`${layoutText(element)}[${String(length)}]`);
  const items = { text: `${element.cudaStorage} items[${String(length)}]`, name: "items", type: element, offset: 0 };
  type = finish({
    kind: "array",
    name,
    id: ++lastId,
    size,
    alignment,
    element,
    length,
    cudaStorage,
    cudaDefinition: definition(cudaStorage, [items], size, alignment),
  });
  arrays.set(name, type);
  return type;
}

/** True for what `struct` made. */
export function isStructType(value: unknown): value is StructType {
  if (typeof value !== "object" || value === null) return false;
  const { name } = value as { name?: unknown };
  return typeof name === "string" && structs.get(name) === value;
}

const isScalarName = (value: unknown): value is ScalarName =>
  typeof value === "string" && Object.hasOwn(scalarTypes, value);

const scalarNames = Object.keys(scalarTypes).join(", ");

/**
 * The element type that a user wrote.
 *
 * @throws ArgumentTypeError for anything but a scalar's name or a struct type
 */
export function elementType(spec: unknown, argument: string): ScalarType | StructType {
  if (isScalarName(spec)) return scalarTypes[spec];
  if (isStructType(spec)) return spec;
  throw new ArgumentTypeError(argument, `an element type (${scalarNames}, or one made by struct())`, spec);
}

function fieldType(spec: unknown, argument: string): ElementType {
  if (isScalarName(spec)) return scalarTypes[spec];
  if (isStructType(spec)) return spec;
  if (Array.isArray(spec) && spec.length === 2) {
    const [element, length] = spec as unknown[];
    if (typeof length !== "number") throw new ArgumentTypeError(`${argument}[1]`, "a length", length);
    return arrayType(fieldType(element, `${argument}[0]`), length, argument);
  }
  const expected = `a field type (${scalarNames}, one made by struct(), or [element, length])`;
  throw new ArgumentTypeError(argument, expected, spec);
}

/**
 * A struct type: `struct({ x: "float32", id: "int64" })`.
 *
 * A field is a scalar, another struct, or a fixed-size array written `[element, length]`, as in
 * `struct({ position: ["float32", 3], owner: Person })`. The fields lie in memory in the order of the declaration, with
 * the offsets and the padding of the same struct in C++. Equal declarations give the same object.
 *
 * In JavaScript an element is an object of its fields' values, and a fixed-size array within it is an array.
 *
 * @param fields - the fields' types by name, one at least. A name that is a whole number is refused, as JavaScript would
 *   move it to the front.
 * @throws TypeError for a field's type that is none, RangeError for a name that cannot be used and for more than 65,536
 *   bytes; both name the field
 */
export function struct<const F extends StructFields>(fields: F): Struct<F> {
  const given: unknown = fields;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ArgumentTypeError("struct.fields", "an object of field types", given);
  }
  const types = Object.entries(given as Record<string, FieldSpec>).map(([name, spec]) => {
    const argument = `struct.fields.${name}`;
    if (name === "" || name === "__proto__" || /^\d+$/.test(name)) {
      throw new ArgumentRangeError(argument, "a name that is not empty, a whole number or __proto__", name);
    }
    return [name, fieldType(spec, argument)] as const;
  });
  if (types.length === 0) throw new ArgumentRangeError("struct.fields", "one field at least", given);
  return structType(types, "struct.fields") as Struct<F>;
}
