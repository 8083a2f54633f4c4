/** Checks that arguments are what an algorithm reads or writes. */
import { ArgumentTypeError } from "../errors";
import type { Argument, Shape, Writer } from "../builds/shape";

/** Whether it is an array or an iterator. */
export function isArgument(value: unknown): value is Argument {
  return (
    typeof value === "object" && value !== null && typeof (value as { writeState?: unknown }).writeState === "function"
  );
}

const canRead = (shape: Shape): boolean => shape.cudaInput !== undefined;
const canWrite = (shape: Shape): boolean => shape.cudaOutput !== undefined;

/** An array or input iterator that is alive. */
export function readable(value: unknown, argument: string): Argument {
  if (!isArgument(value) || !canRead(value.shape)) {
    throw new ArgumentTypeError(argument, "a DeviceArray or an input iterator", value);
  }
  value.checkAlive(argument);
  return value;
}

/** An array or output iterator that is alive. */
export function writable(value: unknown, argument: string): Argument {
  if (!isArgument(value) || !canWrite(value.shape)) {
    throw new ArgumentTypeError(argument, "a DeviceArray or an output iterator", value);
  }
  value.checkAlive(argument);
  return value;
}

/** The writer of an iterator that has none; the checks above keep it from being called. */
export function notWritable(name: string): Writer {
  throw new Error(`${name} cannot be written`);
}
