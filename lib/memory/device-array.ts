import { inspect } from "node:util";
import type { Backend, Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import { currentBackend } from "../backends/select";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { type Argument, type Reader, type Shape, type Writer, defineShape } from "../builds/shape";
import { hostBytes } from "../backends/host/host-memory";
import { fromBfloat16Bits, fromFloat16Bits, toBfloat16Bits, toFloat16Bits } from "../types/float16";
import { type ScalarName, type ScalarType, type ValueOf, scalarTypes } from "../types/scalar";
import {
  type AnyTypedArray,
  type NameOfTypedArray,
  type TypedArrayOf,
  newTypedArray,
  typeOfTypedArray,
  typedArrayName,
  viewAs,
} from "../types/typed-array";
import { elementValue, scalarType, writeElement } from "../types/value";
import { type Stream, streamOf } from "./stream";

/** Where and in what order an operation on an array runs. */
export interface StreamOption {
  /** The stream that the work is queued on; the default stream where absent. */
  stream?: Stream | undefined;
}

/** Plain arrays of one type are one shape: an address, and no code. */
const pointerShapes = Object.fromEntries(
  Object.values(scalarTypes).map((type) => [type.name, pointerShape(type)]),
) as unknown as Readonly<Record<ScalarName, Shape>>;

function pointerShape(type: ScalarType): Shape {
  const element = type.cudaStorage;
  const advance = (prefix: string): string =>
    `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
    `  *static_cast<${element}**>(state) += count;\n}\n`;
  return defineShape({
    elementType: type,
    isPointer: true,
    hasUserCode: false,
    stateSize: 8,
    stateAlignment: 8,
    linked: [],
    cudaInput: (prefix) =>
      advance(prefix) +
      `static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {\n` +
      `  *static_cast<${element}*>(element) = **static_cast<const ${element}* const*>(state);\n}\n`,
    cudaOutput: (prefix) =>
      advance(prefix) +
      `static __device__ __forceinline__ void ${prefix}_store(const void* state, const void* element) {\n` +
      `  **static_cast<${element}* const*>(state) = *static_cast<const ${element}*>(element);\n}\n`,
  });
}

const noStorage = (storage: Storage): Storage => ({ backend: storage.backend, byteLength: 0, slot: -1 });

function checkLength(length: unknown, argument: string): number {
  if (typeof length !== "number") throw new ArgumentTypeError(argument, "a number of elements", length);
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new ArgumentRangeError(argument, "a whole number of elements from 0 to 2^53-1", length);
  }
  return length;
}

function byteLengthOf(length: number, type: ScalarType, argument: string): number {
  const bytes = length * type.size;
  if (!Number.isSafeInteger(bytes)) throw new ArgumentRangeError(argument, "fewer than 2^53 bytes", length);
  return bytes;
}

function elementBytes(type: ScalarType, value: ValueOf<ScalarName>): Uint8Array {
  const bytes = new Uint8Array(type.size);
  writeElement(new DataView(bytes.buffer), 0, type, value);
  return bytes;
}

function bytesOf(array: AnyTypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** A transferred buffer has no bytes, and its arrays say that they are empty: that must not pass for an upload. */
function isDetached(array: AnyTypedArray): boolean {
  try {
    bytesOf(array);
    return false;
  } catch {
    return true;
  }
}

/** Bytes to upload for a typed array: as they are, but for bools, of which memory holds 0 and 1 alone. */
function uploadBytes(array: AnyTypedArray, type: ScalarType, argument: string): Uint8Array {
  if (isDetached(array)) throw new ArgumentTypeError(argument, "a typed array that still has its buffer", array);
  const bytes = bytesOf(array);
  return type.kind === "bool" ? bytes.map((byte) => (byte === 0 ? 0 : 1)) : bytes;
}

function inferType(value: unknown): ScalarType {
  if (typeof value === "bigint") return scalarTypes.int64;
  if (typeof value === "boolean") return scalarTypes.bool;
  return scalarTypes.float64;
}

/**
 * A one-dimensional array in device memory.
 *
 * It lives as long as JavaScript can reach it or a view of it; nothing in this library keeps it longer. Dropped arrays
 * are freed when they are collected, also inside a synchronous loop, and after any work that is queued on them.
 *
 * @typeParam N - the name of the element type
 */
export class DeviceArray<N extends ScalarName = ScalarName> implements Argument {
  /** An element, inside of operators that capture the array; elsewhere undefined (read with {@link toTypedArray}). */
  [index: number]: ValueOf<N>;
  /** The name of the element type. */
  readonly type: N;
  /** How many elements there are. */
  readonly length: number;
  /** Where the first element lies in the allocation, in bytes; 0 unless this is a view. */
  readonly byteOffset: number;
  /** @internal */
  readonly shape: Shape;
  /** @internal */
  storage: Storage;
  readonly #ownsStorage: boolean;

  /** @internal */
  constructor(storage: Storage, type: N, byteOffset: number, length: number, ownsStorage: boolean) {
    this.storage = storage;
    this.type = type;
    this.shape = pointerShapes[type];
    this.byteOffset = byteOffset;
    this.length = length;
    this.#ownsStorage = ownsStorage;
  }

  /**
   * A device copy of a typed array, or of an array of numbers, bigints or booleans. The source may change as soon as
   * this returns.
   *
   * @param source - a typed array, or an array of elements
   * @param type - the element type. By default what the typed array implies, and `float64`, `int64` or `bool` for an
   *   array of numbers, bigints or booleans. `bool` takes a Uint8Array, `float16` and `bfloat16` a Uint16Array of bits.
   * @throws TypeError when the typed array cannot carry the type; RangeError for an element outside the type's range
   * @throws OutOfDeviceMemoryError
   */
  static from<A extends AnyTypedArray>(
    source: A,
    type?: undefined,
    options?: StreamOption,
  ): DeviceArray<NameOfTypedArray<A>>;
  static from<M extends ScalarName>(
    source: AnyTypedArray | readonly number[] | readonly bigint[] | readonly boolean[],
    type: M,
    options?: StreamOption,
  ): DeviceArray<M>;
  static from(source: readonly number[], type?: undefined, options?: StreamOption): DeviceArray<"float64">;
  static from(source: readonly bigint[], type?: undefined, options?: StreamOption): DeviceArray<"int64">;
  static from(source: readonly boolean[], type?: undefined, options?: StreamOption): DeviceArray<"bool">;
  static from(source: unknown, type?: ScalarName, options?: StreamOption): DeviceArray {
    const named = type === undefined ? undefined : scalarType(type, "DeviceArray.from.type");
    if (typedArrayName(source) !== undefined) {
      const array = source as AnyTypedArray;
      const elementType = typeOfTypedArray(array, named?.name, "DeviceArray.from.source");
      return DeviceArray.#upload(
        uploadBytes(array, elementType, "DeviceArray.from.source"),
        elementType,
        array.length,
        options,
      );
    }
    if (!Array.isArray(source)) {
      throw new ArgumentTypeError("DeviceArray.from.source", "a typed array or an array of elements", source);
    }
    const elementType = named ?? inferType(source[0]);
    const bytes = new Uint8Array(byteLengthOf(source.length, elementType, "DeviceArray.from.source"));
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < source.length; i++) {
      const element = elementValue(source[i], elementType, `DeviceArray.from.source[${String(i)}]`);
      writeElement(view, i * elementType.size, elementType, element);
    }
    return DeviceArray.#upload(bytes, elementType, source.length, options);
  }

  static #upload(bytes: Uint8Array, type: ScalarType, length: number, options: StreamOption | undefined): DeviceArray {
    const array = DeviceArray.empty(length, type.name, options);
    if (length > 0) {
      const backend = array.storage.backend;
      backend.write(array.storage, 0, bytes, streamOf(options?.stream, backend, "DeviceArray.from.stream"));
    }
    return array;
  }

  /**
   * An array whose elements have no set value yet.
   *
   * @throws RangeError for a length that is negative, fractional or too large; OutOfDeviceMemoryError
   */
  static empty<M extends ScalarName>(length: number, type: M, options?: StreamOption): DeviceArray<M> {
    const elementType = scalarType(type, "DeviceArray.type");
    const bytes = byteLengthOf(checkLength(length, "DeviceArray.length"), elementType, "DeviceArray.length");
    const backend = currentBackend();
    const stream = streamOf(options?.stream, backend, "DeviceArray.stream");
    return new DeviceArray(backend.allocate(bytes, stream), type, 0, length, true);
  }

  /** An array of zeros (`false` for bool). Throws as {@link DeviceArray.empty} does. */
  static zeros<M extends ScalarName>(length: number, type: M, options?: StreamOption): DeviceArray<M> {
    const array = DeviceArray.empty(length, type, options);
    array.#fillBytes(new Uint8Array(array.shape.elementType.size), options);
    return array;
  }

  /**
   * An array of one value.
   *
   * @throws as {@link DeviceArray.empty} does, and TypeError or RangeError for a value that is not one of the type's
   */
  static full<M extends ScalarName>(
    length: number,
    value: ValueOf<M>,
    type: M,
    options?: StreamOption,
  ): DeviceArray<M> {
    const elementType = scalarType(type, "DeviceArray.full.type");
    const bytes = elementBytes(elementType, elementValue(value, elementType, "DeviceArray.full.value"));
    const array = DeviceArray.empty(length, type, options);
    array.#fillBytes(bytes, options);
    return array;
  }

  /** Bytes of all elements. */
  get byteLength(): number {
    return this.length * this.shape.elementType.size;
  }

  /** @internal */
  get backend(): Backend {
    return this.storage.backend;
  }

  /** True after {@link dispose}, or when the array that this is a view of was disposed. */
  get disposed(): boolean {
    return this.storage.slot < 0;
  }

  /** @internal */
  checkAlive(argument: string, part?: string): void {
    if (this.storage.slot < 0) {
      const name = part === undefined ? argument : `${argument} (${part})`;
      throw new ArgumentTypeError(name, "a live array", "a disposed DeviceArray", "ERR_DISPOSED");
    }
  }

  /**
   * A view of the elements from `begin` to `end` (exclusive), as `TypedArray.prototype.subarray` counts: negative
   * positions count from the end. The view shares the memory and keeps it alive.
   */
  subarray(begin = 0, end = this.length): DeviceArray<N> {
    this.checkAlive("DeviceArray.subarray");
    const clamp = (position: number): number => {
      const whole = Math.trunc(position) || 0;
      return whole < 0 ? Math.max(0, this.length + whole) : Math.min(whole, this.length);
    };
    const first = clamp(begin);
    const length = Math.max(0, clamp(end) - first);
    return new DeviceArray(
      this.storage,
      this.type,
      this.byteOffset + first * this.shape.elementType.size,
      length,
      false,
    );
  }

  /**
   * Overwrites all elements from a typed array or another device array of the same type and length. Queued on the
   * stream; a host source may change as soon as this returns.
   *
   * @throws TypeError for another type, RangeError for another length
   */
  copyFrom(source: TypedArrayOf<N> | DeviceArray<N>, options?: StreamOption): this {
    const name = "DeviceArray.copyFrom.source";
    this.checkAlive("DeviceArray.copyFrom");
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.copyFrom.stream");
    if (source instanceof DeviceArray) {
      source.checkAlive(name);
      if (source.shape !== this.shape) throw new ArgumentTypeError(name, `elements of type ${this.type}`, source);
      if (source.backend !== this.backend) throw new ArgumentTypeError(name, "an array of the same backend", source);
      this.#checkSameLength(source.length);
      if (this.length > 0) {
        const { storage, byteOffset } = source;
        this.backend.copy(this.storage, this.byteOffset, storage, byteOffset, this.byteLength, stream);
      }
      return this;
    }
    typeOfTypedArray(source, this.type, name);
    this.#checkSameLength(source.length);
    if (this.length > 0) {
      this.backend.write(this.storage, this.byteOffset, uploadBytes(source, this.shape.elementType, name), stream);
    }
    return this;
  }

  #checkSameLength(length: number): void {
    if (length !== this.length) {
      throw new ArgumentRangeError("DeviceArray.copyFrom.source", `${String(this.length)} elements`, length);
    }
  }

  /**
   * Sets every element to a value; queued on the stream.
   *
   * @throws TypeError or RangeError for a value that is not one of the type's
   */
  fill(value: ValueOf<N>, options?: StreamOption): this {
    this.checkAlive("DeviceArray.fill");
    const type = this.shape.elementType;
    this.#fillBytes(elementBytes(type, elementValue(value, type, "DeviceArray.fill.value")), options);
    return this;
  }

  #fillBytes(pattern: Uint8Array, options: StreamOption | undefined): void {
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.fill.stream");
    if (this.length > 0) this.backend.fill(this.storage, this.byteOffset, pattern, this.length, stream);
  }

  /** Waits for the work that is queued on the stream, and copies the elements to a new typed array. */
  toTypedArray(options?: StreamOption): TypedArrayOf<N> {
    this.checkAlive("DeviceArray.toTypedArray");
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.toTypedArray.stream");
    const array = newTypedArray(this.type, this.length);
    if (this.length > 0) this.backend.read(this.storage, this.byteOffset, bytesOf(array), stream);
    return array;
  }

  /**
   * The elements as they are after the work that is queued on the stream now; the event loop stays free meanwhile.
   * The array may be dropped or disposed while the copy is under way.
   */
  async read(options?: StreamOption): Promise<TypedArrayOf<N>> {
    this.checkAlive("DeviceArray.read");
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.read.stream");
    if (this.length === 0) return newTypedArray(this.type, 0);
    const bytes = this.backend.readAsync(this.storage, this.byteOffset, this.byteLength, stream);
    const { type, length } = this;
    return viewAs(type, await bytes, 0, length);
  }

  /**
   * Frees the memory now (after the work that is queued on it), without waiting for a collection. Views of the array
   * end with it; disposing a view ends that view alone. Further calls do nothing; any other use throws a TypeError
   * with code `ERR_DISPOSED`.
   */
  dispose(): void {
    if (this.storage.slot < 0) return;
    const storage = this.storage;
    if (this.#ownsStorage) storage.backend.release(storage);
    this.storage = noStorage(storage);
  }

  /** Lets `using array = ...` dispose it at the end of the block. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal */
  overlaps(storage: Storage, begin: number, end: number): boolean {
    if (this.storage !== storage) return false;
    const [first, last] = [this.byteOffset, this.byteOffset + this.byteLength];
    return first < end && begin < last && !(first === begin && last === end);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    frame.pointer(position, this.storage.slot, this.byteOffset, access);
  }

  #hostView(): TypedArrayOf<ScalarName> {
    const bytes = hostBytes(this.storage);
    const name = this.type === "float16" ? "bfloat16" : this.type; // both as bits
    return viewAs<ScalarName>(name, bytes.buffer, bytes.byteOffset + this.byteOffset, this.length);
  }

  /** @internal */
  hostReader(): Reader {
    const view = this.#hostView();
    if (this.type === "bool") return (index) => view[index] !== 0;
    if (this.type === "float16") return (index) => fromFloat16Bits(view[index] as number);
    if (this.type === "bfloat16") return (index) => fromBfloat16Bits(view[index] as number);
    return (index) => view[index] as number | bigint;
  }

  /** @internal */
  hostWriter(): Writer {
    const view = this.#hostView();
    if (this.type === "float16") return (index, value) => void (view[index] = toFloat16Bits(value as number));
    if (this.type === "bfloat16") return (index, value) => void (view[index] = toBfloat16Bits(value as number));
    if (this.type === "bool") return (index, value) => void (view[index] = value ? 1 : 0);
    return (index, value) => void (view[index] = value as number);
  }

  /** How `console.log` shows it: type, length and backend, without reading the device. */
  [inspect.custom](): string {
    const state = this.disposed ? "disposed" : this.backend.name;
    return `DeviceArray<${this.type}>(${String(this.length)}) [${state}]`;
  }
}
