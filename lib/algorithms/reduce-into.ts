import type { Input, Output, BinaryOperator } from "../iterators/types";
import { isArgument, readable, writable } from "../iterators/readable";
import type { Stream } from "../memory/stream";
import { ArgumentTypeError } from "../errors";
import { specializePure } from "../operators";
import type { ElementSpec, ElementType } from "../types/element";
import { defineAlgorithm } from "./algorithm";
import { addSlot, checkCaptures, checkLength, initKinds, operatorOf, setCount, setInit, setStream } from "./checks";
import type { Accumulator, CallInit, CallOptions, ReduceInit } from "./types";

/**
 * How far a reduction's result is the same from run to run. `run-to-run`: the same bits for the same input on one
 * device. `not-guaranteed`: atomics may order the sum differently each time; faster for some sizes.
 */
export type Determinism = "run-to-run" | "not-guaranteed";

/** Options of {@link reduceInto}. */
export interface ReduceOptions<I extends ElementSpec, O extends ElementSpec, Init = undefined> {
  /** What is reduced. */
  input: Input<I>;
  /** Where the result goes: its first element. */
  output: Output<O>;
  /** Combines two values of the accumulator's type. Must be associative; the order of the pairs is not the input's. */
  op: BinaryOperator<Accumulator<I, O, Init>, Accumulator<I, O, Init>, Accumulator<I, O, Init>>;
  /**
   * The value that the reduction starts from. A number, bigint, boolean or object takes the type that holds input and
   * output both; a typed array of one element sets the accumulator's type by its own. Without it the items alone are reduced,
   * and the output stays as it is where there are none.
   */
  init?: Init;
  /** How many items; by default the input's length. */
  numItems?: number | undefined;
  determinism?: Determinism;
  stream?: Stream | undefined;
}

/** Options of a made reduction: `op` only where it captures values, and then with the meaning it was made with. */
export type ReduceCallOptions<I extends ElementSpec, O extends ElementSpec, Init> = CallOptions<
  ReduceOptions<I, O, Init>,
  "op"
>;

/** Options as the definition reads them: types are checked at run time. */
type AnyOptions = ReduceOptions<ElementSpec, ElementSpec, ReduceInit<ElementSpec, ElementSpec> | undefined>;

/** `cccl_determinism_t`. */
const determinisms: Readonly<Record<string, number>> = { "not-guaranteed": 0, "run-to-run": 1 };

function determinismOf(value: unknown): number {
  if (value === undefined) return 1;
  if (value === "gpu-to-gpu") {
    throw new ArgumentTypeError(
      "reduceInto.determinism",
      '"run-to-run" or "not-guaranteed" (the C library does not build "gpu-to-gpu")',
      value,
      "ERR_UNSUPPORTED",
    );
  }
  const number = typeof value === "string" ? determinisms[value] : undefined;
  if (number === undefined) {
    throw new ArgumentTypeError("reduceInto.determinism", '"run-to-run" or "not-guaranteed"', value);
  }
  return number;
}

const forms = defineAlgorithm<AnyOptions, object>({
  name: "reduce",
  publicName: "reduceInto",
  compiles: "whole-if-well-known",
  options: ["input", "output", "op", "init", "numItems", "determinism", "stream"],
  dependsOn: ["op", "input", "output", "init", "init", "determinism"],

  read(options, call, operators) {
    const input = readable(options.input, "reduceInto.input");
    const output = writable(options.output, "reduceInto.output");
    const use = operatorOf(options.op, 2, operators?.[0], "reduceInto.op");
    addSlot(call, 0, input, "reduceInto.input");
    addSlot(call, 1, output, "reduceInto.output");
    call.operators[0] = use;
    const { init } = options;
    if (isArgument(init)) {
      throw new ArgumentTypeError(
        "reduceInto.init",
        "a value or a typed array of one element (only scans start from a device array)",
        init,
      );
    }
    const { elementType: from } = input.shape;
    const { elementType: to } = output.shape;
    const kind = setInit(call, init, from, to, "reduceInto.init");
    const determinism = determinismOf(options.determinism);
    setStream(call, options.stream, "reduceInto.stream");
    setCount(call, options.numItems, input, undefined, "reduceInto.numItems");
    checkLength(input, call.count, "reduceInto.numItems (input)");
    checkLength(output, 1, "reduceInto.output");
    checkCaptures(call, output, "reduceInto.output");
    call.depends(use.operator.id);
    call.depends(0);
    call.depends(input.shape.id);
    call.depends(output.shape.id);
    call.depends((call.initType as ElementType).id);
    call.depends(kind);
    call.depends(determinism);
  },

  request(call, algorithm) {
    const [input, output] = call.slots;
    const [use] = call.operators;
    const type = call.initType as ElementType;
    const kind = initKinds[call.key[5] as number];
    const determinism = call.key[6] as number;
    if (input === undefined || output === undefined || use === undefined || kind === undefined) {
      throw new Error("the call was not read");
    }
    const operator = specializePure(use.operator, [type, type], type, "reduceInto.op");
    if (determinism === determinisms["not-guaranteed"]) refuseOrderly(operator.wellKnown, kind, output.shape, type);
    return {
      algorithm,
      slots: [
        { shape: input.shape, as: type, direction: "input" },
        { shape: output.shape, as: type, direction: "output" },
      ],
      operators: [operator],
      init: { kind, type },
      options: { determinism },
    };
  },

  host({ count, read, write, operators, init }) {
    const [input] = read;
    const [, output] = write;
    const [op] = operators;
    if (input === undefined || output === undefined || op === undefined) throw new Error("an argument is missing");
    let first = 0;
    let sum = init;
    if (sum === undefined) {
      if (count === 0) return;
      sum = input(0);
      first = 1;
    }
    for (let i = first; i < count; i++) sum = op(sum, input(i));
    output(0, sum);
  },
});

/** `cccl_op_kind_t` of plus. */
const PLUS = 2;

/** The atomic reduction that the library has needs plus, an initial value and a plain array of the same type. */
function refuseOrderly(
  wellKnown: number | undefined,
  kind: string,
  output: { isPointer: boolean; elementType: ElementType },
  type: ElementType,
): void {
  const missing =
    wellKnown !== PLUS
      ? "an operator that is plus"
      : kind !== "value"
        ? "an init"
        : !output.isPointer || output.elementType !== type
          ? `an output array of type ${type.name}`
          : undefined;
  if (missing === undefined) return;
  throw new ArgumentTypeError(
    "reduceInto.determinism",
    `"run-to-run", as "not-guaranteed" needs ${missing}`,
    "not-guaranteed",
    "ERR_UNSUPPORTED",
  );
}

/**
 * Reduces the items to one value: `output[0] = op(init, op(item, item, …))`.
 *
 * The accumulator has the init's type where that is a typed array, else the type that holds input and output both
 * (NumPy's promotion); items convert to it, and the result converts to the output's type as a store into its typed
 * array would. Enqueued on the stream; the output may be one of the input's elements.
 *
 * Implements CUB's DeviceReduce. With `run-to-run` (the default) the result has the same bits each time.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function reduceInto<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ReduceInit<I, O> | undefined = undefined,
>(options: ReduceOptions<I, O, Init>): void {
  forms.run(options as unknown as AnyOptions);
}

/** Builds a reduction for the types of these options now. The function it returns keeps no array. */
export function makeReduceInto<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ReduceInit<I, O> | undefined = undefined,
>(options: ReduceOptions<I, O, Init>): (options: ReduceCallOptions<I, O, CallInit<I, O, Init>>) => void {
  return forms.make(options as unknown as AnyOptions);
}

/** {@link makeReduceInto}, compiling off the event loop. */
export function makeReduceIntoAsync<
  I extends ElementSpec,
  O extends ElementSpec,
  Init extends ReduceInit<I, O> | undefined = undefined,
>(options: ReduceOptions<I, O, Init>): Promise<(options: ReduceCallOptions<I, O, CallInit<I, O, Init>>) => void> {
  return forms.makeAsync(options as unknown as AnyOptions);
}
