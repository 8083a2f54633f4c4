import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { Stream } from "../memory/stream";
import { noOperatorId } from "../operators";
import type { ElementSpec } from "../types/element";
import type { ScalarName, ScalarType } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import type { Call } from "./call";
import { setStream } from "./checks";
import { sortPlaces } from "./key-order";
import {
  type AnySortedArrays,
  SortSlot,
  type SortedArrays,
  movedType,
  readSortedArrays,
  sortNames,
  sortedSlots,
  startSort,
  swapBuffers,
} from "./sort-arguments";

/** Options of {@link radixSort}. */
export interface RadixSortOptions<K extends ScalarName, V extends ElementSpec> extends SortedArrays<K, V> {
  /** The first bit that counts, from the lowest; 0 by default. */
  beginBit?: number | undefined;
  /** The bit after the last that counts, at least one of them; all of the key's by default. */
  endBit?: number | undefined;
  stream?: Stream | undefined;
}

type AnyOptions = AnySortedArrays & Pick<RadixSortOptions<ScalarName, ElementSpec>, "beginBit" | "endBit" | "stream">;

const names = sortNames("radixSort");

/** Numbers of a call behind the count, as the C function has them. */
const Scalar = { beginBit: 1, endBit: 2, isOverwriteOkay: 3 } as const;

function setBits(call: Call, { beginBit, endBit }: AnyOptions, type: ScalarType): void {
  const width = type.size * 8;
  const begin = bit(beginBit ?? 0, 0, width - 1, "radixSort.beginBit");
  // The library does not copy the items where no bit counts.
  const end = bit(endBit ?? width, begin + 1, width, "radixSort.endBit");
  call.scalars[Scalar.beginBit] = begin;
  call.scalars[Scalar.endBit] = end;
}

function bit(value: unknown, least: number, most: number, name: string): number {
  if (typeof value !== "number") throw new ArgumentTypeError(name, "a number of a bit", value);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ArgumentRangeError(name, `a whole number from ${String(least)} to ${String(most)}`, value);
}

const forms = defineAlgorithm<AnyOptions>({
  name: "radix_sort",
  publicName: "radixSort",
  compiles: "whole",
  options: [
    "inputKeys",
    "inputValues",
    "outputKeys",
    "outputValues",
    "order",
    "numItems",
    "beginBit",
    "endBit",
    "stream",
  ],
  dependsOn: ["inputKeys", "inputKeys", "inputValues", "order"],

  read(options, call) {
    call.depends(noOperatorId);
    call.depends(0);
    const isBuffered = readSortedArrays(options, call, names);
    setStream(call, options.stream, "radixSort.stream");
    setBits(call, options, call.slots[SortSlot.keysIn]?.shape.elementType as ScalarType);
    call.scalars[Scalar.isOverwriteOkay] = isBuffered ? 1 : 0;
  },

  request(call, algorithm) {
    const slots = sortedSlots(call);
    const values = call.slots[SortSlot.valuesIn]?.shape.elementType;
    if (values?.kind === "struct" && movedType(values) === values) {
      const expected =
        "values of 1, 2, 4 or 8 bytes (sort their indices and gather by permuted(values, indices), or use mergeSort)";
      throw new ArgumentTypeError("radixSort.inputValues", expected, values.name, "ERR_UNSUPPORTED");
    }
    return { algorithm, slots, operators: [], options: { order: call.key[4] as number } };
  },

  ran: swapBuffers,

  host(run) {
    const begin = run.scalars[Scalar.beginBit] as number;
    const width = (run.scalars[Scalar.endBit] as number) - begin;
    const { bits, move } = startSort(run);
    const window = bits.map((key) => BigInt.asUintN(width, key >> BigInt(begin)));
    sortPlaces([...window.keys()], window, run.request.options["order"] as number).forEach(move);
    return 1;
  },
});

/**
 * Sorts keys by their bits, and values with them. Stable, in either order.
 *
 * Integers and bools sort by value. Floats sort as numbers, with -0 equal to 0, NaN after Infinity, and NaN whose sign
 * is set before -Infinity, at every size. `beginBit` and `endBit` choose the bits that count, in the form in which keys
 * compare as unsigned integers (the sign bit of integers and of floats turned, and all bits of negative floats).
 *
 * Keys are arrays of any scalar type; values are arrays of scalars or of structs of 1, 2, 4 or 8 bytes. Inputs stay as
 * they are and share no memory with outputs; a {@link DoubleBuffer} in place of an input and its output saves a third
 * array of the same size. Enqueued on the stream; the result is the same in each run. Implements CUB's DeviceRadixSort.
 *
 * @throws TypeError or RangeError naming the option at fault, OutOfDeviceMemoryError
 */
export function radixSort<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: RadixSortOptions<K, V>,
): void {
  forms.run(options);
}

/** Builds a sort for the types and the order of these options now. The function it returns keeps no array. */
export function makeRadixSort<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: RadixSortOptions<K, V>,
): (options: RadixSortOptions<K, V>) => void {
  return forms.make(options);
}

/** {@link makeRadixSort}, compiling off the event loop. */
export function makeRadixSortAsync<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: RadixSortOptions<K, V>,
): Promise<(options: RadixSortOptions<K, V>) => void> {
  return forms.makeAsync(options);
}
