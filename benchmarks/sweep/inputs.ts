/** The device arrays of a state: inputs that are the same on every machine, outputs, and the most bytes they made. */
import { DeviceArray, type ElementSpec, type ScalarName, type Stream, bind, memory, unaryTransform } from "../../lib";
import type { TypedArrayOf } from "../../lib/types/typed-array";
import { repeatFirst } from "../benchmark";
import { type Entropy, entropyArray, entropyBelow, keysInRuns, powerLawSegments, uniformSegments } from "../inputs";

/** The host makes so many items; a longer array repeats them, by copies on the device. */
const blockLength = 2 ** 20;
const seed = 1;

/** Where each segment begins and ends. */
export interface Segments {
  readonly startOffsets: DeviceArray<"int64">;
  readonly endOffsets: DeviceArray<"int64">;
}

type Countable = Exclude<ScalarName, "float16" | "bfloat16">;

/** Makes the arrays of one state. It keeps none. */
export class Inputs {
  /** The most live bytes seen after an allocation. */
  peakBytes = 0;
  readonly #hasData: boolean;
  readonly #stream: Stream;

  /** @param hasData - whether inputs are written; without, a device that executes nothing need not hold them */
  constructor(hasData: boolean, stream: Stream) {
    this.#hasData = hasData;
    this.#stream = stream;
  }

  /** Without set values: an output. */
  empty<T extends ElementSpec>(length: number, type: T): DeviceArray<T> {
    return this.#made(DeviceArray.empty(length, type, { stream: this.#stream }));
  }

  zeros<T extends ElementSpec>(length: number, type: T): DeviceArray<T> {
    if (!this.#hasData) return this.empty(length, type);
    return this.#made(DeviceArray.zeros(length, type, { stream: this.#stream }));
  }

  keys<T extends ScalarName>(type: T, length: number, entropy: Entropy): DeviceArray<T> {
    return this.#repeated(type, length, (items) => entropyArray(type, items, entropy, seed));
  }

  /** Numbers from 0 to below a bound. */
  keysBelow<T extends Countable>(type: T, length: number, bound: number, entropy: Entropy): DeviceArray<T> {
    return this.#repeated(type, length, (items) => entropyBelow(type, items, bound, entropy, seed));
  }

  keysInRuns<T extends ScalarName>(type: T, length: number, maxRun: number): DeviceArray<T> {
    return this.#repeated(type, length, (items) => keysInRuns(type, items, maxRun, seed));
  }

  /** Segments whose lengths follow a power law. */
  powerLawSegments(length: number, count: number): Segments {
    const offsets = this.#hasData ? powerLawSegments(length, count, seed) : undefined;
    return this.#segments(count, 1, length, offsets);
  }

  /** Segments of 1 to `maxSegment` items; without data, as many as there are on average. */
  uniformSegments(length: number, maxSegment: number): Segments {
    if (!this.#hasData) return this.#segments(Math.ceil((length * 2) / (maxSegment + 1)), 1, length, undefined);
    const items = Math.min(length, blockLength);
    const offsets = uniformSegments(items, maxSegment, seed);
    return this.#segments(offsets.length - 1, Math.ceil(length / items), items, offsets);
  }

  /** Repeats offsets of `items` items, each time for the items that follow. */
  #segments(count: number, repeats: number, items: number, offsets: Int32Array | undefined): Segments {
    const side = (first: number): DeviceArray<"int64"> => {
      const array = this.empty(count * repeats, "int64");
      if (offsets !== undefined) {
        array.subarray(0, count).copyFrom(wide(offsets.subarray(first, first + count)), { stream: this.#stream });
        for (let filled = 1; filled < repeats; filled *= 2) {
          unaryTransform({
            input: array.subarray(0, count * Math.min(filled, repeats - filled)),
            output: array.subarray(count * filled, count * Math.min(filled * 2, repeats)),
            op: bind((offset: bigint, { shift }: { shift: bigint }) => offset + shift, {
              shift: BigInt(items * filled),
            }),
            stream: this.#stream,
          });
        }
      }
      return array;
    };
    return { startOffsets: side(0), endOffsets: side(1) };
  }

  #repeated<T extends ScalarName>(type: T, length: number, make: (items: number) => TypedArrayOf<T>): DeviceArray<T> {
    const array = this.empty(length, type);
    if (!this.#hasData) return array;
    const options = { stream: this.#stream };
    const block = make(Math.min(length, blockLength));
    array.subarray(0, block.length).copyFrom(block, options);
    repeatFirst(array, block.length, options);
    return array;
  }

  #made<T extends ElementSpec>(array: DeviceArray<T>): DeviceArray<T> {
    this.peakBytes = Math.max(this.peakBytes, memory.stats().liveBytes);
    return array;
  }
}

/** As 64-bit integers, by their low halves: BigInts for each would take a second. */
function wide(offsets: Int32Array): BigInt64Array {
  const halves = new Int32Array(offsets.length * 2);
  for (let i = 0; i < offsets.length; i++) halves[i * 2] = offsets[i] as number;
  return new BigInt64Array(halves.buffer);
}
