/** Checks that algorithms share. Each throws before anything is enqueued and names the option at fault. */
import type { Backend } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentRangeError, ArgumentTypeError, Words } from "../errors";
import type { Argument } from "../builds/shape";
import { DeviceArray } from "../memory/device-array";
import { type Stream, streamOf } from "../memory/stream";
import { type CaptureValues, type Operator, type OperatorUse, resolveOperator } from "../operators";
import { converts } from "../types/convert";
import type { ElementObject, ElementType, ElementValue } from "../types/element";
import { promote } from "../types/promote";
import type { ScalarValue } from "../types/scalar";
import { type AnyTypedArray, typeOfTypedArray, typedArrayName } from "../types/typed-array";
import { elementValue, readElement } from "../types/value";
import type { Call } from "./call";

/** Adds an argument to the call, and makes its backend the call's. */
export function addSlot(call: Call, index: number, argument: Argument, name: string): void {
  call.slots[index] = argument;
  const { backend } = argument;
  if (backend === undefined) return;
  if (call.backend === undefined) call.backend = backend;
  else if (call.backend !== backend) {
    throw new ArgumentTypeError(
      name,
      `an array of backend ${call.backend.name} (${call.backend.deviceName}) like the arguments before it`,
      argument,
      "ERR_BACKEND_MISMATCH",
    );
  }
}

/** Settles backend and stream once all arguments are in. */
export function setStream(call: Call, stream: Stream | undefined, name: string): void {
  const backend: Backend = (call.backend ??= currentBackend());
  call.stream = streamOf(stream, backend, name);
}

/**
 * The item count: as given, or what `input` has, or (where that has no end) what `fallback` has.
 */
export function setCount(
  call: Call,
  given: number | undefined,
  input: Argument,
  fallback: Argument | undefined,
  name: string,
): void {
  if (given !== undefined && typeof given !== "number") throw new ArgumentTypeError(name, "a number of items", given);
  const count = given ?? (input.length === Infinity ? (fallback?.length ?? Infinity) : input.length);
  if (count === Infinity && given === undefined) {
    throw new ArgumentTypeError(name, "a count, as the input is an iterator without an end", given);
  }
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new ArgumentRangeError(name, "a whole number of items from 0 to 2^53-1", count);
  }
  call.scalars[0] = count;
}

/** Refuses an argument with fewer elements than the call uses of it. */
export function checkLength(argument: Argument, needed: number, name: string): void {
  if (argument.length < needed) {
    throw new ArgumentRangeError(
      name,
      needed === 1 ? "at least 1 element" : `at least ${String(needed)} elements`,
      argument.length,
    );
  }
}

/**
 * Refuses an output that overlaps an input other than element for element: parallel reads would race with the writes.
 */
export function checkAliasing(input: Argument, output: Argument, name: string): void {
  if (output.writesOver(input, true)) {
    throw new ArgumentRangeError(
      name,
      "memory apart from the input's, or exactly the input's",
      new Words("memory that overlaps the input in part"),
      "ERR_OVERLAP",
    );
  }
}

/**
 * Refuses an output that shares memory with another argument, of which it may be exactly the same: where results move
 * to other places, or are written by several outputs, some would be lost.
 */
export function checkApart(output: Argument, other: Argument, name: string, otherName: string): void {
  if (!output.writesOver(other, false)) return;
  throw new ArgumentRangeError(
    name,
    `memory apart from ${otherName}'s`,
    new Words("memory that overlaps it"),
    "ERR_OVERLAP",
  );
}

/**
 * Refuses an output that shares memory with an array that an operator captures: the device calls the operator for one
 * item while it writes the results of others. Costs nothing where nothing is captured.
 */
export function checkCaptures(call: Call, output: Argument, name: string): void {
  const [first, second] = call.operators;
  if (first !== undefined && first.values.length > 0) checkCaptured(first.values, output, name);
  if (second !== undefined && second.values.length > 0) checkCaptured(second.values, output, name);
}

function checkCaptured(values: CaptureValues, output: Argument, name: string): void {
  for (const value of values) {
    if (typeof value !== "object" || !output.writesOver(value, false)) continue;
    throw new ArgumentRangeError(
      name,
      "memory apart from the arrays that the operator captures (give what it reads at its own place as an input)",
      new Words("memory of one of them"),
      "ERR_OVERLAP",
    );
  }
}

/**
 * Refuses outputs, which are the slots from `first` on, that share memory with each other, an input, or an array that an
 * operator captures.
 */
export function checkOutputs(call: Call, names: readonly string[], first: number): void {
  for (let i = first; i < names.length; i++) {
    const output = call.slots[i] as Argument;
    const name = names[i] as string;
    for (let before = 0; before < i; before++) {
      checkApart(output, call.slots[before] as Argument, name, names[before] as string);
    }
    checkCaptures(call, output, name);
  }
}

/** Refuses values that are given on one side alone: they move with the keys, or there are none. */
export function checkBothValues(input: unknown, output: unknown, inputName: string, outputName: string): void {
  if ((input === undefined) === (output === undefined)) return;
  const missing = input === undefined ? inputName : outputName;
  throw new ArgumentTypeError(missing, "values on both sides or on none", undefined);
}

/** A live device array, where the C library takes nothing else; `expected` says so. */
export function deviceArray(value: unknown, expected: string, name: string): DeviceArray {
  if (!(value instanceof DeviceArray)) throw new ArgumentTypeError(name, expected, value);
  value.checkAlive(name);
  return value as DeviceArray;
}

/** A device array for counts: alive, of integers, and with as many elements as there are counts. */
export function countArray(value: unknown, counts: number, name: string): DeviceArray {
  const array = value instanceof DeviceArray ? (value as DeviceArray) : undefined;
  const kind = array?.shape.elementType.kind;
  if (array === undefined || (kind !== "int" && kind !== "uint")) {
    throw new ArgumentTypeError(
      name,
      "a DeviceArray of integers",
      array === undefined ? value : new Words(`one of ${array.shape.elementType.name}`),
    );
  }
  array.checkAlive(name);
  checkLength(array, counts, name);
  return array;
}

/** Refuses an output whose type the results' does not convert to. */
export function checkOutputType(from: ElementType, to: ElementType, name: string): void {
  if (!converts(from, to)) throw new ArgumentTypeError(name, `elements that ${from.name} converts to`, to.name);
}

/** Refuses items for which the library's kernel has no room in the shared memory of a block. */
export function checkSize(type: ElementType, most: number, name: string): void {
  if (type.size <= most) return;
  const expected = `elements of at most ${String(most)} bytes`;
  throw new ArgumentTypeError(name, expected, `${type.name} of ${String(type.size)} bytes`, "ERR_UNSUPPORTED");
}

/** The operator of a call: as given, or that of the build where a made function is called without one. */
export function operatorOf(op: unknown, arity: number, made: Operator | undefined, name: string): OperatorUse {
  if (op === undefined && made !== undefined) {
    if (made.captureNames.length === 0) return made;
    throw new ArgumentTypeError(
      name,
      `the operator at each call, as it captures ${made.captureNames.join(", ")}`,
      undefined,
    );
  }
  return resolveOperator(op, arity, name);
}

/** How `init` may be given: a value, a typed array of one element (which sets the type), or a device array of one. */
export type InitOption =
  ScalarValue | ElementObject | readonly ElementValue[] | AnyTypedArray | DeviceArray | undefined;

/** Numbers of the ways to give an initial value, as `cccl_init_kind_t` has them. */
export const initKinds = ["value", "future", "none"] as const;

/** The type that holds both input and output. */
function commonType(input: ElementType, output: ElementType, initName: string): ElementType {
  const type = promote(input, output);
  if (type !== undefined) return type;
  const owner = initName.slice(0, initName.lastIndexOf("."));
  const expected = `elements that convert to and from those of ${owner}.input (${input.name})`;
  throw new ArgumentTypeError(`${owner}.output`, expected, output.name);
}

function checkConverts(input: ElementType, type: ElementType, output: ElementType, name: string): void {
  if (converts(input, type) && converts(type, output)) return;
  const expected = `a type that the input (${input.name}) converts to, and that converts to the output (${output.name})`;
  throw new ArgumentTypeError(name, expected, type.name);
}

/**
 * Puts the initial value into the call and answers the accumulator's type: the init's own where it has one (a typed
 * array or a device array), else the type that holds both input and output.
 */
export function setInit(call: Call, init: InitOption, input: ElementType, output: ElementType, name: string): number {
  if (init instanceof DeviceArray) {
    init.checkAlive(name);
    checkLength(init, 1, name);
    if (init.backend !== (call.backend ??= init.backend)) {
      throw new ArgumentTypeError(name, `an array of backend ${call.backend.name}`, init, "ERR_BACKEND_MISMATCH");
    }
    const { elementType } = init.shape;
    checkConverts(input, elementType, output, name);
    call.initArray = init;
    call.initType = elementType;
    return 1;
  }
  if (init === undefined) {
    call.initType = commonType(input, output, name);
    return 2;
  }
  if (typedArrayName(init) !== undefined) {
    const array = init as AnyTypedArray;
    const type = typeOfTypedArray(array, undefined, name);
    if (array.length !== 1) throw new ArgumentRangeError(name, "a typed array of one element", array.length);
    checkConverts(input, type, output, name);
    call.initType = type;
    call.initValue = readElement(new DataView(array.buffer, array.byteOffset, array.byteLength), 0, type);
    return 0;
  }
  const type = commonType(input, output, name);
  call.initType = type;
  call.initValue = elementValue(init, type, name);
  return 0;
}
