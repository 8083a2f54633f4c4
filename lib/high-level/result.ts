/** What the functions that allocate their outputs share. */
import { currentBackend } from "../backends/select";
import type { Argument } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError, Words, speakOf } from "../errors";
import type { Input } from "../iterators/types";
import { readable } from "../iterators/readable";
import { DeviceArray, type StreamOption } from "../memory/device-array";
import { checkOptions } from "../option-names";
import { type ElementType, type ElementValue, type StructType, isScalarType } from "../types/element";
import { type ScalarType, isBigIntType, scalarTypes } from "../types/scalar";
import { readElement } from "../types/value";

/**
 * Types that only run time knows, as TypeScript is to see them: the algorithms' own checks hold them. `input` is
 * readable and has an end.
 */
export interface Untyped {
  /** The function that the user called. */
  readonly name: string;
  readonly input: Input<"float64">;
  readonly argument: Argument;
  readonly type: ScalarType | StructType;
}

/** An input that has an end, and `least` elements. */
export function finite(input: unknown, name: string, least = 0): Untyped {
  const argument = readable(input, `${name}.input`);
  if (argument.length === Infinity) {
    throw new ArgumentRangeError(
      `${name}.input`,
      "an array or an iterator that has an end",
      new Words("one without an end"),
    );
  }
  if (argument.length < least) {
    throw new ArgumentRangeError(`${name}.input`, "at least one element", argument.length, "ERR_EMPTY");
  }
  return {
    name,
    input: input as Input<"float64">,
    argument,
    type: argument.shape.elementType as ScalarType | StructType,
  };
}

/** As {@link finite}, of scalars. */
export function finiteScalars(input: unknown, name: string, least = 0): Untyped & { readonly type: ScalarType } {
  const { type, ...rest } = finite(input, name, least);
  if (isScalarType(type)) return { ...rest, type };
  throw new ArgumentTypeError(`${name}.input`, "elements that are scalars", type.name);
}

/** An array for results, on the backend of the input. */
export function allocate(
  { name, argument }: Untyped,
  length: number,
  type: ElementType,
  options: StreamOption | undefined,
): DeviceArray<"float64"> {
  const backend = argument.backend ?? currentBackend();
  return DeviceArray.on(backend, length, type as ScalarType | StructType, options, name) as DeviceArray<"float64">;
}

/**
 * Runs an algorithm for a function that the user called, in whose words its errors are then: `try` costs nothing until
 * something is thrown.
 *
 * @param options - the function's names for the algorithm's options, where they differ
 */
export function within<T>(name: string, algorithm: string, options: Readonly<Record<string, string>>, run: () => T): T {
  try {
    return run();
  } catch (error) {
    speakOf(error, algorithm, name, options);
    throw error;
  }
}

/** The stream among the options, which may hold nothing but that and `others`. */
export function streamOnly(
  name: string,
  options: StreamOption | undefined,
  others: readonly string[] = [],
): StreamOption {
  if (options === undefined) return {};
  checkOptions(options, [...others, "stream"], name, `${name}.options`);
  return { stream: options.stream };
}

/** The only element of an array of the caller's own, once the work that is queued now is done; the array ends. */
export async function take(array: DeviceArray<"float64">, options: StreamOption | undefined): Promise<ElementValue> {
  const reading = array.read(options);
  array.dispose();
  const { buffer, byteOffset, byteLength } = await reading;
  return readElement(new DataView(buffer, byteOffset, byteLength), 0, array.shape.elementType);
}

/** The type in which JavaScript computes: float64 for numbers, and every other type as it is. */
export function javaScriptType<T extends ElementType>(type: T): T | ScalarType {
  const isNumber = isScalarType(type) && type.kind !== "bool" && !isBigIntType(type);
  return isNumber ? scalarTypes.float64 : type;
}
