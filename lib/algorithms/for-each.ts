import type { Input } from "../iterators/types";
import { discardOf } from "../iterators/discard";
import { readable } from "../iterators/readable";
import type { Shape } from "../builds/shape";
import { shapeOf } from "../memory/device-array";
import type { Stream } from "../memory/stream";
import type { OperatorObject } from "../operators";
import type { ElementSpec, ValueOf } from "../types/element";
import { scalarTypes } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import { addSlot, checkLength, operatorOf, setCount, setStream } from "./checks";
import type { CallOptions } from "./types";

/** Options of {@link forEach}. */
export interface ForEachOptions<I extends ElementSpec> {
  input: Input<I>;
  /** Called once for each item, in no order. What it answers is dropped. */
  op: ((x: ValueOf<I>) => void) | OperatorObject;
  /** How many items; by default the input's length. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options of a made forEach: `op` only where it captures values, and then with the meaning it was made with. */
export type ForEachCallOptions<I extends ElementSpec> = CallOptions<ForEachOptions<I>, "op">;

type AnyOptions = ForEachOptions<ElementSpec>;

/** The library's own takes an address only; what is computed goes through a transform into nothing. */
const nothing = discardOf(scalarTypes.uint8);

/** The shape of arrays as the library's kernel can have it: it does not know 16-bit floats, whose bits do as well. */
function itemShape(shape: Shape): Shape {
  const { kind, size } = shape.elementType;
  return kind === "float" && size === 2 ? shapeOf(scalarTypes.uint16) : shape;
}

const forms = defineAlgorithm<AnyOptions, object>({
  name: "for_each",
  publicName: "forEach",
  compiles: "linked",
  options: ["input", "op", "numItems", "stream"],
  dependsOn: ["op", "input"],

  read(options, call, operators) {
    const input = readable(options.input, "forEach.input");
    const use = operatorOf(options.op, 1, operators?.[0], "forEach.op");
    addSlot(call, 0, input, "forEach.input");
    if (!input.shape.isPointer) call.slots[1] = nothing;
    call.operators[0] = use;
    setStream(call, options.stream, "forEach.stream");
    setCount(call, options.numItems, input, undefined, "forEach.numItems");
    checkLength(input, call.count, "forEach.numItems (input)");
    call.depends(use.operator.id);
    call.depends(0);
    call.depends(input.shape.id);
  },

  request(call, algorithm) {
    const [input, output] = call.slots;
    const [use] = call.operators;
    if (!input || !use) throw new Error("the call was not read");
    const type = input.shape.elementType;
    const operators = [use.operator.specializeEffect([type], "forEach.op")];
    if (output === undefined) {
      const shape = itemShape(input.shape);
      const array = { shape, as: shape.elementType, direction: "input" } as const;
      return { algorithm, slots: [array], operators, options: {} };
    }
    const items = { shape: input.shape, as: type, direction: "input" } as const;
    const results = { shape: output.shape, as: output.shape.elementType, direction: "output" } as const;
    return { algorithm: { ...algorithm, name: "unary_transform" }, slots: [items, results], operators, options: {} };
  },

  host({ count, read, operators }) {
    const [input] = read;
    const [op] = operators;
    if (!input || !op) throw new Error("an argument is missing");
    for (let i = 0; i < count; i++) op(input(i));
    return undefined;
  },
});

/**
 * Calls `op` once for each item, in no order, for what it does: it may write elements of captured arrays, with atomic
 * functions such as `atomicAdd` where several items write the same element. Items themselves are values; to change them,
 * capture the array (or use `unaryTransform`).
 *
 * Enqueued on the stream. Implements CUB's DeviceFor.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator
 */
export function forEach<I extends ElementSpec>(options: ForEachOptions<I>): void {
  forms.run(options);
}

/** Builds a forEach for the types of these options now. The function it returns keeps no array. */
export function makeForEach<I extends ElementSpec>(
  options: ForEachOptions<I>,
): (options: ForEachCallOptions<I>) => void {
  return forms.make(options);
}

/** {@link makeForEach}, compiling off the event loop. */
export function makeForEachAsync<I extends ElementSpec>(
  options: ForEachOptions<I>,
): Promise<(options: ForEachCallOptions<I>) => void> {
  return forms.makeAsync(options);
}
