/** The errors that users see. Each has a stable `code`; all are thrown before anything is enqueued. */
import { types } from "node:util";
import { type LiveArrays, describeLive } from "./live-arrays";
import { userFrames } from "./user-frames";

/**
 * Makes the stack begin where the user called, and formats it now: until somebody reads it, V8 keeps the receiver of
 * every frame (device arrays among them) for as long as the error lives.
 */
function letGoOfFrames(error: Error): void {
  const frames = userFrames(Error.stackTraceLimit);
  error.stack = [String(error), ...frames].join("\n");
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

/** What an {@link OutOfDeviceMemoryError} tells. */
interface Shortage {
  readonly requested: number;
  readonly free: number;
  readonly liveBytes: number;
  readonly liveArrays: number;
  readonly poolIdleBytes: number;
  readonly limit: number | undefined;
  readonly live: readonly LiveArrays[];
}

function describeShortage(shortage: Shortage): string {
  const { requested, free, liveBytes, liveArrays, poolIdleBytes, limit, live } = shortage;
  const limited = limit === undefined ? "" : ` of the limit of ${String(limit)}`;
  const lines = [
    `Out of device memory: ${String(requested)} bytes were asked for, and ${String(free)}${limited} are free.`,
    `${String(liveArrays)} live arrays hold ${String(liveBytes)} bytes; ${String(poolIdleBytes)} are idle in the pool.`,
  ];
  if (liveArrays > 0) lines.push(describeLive(live, liveArrays, liveBytes));
  lines.push("Drop or dispose() arrays that are no longer needed, or work in smaller pieces.");
  if (live.some(({ stack }) => stack === undefined))
    lines.push("After memory.trace() this says where arrays are made.");
  return lines.join("\n");
}

/**
 * No room on the device, after collections, a wait for frees that were queued, a trim of the pool and another try. Sizes
 * are in bytes.
 */
export class OutOfDeviceMemoryError extends Error {
  override readonly name = "OutOfDeviceMemoryError";
  readonly code = "ERR_OUT_OF_DEVICE_MEMORY";
  /** What was asked for. */
  readonly requested: number;
  /** What can still be allocated: of the device, or of the limit where one is set. */
  readonly free: number;
  /** What live arrays of the process hold. */
  readonly liveBytes: number;
  /** How many there are. */
  readonly liveArrays: number;
  /** What the driver's pool holds for nobody; of no use for this request, or it would have served it. */
  readonly poolIdleBytes: number;
  /** The limit that `memory.setLimit` set. */
  readonly limit: number | undefined;
  /** This thread's live arrays in groups that are alike, the most bytes first; with stacks where tracing was on. */
  readonly live: readonly LiveArrays[];
  constructor(shortage: Shortage) {
    super(describeShortage(shortage));
    this.requested = shortage.requested;
    this.free = shortage.free;
    this.liveBytes = shortage.liveBytes;
    this.liveArrays = shortage.liveArrays;
    this.poolIdleBytes = shortage.poolIdleBytes;
    this.limit = shortage.limit;
    this.live = shortage.live;
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

/**
 * Puts an error of an algorithm into the words of the function that the user called, which chose its options: where the
 * message says `unaryTransform.output` it then says `map.type`. Other names (those of iterators that the user made) stay
 * as they are, and so does a code frame.
 *
 * @param inner - the algorithm
 * @param outer - the user's function
 * @param options - its names for the algorithm's options, where they differ
 */
export function speakOf(error: unknown, inner: string, outer: string, options: Readonly<Record<string, string>>): void {
  if (!(error instanceof Error)) return;
  const name = new RegExp(`\\b${inner}\\.(\\w+)`, "g");
  const reword = (text: string): string =>
    text.replace(/^.*/, (line) => line.replace(name, (_, option: string) => `${outer}.${options[option] ?? option}`));
  const before = String(error);
  error.message = reword(error.message);
  error.stack = (error.stack ?? before).replace(before, () => String(error));
  if (error instanceof ArgumentTypeError || error instanceof ArgumentRangeError) {
    (error as { argument: string }).argument = reword(error.argument);
  }
}

/** What was received, where its words are known better than {@link describe} does. */
export class Words {
  constructor(readonly text: string) {}
}

/** A class's name with its article: by how it is spoken, so that it is "a Uint8Array". */
export const withArticle = (name: string): string => `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;

/** A value in an error's words: short, and never the contents of an array. */
export function describe(value: unknown): string {
  // First, as most other questions are put to its handler.
  if (types.isProxy(value)) return "a Proxy (give what it stands for)";
  if (value instanceof Words) return value.text;
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
  return name ? withArticle(name) : "an object";
}
