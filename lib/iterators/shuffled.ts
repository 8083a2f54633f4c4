import { inspect } from "node:util";
import type { CallFrame } from "../backends/cuda/call-frame";
import { type Reader, type Shape, defineShape } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { scalarTypes } from "../types/scalar";
import { MemorylessIterator } from "./memoryless";

/** Rounds of the cipher. With fewer, some orders of a few items come up more often than others. */
const rounds = 12;

/** Bits of the smallest domain: smaller halves have too few round functions to reach every order. */
const fewestBits = 6;

/** Byte positions in the state: index and count as uint64, the keys, the bits of the left and the right half. */
const State = { index: 0, count: 8, keys: 16, leftBits: 16 + 4 * rounds, rightBits: 20 + 4 * rounds } as const;
const stateSize = State.rightBits + 4;

/** Mixes 32 bits: MurmurHash3's finaliser. */
function mix(bits: number): number {
  let mixed = bits;
  mixed ^= mixed >>> 16;
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const cudaText = (prefix: string): string => `
static __device__ __forceinline__ unsigned int ${prefix}_mix(unsigned int bits) {
  bits ^= bits >> 16;
  bits *= 0x85ebca6bu;
  bits ^= bits >> 13;
  bits *= 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}
static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {
  *static_cast<unsigned long long*>(state) += count;
}
static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {
  const unsigned long long* numbers = static_cast<const unsigned long long*>(state);
  const unsigned int* keys = reinterpret_cast<const unsigned int*>(static_cast<const char*>(state) + ${String(State.keys)});
  const unsigned int left_bits = keys[${String(rounds)}];
  const unsigned int right_bits = keys[${String(rounds + 1)}];
  const unsigned long long count = numbers[1];
  // An index out of bounds must not make the walk endless.
  unsigned long long value = numbers[0] < count ? numbers[0] : numbers[0] % count;
  do {
    unsigned int left = static_cast<unsigned int>(value >> right_bits);
    unsigned int right = static_cast<unsigned int>(value & ((1ull << right_bits) - 1));
    for (int round = 0; round < ${String(rounds)}; round += 2) {
      left ^= ${prefix}_mix(right ^ keys[round]) >> (32 - left_bits);
      right ^= ${prefix}_mix(left ^ keys[round + 1]) >> (32 - right_bits);
    }
    value = (static_cast<unsigned long long>(left) << right_bits) | right;
  } while (value >= count);
  *static_cast<long long*>(element) = static_cast<long long>(value);
}
`;

const shuffledShape: Shape = defineShape({
  elementType: scalarTypes.int64,
  isPointer: false,
  hasUserCode: false,
  linked: [],
  stateSize,
  stateAlignment: 8,
  cudaInput: cudaText,
  cudaOutput: undefined,
});

/** The cipher's keys: high halves of what SplitMix64 makes of the seed. */
function roundKeys(seed: bigint): Int32Array {
  const keys = new Int32Array(rounds);
  let state = BigInt.asUintN(64, seed);
  for (let round = 0; round < rounds; round++) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let bits = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    bits = BigInt.asUintN(64, (bits ^ (bits >> 27n)) * 0x94d049bb133111ebn);
    keys[round] = Number((bits ^ (bits >> 31n)) >> 32n);
  }
  return keys;
}

/** The least number of bits that number all items. */
function domainBits(numItems: number): number {
  let bits = fewestBits;
  while (2 ** bits < numItems) bits++;
  return bits;
}

/** Reads the numbers below a count, each once, in an order that a seed decides. */
export class ShuffledIterator extends MemorylessIterator<"int64", "input"> {
  readonly seed: number | bigint;
  readonly #keys: Int32Array;
  readonly #state = new Uint8Array(stateSize);

  /** @internal */
  constructor(numItems: number, seed: number | bigint) {
    super(shuffledShape, numItems);
    this.seed = seed;
    this.#keys = roundKeys(BigInt(seed));
    const bits = domainBits(numItems);
    const view = new DataView(this.#state.buffer);
    view.setBigUint64(State.count, BigInt(numItems), true);
    this.#keys.forEach((key, round) => {
      view.setInt32(State.keys + 4 * round, key, true);
    });
    view.setUint32(State.leftBits, bits >> 1, true);
    view.setUint32(State.rightBits, bits - (bits >> 1), true);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number): void {
    frame.bytes(position, this.#state);
  }

  /** @internal */
  override hostReader(): Reader {
    const { length } = this;
    const keys = this.#keys;
    const bits = domainBits(length);
    const leftBits = bits >> 1;
    const rightBits = bits - leftBits;
    const rightSize = 2 ** rightBits;
    return (index) => {
      let value = index;
      do {
        let left = Math.floor(value / rightSize);
        let right = value % rightSize;
        for (let round = 0; round < rounds; round += 2) {
          left ^= mix(right ^ (keys[round] as number)) >>> (32 - leftBits);
          right ^= mix(left ^ (keys[round + 1] as number)) >>> (32 - rightBits);
        }
        value = left * rightSize + right;
      } while (value >= length);
      return BigInt(value);
    };
  }

  [inspect.custom](): string {
    return `shuffled(${String(this.length)}, ${String(this.seed)})`;
  }
}

function checkSeed(seed: unknown): number | bigint {
  const expected = "a whole number or a bigint of 64 bits";
  if (typeof seed !== "number" && typeof seed !== "bigint")
    throw new ArgumentTypeError("shuffled.seed", expected, seed);
  const fits =
    typeof seed === "number"
      ? Number.isSafeInteger(seed)
      : BigInt.asIntN(64, seed) === seed || BigInt.asUintN(64, seed) === seed;
  if (!fits) throw new ArgumentRangeError("shuffled.seed", expected, seed);
  return seed;
}

/**
 * An input of the whole numbers from 0 to numItems - 1 as int64, each exactly once, in a random order: the same for the
 * same count and seed, on every backend. It needs no memory. `permuted(values, shuffled(values.length))` reads values
 * in that order.
 *
 * The order is that of a Feistel cipher on the least power of two that holds all numbers; what falls outside is
 * enciphered again, until it is inside: R. Mitchell, D. Stokes, E. Frank, G. Holmes, Bandwidth-Optimal Random Shuffling
 * for GPUs (arXiv:2106.06161). Its round function is the finaliser of MurmurHash3 (A. Appleby), its keys come from
 * SplitMix64 (G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators). It is no cryptography.
 *
 * @param numItems - a whole number from 1 to 2^53-1
 * @param seed - a whole number, or a bigint of 64 bits
 * @throws TypeError for arguments that are no numbers, RangeError for numbers out of range
 */
export function shuffled(numItems: number, seed: number | bigint = 0): ShuffledIterator {
  const expected = "a whole number of items from 1 to 2^53-1";
  const given: unknown = numItems;
  if (typeof given !== "number") throw new ArgumentTypeError("shuffled.numItems", expected, given);
  if (!Number.isSafeInteger(given) || given < 1) throw new ArgumentRangeError("shuffled.numItems", expected, given);
  return new ShuffledIterator(given, checkSeed(seed));
}
