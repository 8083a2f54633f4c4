import type { Argument } from "../builds/shape";
import type { Input, Output, UnaryOperator } from "../iterators/types";
import { readable, writable } from "../iterators/readable";
import type { Stream } from "../memory/stream";
import { operatorPairId } from "../operators";
import type { ElementSpec, ValueOf } from "../types/element";
import { scalarTypes } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import {
  addSlot,
  checkLength,
  checkOutputType,
  checkOutputs,
  checkSize,
  countArray,
  operatorOf,
  setCount,
  setStream,
} from "./checks";
import type { CallOptions, Convertible, CountArray } from "./types";

/** Options of {@link threeWayPartition}. */
export interface ThreeWayPartitionOptions<
  I extends ElementSpec,
  First extends ElementSpec,
  Second extends ElementSpec,
  Unselected extends ElementSpec,
> {
  input: Input<I>;
  /** Where the items of the first part go. Each output has room for all items, as they may all go to one part. */
  firstOutput: Output<First>;
  secondOutput: Output<Second>;
  /** Where the items go that neither predicate selects. */
  unselectedOutput: Output<Unselected>;
  /** Where the sizes of the first and of the second part go: two elements of an array of integers. */
  outputCounts: CountArray;
  /** Whether an item belongs to the first part. Called once for each item, so it may write to captured arrays. */
  selectFirst: UnaryOperator<ValueOf<I>, boolean>;
  /** Whether an item belongs to the second part. Called once for each item that the first part does not take. */
  selectSecond: UnaryOperator<ValueOf<I>, boolean>;
  /** How many items; by default the input's length, or the first output's where the input has no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of a made partition: predicates only where they capture values, and with the meaning it was made with. */
export type ThreeWayPartitionCallOptions<
  I extends ElementSpec,
  First extends ElementSpec,
  Second extends ElementSpec,
  Unselected extends ElementSpec,
> = CallOptions<ThreeWayPartitionOptions<I, First, Second, Unselected>, "selectFirst" | "selectSecond">;

/** Options as the definition reads them: types are checked at run time. */
type AnyOptions = ThreeWayPartitionOptions<ElementSpec, ElementSpec, ElementSpec, ElementSpec>;

/** Bytes of an item for which the library's kernel still has room: it moves 256 at once through 48 KiB. */
export const largestItem = 192;

const names = ["input", "firstOutput", "secondOutput", "unselectedOutput", "outputCounts"].map(
  (option) => `threeWayPartition.${option}`,
);

const forms = defineAlgorithm<AnyOptions, object>({
  name: "three_way_partition",
  publicName: "threeWayPartition",
  compiles: "linked",
  options: [
    "input",
    "firstOutput",
    "secondOutput",
    "unselectedOutput",
    "outputCounts",
    "selectFirst",
    "selectSecond",
    "numItems",
    "stream",
  ],
  dependsOn: [
    ["selectFirst", "selectSecond"],
    "input",
    "firstOutput",
    "secondOutput",
    "unselectedOutput",
    "outputCounts",
  ],

  read(options, call, operators) {
    const input = readable(options.input, "threeWayPartition.input");
    const first = writable(options.firstOutput, "threeWayPartition.firstOutput");
    const second = writable(options.secondOutput, "threeWayPartition.secondOutput");
    const unselected = writable(options.unselectedOutput, "threeWayPartition.unselectedOutput");
    const counts = countArray(options.outputCounts, 2, "threeWayPartition.outputCounts");
    const isFirst = operatorOf(options.selectFirst, 1, operators?.[0], "threeWayPartition.selectFirst");
    const isSecond = operatorOf(options.selectSecond, 1, operators?.[1], "threeWayPartition.selectSecond");
    addSlot(call, 0, input, "threeWayPartition.input");
    addSlot(call, 1, first, "threeWayPartition.firstOutput");
    addSlot(call, 2, second, "threeWayPartition.secondOutput");
    addSlot(call, 3, unselected, "threeWayPartition.unselectedOutput");
    addSlot(call, 4, counts, "threeWayPartition.outputCounts");
    call.operators[0] = isFirst;
    call.operators[1] = isSecond;
    setStream(call, options.stream, "threeWayPartition.stream");
    setCount(call, options.numItems, input, first, "threeWayPartition.numItems");
    checkLength(input, call.count, "threeWayPartition.numItems (input)");
    checkLength(first, call.count, "threeWayPartition.firstOutput");
    checkLength(second, call.count, "threeWayPartition.secondOutput");
    checkLength(unselected, call.count, "threeWayPartition.unselectedOutput");
    call.depends(operatorPairId(isFirst.operator, isSecond.operator));
    call.depends(0);
    checkOutputs(call, names, 1);
    for (let i = 0; i < names.length; i++) call.depends((call.slots[i] as Argument).shape.id);
  },

  request(call, algorithm) {
    const [input, ...outputs] = call.slots.slice(0, names.length) as Argument[];
    const counts = outputs.pop();
    const [first, second] = call.operators;
    if (!input || !counts || !first || !second) throw new Error("the call was not read");
    const type = input.shape.elementType;
    checkSize(type, largestItem, "threeWayPartition.input");
    outputs.forEach(({ shape }, index) => {
      checkOutputType(type, shape.elementType, names[index + 1] as string);
    });
    return {
      algorithm,
      slots: [
        { shape: input.shape, as: type, direction: "input" },
        ...outputs.map(({ shape }) => ({ shape, as: type, direction: "output" as const })),
        { shape: counts.shape, as: scalarTypes.int64, direction: "output" },
      ],
      operators: [
        first.operator.specialize([type], scalarTypes.bool, "threeWayPartition.selectFirst"),
        second.operator.specialize([type], scalarTypes.bool, "threeWayPartition.selectSecond"),
      ],
      options: {},
    };
  },

  host({ count, read, write, operators }) {
    const [input] = read;
    const [, first, second, unselected, counts] = write;
    const [isFirst, isSecond] = operators;
    if (!input || !first || !second || !unselected || !counts || !isFirst || !isSecond) {
      throw new Error("an argument is missing");
    }
    let firsts = 0;
    let seconds = 0;
    let rest = 0;
    for (let i = 0; i < count; i++) {
      const item = input(i);
      if (isFirst(item) === true) first(firsts++, item);
      else if (isSecond(item) === true) second(seconds++, item);
      else unselected(rest++, item);
    }
    counts(0, BigInt(firsts));
    counts(1, BigInt(seconds));
  },
});

/**
 * Copies each item to one of three outputs: the first where `selectFirst` holds, else the second where `selectSecond`
 * holds, else that of the unselected. Writes the sizes of the first and of the second part; the rest is unselected.
 *
 * Items keep their order in all three outputs, whose elements behind the parts stay as they are. Items convert to each
 * output's type, and the counts to theirs, as a store into their typed arrays would. No two of input, outputs and
 * counts may share memory. Enqueued on the stream; the result is the same in each run. Implements CUB's
 * DevicePartition.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for an operator, OutOfDeviceMemoryError
 */
export function threeWayPartition<
  I extends ElementSpec,
  First extends Convertible<I>,
  Second extends Convertible<I>,
  Unselected extends Convertible<I>,
>(options: ThreeWayPartitionOptions<I, First, Second, Unselected>): void {
  forms.run(options);
}

/** Builds a partition for the types of these options now. The function it returns keeps no array. */
export function makeThreeWayPartition<
  I extends ElementSpec,
  First extends Convertible<I>,
  Second extends Convertible<I>,
  Unselected extends Convertible<I>,
>(
  options: ThreeWayPartitionOptions<I, First, Second, Unselected>,
): (options: ThreeWayPartitionCallOptions<I, First, Second, Unselected>) => void {
  return forms.make(options);
}

/** {@link makeThreeWayPartition}, compiling off the event loop. */
export function makeThreeWayPartitionAsync<
  I extends ElementSpec,
  First extends Convertible<I>,
  Second extends Convertible<I>,
  Unselected extends Convertible<I>,
>(
  options: ThreeWayPartitionOptions<I, First, Second, Unselected>,
): Promise<(options: ThreeWayPartitionCallOptions<I, First, Second, Unselected>) => void> {
  return forms.makeAsync(options);
}
