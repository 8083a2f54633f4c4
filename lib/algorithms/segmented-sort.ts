import type { Argument } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { DeviceArray } from "../memory/device-array";
import type { Stream } from "../memory/stream";
import { noOperatorId } from "../operators";
import type { ElementSpec } from "../types/element";
import type { ScalarName } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import type { Call } from "./call";
import { addSlot, checkApart, checkLength, setStream } from "./checks";
import { sortPlaces } from "./key-order";
import {
  type AnySortedArrays,
  SortSlot,
  type SortedArrays,
  readSortedArrays,
  sortNames,
  sortedSlots,
  startSort,
  swapBuffers,
} from "./sort-arguments";

/** An array of offsets. */
export type OffsetArray = DeviceArray<"int32"> | DeviceArray<"uint32"> | DeviceArray<"int64"> | DeviceArray<"uint64">;

/** Options of {@link segmentedSort}. */
export interface SegmentedSortOptions<K extends ScalarName, V extends ElementSpec> extends SortedArrays<K, V> {
  /** Where each segment begins, as an index of the items. */
  startOffsets: OffsetArray;
  /** Where each segment ends: the index after its last item. */
  endOffsets: OffsetArray;
  /** How many segments; by default the length of the shorter offsets. */
  numSegments?: number | undefined;
  stream?: Stream | undefined;
}

type AnyOptions = AnySortedArrays & {
  startOffsets: unknown;
  endOffsets: unknown;
  numSegments?: unknown;
  stream?: Stream | undefined;
};

const names = sortNames("segmentedSort");

/** Slots behind the keys and values, and numbers of a call behind the count. */
const Slot = { startOffsets: 4, endOffsets: 5 } as const;
const Scalar = { segments: 1, isOverwriteOkay: 2 } as const;

/** The C library counts segments in 32 bits. */
const mostSegments = 2 ** 31 - 1;

function offsets(value: unknown, name: string): DeviceArray {
  const array = value instanceof DeviceArray ? (value as DeviceArray) : undefined;
  const type = array?.shape.elementType;
  if (array === undefined || !(type?.kind === "int" || type?.kind === "uint") || type.size < 4) {
    throw new ArgumentTypeError(name, "a DeviceArray of int32, uint32, int64 or uint64 (no iterator)", value);
  }
  array.checkAlive(name);
  return array;
}

function segmentCount(given: unknown, most: number): number {
  const count = given ?? most;
  if (typeof count !== "number") throw new ArgumentTypeError("segmentedSort.numSegments", "a number", count);
  if (Number.isInteger(count) && count >= 0 && count <= mostSegments) return count;
  throw new ArgumentRangeError("segmentedSort.numSegments", `a whole number from 0 to ${String(mostSegments)}`, count);
}

/** Refuses offsets in memory that is written: a sort of a double buffer writes its inputs, too. */
function checkOffsetsApart(call: Call, array: DeviceArray, name: string, isBuffered: boolean): void {
  const { keysIn, keysOut, valuesIn, valuesOut } = SortSlot;
  checkApart(call.slots[keysOut] as Argument, array, isBuffered ? names.inputKeys : names.outputKeys, name);
  checkApart(call.slots[valuesOut] as Argument, array, isBuffered ? names.inputValues : names.outputValues, name);
  if (!isBuffered) return;
  checkApart(call.slots[keysIn] as Argument, array, names.inputKeys, name);
  checkApart(call.slots[valuesIn] as Argument, array, names.inputValues, name);
}

const forms = defineAlgorithm<AnyOptions>({
  name: "segmented_sort",
  publicName: "segmentedSort",
  compiles: "whole",
  options: [
    "inputKeys",
    "inputValues",
    "outputKeys",
    "outputValues",
    "startOffsets",
    "endOffsets",
    "order",
    "numItems",
    "numSegments",
    "stream",
  ],
  dependsOn: ["inputKeys", "inputKeys", "inputValues", "order", "startOffsets", "endOffsets"],

  read(options, call) {
    call.depends(noOperatorId);
    call.depends(0);
    const isBuffered = readSortedArrays(options, call, names);
    const start = offsets(options.startOffsets, "segmentedSort.startOffsets");
    const end = offsets(options.endOffsets, "segmentedSort.endOffsets");
    addSlot(call, Slot.startOffsets, start, "segmentedSort.startOffsets");
    addSlot(call, Slot.endOffsets, end, "segmentedSort.endOffsets");
    setStream(call, options.stream, "segmentedSort.stream");
    const segments = segmentCount(options.numSegments, Math.min(start.length, end.length));
    checkLength(start, segments, "segmentedSort.startOffsets");
    checkLength(end, segments, "segmentedSort.endOffsets");
    checkOffsetsApart(call, start, "segmentedSort.startOffsets", isBuffered);
    checkOffsetsApart(call, end, "segmentedSort.endOffsets", isBuffered);
    call.scalars[Scalar.segments] = segments;
    call.scalars[Scalar.isOverwriteOkay] = isBuffered ? 1 : 0;
    call.depends(start.shape.id);
    call.depends(end.shape.id);
  },

  request(call, algorithm) {
    const offsetSlots = [call.slots[Slot.startOffsets], call.slots[Slot.endOffsets]].map((argument) => {
      if (argument === undefined) throw new Error("the call was not read");
      const { shape } = argument;
      return { shape, as: shape.elementType, direction: "input" as const };
    });
    return {
      algorithm,
      slots: [...sortedSlots(call), ...offsetSlots],
      operators: [],
      options: { order: call.key[4] as number },
    };
  },

  ran: swapBuffers,

  host(run) {
    const [start, end] = [run.read[Slot.startOffsets], run.read[Slot.endOffsets]];
    if (start === undefined || end === undefined) throw new Error("an argument is missing");
    const { bits, move } = startSort(run);
    const segments = run.scalars[Scalar.segments] as number;
    for (let segment = 0; segment < segments; segment++) {
      const [first, last] = [Number(start(segment)), Number(end(segment))];
      const places = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
      sortPlaces(places, bits, run.request.options["order"] as number).forEach((place, i) => {
        move(place, first + i);
      });
    }
    return 1;
  },
});

/**
 * Sorts the keys of each segment by themselves, and values with them. Not stable: values of equal keys come in any
 * order.
 *
 * Segments are ranges of the items, and may be empty; what belongs to none has no set value in the outputs. Segments
 * that overlap make the result undefined, and so do keys that are NaN: their segment comes out in any order (sort by
 * `mergeSort`, whose default order has a place for NaN).
 *
 * Keys are arrays of any scalar type, values of any type. Inputs and offsets stay as they are and share no memory with
 * outputs; a {@link DoubleBuffer} in place of an input and its output saves a third array of the same size. Enqueued on
 * the stream. Implements CUB's DeviceSegmentedSort.
 *
 * @throws TypeError or RangeError naming the option at fault (more than 2^31-1 segments among them),
 *   OutOfDeviceMemoryError
 */
export function segmentedSort<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: SegmentedSortOptions<K, V>,
): void {
  forms.run(options);
}

/** Builds a sort for the types and the order of these options now. The function it returns keeps no array. */
export function makeSegmentedSort<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: SegmentedSortOptions<K, V>,
): (options: SegmentedSortOptions<K, V>) => void {
  return forms.make(options);
}

/** {@link makeSegmentedSort}, compiling off the event loop. */
export function makeSegmentedSortAsync<K extends ScalarName, V extends ElementSpec = "uint8">(
  options: SegmentedSortOptions<K, V>,
): Promise<(options: SegmentedSortOptions<K, V>) => void> {
  return forms.makeAsync(options);
}
