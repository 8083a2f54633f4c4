import { type BinaryTransformOptions, binaryTransform, complex64, makeBinaryTransform, zipped } from "../../lib";
import {
  type NumberArray,
  type Work,
  benchmark,
  empty,
  filled,
  filledStructs,
  longLengths,
  sizeOf,
  work,
} from "../benchmark";
import { entropyArray, entropyBelow } from "../inputs";

type StreamType = "float32" | "int8" | "int16" | "float64";
type Numbers = BinaryTransformOptions<"float32", "float32", "float32">;

const axes = { type: ["float32", "int8", "int16", "float64"], elements: longLengths } as const;

const numbers = (type: StreamType, elements: number, seed: number): NumberArray =>
  filled(elements, type, (length) => entropyBelow(type, length, 10, 1, seed));

function stream(type: StreamType, elements: number, op: Numbers["op"]): Work {
  const bytes = elements * sizeOf(type);
  return work<Numbers>({ read: 2 * bytes, written: bytes }, binaryTransform, makeBinaryTransform, {
    input1: numbers(type, elements, 1),
    input2: numbers(type, elements, 2),
    output: empty(elements, type),
    op,
  });
}

export const binaryTransformBenchmarks = [
  // BabelStream's.
  benchmark("add", axes, ({ type, elements }) => stream(type, elements, (a, b) => a + b)),
  benchmark("triad", axes, ({ type, elements }) => stream(type, elements, (b, c) => b + c * 3)),
  benchmark("nstream", axes, ({ type, elements }) => {
    const bytes = elements * sizeOf(type);
    return work({ read: 3 * bytes, written: bytes }, binaryTransform, makeBinaryTransform, {
      input1: zipped(numbers(type, elements, 1), numbers(type, elements, 2)),
      input2: numbers(type, elements, 3),
      output: empty(elements, type),
      op: ([a, b]: [number, number], c: number) => a + b + c * 3,
    });
  }),

  // Each complex number with its neighbour: the inputs overlap.
  benchmark("complex-compare", { elements: longLengths }, ({ elements }) => {
    const input = filledStructs(elements, complex64, "float32", (length) => entropyArray("float32", length, 1, 1));
    const pairs = elements - 1;
    const traffic = { read: elements * complex64.size, written: pairs * sizeOf("bool") };
    return work<BinaryTransformOptions<typeof complex64, typeof complex64, "bool">>(
      traffic,
      binaryTransform,
      makeBinaryTransform,
      {
        input1: input.subarray(0, pairs),
        input2: input.subarray(1),
        output: empty(pairs, "bool") as never,
        op: (a, b) => a.re * a.re + a.im * a.im < b.re * b.re + b.im * b.im,
      },
    );
  }),
];
