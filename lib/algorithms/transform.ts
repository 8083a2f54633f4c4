/** Unary and binary transforms. */
import type { BinaryOperator, Input, Output, UnaryOperator } from "../iterators/types";
import { readable, writable } from "../iterators/readable";
import type { Argument } from "../builds/shape";
import type { Stream } from "../memory/stream";
import type { ElementSpec, ValueOf } from "../types/element";
import { optionNames } from "../option-names";
import { type Definition, defineAlgorithm } from "./algorithm";
import type { Call } from "./call";
import { addSlot, checkAliasing, checkCaptures, checkLength, operatorOf, setCount, setStream } from "./checks";
import type { CallOptions } from "./types";

/** Options of {@link unaryTransform}. */
export interface UnaryTransformOptions<I extends ElementSpec, O extends ElementSpec> {
  input: Input<I>;
  /** Where the results go: as many as there are items. */
  output: Output<O>;
  /** Applied to every item; its result converts to the output's type. */
  op: UnaryOperator<ValueOf<I>, ValueOf<O>>;
  /** How many items; by default the input's length, or the output's where the input has no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of {@link binaryTransform}. */
export interface BinaryTransformOptions<I1 extends ElementSpec, I2 extends ElementSpec, O extends ElementSpec> {
  input1: Input<I1>;
  input2: Input<I2>;
  /** Where the results go: as many as there are items. */
  output: Output<O>;
  /** Applied to the items of both inputs at each place; its result converts to the output's type. */
  op: BinaryOperator<ValueOf<I1>, ValueOf<I2>, ValueOf<O>>;
  /** How many items; by default the first input's length that has an end, or the output's. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of a made transform: `op` only where it captures values, and then with the meaning it was made with. */
export type TransformCallOptions<T extends { op: unknown }> = CallOptions<T, "op">;

interface AnyOptions {
  input?: unknown;
  input1?: unknown;
  input2?: unknown;
  output: unknown;
  op?: unknown;
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

function transformDefinition(
  name: string,
  publicName: string,
  inputs: readonly ("input" | "input1" | "input2")[],
): Definition<AnyOptions> {
  const known = [...inputs, "output", "op", "numItems", "stream"] as const;
  const names = optionNames(publicName, known);
  return {
    name,
    publicName,
    // CUB tunes transforms for element sizes alone: linking the operator costs a tenth of a whole compilation.
    compiles: "linked",
    options: known,
    dependsOn: ["op", ...inputs, "output"],

    read(options, call, operators) {
      for (let i = 0; i < inputs.length; i++) {
        const option = inputs[i] as "input";
        addSlot(call, i, readable(options[option], names[option]), names[option]);
      }
      const output = writable(options.output, names.output);
      addSlot(call, inputs.length, output, names.output);
      const use = operatorOf(options.op, inputs.length, operators?.[0], names.op);
      call.operators[0] = use;
      setStream(call, options.stream, names.stream);
      setCount(call, options.numItems, endedInput(call, inputs.length), output, names.numItems);
      checkLength(output, call.count, names.output);
      checkCaptures(call, output, names.output);
      call.depends(use.operator.id);
      call.depends(0);
      for (let i = 0; i < inputs.length; i++) {
        const input = call.slots[i] as Argument;
        checkLength(input, call.count, names[inputs[i] as "input"]);
        checkAliasing(input, output, names.output);
        call.depends(input.shape.id);
      }
      call.depends(output.shape.id);
    },

    request(call, algorithm) {
      const [use] = call.operators;
      if (use === undefined) throw new Error("the call was not read");
      const shapes = call.slots.flatMap((slot) => (slot === undefined ? [] : [slot.shape]));
      const types = shapes.map((shape) => shape.elementType);
      return {
        algorithm,
        slots: shapes.map((shape, index) => ({
          shape,
          as: shape.elementType,
          direction: index < inputs.length ? "input" : "output",
        })),
        operators: [use.operator.specialize(types.slice(0, -1), types[types.length - 1], names.op)],
        options: {},
      };
    },

    host({ count, read, write, operators }) {
      const [first, second] = read;
      const output = write[inputs.length];
      const [op] = operators;
      if (first === undefined || output === undefined || op === undefined) throw new Error("an argument is missing");
      if (inputs.length === 1 || second === undefined) {
        for (let i = 0; i < count; i++) output(i, op(first(i)));
      } else {
        for (let i = 0; i < count; i++) output(i, op(first(i), second(i)));
      }
    },
  };
}

/** The first input that has an end, else the first. */
function endedInput(call: Call, inputs: number): Argument {
  for (let i = 0; i < inputs; i++) {
    const input = call.slots[i] as Argument;
    if (input.length !== Infinity) return input;
  }
  return call.slots[0] as Argument;
}

const unaryForms = defineAlgorithm(transformDefinition("unary_transform", "unaryTransform", ["input"]));
const binaryForms = defineAlgorithm(transformDefinition("binary_transform", "binaryTransform", ["input1", "input2"]));

/**
 * Writes `op` of every item: `output[i] = op(input[i])`.
 *
 * The operator sees items of the input's type; what it computes converts to the output's type as a store into its
 * typed array would. Enqueued on the stream; the output may be exactly the input. Implements CUB's DeviceTransform.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function unaryTransform<I extends ElementSpec, O extends ElementSpec>(
  options: UnaryTransformOptions<I, O>,
): void {
  unaryForms.run(options);
}

/** Builds a unary transform for the types of these options now. The function it returns keeps no array. */
export function makeUnaryTransform<I extends ElementSpec, O extends ElementSpec>(
  options: UnaryTransformOptions<I, O>,
): (options: TransformCallOptions<UnaryTransformOptions<I, O>>) => void {
  return unaryForms.make(options);
}

/** {@link makeUnaryTransform}, compiling off the event loop. */
export function makeUnaryTransformAsync<I extends ElementSpec, O extends ElementSpec>(
  options: UnaryTransformOptions<I, O>,
): Promise<(options: TransformCallOptions<UnaryTransformOptions<I, O>>) => void> {
  return unaryForms.makeAsync(options);
}

/**
 * Writes `op` of the items of two inputs: `output[i] = op(input1[i], input2[i])`. Everything else is as for
 * {@link unaryTransform}.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function binaryTransform<I1 extends ElementSpec, I2 extends ElementSpec, O extends ElementSpec>(
  options: BinaryTransformOptions<I1, I2, O>,
): void {
  binaryForms.run(options);
}

/** Builds a binary transform for the types of these options now. The function it returns keeps no array. */
export function makeBinaryTransform<I1 extends ElementSpec, I2 extends ElementSpec, O extends ElementSpec>(
  options: BinaryTransformOptions<I1, I2, O>,
): (options: TransformCallOptions<BinaryTransformOptions<I1, I2, O>>) => void {
  return binaryForms.make(options);
}

/** {@link makeBinaryTransform}, compiling off the event loop. */
export function makeBinaryTransformAsync<I1 extends ElementSpec, I2 extends ElementSpec, O extends ElementSpec>(
  options: BinaryTransformOptions<I1, I2, O>,
): Promise<(options: TransformCallOptions<BinaryTransformOptions<I1, I2, O>>) => void> {
  return binaryForms.makeAsync(options);
}
