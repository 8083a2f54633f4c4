/** The errors that users see. Each has a stable `code`; all are thrown before anything is enqueued. */
import path from "node:path";

/** This package's own files, as they are named in a stack. */
const ownFiles = `${__dirname}${path.sep}`;

/** A compilation error is thrown some twenty frames below the call that is to blame. */
const deepest = 100;

/**
 * Takes the stack again, without the frames of this package, so that it begins where the user called; and formats it
 * now. Until somebody reads it, V8 keeps the receiver of every frame (device arrays among them) for as long as the error
 * lives.
 */
function letGoOfFrames(error: Error): void {
  const { stackTraceLimit } = Error;
  if (stackTraceLimit > 0) Error.stackTraceLimit = Math.max(stackTraceLimit, deepest);
  Error.captureStackTrace(error);
  Error.stackTraceLimit = stackTraceLimit;
  const lines = error.stack?.split("\n") ?? [];
  const isFrame = (line: string): boolean => /^ +at /.test(line);
  const text = lines.filter((line) => !isFrame(line));
  const calls = lines.filter(isFrame);
  const isOwn = (line: string): boolean => line.includes(ownFiles);
  // On top lie this package's own, and the built-in functions that they called.
  const first = calls.findIndex((line) => !isOwn(line) && !line.endsWith("(<anonymous>)"));
  const frames = first < 0 ? [] : calls.slice(first).filter((line) => !isOwn(line));
  error.stack = [...text, ...frames.slice(0, stackTraceLimit)].join("\n");
}

/** A failed call of the CUDA driver. `code` is the driver's own name, such as `CUDA_ERROR_LAUNCH_FAILED`. */
export class CudaError extends Error {
  override readonly name = "CudaError";
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    letGoOfFrames(this);
  }
}

/**
 * An operator or kernel that could not be compiled. `frame` shows the place in the user's function, where there is
 * one; `log` is the compiler's own text, where there is one.
 */
export class CompileError extends Error {
  override readonly name = "CompileError";
  readonly code: string;
  readonly frame: string | undefined;
  readonly log: string | undefined;
  constructor(
    message: string,
    details: { code?: string; frame?: string | undefined; log?: string | undefined } = {},
    options?: ErrorOptions,
  ) {
    const text = [message, details.frame, details.log].filter((part) => part !== undefined && part !== "");
    super(text.join("\n"), options);
    this.code = details.code ?? "ERR_COMPILE";
    this.frame = details.frame;
    this.log = details.log;
    letGoOfFrames(this);
  }
}

/** No room on the device, after a collection, a trim of the pool and a second try. Sizes are in bytes. */
export class OutOfDeviceMemoryError extends Error {
  override readonly name = "OutOfDeviceMemoryError";
  readonly code = "ERR_OUT_OF_DEVICE_MEMORY";
  readonly requested: number;
  readonly free: number;
  readonly liveBytes: number;
  readonly liveArrays: number;
  constructor(details: { requested: number; free: number; liveBytes: number; liveArrays: number; sizes?: string }) {
    super(
      `Out of device memory: ${String(details.requested)} bytes were asked for, ${String(details.free)} are free, ` +
        `and ${String(details.liveArrays)} live arrays hold ${String(details.liveBytes)} bytes` +
        `${details.sizes ? ` (${details.sizes})` : ""}. ` +
        "Drop or dispose() arrays that are no longer needed, or work in smaller pieces.",
    );
    this.requested = details.requested;
    this.free = details.free;
    this.liveBytes = details.liveBytes;
    this.liveArrays = details.liveArrays;
    letGoOfFrames(this);
  }
}

/** A library that CUDA work needs is missing or unfit: what, where it was looked for, and how to mend it. */
export class ToolkitNotFoundError extends Error {
  override readonly name = "ToolkitNotFoundError";
  readonly code: string;
  readonly searched: readonly string[];
  constructor(message: string, details: { code?: string; searched?: readonly string[] } = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = details.code ?? "ERR_TOOLKIT_NOT_FOUND";
    this.searched = details.searched ?? [];
    letGoOfFrames(this);
  }
}

/** An argument of the wrong type. `argument` names it, as in `reduceInto.input`. */
export class ArgumentTypeError extends TypeError {
  override readonly name = "TypeError";
  readonly code: string;
  readonly argument: string;
  constructor(argument: string, expected: string, received: unknown, code = "ERR_INVALID_ARG_TYPE") {
    super(`${argument}: expected ${expected}, but received ${describe(received)}.`);
    this.argument = argument;
    this.code = code;
    letGoOfFrames(this);
  }
}

/** An argument of the right type with a value that cannot be used. `argument` names it. */
export class ArgumentRangeError extends RangeError {
  override readonly name = "RangeError";
  readonly code: string;
  readonly argument: string;
  constructor(argument: string, expected: string, received: unknown, code = "ERR_OUT_OF_RANGE") {
    super(`${argument}: expected ${expected}, but received ${describe(received)}.`);
    this.argument = argument;
    this.code = code;
    letGoOfFrames(this);
  }
}

/** A value in an error's words: short, and never the contents of an array. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${String(value)}n`;
  if (typeof value === "string") {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (typeof value === "function") return value.name ? `function ${value.name}` : "a function";
  if (typeof value === "symbol") return "a symbol";
  if (Array.isArray(value)) return `an array of ${String(value.length)}`;
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
  return name ? `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}` : "an object";
}
