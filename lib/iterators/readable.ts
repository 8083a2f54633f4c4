/** Checks that arguments are what an algorithm reads or writes. */
import { ArgumentTypeError } from "../errors";
import { type Argument, OwnArgument, type Reader, type Shape, type Writer } from "../builds/shape";

/** Whether it is an array or an iterator. */
export function isArgument(value: unknown): value is Argument {
  return OwnArgument.has(value);
}

/** Whether arguments of a shape are inputs. */
export const canRead = (shape: Shape): boolean => shape.cudaInput !== undefined;
/** Whether arguments of a shape are outputs. */
export const canWrite = (shape: Shape): boolean => shape.cudaOutput !== undefined;

/** An array or input iterator that is alive. */
export function readable(value: unknown, argument: string): Argument {
  if (!isArgument(value) || !canRead(value.shape)) {
    throw new ArgumentTypeError(argument, "a DeviceArray or an input iterator", value);
  }
  value.checkAlive(argument);
  return value;
}

/** An array or iterator of any direction that is alive. */
export function accessible(value: unknown, argument: string): Argument {
  if (!isArgument(value)) throw new ArgumentTypeError(argument, "a DeviceArray or an iterator", value);
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

/** The reader of an iterator that has none; the checks above keep it from being called. */
export function notReadable(): Reader {
  throw new Error("an output cannot be read");
}

/** The writer of an iterator that has none; the checks above keep it from being called. */
export function notWritable(): Writer {
  throw new Error("an input cannot be written");
}
