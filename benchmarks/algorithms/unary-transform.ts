import {
  type Struct,
  type UnaryTransformOptions,
  constant,
  makeUnaryTransform,
  ops,
  struct,
  unaryTransform,
} from "../../lib";
import { benchmark, empty, filled, filledStructs, integerTypes, longLengths, sizeOf, work } from "../benchmark";
import { entropyArray, entropyBelow } from "../inputs";

type Numbers = UnaryTransformOptions<"float32", "float32">;
type Color = Struct<{ r: "float32"; g: "float32"; b: "float32" }>;

const colors = {
  float32: struct({ r: "float32", g: "float32", b: "float32" }),
  float64: struct({ r: "float64", g: "float64", b: "float64" }),
};

const streamTypes = ["float32", "int8", "int16", "float64"] as const;

/**
 * A function with so many values alive at once: as text, so that their number is part of the code, as it is where
 * registers are scarce.
 */
function heavy(values: number): (x: number) => number {
  const names = Array.from({ length: values }, (_, i) => `r${String(i)}`);
  const made = names.map(
    (name, i) => `const ${name} = ${i === 0 ? "x" : `r${String(i - 1)} * r${String(i - 1)} + 19`};`,
  );
  const used = names.map((name, i) => `${name} * ${String(names[values - 1 - i])}`);
  const text = `(x) => { ${made.join(" ")} return ${used.join(" + ")}; }`;
  return eval(text) as (x: number) => number;
}

export const unaryTransformBenchmarks = [
  benchmark("fill", { type: integerTypes, elements: longLengths }, ({ type, elements }) =>
    work<Numbers>({ read: 0, written: elements * sizeOf(type) }, unaryTransform, makeUnaryTransform, {
      input: constant(42, type as unknown as "float32"),
      output: empty(elements, type),
      op: ops.identity,
      numItems: elements,
    }),
  ),

  // BabelStream's.
  benchmark("multiply", { type: streamTypes, elements: longLengths }, ({ type, elements }) => {
    const bytes = elements * sizeOf(type);
    return work<Numbers>({ read: bytes, written: bytes }, unaryTransform, makeUnaryTransform, {
      input: filled(elements, type, (length) => entropyBelow(type, length, 10, 1, 1)),
      output: empty(elements, type),
      op: (x) => x * 3,
    });
  }),

  benchmark("grayscale", { type: ["float32", "float64"], elements: longLengths }, ({ type, elements }) => {
    const color = colors[type] as Color;
    const traffic = { read: elements * color.size, written: elements * sizeOf(type) };
    return work<UnaryTransformOptions<Color, "float32">>(traffic, unaryTransform, makeUnaryTransform, {
      input: filledStructs(elements, color, type, (length) => entropyBelow(type, length, 1, 1, 1)),
      output: empty(elements, type),
      op: ({ r, g, b }) => 0.2989 * r + 0.587 * g + 0.114 * b,
    });
  }),

  // Items that take unlike times.
  benchmark("fibonacci", { elements: longLengths }, ({ elements }) => {
    const traffic = { read: elements * sizeOf("int64"), written: elements * sizeOf("uint32") };
    return work<Numbers>(traffic, unaryTransform, makeUnaryTransform, {
      input: filled(elements, "int64", (length) => entropyBelow("int64", length, 43, 1, 1)),
      output: empty(elements, "uint32"),
      op: (n) => {
        let a = 0;
        let b = 1;
        for (let i = 0; i < n; i++) {
          const sum = a + b;
          a = b;
          b = sum;
        }
        return a;
      },
    });
  }),

  benchmark("heavy", { heaviness: [32, 64, 128, 256], elements: longLengths }, ({ heaviness, elements }) => {
    const bytes = elements * sizeOf("uint32");
    return work<Numbers>({ read: bytes, written: bytes }, unaryTransform, makeUnaryTransform, {
      input: filled(elements, "uint32", (length) => entropyArray("uint32", length, 1, 1)),
      output: empty(elements, "uint32"),
      op: heavy(heaviness),
    });
  }),
];
