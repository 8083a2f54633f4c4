/** Arrays of structs as columns: one typed array for each field, and back. */
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { bytesOf, uploadBytes } from "./bytes";
import { type ElementType, type StructType, isScalarType } from "./element";
import type { ScalarType } from "./scalar";
import { type AnyTypedArray, type Columns, newTypedArray, typeOfTypedArray } from "./typed-array";

/** Where one column's values lie. */
interface Leaf {
  readonly path: readonly string[];
  readonly type: ScalarType;
  /** Bytes from the element's beginning, of each of the column's values for one element. */
  readonly offsets: readonly number[];
}

function leavesOf(type: ElementType, path: readonly string[], offsets: readonly number[]): Leaf[] {
  if (isScalarType(type)) return [{ path, type, offsets }];
  if (type.kind === "array") {
    const { element, length } = type;
    const all = offsets.flatMap((offset) => Array.from({ length }, (_, index) => offset + index * element.size));
    return leavesOf(element, path, all);
  }
  return type.fields.flatMap((field) =>
    leavesOf(
      field.type,
      [...path, field.name],
      offsets.map((offset) => offset + field.offset),
    ),
  );
}

const leaves = new WeakMap<StructType, readonly Leaf[]>();

function leavesOfStruct(type: StructType): readonly Leaf[] {
  let found = leaves.get(type);
  if (found === undefined) {
    found = leavesOf(type, [], [0]);
    leaves.set(type, found);
  }
  return found;
}

/**
 * Values move as bits, in words of at most four bytes: a float may be a NaN whose bits JavaScript does not keep, and
 * eight bytes would be a BigInt for each value.
 */
type Words = Uint8Array | Uint16Array | Uint32Array;

function wordSize(type: ScalarType): 1 | 2 | 4 {
  return type.size === 1 ? 1 : type.size === 2 ? 2 : 4;
}

function wordsOf(bytes: Uint8Array<ArrayBuffer>, size: 1 | 2 | 4): Words {
  const { buffer, byteOffset, byteLength } = bytes;
  if (size === 1) return bytes;
  return size === 2
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Positions of a leaf's words within an element, in words. */
function wordPositions({ type, offsets }: Leaf): number[] {
  const size = wordSize(type);
  return offsets.flatMap((offset) =>
    Array.from({ length: type.size / size }, (_, half) => (offset + half * size) / size),
  );
}

function scatter(elements: Words, column: Words, positions: readonly number[], stride: number, length: number): void {
  let next = 0;
  for (let element = 0; element < length; element++) {
    for (const position of positions) elements[element * stride + position] = column[next++] as number;
  }
}

function gather(elements: Words, column: Words, positions: readonly number[], stride: number, length: number): void {
  let next = 0;
  for (let element = 0; element < length; element++) {
    for (const position of positions) column[next++] = elements[element * stride + position] as number;
  }
}

/** Refuses objects with other fields than their structs have, so that no column is passed over. */
function checkFields(columns: unknown, type: ElementType, argument: string): void {
  if (isScalarType(type)) return;
  if (type.kind === "array") {
    checkFields(columns, type.element, argument);
    return;
  }
  const names = type.fields.map(({ name }) => name).join(", ");
  if (typeof columns !== "object" || columns === null || ArrayBuffer.isView(columns)) {
    throw new ArgumentTypeError(argument, `an object with the columns ${names}`, columns);
  }
  const given = columns as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (type.fields.some((field) => field.name === name)) continue;
    throw new ArgumentTypeError(`${argument}.${name}`, `no column but ${names}`, given[name]);
  }
  for (const field of type.fields) checkFields(given[field.name], field.type, `${argument}.${field.name}`);
}

function columnAt(columns: Columns, path: readonly string[]): AnyTypedArray {
  return path.reduce<unknown>((column, name) => (column as Columns)[name], columns) as AnyTypedArray;
}

/**
 * The bytes of the elements whose fields the columns have; padding is zero.
 *
 * @throws ArgumentTypeError for a column of another type, ArgumentRangeError for columns of unlike lengths
 */
export function bytesFromColumns(given: unknown, type: StructType, argument: string): Uint8Array<ArrayBuffer> {
  checkFields(given, type, argument);
  const columns = leavesOfStruct(type).map((leaf) => {
    const name = `${argument}.${leaf.path.join(".")}`;
    const array = columnAt(given as Columns, leaf.path);
    typeOfTypedArray(array, leaf.type.name, name);
    return { leaf, name, count: array.length, bytes: uploadBytes(array, leaf.type, name) };
  });
  const [first] = columns;
  if (first === undefined) throw new Error("a struct without a field");
  const length = Math.ceil(first.count / first.leaf.offsets.length);
  for (const { leaf, name, count } of columns) {
    const perElement = leaf.offsets.length;
    if (count === length * perElement) continue;
    const expected = `${String(length * perElement)} values (${String(perElement)} for each of ${String(length)})`;
    throw new ArgumentRangeError(name, expected, count);
  }
  const bytes = new Uint8Array(length * type.size);
  for (const { leaf, bytes: column } of columns) {
    const size = wordSize(leaf.type);
    scatter(wordsOf(bytes, size), wordsOf(column, size), wordPositions(leaf), type.size / size, length);
  }
  return bytes;
}

/** The columns of elements whose bytes these are. */
export function columnsFromBytes(bytes: Uint8Array<ArrayBuffer>, type: StructType): Columns {
  const columns: Columns = {};
  const length = bytes.byteLength / type.size;
  for (const leaf of leavesOfStruct(type)) {
    const array = newTypedArray(leaf.type.name, length * leaf.offsets.length);
    const size = wordSize(leaf.type);
    gather(wordsOf(bytes, size), wordsOf(bytesOf(array), size), wordPositions(leaf), type.size / size, length);
    putColumn(columns, leaf.path, array);
  }
  return columns;
}

function putColumn(columns: Columns, path: readonly string[], array: AnyTypedArray): void {
  const owner = path.slice(0, -1).reduce((outer, name) => {
    if (!Object.hasOwn(outer, name)) outer[name] = {};
    return outer[name] as Columns;
  }, columns);
  owner[path[path.length - 1] as string] = array;
}

/** Sets the bools within elements' bytes to 0 or 1, of which memory holds no other. */
export function normaliseBools(bytes: Uint8Array, type: StructType): void {
  for (const leaf of leavesOfStruct(type)) {
    if (leaf.type.kind !== "bool") continue;
    for (let element = 0; element < bytes.byteLength; element += type.size) {
      for (const offset of leaf.offsets) if (bytes[element + offset] !== 0) bytes[element + offset] = 1;
    }
  }
}

/** Whether a part of it is a bool. */
export function hasBools(type: StructType): boolean {
  return leavesOfStruct(type).some((leaf) => leaf.type.kind === "bool");
}
