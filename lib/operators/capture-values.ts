/** Captured values of one call: checked, and laid out flat in the order of the operator's state. */
import type { Argument } from "../builds/shape";
import { CompileError } from "../errors";
import { typedArrayName } from "../types/typed-array";
import {
  arrayCapture,
  bigintCapture,
  type CaptureType,
  type FunctionCapture,
  functionCapture,
  intrinsicCapture,
  objectCapture,
  type StateCapture,
  valueCaptures,
} from "./capture-types";
import { readClosure } from "./captures";
import type { FunctionText } from "./function-operator";
import { intrinsicByIdentity } from "./intrinsics";
import type { CaptureValue, OperatorUse } from "./operator";
import { functionText } from "./registry";
import { compileErrorAt, isNative, recursion } from "./source";
import type { CapturedName } from "./syntax";

type AnyFunction = (...elements: never[]) => unknown;

/** True for a plain array in device memory; iterators are not captured. */
function isDeviceArray(value: unknown): value is Argument {
  return typeof value === "object" && value !== null && (value as Partial<Argument>).shape?.isPointer === true;
}

/** True for an object literal's object with properties, of any realm. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The type of a captured value that needs no looking into; undefined for every other. */
export function simpleType(value: unknown, name: string, argument: string): StateCapture | undefined {
  switch (typeof value) {
    case "number":
      return valueCaptures.number;
    case "boolean":
      return valueCaptures.boolean;
    case "bigint":
      return bigintCapture(value);
    default:
      if (!isDeviceArray(value)) return undefined;
      value.checkAlive(argument, name);
      return arrayCapture(value.shape.elementType);
  }
}

class Collector {
  readonly values: CaptureValue[] = [];
  /** The function and the helpers that lead to the one at hand. */
  private readonly path: AnyFunction[] = [];
  /** Helpers that hold no values, nor do theirs: they are the same wherever they are captured. */
  private readonly stateless = new Map<AnyFunction, FunctionCapture>();
  /** The objects around the one at hand. */
  private readonly objects: object[] = [];

  constructor(private readonly argument: string) {}

  collect(text: FunctionText, captured: readonly unknown[]): CaptureType[] {
    return captured.map((value, index) => this.capture(text, text.syntax.captures[index] as CapturedName, value));
  }

  private capture(text: FunctionText, capture: CapturedName, value: unknown): CaptureType {
    const type = simpleType(value, capture.name, this.argument);
    if (type !== undefined) {
      this.values.push(value as CaptureValue);
      return type;
    }
    if (isPlainObject(value) && !this.objects.includes(value)) {
      this.objects.push(value);
      const names = Object.keys(value);
      const properties = names.map((name) => {
        const property = { ...capture, name: `${capture.name}.${name}` };
        return this.capture(text, property, (value as Record<string, unknown>)[name]);
      });
      this.objects.pop();
      return objectCapture(names, properties);
    }
    if (typeof value !== "function") throw captureError(text, capture, value, this.argument);
    const intrinsic = intrinsicByIdentity(value);
    if (intrinsic !== undefined) return intrinsicCapture(intrinsic);
    return this.helper(text, capture, value as AnyFunction);
  }

  private helper(text: FunctionText, capture: CapturedName, helper: AnyFunction): CaptureType {
    if (isNative(helper)) throw captureError(text, capture, helper, this.argument);
    if (this.path.includes(helper)) throw recursion(text.source, capture.span, capture.name, this.argument);
    let type = this.stateless.get(helper);
    if (type !== undefined) return type;
    const known = functionText(helper, `${this.argument} (${capture.name})`);
    if (known.plain !== undefined) return functionCapture(known, []);
    this.path.push(helper);
    type = functionCapture(known, this.collect(known, readCaptures(helper, known, this.argument)));
    this.path.pop();
    if (type.state.length === 0) this.stateless.set(helper, type);
    return type;
  }
}

/** The values, where all are simple and of the types that the text was last used with. */
function valuesOfTypes(
  types: readonly CaptureType[],
  text: FunctionText,
  captured: readonly unknown[],
  argument: string,
): CaptureValue[] | undefined {
  const { captures } = text.syntax;
  for (let index = 0; index < captured.length; index++) {
    const { name } = captures[index] as CapturedName;
    if (simpleType(captured[index], name, argument) !== types[index]) return undefined;
  }
  return captured as CaptureValue[];
}

/** The operator of a text for captured values, which are checked here. */
export function useWith(text: FunctionText, captured: readonly unknown[], argument: string): OperatorUse {
  const { last } = text;
  const values = last && valuesOfTypes(last.captureTypes, text, captured, argument);
  if (last !== undefined && values !== undefined) return { operator: last, values };
  const collector = new Collector(argument);
  const operator = text.operatorFor(collector.collect(text, captured));
  return { operator, values: collector.values };
}

/** What the free variables of a function hold now. */
export function readCaptures(operator: object, text: FunctionText, argument: string): unknown[] {
  try {
    return readClosure(operator, text.syntax.captures);
  } catch (cause) {
    const names = text.syntax.captures.map(({ name }) => name).join(", ");
    throw new CompileError(
      `${argument}: the variables that the function captures (${names}) could not be read. ` +
        "Give them with bind((x, { scale }) => x * scale, { scale }).",
      { code: "ERR_OPERATOR_CAPTURE" },
      { cause },
    );
  }
}

/** An error that names the captured variable and its place. */
function captureError(
  text: FunctionText,
  { name, span }: CapturedName,
  value: unknown,
  argument: string,
): CompileError {
  return compileErrorAt(text.source, span, argument, problemOf(name, value), adviceFor(value), "ERR_OPERATOR_CAPTURE");
}

/** What is wrong with a captured value that cannot be captured. */
export function problemOf(name: string, value: unknown): string {
  return `the captured \`${name}\` ${value === undefined ? "has no value" : `is ${describe(value)}`}`;
}

/** What to do about it. */
export function adviceFor(value: unknown): string {
  if (typeof value === "function") return "Use Math.*, a conversion such as int32(x), or a function of your own.";
  if (typedArrayName(value) !== undefined || Array.isArray(value)) {
    return "Put it into device memory once, with DeviceArray.from(…), and capture that.";
  }
  return (
    "Operators capture numbers, booleans, BigInts of at most 64 bits, device arrays, functions, and properties of " +
    "objects."
  );
}

function describe(value: unknown): string {
  if (typeof value === "function") return "a native function that the GPU does not have";
  if (typeof value === "bigint") return "a BigInt of more than 64 bits";
  if (value === null) return "null";
  if (typeof value === "object") {
    const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
    return name === undefined || name === "Object" ? "an object" : `an object of ${name}`;
  }
  return `a ${typeof value}`;
}
