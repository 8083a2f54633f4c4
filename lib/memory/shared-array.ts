import { inspect } from "node:util";
import type { Backend, BackendName, SharedMemory } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { notAHandle, sharedArgument } from "../backends/shared-memory";
import { ArgumentTypeError, Words } from "../errors";
import { type DescribedType, describedType } from "../types/described-type";
import type { ElementSpec, StructType } from "../types/element";
import type { ScalarType } from "../types/scalar";

/** How the array may be shared. */
export interface ShareOptions {
  /**
   * True for a handle that may be received after the thread that made it has ended, as when a worker hands over its
   * result and returns. Such a handle holds the memory until it is received or released, or the process ends.
   */
  outlive?: boolean | undefined;
}

declare const elements: unique symbol;

/** What a handle has; a structured clone keeps all of it. */
interface SharedArrayFields {
  readonly backend: BackendName;
  readonly type: DescribedType;
  readonly length: number;
  readonly byteOffset: number;
  readonly memory: SharedMemory;
}

/**
 * A handle by which another thread gets at an array's memory, made by `DeviceArray.share()`. Post it as it is, or within
 * a message; the other thread passes what it gets to `DeviceArray.fromShared`, once.
 *
 * The handle holds the memory until it is received. One that is not received lets go when {@link release} is called, or
 * when the thread that made it ends (unless it was made to `outlive` it). Being collected does not end it, since it may
 * be on its way. On backend host every handle outlives its thread, since the handle itself is what holds the memory.
 *
 * @typeParam T - the element type; annotate received messages with it, as in `SharedArray<"float32">`
 */
export class SharedArray<T extends ElementSpec = ElementSpec> implements SharedArrayFields {
  /** For the compiler alone. @internal */
  declare readonly [elements]: T;
  /** The backend that the array is on. */
  readonly backend: BackendName;
  /** The element type, as a plain value. */
  readonly type: DescribedType;
  /** How many elements there are. */
  readonly length: number;
  /** @internal */
  readonly byteOffset: number;
  /** @internal */
  readonly memory: SharedMemory;

  /** Private, so that clones go without. */
  readonly #backend: Backend;

  /** @internal */
  constructor(backend: Backend, fields: Omit<SharedArrayFields, "backend">) {
    this.#backend = backend;
    this.backend = backend.name;
    this.type = fields.type;
    this.length = fields.length;
    this.byteOffset = fields.byteOffset;
    this.memory = fields.memory;
  }

  /** Lets go of the memory, unless it was received; it cannot be received from here on. Further calls do nothing. */
  release(): void {
    this.#backend.releaseShared(this.memory);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  [inspect.custom](): string {
    const type = typeof this.type === "string" ? this.type : "struct";
    return `SharedArray<${type}>(${String(this.length)}) [${this.backend}]`;
  }
}

/** What a handle stands for, before it is received. */
export interface SharedRange {
  readonly elementType: ScalarType | StructType;
  readonly byteOffset: number;
  readonly length: number;
  readonly memory: SharedMemory;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Reads a handle, or its clone.
 *
 * @throws ArgumentTypeError for anything else, or one of another backend
 */
export function readShared(value: unknown): SharedRange {
  if (typeof value !== "object" || value === null) throw notAHandle(value);
  const { backend, type, length, byteOffset, memory } = value as Record<string, unknown>;
  if ((backend !== "cuda" && backend !== "host") || !isCount(length) || !isCount(byteOffset)) {
    throw notAHandle(value);
  }
  const current = currentBackend().name;
  if (backend !== current) {
    const expected = `an array of this thread's backend ${current}`;
    throw new ArgumentTypeError(
      sharedArgument,
      expected,
      new Words(`an array of backend ${backend}`),
      "ERR_BACKEND_MISMATCH",
    );
  }
  const elementType = describedType(type, `${sharedArgument}.type`);
  const { byteLength, allocation } = (memory ?? {}) as Partial<Record<keyof SharedMemory, unknown>>;
  if (!isCount(byteLength) || typeof allocation !== "string") throw notAHandle(value);
  const end = byteOffset + length * elementType.size;
  if (byteOffset % elementType.alignment !== 0 || !(end <= byteLength)) throw notAHandle(value);
  return { elementType, byteOffset, length, memory: memory as SharedMemory };
}
