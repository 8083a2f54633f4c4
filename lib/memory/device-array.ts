import { inspect } from "node:util";
import type { Backend, BackendName, Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import { currentBackend } from "../backends/select";
import { ArgumentRangeError, ArgumentTypeError, Words } from "../errors";
import { type Argument, type Reader, type Shape, type Writer, defineShape, OwnArgument } from "../builds/shape";
import type { Directed, direction } from "../iterators/types";
import { hostBytes } from "../backends/host/host-memory";
import { bytesOf, checkAttached, uploadBytes } from "../types/bytes";
import { describeType } from "../types/described-type";
import { bytesFromColumns, columnsFromBytes, hasBools, normaliseBools } from "../types/columns";
import {
  type ElementSpec,
  type ElementType,
  type ElementValue,
  type StructType,
  type ValueOf,
  specOf,
} from "../types/element";
import { fromBfloat16Bits, fromFloat16Bits, toBfloat16Bits, toFloat16Bits } from "../types/float16";
import { type ScalarName, type ScalarType, scalarTypes } from "../types/scalar";
import { cudaDefinitions, elementType } from "../types/struct";
import {
  type AnyTypedArray,
  type ColumnsOf,
  type NameOfTypedArray,
  type TypedArrayOf,
  newTypedArray,
  typeOfTypedArray,
  typedArrayName,
  viewAs,
} from "../types/typed-array";
import { elementValue, readElement, writeElement } from "../types/value";
import { type ShareOptions, SharedArray, readShared } from "./shared-array";
import { type Stream, streamOf } from "./stream";

/** What an array can be of. */
type Element = ScalarType | StructType;

/** Where and in what order an operation on an array runs. */
export interface StreamOption {
  /** The stream that the work is queued on; the default stream where absent. */
  stream?: Stream | undefined;
}

/** Plain arrays of one type are one shape: an address, and no code. */
const pointerShapes = new Map<Element, Shape>();

/** The shape of all arrays of a type. @internal */
export function shapeOf(type: Element): Shape {
  let shape = pointerShapes.get(type);
  if (shape === undefined) {
    shape = pointerShape(type);
    pointerShapes.set(type, shape);
  }
  return shape;
}

function pointerShape(type: Element): Shape {
  const element = type.cudaStorage;
  const advance = (prefix: string): string =>
    cudaDefinitions([type]) +
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

const noStorage = ({ backend }: Storage): Storage => ({ backend, byteLength: 0, slot: -1, allocation: undefined });

/** Arrays that were received from another thread can be of one allocation and have storages of their own. */
const isSameAllocation = (a: Storage, b: Storage): boolean =>
  a === b || (a.allocation !== undefined && a.allocation === b.allocation);

function checkLength(length: unknown, argument: string): number {
  if (typeof length !== "number") throw new ArgumentTypeError(argument, "a number of elements", length);
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new ArgumentRangeError(argument, "a whole number of elements from 0 to 2^53-1", length);
  }
  return length;
}

function byteLengthOf(length: number, type: Element, argument: string): number {
  const bytes = length * type.size;
  if (!Number.isSafeInteger(bytes)) throw new ArgumentRangeError(argument, "fewer than 2^53 bytes", length);
  return bytes;
}

function elementBytes(type: Element, value: ElementValue): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(type.size);
  writeElement(new DataView(bytes.buffer), 0, type, value);
  return bytes;
}

/** Bytes to upload for elements that are given as their bytes. */
function structBytes(source: unknown, type: StructType, argument: string): Uint8Array<ArrayBuffer> {
  if (typedArrayName(source) !== "Uint8Array") {
    throw new ArgumentTypeError(argument, `a Uint8Array of the bytes of ${type.name}`, source);
  }
  const array = source as Uint8Array;
  checkAttached(array, argument);
  if (array.byteLength % type.size !== 0) {
    throw new ArgumentRangeError(argument, `a multiple of ${String(type.size)} bytes`, array.byteLength);
  }
  const bytes = bytesOf(array);
  if (!hasBools(type)) return bytes;
  const normalised = bytes.slice();
  normaliseBools(normalised, type);
  return normalised;
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
 * @typeParam T - the element type: a scalar's name, or a struct type
 */
export class DeviceArray<T extends ElementSpec = ElementSpec>
  extends OwnArgument
  implements Argument, Directed<T, "both">
{
  declare readonly [direction]: "both";
  /** An element, inside of operators that capture the array; elsewhere undefined (read with {@link toTypedArray}). */
  [index: number]: ValueOf<T>;
  /** The element type: a scalar's name, or what `struct` made. */
  readonly type: T;
  /** How many elements there are. */
  readonly length: number;
  /** Where the first element lies in the allocation, in bytes; 0 unless this is a view. */
  readonly byteOffset: number;
  /** @internal */
  readonly shape: Shape;
  /** @internal */
  storage: Storage;
  readonly #ownsStorage: boolean;

  /** What only looks like one (a proxy, or what inherits from one) has no private fields, and is none. @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && #ownsStorage in value;
  }

  /** @internal */
  constructor(storage: Storage, shape: Shape, byteOffset: number, length: number, ownsStorage: boolean) {
    super();
    if ((shape as Partial<Shape> | undefined)?.elementType === undefined) {
      throw new ArgumentTypeError(
        "DeviceArray",
        "no `new` but DeviceArray.from, empty, zeros or full",
        new Words("one"),
      );
    }
    this.storage = storage;
    this.type = specOf(shape.elementType as Element) as T;
    this.shape = shape;
    this.byteOffset = byteOffset;
    this.length = length;
    this.#ownsStorage = ownsStorage;
  }

  /**
   * A device copy of a typed array, or of an array of elements. The source may change as soon as this returns.
   *
   * @param source - a typed array, or an array of elements: numbers, bigints, booleans or, for a struct type, objects.
   *   A Uint8Array is taken for the bytes of the elements where the type is a struct.
   * @param type - the element type. By default what the typed array implies, and `float64`, `int64` or `bool` for an
   *   array of numbers, bigints or booleans. `bool` takes a Uint8Array, `float16` and `bfloat16` a Uint16Array of bits.
   * @throws TypeError when the typed array cannot carry the type, or an object has not the struct's fields; RangeError
   *   for an element outside the type's range. Both name the element, and the field within it
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
  static from<S extends StructType>(
    source: readonly ValueOf<S>[] | Uint8Array,
    type: S,
    options?: StreamOption,
  ): DeviceArray<S>;
  static from(source: unknown, spec?: ElementSpec, options?: StreamOption): DeviceArray {
    const name = "DeviceArray.from.source";
    const named = spec === undefined ? undefined : elementType(spec, "DeviceArray.from.type");
    if (typedArrayName(source) !== undefined) {
      if (named?.kind === "struct") return DeviceArray.#upload(structBytes(source, named, name), named, options);
      const array = source as AnyTypedArray;
      const type = typeOfTypedArray(array, named?.name, name);
      return DeviceArray.#upload(uploadBytes(array, type, name), type, options);
    }
    if (!Array.isArray(source)) {
      throw new ArgumentTypeError(name, "a typed array or an array of elements", source);
    }
    const type = named ?? inferType(source[0]);
    const bytes = new Uint8Array(byteLengthOf(source.length, type, name));
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < source.length; i++) {
      writeElement(view, i * type.size, type, elementValue(source[i], type, `${name}[${String(i)}]`));
    }
    return DeviceArray.#upload(bytes, type, options);
  }

  /**
   * A device copy of structs whose fields are in one typed array each: `{ x: Float32Array, id: BigInt64Array }`. The
   * columns may change as soon as this returns. Faster than an array of objects by far.
   *
   * @param columns - a typed array of its type for each field, all of one length. Structs within the struct are objects
   *   of columns; the column of a fixed-size array has all items of the first element, then those of the second, …
   * @throws TypeError for a column that is missing or of another type, RangeError for columns of unlike lengths
   * @throws OutOfDeviceMemoryError
   */
  static fromColumns<S extends StructType>(columns: ColumnsOf<S>, type: S, options?: StreamOption): DeviceArray<S> {
    const structType = elementType(type, "DeviceArray.fromColumns.type");
    if (structType.kind !== "struct") {
      throw new ArgumentTypeError("DeviceArray.fromColumns.type", "a struct type", type);
    }
    const bytes = bytesFromColumns(columns, structType, "DeviceArray.fromColumns.columns");
    return DeviceArray.#upload(bytes, structType, options) as DeviceArray<S>;
  }

  static #upload(bytes: Uint8Array, type: Element, options: StreamOption | undefined): DeviceArray {
    const array = DeviceArray.#allocate(bytes.byteLength / type.size, type, options);
    if (bytes.byteLength > 0) {
      const backend = array.storage.backend;
      backend.write(array.storage, 0, bytes, streamOf(options?.stream, backend, "DeviceArray.from.stream"));
    }
    return array;
  }

  static #allocate(length: number, type: Element, options: StreamOption | undefined): DeviceArray {
    return DeviceArray.on(currentBackend(), length, type, options);
  }

  /** An array without set values on a backend that need not be the current one; `name` is the caller's in errors. @internal */
  static on(
    backend: Backend,
    length: number,
    type: Element,
    options?: StreamOption,
    name = "DeviceArray",
  ): DeviceArray {
    const bytes = byteLengthOf(checkLength(length, `${name}.length`), type, `${name}.length`);
    const stream = streamOf(options?.stream, backend, `${name}.stream`);
    return new DeviceArray(backend.allocate(bytes, type, stream), shapeOf(type), 0, length, true);
  }

  /**
   * An array whose elements have no set value yet.
   *
   * @throws RangeError for a length that is negative, fractional or too large; OutOfDeviceMemoryError
   */
  static empty<M extends ElementSpec>(length: number, type: M, options?: StreamOption): DeviceArray<M> {
    return DeviceArray.#allocate(length, elementType(type, "DeviceArray.type"), options) as DeviceArray<M>;
  }

  /** An array of zeros (`false` for bool, structs of zeros). Throws as {@link DeviceArray.empty} does. */
  static zeros<M extends ElementSpec>(length: number, type: M, options?: StreamOption): DeviceArray<M> {
    const array = DeviceArray.empty(length, type, options);
    array.#fillBytes(new Uint8Array(array.shape.elementType.size), options);
    return array;
  }

  /**
   * An array of one value.
   *
   * @throws as {@link DeviceArray.empty} does, and TypeError or RangeError for a value that is not one of the type's
   */
  static full<M extends ElementSpec>(
    length: number,
    value: ValueOf<M>,
    type: M,
    options?: StreamOption,
  ): DeviceArray<M> {
    const element = elementType(type, "DeviceArray.full.type");
    const bytes = elementBytes(element, elementValue(value, element, "DeviceArray.full.value"));
    const array = DeviceArray.empty(length, type, options);
    array.#fillBytes(bytes, options);
    return array;
  }

  /**
   * An array of this thread over the memory of another thread's array, from the handle that `share()` gave there. Each
   * handle can be received once. The memory is freed when no thread has an array of it any more.
   *
   * @param shared - the handle, or the clone of it that came in a message
   * @throws TypeError for anything else, with code `ERR_SHARED_GONE` for a handle that was received or released or whose
   *   thread has ended, `ERR_BACKEND_MISMATCH` or `ERR_DEVICE_MISMATCH` for one of another backend or device than this
   *   thread's
   */
  static fromShared<M extends ElementSpec>(shared: SharedArray<M>): DeviceArray<M> {
    const { memory, elementType, byteOffset, length } = readShared(shared);
    const storage = currentBackend().receive(memory, elementType);
    return new DeviceArray<M>(storage, shapeOf(elementType), byteOffset, length, true);
  }

  get #element(): Element {
    return this.shape.elementType as Element;
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
      throw new ArgumentTypeError(name, "a live array", new Words("a disposed DeviceArray"), "ERR_DISPOSED");
    }
  }

  /**
   * A view of the elements from `begin` to `end` (exclusive), as `TypedArray.prototype.subarray` counts: negative
   * positions count from the end. The view shares the memory and keeps it alive.
   */
  subarray(begin = 0, end = this.length): DeviceArray<T> {
    this.checkAlive("DeviceArray.subarray");
    const clamp = (position: number): number => {
      const whole = Math.trunc(position) || 0;
      return whole < 0 ? Math.max(0, this.length + whole) : Math.min(whole, this.length);
    };
    const first = clamp(begin);
    const length = Math.max(0, clamp(end) - first);
    return new DeviceArray(
      this.storage,
      this.shape,
      this.byteOffset + first * this.shape.elementType.size,
      length,
      false,
    );
  }

  /**
   * A handle by which another thread gets at these elements: post it to a worker, which passes what it gets to
   * {@link DeviceArray.fromShared}. Of a view it is the view's part. No element is copied (on backend host they are, the
   * first time), and each handle can be received once.
   *
   * Both arrays are of the same memory. A call in one thread is ordered, on the device, behind calls in others on the
   * same array that returned before it was made, so a message that is sent after a call tells that its result can be
   * used. Calls at the same time have no order; the memory is safe all the same, and freed after the work of all.
   *
   * @throws TypeError with code `ERR_DISPOSED` where the array is disposed
   */
  share(options: ShareOptions = {}): SharedArray<T> {
    this.checkAlive("DeviceArray.share");
    const { outlive = false } = options;
    if (typeof outlive !== "boolean") throw new ArgumentTypeError("DeviceArray.share.outlive", "a boolean", outlive);
    return new SharedArray(this.backend, {
      type: describeType(this.#element),
      length: this.length,
      byteOffset: this.byteOffset,
      memory: this.backend.share(this.storage, outlive),
    });
  }

  /**
   * Overwrites all elements from a typed array (for structs, a Uint8Array of their bytes) or another device array of
   * the same type and length. Queued on the stream; a host source may change as soon as this returns.
   *
   * @throws TypeError for another type, RangeError for another length
   */
  copyFrom(source: TypedArrayOf<T> | DeviceArray<T>, options?: StreamOption): this {
    const name = "DeviceArray.copyFrom.source";
    this.checkAlive("DeviceArray.copyFrom");
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.copyFrom.stream");
    if (source instanceof DeviceArray) {
      source.checkAlive(name);
      if (source.shape !== this.shape)
        throw new ArgumentTypeError(name, `elements of type ${this.shape.elementType.name}`, source);
      if (source.backend !== this.backend) throw new ArgumentTypeError(name, "an array of the same backend", source);
      this.#checkSameLength(source.length);
      if (this.length > 0) {
        const { storage, byteOffset } = source;
        this.backend.copy(this.storage, this.byteOffset, storage, byteOffset, this.byteLength, stream);
      }
      return this;
    }
    const bytes = this.#bytesFor(source, name);
    this.#checkSameLength(bytes.byteLength / this.#element.size);
    if (this.length > 0) this.backend.write(this.storage, this.byteOffset, bytes, stream);
    return this;
  }

  #bytesFor(source: unknown, argument: string): Uint8Array {
    const type = this.#element;
    if (type.kind === "struct") return structBytes(source, type, argument);
    typeOfTypedArray(source, type.name, argument);
    return uploadBytes(source as AnyTypedArray, type, argument);
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
  fill(value: ValueOf<T>, options?: StreamOption): this {
    this.checkAlive("DeviceArray.fill");
    const type = this.#element;
    this.#fillBytes(elementBytes(type, elementValue(value, type, "DeviceArray.fill.value")), options);
    return this;
  }

  #fillBytes(pattern: Uint8Array, options: StreamOption | undefined): void {
    const stream = streamOf(options?.stream, this.backend, "DeviceArray.fill.stream");
    if (this.length > 0) this.backend.fill(this.storage, this.byteOffset, pattern, this.length, stream);
  }

  /**
   * Waits for the work that is queued on the stream, and copies the elements to a new typed array. {@link read} does so
   * without blocking.
   *
   * Structs come as a Uint8Array of their bytes ({@link toColumns} and {@link toArray} take them apart), bools as a
   * Uint8Array of 0 and 1, and bfloat16 as a Uint16Array of its bits. float16 comes as a Float16Array where the runtime
   * has that (Node 24 on), else as a Uint16Array of its bits; {@link toArray} decodes both to numbers on any Node, and
   * so does a transform into a float32 array, on the device.
   *
   * @throws TypeError for a disposed array or a stream that is none
   */
  toTypedArray(options?: StreamOption): TypedArrayOf<T> {
    const type = this.#element;
    const array = type.kind === "struct" ? new Uint8Array(this.byteLength) : newTypedArray(type.name, this.length);
    this.#readInto(bytesOf(array), options, "toTypedArray");
    return array as TypedArrayOf<T>;
  }

  /**
   * Waits for the work that is queued on the stream, and answers the elements as JavaScript values: numbers, bigints,
   * booleans, or objects for structs. For many elements {@link toTypedArray} and {@link toColumns} are faster.
   * {@link readArray} does so without blocking.
   *
   * @throws as {@link toTypedArray} does
   */
  toArray(options?: StreamOption): ValueOf<T>[] {
    const bytes = new Uint8Array(this.byteLength);
    this.#readInto(bytes, options, "toArray");
    return this.#valuesOf(bytes.buffer);
  }

  #valuesOf(buffer: ArrayBuffer): ValueOf<T>[] {
    const view = new DataView(buffer);
    const type = this.#element;
    return Array.from({ length: this.length }, (_, index) => readElement(view, index * type.size, type) as ValueOf<T>);
  }

  /**
   * Waits for the work that is queued on the stream, and answers the fields of an array of structs as typed arrays, as
   * {@link DeviceArray.fromColumns} takes them. {@link readColumns} does so without blocking.
   *
   * @throws TypeError for an array of scalars, and as {@link toTypedArray} does
   */
  toColumns(options?: StreamOption): ColumnsOf<T> {
    const type = this.#struct("toColumns");
    const bytes = new Uint8Array(this.byteLength);
    this.#readInto(bytes, options, "toColumns");
    return columnsFromBytes(bytes, type) as ColumnsOf<T>;
  }

  #struct(operation: string): StructType {
    const type = this.#element;
    if (type.kind === "struct") return type;
    throw new ArgumentTypeError(
      `DeviceArray.${operation}`,
      "an array of structs",
      new Words(`an array of ${type.name}`),
    );
  }

  #readInto(target: Uint8Array, options: StreamOption | undefined, name: string): void {
    this.checkAlive(`DeviceArray.${name}`);
    const stream = streamOf(options?.stream, this.backend, `DeviceArray.${name}.stream`);
    if (this.length > 0) this.backend.read(this.storage, this.byteOffset, target, stream);
  }

  /**
   * The elements as they are after the work that is queued on the stream now, as {@link toTypedArray} gives them; the
   * event loop stays free meanwhile. The array may be dropped or disposed while the copy is under way.
   *
   * @throws TypeError (as a rejection) as {@link toTypedArray} does
   */
  async read(options?: StreamOption): Promise<TypedArrayOf<T>> {
    const type = this.#element;
    const buffer = await this.#readBuffer(options, "read");
    const array = type.kind === "struct" ? new Uint8Array(buffer) : viewAs(type.name, buffer, 0, this.length);
    return array as TypedArrayOf<T>;
  }

  /** As {@link read}, the elements as JavaScript values, as {@link toArray} gives them. */
  async readArray(options?: StreamOption): Promise<ValueOf<T>[]> {
    return this.#valuesOf(await this.#readBuffer(options, "readArray"));
  }

  /**
   * As {@link read}, the fields of structs as typed arrays, as {@link toColumns} gives them.
   *
   * @throws TypeError (as a rejection) for an array of scalars, and as {@link read} does
   */
  async readColumns(options?: StreamOption): Promise<ColumnsOf<T>> {
    const type = this.#struct("readColumns");
    return columnsFromBytes(new Uint8Array(await this.#readBuffer(options, "readColumns")), type) as ColumnsOf<T>;
  }

  /** Begins to read at once. */
  #readBuffer(options: StreamOption | undefined, operation: string): ArrayBuffer | Promise<ArrayBuffer> {
    this.checkAlive(`DeviceArray.${operation}`);
    const stream = streamOf(options?.stream, this.backend, `DeviceArray.${operation}.stream`);
    if (this.length === 0) return new ArrayBuffer(0);
    return this.backend.readAsync(this.storage, this.byteOffset, this.byteLength, stream);
  }

  /** The same bytes as elements of another type of the same size. @internal */
  reinterpret(type: ElementType): DeviceArray {
    return new DeviceArray(this.storage, shapeOf(type as Element), this.byteOffset, this.length, false);
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
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean {
    if (!isSameAllocation(this.storage, storage)) return false;
    const [first, last] = [this.byteOffset, this.byteOffset + this.byteLength];
    return first < end && begin < last && !(inPlace && first === begin && last === end);
  }

  /** @internal */
  writesOver(input: Argument, inPlace: boolean): boolean {
    return input.overlaps(this.storage, this.byteOffset, this.byteOffset + this.byteLength, inPlace);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    frame.pointer(position, this.storage.slot, this.byteOffset, access);
  }

  #hostView(type: ScalarType): AnyTypedArray {
    const bytes = hostBytes(this.storage);
    const name = type.name === "float16" ? "bfloat16" : type.name; // both as bits
    return viewAs(name, bytes.buffer, bytes.byteOffset + this.byteOffset, this.length);
  }

  #hostStructs(): DataView {
    const bytes = hostBytes(this.storage);
    return new DataView(bytes.buffer, bytes.byteOffset + this.byteOffset, this.byteLength);
  }

  /** @internal */
  hostReader(): Reader {
    const type = this.#element;
    if (type.kind === "struct") {
      const view = this.#hostStructs();
      return (index) => readElement(view, index * type.size, type);
    }
    const view = this.#hostView(type);
    if (type.name === "bool") return (index) => view[index] !== 0;
    if (type.name === "float16") return (index) => fromFloat16Bits(view[index] as number);
    if (type.name === "bfloat16") return (index) => fromBfloat16Bits(view[index] as number);
    return (index) => view[index] as number | bigint;
  }

  /** @internal */
  hostWriter(): Writer {
    const type = this.#element;
    if (type.kind === "struct") {
      const view = this.#hostStructs();
      return (index, value) => {
        writeElement(view, index * type.size, type, value);
      };
    }
    const view = this.#hostView(type);
    if (type.name === "float16") return (index, value) => void (view[index] = toFloat16Bits(value as number));
    if (type.name === "bfloat16") return (index, value) => void (view[index] = toBfloat16Bits(value as number));
    if (type.name === "bool") return (index, value) => void (view[index] = value ? 1 : 0);
    return (index, value) => void (view[index] = value as number);
  }

  /** How `console.log` shows it: type, length, bytes and backend, without reading the device. */
  [inspect.custom](): string {
    const state = this.disposed ? "disposed" : `${String(this.byteLength)} bytes, ${this.backend.name}`;
    return `DeviceArray<${this.shape.elementType.name}>(${String(this.length)}) [${state}]`;
  }

  /**
   * What `JSON.stringify` writes: what the array is, as `console.log` shows it. Not the elements, which only a wait for
   * the device can tell: write `array.toArray()` for those.
   */
  toJSON(): { type: string; length: number; byteLength: number; backend: BackendName; disposed: boolean } {
    const { length, byteLength, disposed } = this;
    return { type: this.shape.elementType.name, length, byteLength, backend: this.backend.name, disposed };
  }
}
