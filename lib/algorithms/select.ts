import type { Input, Output, UnaryOperator } from "../iterators/types";
import { discardOf } from "../iterators/discard";
import { readable, writable } from "../iterators/readable";
import type { Stream } from "../memory/stream";
import { permanentOperator } from "../operators/registry";
import type { ElementSpec, ValueOf } from "../types/element";
import { type ScalarType, scalarTypes } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import {
  addSlot,
  checkApart,
  checkCaptures,
  checkLength,
  checkOutputType,
  checkSize,
  countArray,
  operatorOf,
  setCount,
  setStream,
} from "./checks";
import { largestItem } from "./three-way-partition";
import { firstOnly } from "./first-only";
import type { CallOptions, Convertible, CountArray } from "./types";

/** Options of {@link select}. */
export interface SelectOptions<I extends ElementSpec, O extends ElementSpec> {
  input: Input<I>;
  /** Where the selected items go; has room for all items, as they may all be selected. */
  output: Output<O>;
  /** Where the number of selected items goes: the first element of an array of integers. */
  outputCount: CountArray;
  /** Whether an item is selected. Called once for each item, in any order, so it may write to captured arrays. */
  op: UnaryOperator<ValueOf<I>, boolean>;
  /** How many items; by default the input's length, or the output's where the input has no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of a made selection: `op` only where it captures values, and then with the meaning it was made with. */
export type SelectCallOptions<I extends ElementSpec, O extends ElementSpec> = CallOptions<SelectOptions<I, O>, "op">;

/** Options as the definition reads them: types are checked at run time. */
type AnyOptions = SelectOptions<ElementSpec, ElementSpec>;

/** Selects no second part, which the library's partition asks for. */
const nothing = permanentOperator("(item) => false", () => undefined);

const forms = defineAlgorithm<AnyOptions, object>({
  name: "three_way_partition",
  publicName: "select",
  compiles: "linked",
  options: ["input", "output", "outputCount", "op", "numItems", "stream"],
  dependsOn: ["op", "input", "output", "outputCount"],

  read(options, call, operators) {
    const input = readable(options.input, "select.input");
    const output = writable(options.output, "select.output");
    const outputCount = countArray(options.outputCount, 1, "select.outputCount");
    const use = operatorOf(options.op, 1, operators?.[0], "select.op");
    addSlot(call, 0, input, "select.input");
    addSlot(call, 1, output, "select.output");
    addSlot(call, 4, outputCount, "select.outputCount");
    const nowhere = discardOf(input.shape.elementType);
    call.slots[2] = nowhere;
    call.slots[3] = nowhere;
    call.operators[0] = use;
    setStream(call, options.stream, "select.stream");
    setCount(call, options.numItems, input, output, "select.numItems");
    checkLength(input, call.count, "select.numItems (input)");
    checkLength(output, call.count, "select.output");
    checkApart(output, input, "select.output", "select.input");
    checkApart(outputCount, input, "select.outputCount", "select.input");
    checkApart(outputCount, output, "select.outputCount", "select.output");
    checkCaptures(call, output, "select.output");
    checkCaptures(call, outputCount, "select.outputCount");
    call.depends(use.operator.id);
    call.depends(0);
    call.depends(input.shape.id);
    call.depends(output.shape.id);
    call.depends(outputCount.shape.id);
  },

  request(call, algorithm) {
    const [input, output, nowhere, , outputCount] = call.slots;
    const [use] = call.operators;
    if (!input || !output || !nowhere || !outputCount || !use) throw new Error("the call was not read");
    const type = input.shape.elementType;
    checkSize(type, largestItem, "select.input");
    checkOutputType(type, output.shape.elementType, "select.output");
    const selected = use.operator.specialize([type], scalarTypes.bool, "select.op");
    return {
      algorithm,
      slots: [
        { shape: input.shape, as: type, direction: "input" },
        { shape: output.shape, as: type, direction: "output" },
        { shape: nowhere.shape, as: type, direction: "output" },
        { shape: nowhere.shape, as: type, direction: "output" },
        {
          // The partition counts its second part too, for which this array has no element.
          shape: firstOnly(outputCount.shape.elementType as ScalarType),
          as: scalarTypes.int64,
          direction: "output",
        },
      ],
      operators: [selected, nothing.specialize([type], scalarTypes.bool, "select.op")],
      options: {},
    };
  },

  host({ count, read, write, operators }) {
    const [input] = read;
    const [, output, , , outputCount] = write;
    const [op] = operators;
    if (!input || !output || !outputCount || !op) throw new Error("an argument is missing");
    let selected = 0;
    for (let i = 0; i < count; i++) {
      const item = input(i);
      if (op(item) === true) output(selected++, item);
    }
    outputCount(0, BigInt(selected));
  },
});

/**
 * Copies the items for which `op` holds to the front of the output, in their order, and writes how many there were.
 * Output elements behind them stay as they are.
 *
 * Items convert to the output's type, and the count to its array's, as a store into their typed arrays would. Output,
 * count and input may share no memory: tiles are written while others are still read. Enqueued on the stream; the
 * result is the same in each run. Implements CUB's DevicePartition with a second part that is always empty.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function select<I extends ElementSpec, O extends Convertible<I>>(options: SelectOptions<I, O>): void {
  forms.run(options);
}

/** Builds a selection for the types of these options now. The function it returns keeps no array. */
export function makeSelect<I extends ElementSpec, O extends Convertible<I>>(
  options: SelectOptions<I, O>,
): (options: SelectCallOptions<I, O>) => void {
  return forms.make(options);
}

/** {@link makeSelect}, compiling off the event loop. */
export function makeSelectAsync<I extends ElementSpec, O extends Convertible<I>>(
  options: SelectOptions<I, O>,
): Promise<(options: SelectCallOptions<I, O>) => void> {
  return forms.makeAsync(options);
}
