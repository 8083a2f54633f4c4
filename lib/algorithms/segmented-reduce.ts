import type { BinaryOperator, Input, Output } from "../iterators/types";
import { isArgument, readable, writable } from "../iterators/readable";
import type { Argument } from "../builds/shape";
import type { Stream } from "../memory/stream";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { specializePure } from "../operators";
import type { ElementSpec, ElementType } from "../types/element";
import type { IntegerName } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import type { Call } from "./call";
import {
  type InitOption,
  addSlot,
  checkApart,
  checkCaptures,
  checkLength,
  operatorOf,
  setCount,
  setInit,
  setStream,
} from "./checks";
import type { Accumulator, CallInit, CallOptions, ReduceInit } from "./types";

/** Options of {@link segmentedReduce}. */
export interface SegmentedReduceOptions<I extends ElementSpec, O extends ElementSpec, Init> {
  /** Holds the items of all segments. */
  input: Input<I>;
  /** Where the results go: one for each segment. */
  output: Output<O>;
  /** Where each segment begins: the index of its first item. */
  startOffsets: Input<IntegerName>;
  /** Where each segment ends: the index after its last item, which is no less than where it begins. */
  endOffsets: Input<IntegerName>;
  /** Combines two values of the accumulator's type. Must be associative and commutative. */
  op: BinaryOperator<Accumulator<I, O, Init>, Accumulator<I, O, Init>, Accumulator<I, O, Init>>;
  /**
   * The value that each segment starts from, and the result of an empty one. A number, bigint, boolean or object takes
   * the type that holds input and output both; a typed array of one element sets the accumulator's type by its own.
   */
  init: Init;
  /** How many segments; by default as many as there are start offsets. */
  numSegments?: number | undefined;
  /** A size that no segment exceeds: small ones then share a block. Results are undefined where one does exceed it. */
  maxSegmentSize?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of a made segmented reduction: `op` only where it captures values, with the meaning it was made with. */
export type SegmentedReduceCallOptions<I extends ElementSpec, O extends ElementSpec, Init> = CallOptions<
  SegmentedReduceOptions<I, O, Init>,
  "op"
>;

/** Options as the definition reads them: types are checked at run time. */
type AnyOptions = SegmentedReduceOptions<ElementSpec, ElementSpec, ReduceInit<ElementSpec, ElementSpec>>;

/** The library counts segments in an int. */
const mostSegments = 2 ** 31 - 1;

function offsets(value: unknown, name: string): Argument {
  const argument = readable(value, name);
  const { kind, name: type } = argument.shape.elementType;
  if (kind !== "int" && kind !== "uint") throw new ArgumentTypeError(name, "offsets of an integer type", type);
  return argument;
}

/** Counts the segments by the first of these that has an end. */
function setSegments(call: Call, given: number | undefined, start: Argument, end: Argument, output: Argument): void {
  const name = "segmentedReduce.numSegments";
  setCount(call, given, start.length === Infinity ? end : start, output, name);
  if (call.count > mostSegments) throw new ArgumentRangeError(name, "at most 2^31-1 segments", call.count);
}

/** 0 stands for a size that is not known. */
function segmentSize(value: unknown): number {
  if (value === undefined) return 0;
  const name = "segmentedReduce.maxSegmentSize";
  if (typeof value !== "number") throw new ArgumentTypeError(name, "a number of items", value);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new ArgumentRangeError(name, "a whole number of items from 1 to 2^53-1", value);
  }
  return value;
}

const forms = defineAlgorithm<AnyOptions, object>({
  name: "segmented_reduce",
  publicName: "segmentedReduce",
  // CUB's reductions of warps and threads have instructions of their own for plus, minimum and maximum.
  compiles: "whole-if-well-known",
  options: ["input", "output", "startOffsets", "endOffsets", "op", "init", "numSegments", "maxSegmentSize", "stream"],
  dependsOn: ["op", "input", "output", "startOffsets", "endOffsets", "init"],

  read(options, call, operators) {
    const input = readable(options.input, "segmentedReduce.input");
    const output = writable(options.output, "segmentedReduce.output");
    const start = offsets(options.startOffsets, "segmentedReduce.startOffsets");
    const end = offsets(options.endOffsets, "segmentedReduce.endOffsets");
    const use = operatorOf(options.op, 2, operators?.[0], "segmentedReduce.op");
    addSlot(call, 0, input, "segmentedReduce.input");
    addSlot(call, 1, output, "segmentedReduce.output");
    addSlot(call, 2, start, "segmentedReduce.startOffsets");
    addSlot(call, 3, end, "segmentedReduce.endOffsets");
    call.operators[0] = use;
    const init: unknown = options.init;
    if (init === undefined || isArgument(init)) {
      throw new ArgumentTypeError("segmentedReduce.init", "a value or a typed array of one element", init);
    }
    const { elementType: from } = input.shape;
    const { elementType: to } = output.shape;
    setInit(call, init as InitOption, from, to, "segmentedReduce.init");
    setStream(call, options.stream, "segmentedReduce.stream");
    setSegments(call, options.numSegments, start, end, output);
    call.scalars[1] = segmentSize(options.maxSegmentSize);
    checkLength(start, call.count, "segmentedReduce.startOffsets");
    checkLength(end, call.count, "segmentedReduce.endOffsets");
    checkLength(output, call.count, "segmentedReduce.output");
    checkApart(output, input, "segmentedReduce.output", "segmentedReduce.input");
    checkApart(output, start, "segmentedReduce.output", "segmentedReduce.startOffsets");
    checkApart(output, end, "segmentedReduce.output", "segmentedReduce.endOffsets");
    checkCaptures(call, output, "segmentedReduce.output");
    call.depends(use.operator.id);
    call.depends(0);
    call.depends(input.shape.id);
    call.depends(output.shape.id);
    call.depends(start.shape.id);
    call.depends(end.shape.id);
    call.depends((call.initType as ElementType).id);
  },

  request(call, algorithm) {
    const [input, output, start, end] = call.slots;
    const [use] = call.operators;
    const type = call.initType as ElementType;
    if (!input || !output || !start || !end || !use) throw new Error("the call was not read");
    return {
      algorithm,
      slots: [
        { shape: input.shape, as: type, direction: "input" },
        { shape: output.shape, as: type, direction: "output" },
        { shape: start.shape, as: start.shape.elementType, direction: "input" },
        { shape: end.shape, as: end.shape.elementType, direction: "input" },
      ],
      operators: [specializePure(use.operator, [type, type], type, "segmentedReduce.op")],
      init: { kind: "value", type },
      options: {},
    };
  },

  host({ count, read, write, operators, init }) {
    const [input, , start, end] = read;
    const [, output] = write;
    const [op] = operators;
    if (!input || !start || !end || !output || !op || init === undefined) throw new Error("an argument is missing");
    for (let segment = 0; segment < count; segment++) {
      const last = Number(end(segment));
      let sum = init;
      for (let i = Number(start(segment)); i < last; i++) sum = op(sum, input(i));
      output(segment, sum);
    }
    return undefined;
  },
});

/**
 * Reduces each segment of the input to one value: `output[s] = op(init, op(item, item, …))` over the items from
 * `startOffsets[s]` to `endOffsets[s]` (exclusive). Segments may overlap, leave items out and come in any order; an
 * empty one gives `init`. Offsets are not checked: those outside of the input read what lies there.
 *
 * The accumulator has the init's type where that is a typed array, else the type that holds input and output both
 * (NumPy's promotion); items convert to it, and results convert to the output's type as a store into its typed array
 * would. Enqueued on the stream; the output overlaps nothing else. Where segments touch, one array of n + 1 offsets
 * serves for both: `offsets.subarray(0, -1)` and `offsets.subarray(1)`.
 *
 * Implements CUB's DeviceSegmentedReduce, which combines the items of a segment in an order of its own: the same at each
 * run for one `maxSegmentSize`, so results have the same bits each time.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function segmentedReduce<I extends ElementSpec, O extends ElementSpec, Init extends ReduceInit<I, O>>(
  options: SegmentedReduceOptions<I, O, Init>,
): void {
  forms.run(options as unknown as AnyOptions);
}

/** Builds a segmented reduction for the types of these options now. The function it returns keeps no array. */
export function makeSegmentedReduce<I extends ElementSpec, O extends ElementSpec, Init extends ReduceInit<I, O>>(
  options: SegmentedReduceOptions<I, O, Init>,
): (options: SegmentedReduceCallOptions<I, O, CallInit<I, O, Init>>) => void {
  return forms.make(options as unknown as AnyOptions);
}

/** {@link makeSegmentedReduce}, compiling off the event loop. */
export function makeSegmentedReduceAsync<I extends ElementSpec, O extends ElementSpec, Init extends ReduceInit<I, O>>(
  options: SegmentedReduceOptions<I, O, Init>,
): Promise<(options: SegmentedReduceCallOptions<I, O, CallInit<I, O, Init>>) => void> {
  return forms.makeAsync(options as unknown as AnyOptions);
}
