/** Inclusive and exclusive scans: one definition for both, as the C library has one family. */
import type { Input, Output, BinaryOperator } from "../iterators/types";
import { readable, writable } from "../iterators/readable";
import type { Stream } from "../memory/stream";
import { ArgumentTypeError } from "../errors";
import { specializePure } from "../operators";
import { optionNames } from "../option-names";
import type { ElementSpec, ElementType } from "../types/element";
import { type Forms, defineAlgorithm } from "./algorithm";
import {
  addSlot,
  checkAliasing,
  checkApart,
  checkCaptures,
  checkLength,
  initKinds,
  operatorOf,
  setCount,
  setInit,
  setStream,
} from "./checks";
import type { InitOption } from "./checks";
import type { Accumulator, CallInit, CallOptions, ScanInit } from "./types";

interface ScanBase<I extends ElementSpec, O extends ElementSpec, Init> {
  /** What is scanned. */
  input: Input<I>;
  /** Where the partial results go: as many as there are items. */
  output: Output<O>;
  /** Combines two values of the accumulator's type. Must be associative. */
  op: BinaryOperator<Accumulator<I, O, Init>, Accumulator<I, O, Init>, Accumulator<I, O, Init>>;
  /** How many items; by default the input's length, or the output's where the input has no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of {@link inclusiveScan}. */
export interface InclusiveScanOptions<I extends ElementSpec, O extends ElementSpec, Init = undefined> extends ScanBase<
  I,
  O,
  Init
> {
  /**
   * What the first item is combined with. A number, bigint, boolean or object takes the type that holds input and output both;
   * a typed array or device array of one element sets the accumulator's type by its own, and a device array is read
   * when the work runs.
   */
  init?: Init;
}

/** Options of {@link exclusiveScan}. */
export interface ExclusiveScanOptions<I extends ElementSpec, O extends ElementSpec, Init> extends ScanBase<I, O, Init> {
  /** The first result; given as for {@link InclusiveScanOptions.init}. */
  init: Init;
}

/** Options of a made scan: `op` only where it captures values, and then with the meaning it was made with. */
export type ScanCallOptions<T extends { op: unknown }> = CallOptions<T, "op">;

type AnyOptions = ScanBase<ElementSpec, ElementSpec, undefined> & { init?: InitOption };

function defineScan(name: string, publicName: string, inclusive: boolean): Forms<AnyOptions, object> {
  const known = ["input", "output", "op", "init", "numItems", "stream"] as const;
  const names = optionNames(publicName, [...known, "numItems (input)"]);

  return defineAlgorithm<AnyOptions, object>({
    name,
    publicName,
    compiles: "whole-if-well-known",
    options: known,
    dependsOn: ["op", "input", "output", "init", "init"],

    read(options, call, operators) {
      const input = readable(options.input, names.input);
      const output = writable(options.output, names.output);
      const use = operatorOf(options.op, 2, operators?.[0], names.op);
      addSlot(call, 0, input, names.input);
      addSlot(call, 1, output, names.output);
      call.operators[0] = use;
      const { init } = options;
      if (!inclusive && init === undefined) {
        throw new ArgumentTypeError(names.init, "a first value, which an exclusive scan needs", undefined);
      }
      const { elementType: from } = input.shape;
      const { elementType: to } = output.shape;
      const kind = setInit(call, init, from, to, names.init);
      setStream(call, options.stream, names.stream);
      setCount(call, options.numItems, input, output, names.numItems);
      checkLength(input, call.count, names["numItems (input)"]);
      checkLength(output, call.count, names.output);
      checkAliasing(input, output, names.output);
      // Blocks read the initial value when they start, which may be after the first results were written.
      if (call.initArray !== undefined) {
        checkApart(output, call.initArray, names.output, names.init);
      }
      checkCaptures(call, output, names.output);
      call.depends(use.operator.id);
      call.depends(0);
      call.depends(input.shape.id);
      call.depends(output.shape.id);
      call.depends((call.initType as ElementType).id);
      call.depends(kind);
    },

    request(call, algorithm) {
      const [input, output] = call.slots;
      const [use] = call.operators;
      const type = call.initType as ElementType;
      const kind = initKinds[call.key[5] as number];
      if (input === undefined || output === undefined || use === undefined || kind === undefined) {
        throw new Error("the call was not read");
      }
      return {
        algorithm,
        slots: [
          { shape: input.shape, as: type, direction: "input" },
          { shape: output.shape, as: type, direction: "output" },
        ],
        operators: [specializePure(use.operator, [type, type], type, names.op)],
        init: { kind, type },
        options: {},
      };
    },

    host({ count, read, write, operators, init }) {
      const [input] = read;
      const [, output] = write;
      const [op] = operators;
      if (input === undefined || output === undefined || op === undefined) throw new Error("an argument is missing");
      let sum = init;
      for (let i = 0; i < count; i++) {
        const item = input(i);
        const next = sum === undefined ? item : op(sum, item);
        output(i, inclusive ? next : (sum as typeof next));
        sum = next;
      }
    },
  });
}

const inclusiveForms = defineScan("inclusive_scan", "inclusiveScan", true);
const exclusiveForms = defineScan("exclusive_scan", "exclusiveScan", false);

/**
 * Writes the running result up to and with each item: `output[i] = op(init, input[0], …, input[i])`; without `init`
 * the first result is the first item.
 *
 * The accumulator has the init's type where that is a typed array or device array, else the type that holds input and
 * output both (NumPy's promotion); items convert to it, and results convert to the output's type as a store into its
 * typed array would. Enqueued on the stream; the output may be exactly the input, and shares no memory with an init
 * that is a device array. Implements CUB's DeviceScan. Sums of floats may differ in their last bits from run to run.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function inclusiveScan<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ScanInit<I, O> | undefined = undefined,
>(options: InclusiveScanOptions<I, O, Init>): void {
  inclusiveForms.run(options as unknown as AnyOptions);
}

/** Builds an inclusive scan for the types of these options now. The function it returns keeps no array. */
export function makeInclusiveScan<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ScanInit<I, O> | undefined = undefined,
>(
  options: InclusiveScanOptions<I, O, Init>,
): (options: ScanCallOptions<InclusiveScanOptions<I, O, CallInit<I, O, Init>>>) => void {
  return inclusiveForms.make(options as unknown as AnyOptions);
}

/** {@link makeInclusiveScan}, compiling off the event loop. */
export function makeInclusiveScanAsync<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ScanInit<I, O> | undefined = undefined,
>(
  options: InclusiveScanOptions<I, O, Init>,
): Promise<(options: ScanCallOptions<InclusiveScanOptions<I, O, CallInit<I, O, Init>>>) => void> {
  return inclusiveForms.makeAsync(options as unknown as AnyOptions);
}

/**
 * Writes the running result up to and without each item: `output[0] = init`,
 * `output[i] = op(init, input[0], …, input[i - 1])`. Everything else is as for {@link inclusiveScan}.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function exclusiveScan<I extends ElementSpec, O extends ElementSpec, Init extends ScanInit<I, O>>(
  options: ExclusiveScanOptions<I, O, Init>,
): void {
  exclusiveForms.run(options as unknown as AnyOptions);
}

/** Builds an exclusive scan for the types of these options now. The function it returns keeps no array. */
export function makeExclusiveScan<I extends ElementSpec, O extends ElementSpec, Init extends ScanInit<I, O>>(
  options: ExclusiveScanOptions<I, O, Init>,
): (options: ScanCallOptions<ExclusiveScanOptions<I, O, CallInit<I, O, Init>>>) => void {
  return exclusiveForms.make(options as unknown as AnyOptions);
}

/** {@link makeExclusiveScan}, compiling off the event loop. */
export function makeExclusiveScanAsync<I extends ElementSpec, O extends ElementSpec, Init extends ScanInit<I, O>>(
  options: ExclusiveScanOptions<I, O, Init>,
): Promise<(options: ScanCallOptions<ExclusiveScanOptions<I, O, CallInit<I, O, Init>>>) => void> {
  return exclusiveForms.makeAsync(options as unknown as AnyOptions);
}
