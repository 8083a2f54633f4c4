import { inspect } from "node:util";
import type { Backend, Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import { type Argument, type Reader, type Shape, type Writer, defineShape, OwnArgument } from "../builds/shape";
import { ArgumentTypeError } from "../errors";
import { DeviceArray } from "../memory/device-array";
import type { ElementSpec } from "../types/element";
import { cudaDefinitions } from "../types/struct";
import { ShapesByParts } from "./composite";
import { notWritable, readable } from "./readable";
import type { Directed, direction } from "./types";

/** How loads pass through the GPU's caches. */
export type CacheModifier = "stream" | "global" | "volatile";

/** The C++ that loads a word from `address`. */
const loads: Readonly<Record<CacheModifier, (word: string) => string>> = {
  stream: (word) => `__ldcs(static_cast<const ${word}*>(address))`,
  global: (word) => `__ldcg(static_cast<const ${word}*>(address))`,
  volatile: (word) => `*static_cast<const volatile ${word}*>(address)`,
};

/** The words that hold an element of a size: one load each, but 16 bytes where `volatile` loads two. */
const words: Readonly<Record<number, string>> = {
  1: "unsigned char",
  2: "unsigned short",
  4: "unsigned int",
  8: "unsigned long long",
  16: "ulonglong2",
};

const isModifier = (value: unknown): value is CacheModifier => typeof value === "string" && Object.hasOwn(loads, value);

function loadText(modifier: CacheModifier, size: number): string {
  if (size < 16 || modifier !== "volatile") {
    const word = words[size] as string;
    return `  const ${word} loaded = ${loads[modifier](word)};\n  memcpy(element, &loaded, ${String(size)});\n`;
  }
  return (
    "  const volatile unsigned long long* half = static_cast<const volatile unsigned long long*>(address);\n" +
    "  const unsigned long long loaded[2] = {half[0], half[1]};\n  memcpy(element, loaded, 16);\n"
  );
}

const shapes: Readonly<Record<CacheModifier, ShapesByParts>> = {
  stream: new ShapesByParts(),
  global: new ShapesByParts(),
  volatile: new ShapesByParts(),
};

/** State: the address, as that of the array. */
function cacheModifiedShape(array: Shape, modifier: CacheModifier): Shape {
  const { elementType, stateSize, stateAlignment } = array;
  const stored = elementType.cudaStorage;
  return shapes[modifier].get([array], () =>
    defineShape({
      elementType,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize,
      stateAlignment,
      cudaInput: (prefix) =>
        cudaDefinitions([elementType]) +
        `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
        `  *static_cast<const ${stored}**>(state) += count;\n}\n` +
        `static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {\n` +
        `  const void* address = *static_cast<const void* const*>(state);\n${loadText(modifier, elementType.size)}}\n`,
      cudaOutput: undefined,
    }),
  );
}

/** Reads an array by loads with a cache modifier. Owns the array. */
export class CacheModifiedIterator<N extends ElementSpec = ElementSpec>
  extends OwnArgument
  implements Argument, Directed<N, "input">
{
  declare readonly [direction]: "input";
  readonly type: N;
  readonly modifier: CacheModifier;
  /** @internal */
  readonly shape: Shape;
  readonly #array: DeviceArray<N>;

  /** @internal */
  constructor(array: DeviceArray<N>, modifier: CacheModifier) {
    super();
    this.type = array.type;
    this.modifier = modifier;
    this.shape = cacheModifiedShape(array.shape, modifier);
    this.#array = array;
  }

  get length(): number {
    return this.#array.length;
  }

  /** @internal */
  get backend(): Backend {
    return this.#array.backend;
  }

  /** @internal */
  checkAlive(argument: string, part?: string): void {
    this.#array.checkAlive(argument, part);
  }

  /** @internal */
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean {
    return this.#array.overlaps(storage, begin, end, inPlace);
  }

  /** @internal */
  writesOver(): boolean {
    return false;
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    this.#array.writeState(frame, position, access);
  }

  /** @internal */
  hostReader(): Reader {
    return this.#array.hostReader();
  }

  /** @internal */
  hostWriter(): Writer {
    return notWritable();
  }

  [inspect.custom](): string {
    return `cacheModified(${inspect(this.#array)}, ${this.modifier})`;
  }
}

/**
 * An input of the array's elements, read by loads that pass the GPU's caches in another way: `stream` for what is read
 * once (`ld.cs`), `global` to cache in L2 alone (`ld.cg`), `volatile` to load from memory each time. The values are the
 * same as the array's own, whatever the modifier; on the host it changes nothing.
 *
 * The iterator keeps the array alive for as long as JavaScript can reach it.
 *
 * @param array - a device array whose elements, of any type, have 1, 2, 4, 8 or 16 bytes
 * @throws TypeError for anything but a live device array, for elements of another size, and for another modifier
 */
export function cacheModified<N extends ElementSpec>(
  array: DeviceArray<N>,
  modifier: CacheModifier = "stream",
): CacheModifiedIterator<N> {
  const given: unknown = array;
  if (!(given instanceof DeviceArray)) throw new ArgumentTypeError("cacheModified.array", "a DeviceArray", given);
  readable(given, "cacheModified.array");
  const { name, size } = array.shape.elementType;
  if (!Object.hasOwn(words, size)) {
    const expected = "elements of 1, 2, 4, 8 or 16 bytes";
    throw new ArgumentTypeError("cacheModified.array", expected, `${name} (${String(size)} bytes)`);
  }
  if (!isModifier(modifier)) {
    throw new ArgumentTypeError("cacheModified.modifier", '"stream", "global" or "volatile"', modifier);
  }
  return new CacheModifiedIterator(array, modifier);
}
