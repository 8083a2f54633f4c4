/** The typing rules of structs and fixed-size arrays, part by part, down to those of numbers. */
import { type AggregateType, type ElementType, isScalarType } from "../types/element";
import { converts } from "../types/convert";
import { type ScalarType, scalarTypes } from "../types/scalar";
import { arrayType, structType } from "../types/struct";
import type { Expression, Item } from "./ir";
import { convertNode, type Held, joinScalars, strong, type Typed } from "./numeric";

const { int32 } = scalarTypes;

export function isScalar(typed: Typed): typed is Typed<ScalarType> {
  return isScalarType(typed.node.type);
}

/** The types of a struct's fields, or of an array's items. */
function partTypes(type: AggregateType): readonly ElementType[] {
  return type.kind === "struct"
    ? type.fields.map((field) => field.type)
    : Array<ElementType>(type.length).fill(type.element);
}

/** The place of a struct's field by name, or of a tuple's by number; -1 where there is none. */
export function fieldIndex(type: ElementType, name: string): number {
  return type.kind === "struct" ? type.fields.findIndex((field) => field.name === name) : -1;
}

/** One part of a struct or an array, by its place. */
function partNode(node: Expression, index: number): Expression {
  if (node.kind === "construct") return node.parts[index] as Expression;
  const { type } = node;
  if (type.kind === "struct") {
    return { kind: "field", type: (type.fields[index] as { type: ElementType }).type, value: node, index };
  }
  if (type.kind !== "array") throw new Error(`${type.name} has no parts`);
  const place: Expression = { kind: "literal", type: int32, value: index };
  return { kind: "item", type: type.element, value: node, index: place, missing: undefined };
}

/** True for an item whose index is known to be within its array. */
export function isItemWithin({ value, index }: Item): boolean {
  const length = value.type.kind === "array" ? value.type.length : 0;
  const place = index.kind === "literal" ? Number(index.value) : -1;
  return Number.isInteger(place) && place >= 0 && place < length;
}

/** {@link partNode} with what is known of the part. */
export function partOf(typed: Typed, index: number): Typed {
  const node = partNode(typed.node, index);
  const held = typed.parts?.[index];
  return held === undefined ? strong(node) : typedOf(held, node);
}

/** How many parts there are; undefined for numbers. */
export function partCount(type: ElementType): number | undefined {
  return type.kind === "struct" ? type.fields.length : type.kind === "array" ? type.length : undefined;
}

/** A struct from its fields. */
export function constructStruct(names: readonly string[], parts: readonly Typed[], isTuple = false): Typed {
  const type = structType(
    parts.map(({ node }, index) => [names[index] as string, node.type]),
    "struct",
    isTuple,
  );
  return construct(type, parts);
}

/** An array from its items where they have one type, else a tuple. */
export function constructArray(items: readonly Typed[]): Typed | undefined {
  const [first, ...rest] = items;
  if (first === undefined) return undefined;
  let held: Held | undefined = heldOf(first);
  for (const item of rest) {
    const before: Held | undefined = held;
    held = before && join(typedOf(before, first.node), item);
  }
  const isArray = held !== undefined && items.every((item) => item.node.type === held.type || item.isWeak);
  if (!isArray || held === undefined)
    return constructStruct(
      items.map((_, index) => String(index)),
      items,
      true,
    );
  const { type } = held;
  const converted = items.map((item) => ({ ...item, node: convertElement(item.node, type) }));
  return construct(arrayType(type, items.length, "array"), converted);
}

function construct(type: AggregateType, parts: readonly Typed[]): Typed {
  const isWeak = parts.some((part) => part.isWeak || part.parts !== undefined);
  return {
    node: { kind: "construct", type, parts: parts.map(({ node }) => node) },
    isWeak: false,
    values: undefined,
    parts: isWeak ? parts.map(heldOf) : undefined,
  };
}

/** For each part of `to`, the place of the part of `from` that it comes from; undefined where they do not match. */
function correspondence(from: ElementType, to: ElementType): number[] | undefined {
  const count = partCount(to);
  if (count === undefined || partCount(from) !== count) return undefined;
  const isNamed = (type: ElementType): boolean => type.kind === "struct" && !type.isTuple;
  if (isNamed(from) !== isNamed(to)) return undefined;
  const places = Array.from({ length: count }, (_, index) =>
    to.kind === "struct" && isNamed(to) ? fieldIndex(from, to.fields[index]?.name ?? "") : index,
  );
  return places.includes(-1) ? undefined : places;
}

/** Whether a value converts to a type: numbers do, and structs and arrays part by part. */
export function isConvertible(from: ElementType, to: ElementType): boolean {
  if (from === to) return true;
  if (isScalarType(from) && isScalarType(to)) return true;
  if (isScalarType(from) || isScalarType(to)) return false;
  const places = correspondence(from, to);
  const sources = partTypes(from);
  return (
    places !== undefined &&
    partTypes(to).every((part, index) => isConvertible(sources[places[index] as number] as ElementType, part))
  );
}

/** The expression as a value of a type that it converts to. */
export function convertElement(node: Expression, type: ElementType): Expression {
  if (node.type === type) return node;
  if (isScalarType(type)) return convertNode(node, type);
  if (node.kind === "conditional") {
    const { consequent, alternate } = node;
    return { ...node, type, consequent: convertElement(consequent, type), alternate: convertElement(alternate, type) };
  }
  // An array and a tuple convert part by part; structs and arrays have a conversion as a whole.
  if (node.kind !== "construct" && converts(node.type, type)) return { kind: "convert", type, value: node };
  const places = correspondence(node.type, type);
  if (places === undefined) throw new Error(`${node.type.name} does not convert to ${type.name}`);
  const parts = partTypes(type).map((part, index) => convertElement(partNode(node, places[index] as number), part));
  return { kind: "construct", type, parts };
}

/** Stands for any value of a type, where its own expression does not matter. */
export function anyOf(type: ElementType): Typed {
  return strong({ kind: "local", type, index: 0 });
}

export function heldOf(typed: Typed): Held {
  const { node, isWeak, values, parts } = typed;
  return { type: node.type, isWeak, values, parts };
}

/** An expression that stands for what a place holds. */
export function typedOf(held: Held, node: Expression): Typed {
  return { node: convertElement(node, held.type), isWeak: held.isWeak, values: held.values, parts: held.parts };
}

/** What a place holds that either value may reach; undefined where no type holds both. */
export function join(a: Typed, b: Typed): Held | undefined {
  if (isScalar(a) && isScalar(b)) return joinScalars(a, b);
  const [x, y] = [a.node.type, b.node.type];
  if (x === y && a.parts === undefined && b.parts === undefined) return heldOf(a);
  const places = correspondence(y, x);
  if (places === undefined) return undefined;
  const parts = places.map((place, index) => join(partOf(a, index), partOf(b, place)));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const type = withParts(x as AggregateType, parts);
  if (type === undefined) return undefined;
  const isWeak = parts.some((part) => part.isWeak || part.parts !== undefined);
  return { type, isWeak: false, values: undefined, parts: isWeak ? parts : undefined };
}

/** The type with other types of its parts; undefined for an array whose items would differ. */
function withParts(type: AggregateType, parts: readonly Held[]): AggregateType | undefined {
  if (type.kind === "struct") {
    const fields = type.fields.map(({ name }, index) => [name, (parts[index] as Held).type] as const);
    return structType(fields, "struct", type.isTuple);
  }
  const [first] = parts;
  const isUniform = parts.every((part) => part.type === first?.type);
  return first !== undefined && isUniform ? arrayType(first.type, type.length, "array") : undefined;
}
