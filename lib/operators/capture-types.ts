/** What an operator captures, as types: part of its meaning, while the values travel with each call. */
import type { ElementType } from "../types/element";
import { type ScalarType, scalarTypes } from "../types/scalar";
import { hashText } from "./fingerprint";
import type { FunctionText } from "./function-operator";
import type { Intrinsic } from "./intrinsics";

/**
 * A number (weak, as a literal of unknown value), a boolean, or a BigInt: `natural` where both int64 and uint64 hold it,
 * `unsigned` where uint64 alone does.
 */
export interface ValueCapture {
  readonly kind: "value";
  readonly name: "number" | "boolean" | "bigint" | "natural" | "unsigned";
  /** How it lies in the operator's state. */
  readonly type: ScalarType;
  /** Equal for equal types, as for every capture. */
  readonly key: string;
}

/** A device array; its state is the address and the number of elements. */
export interface ArrayCapture {
  readonly kind: "array";
  readonly element: ElementType;
  readonly key: string;
}

/** A helper function with what it captures itself. */
export interface FunctionCapture {
  readonly kind: "function";
  readonly text: FunctionText;
  readonly captures: readonly CaptureType[];
  /** What it has in the operator's state, with what its own helpers have. */
  readonly state: readonly StateCapture[];
  readonly key: string;
}

/** A function that the GPU has, under whatever name: `const { sqrt } = Math`, an import that a bundler renamed. */
export interface IntrinsicCapture {
  readonly kind: "intrinsic";
  readonly intrinsic: Intrinsic;
  readonly key: string;
}

/** A plain object as a whole: a struct of its properties. */
export interface ObjectCapture {
  readonly kind: "object";
  readonly names: readonly string[];
  readonly properties: readonly CaptureType[];
  readonly key: string;
}

export type CaptureType = ValueCapture | ArrayCapture | FunctionCapture | IntrinsicCapture | ObjectCapture;
/** What has a place in the operator's state. */
export type StateCapture = ValueCapture | ArrayCapture;

const value = (name: ValueCapture["name"], type: ScalarType): ValueCapture =>
  Object.freeze({ kind: "value", name, type, key: name });

export const valueCaptures: Readonly<Record<ValueCapture["name"], ValueCapture>> = {
  number: value("number", scalarTypes.float64),
  bigint: value("bigint", scalarTypes.int64),
  natural: value("natural", scalarTypes.int64),
  unsigned: value("unsigned", scalarTypes.uint64),
  boolean: value("boolean", scalarTypes.bool),
};

const arrays = new Map<ElementType, ArrayCapture>();

export function arrayCapture(element: ElementType): ArrayCapture {
  let capture = arrays.get(element);
  if (capture === undefined) {
    capture = Object.freeze({ kind: "array", element, key: `${element.name}[]` });
    arrays.set(element, capture);
  }
  return capture;
}

/** Keys that are longer stand as their hash: helpers that share helpers would double them at each level. */
const longestKey = 200;

export function functionCapture(text: FunctionText, captures: readonly CaptureType[]): FunctionCapture {
  const inner = keyOf(captures);
  const key = `f${String(text.id)}(${inner.length > longestKey ? hashText(inner) : inner})`;
  return { kind: "function", text, captures, state: stateCaptures(captures), key };
}

export function objectCapture(names: readonly string[], properties: readonly CaptureType[]): ObjectCapture {
  return { kind: "object", names, properties, key: `{${JSON.stringify(names)}:${keyOf(properties)}}` };
}

export function intrinsicCapture(intrinsic: Intrinsic): IntrinsicCapture {
  return { kind: "intrinsic", intrinsic, key: intrinsic.name };
}

/** A text that is equal for equal lists of types. */
export function keyOf(captures: readonly CaptureType[]): string {
  return captures.map(({ key }) => key).join();
}

/** What a captured BigInt is; undefined for one of more than 64 bits. */
export function bigintCapture(value: bigint): ValueCapture | undefined {
  if (BigInt.asIntN(64, value) === value) return value < 0n ? valueCaptures.bigint : valueCaptures.natural;
  return BigInt.asUintN(64, value) === value ? valueCaptures.unsigned : undefined;
}

/**
 * The captures that have a place in the state, those of helpers where the helper stands. A BigInt's sign matters to the
 * rules of types alone: where they come to the same program, it is one build.
 */
export function stateCaptures(captures: readonly CaptureType[]): StateCapture[] {
  return captures.flatMap((capture): StateCapture[] => {
    if (capture.kind === "function") return [...capture.state];
    if (capture.kind === "object") return stateCaptures(capture.properties);
    if (capture.kind === "intrinsic") return [];
    return [capture === valueCaptures.natural ? valueCaptures.bigint : capture];
  });
}
