/** Atomic operations on captured device arrays, for operators alone. */
import { CompileError } from "../errors";
import type { AtomicOperation } from "./ir";

/** What they work on: a captured array. */
type Elements = Readonly<Record<number, number | bigint>>;
type Change = <A extends Elements>(array: A, index: number | bigint, value: A[number]) => A[number];

function inOperatorsOnly(name: string): never {
  throw new CompileError(`${name} works inside of operators, on a captured device array.`, {
    code: "ERR_OPERATOR_ONLY",
  });
}

/** By function name. */
export const operations: Readonly<Record<string, AtomicOperation>> = {
  atomicAdd: "add",
  atomicSub: "sub",
  atomicMin: "min",
  atomicMax: "max",
  atomicAnd: "and",
  atomicOr: "or",
  atomicXor: "xor",
  atomicExchange: "exchange",
  atomicCompareExchange: "compareExchange",
};

/*
 * All of them change `array[index]` in one step that no other thread can come between, and answer what was there before.
 * The array's elements have 32 or 64 bits. Outside of the array nothing happens and the answer is NaN or 0. Outside of an
 * operator they throw a CompileError with code ERR_OPERATOR_ONLY.
 */

/** Adds to `array[index]`, atomically; answers what was there before. Integers wrap; the order in which floats are added differs from run to run. Inside of operators only. */
export const atomicAdd: Change = () => inOperatorsOnly("atomicAdd");

/** Subtracts from `array[index]`, atomically; answers what was there before. Inside of operators only. */
export const atomicSub: Change = () => inOperatorsOnly("atomicSub");

/** Keeps the smaller one in `array[index]`, atomically; answers what was there before. NaN stays, and -0 is smaller than 0, as for Math.min. Inside of operators only. */
export const atomicMin: Change = () => inOperatorsOnly("atomicMin");

/** Keeps the larger one in `array[index]`, atomically; answers what was there before. NaN stays, and 0 is larger than -0, as for Math.max. Inside of operators only. */
export const atomicMax: Change = () => inOperatorsOnly("atomicMax");

/** Keeps the common bits in `array[index]`, atomically; answers what was there before. Integers only. Inside of operators only. */
export const atomicAnd: Change = () => inOperatorsOnly("atomicAnd");

/** Sets bits in `array[index]`, atomically; answers what was there before. Integers only. Inside of operators only. */
export const atomicOr: Change = () => inOperatorsOnly("atomicOr");

/** Flips bits in `array[index]`, atomically; answers what was there before. Integers only. Inside of operators only. */
export const atomicXor: Change = () => inOperatorsOnly("atomicXor");

/** Replaces `array[index]`, atomically; answers what was there before. Inside of operators only. */
export const atomicExchange: Change = () => inOperatorsOnly("atomicExchange");

/**
 * Replaces `array[index]` by `value` where it is `expected`, atomically; answers what was there before. Floats compare by
 * their bits. Inside of operators only.
 */
export const atomicCompareExchange: <A extends Elements>(
  array: A,
  index: number | bigint,
  expected: A[number],
  value: A[number],
) => A[number] = () => inOperatorsOnly("atomicCompareExchange");
