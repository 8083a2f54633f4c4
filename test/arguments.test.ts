/** Bad input: each is a typed error that names the culprit, and nothing has changed when it is thrown. */
import {
  DeviceArray,
  type ScalarName,
  type Stream,
  constant,
  counting,
  exclusiveScan,
  inclusiveScan,
  makeReduceInto,
  memory,
  reduceInto,
  setBackend,
  transformed,
  transformedOutput,
  unaryTransform,
} from "../lib";

setBackend("host");

const input = DeviceArray.from(new Float32Array([1, 2, 3]));
const output = DeviceArray.zeros(3, "float32");
const add = (a: number, b: number): number => a + b;
const disposed = DeviceArray.zeros(3, "float32");
disposed.dispose();

/** Calls that a type checker refuses, as plain JavaScript would make them. */
const reduce = reduceInto as (options: unknown) => void;
const scan = exclusiveScan as (options: unknown) => void;
const transform = unaryTransform as (options: unknown) => void;

const mistakes: [string, () => unknown, string, string, string][] = [
  // what, how, name, code, argument
  [
    "an unknown type",
    () => DeviceArray.empty(1, "float8" as ScalarName),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.type",
  ],
  [
    "a type of Object.prototype",
    () => DeviceArray.empty(1, "constructor" as ScalarName),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.type",
  ],
  [
    "no type",
    () => DeviceArray.empty(1, undefined as unknown as ScalarName),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.type",
  ],
  ["a negative length", () => DeviceArray.empty(-1, "int8"), "RangeError", "ERR_OUT_OF_RANGE", "DeviceArray.length"],
  ["a fractional length", () => DeviceArray.empty(1.5, "int8"), "RangeError", "ERR_OUT_OF_RANGE", "DeviceArray.length"],
  [
    "a length that is NaN",
    () => DeviceArray.empty(NaN, "int8"),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "DeviceArray.length",
  ],
  [
    "a length as text",
    () => DeviceArray.empty("3" as unknown as number, "int8"),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.length",
  ],
  ["2^53 bytes", () => DeviceArray.empty(2 ** 51, "float64"), "RangeError", "ERR_OUT_OF_RANGE", "DeviceArray.length"],
  [
    "a wrong typed array for a type",
    () => DeviceArray.from(new Float32Array(1), "int32"),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.from.source",
  ],
  [
    "a DataView",
    () => DeviceArray.from(new DataView(new ArrayBuffer(4)) as never),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.from.source",
  ],
  [
    "a typed array whose buffer was transferred",
    () => {
      const array = new Float32Array(4);
      structuredClone(array.buffer, { transfer: [array.buffer] });
      return DeviceArray.from(array);
    },
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.from.source",
  ],
  [
    "an array that a getter of the options disposes",
    () => {
      const array = DeviceArray.zeros(3, "float32");
      const options = {
        input: array,
        output,
        op: add,
        get init() {
          array.dispose();
          return 0;
        },
      };
      reduce(options);
    },
    "TypeError",
    "ERR_DISPOSED",
    "",
  ],
  [
    "text as a source",
    () => DeviceArray.from("abc" as never),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.from.source",
  ],
  [
    "a string in a source",
    () => DeviceArray.from(["1"] as never),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.from.source[0]",
  ],
  [
    "a fill of another kind",
    () => DeviceArray.zeros(1, "int64").fill("1" as never),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.fill.value",
  ],
  [
    "a fill out of range",
    () => DeviceArray.zeros(1, "int8").fill(128),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "DeviceArray.fill.value",
  ],
  [
    "a stream that is none",
    () => output.fill(1, { stream: {} as Stream }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "DeviceArray.fill.stream",
  ],
  ["no options", () => reduce(undefined), "TypeError", "ERR_INVALID_ARG_TYPE", "reduceInto"],
  ["no input", () => reduce({ output, op: add, init: 0 }), "TypeError", "ERR_INVALID_ARG_TYPE", "reduceInto.input"],
  [
    "a typed array as input",
    () => reduce({ input: new Float32Array(3), output, op: add, init: 0 }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.input",
  ],
  ["no output", () => reduce({ input, op: add, init: 0 }), "TypeError", "ERR_INVALID_ARG_TYPE", "reduceInto.output"],
  [
    "an iterator as output",
    () => reduce({ input, output: counting(0), op: add, init: 0 }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.output",
  ],
  [
    "an input iterator as output",
    () => transform({ input, output: transformed(input, (x) => x), op: (x: number) => x }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "unaryTransform.output",
  ],
  [
    "an output iterator as input",
    () => transform({ input: transformedOutput(output, (x) => x), output, op: (x: number) => x }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "unaryTransform.input",
  ],
  ["no operator", () => reduce({ input, output, init: 0 }), "TypeError", "ERR_INVALID_ARG_TYPE", "reduceInto.op"],
  [
    "a name as operator",
    () => reduce({ input, output, op: "plus", init: 0 }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.op",
  ],
  [
    "a function that cannot be compiled",
    () => reduce({ input, output, op: (a: number) => [a][0], init: 0 }),
    "CompileError",
    "ERR_OPERATOR",
    "",
  ],
  [
    "text as init",
    () => reduce({ input, output, op: add, init: "0" }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.init",
  ],
  [
    "a bigint init for float32",
    () => reduce({ input, output, op: add, init: 0n }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.init",
  ],
  [
    "a typed array of two as init",
    () => reduce({ input, output, op: add, init: new Float32Array(2) }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.init",
  ],
  [
    "a device array as a reduction's init",
    () => reduce({ input, output, op: add, init: output }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.init",
  ],
  [
    "a disposed device array as init",
    () => scan({ input, output, op: add, init: disposed }),
    "TypeError",
    "ERR_DISPOSED",
    "exclusiveScan.init",
  ],
  [
    "a fractional init for int32",
    () => reduce({ input: DeviceArray.zeros(1, "int32"), output: DeviceArray.zeros(1, "int32"), op: add, init: 0.5 }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.init",
  ],
  [
    "numItems beyond the input",
    () => reduce({ input, output, op: add, init: 0, numItems: 4 }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.numItems (input)",
  ],
  [
    "numItems beyond the output",
    () => transform({ input, output: output.subarray(0, 2), op: (x: number) => x }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "unaryTransform.output",
  ],
  [
    "numItems negative",
    () => reduce({ input, output, op: add, init: 0, numItems: -1 }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.numItems",
  ],
  [
    "numItems fractional",
    () => reduce({ input, output, op: add, init: 0, numItems: 1.5 }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.numItems",
  ],
  [
    "numItems NaN",
    () => reduce({ input, output, op: add, init: 0, numItems: NaN }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.numItems",
  ],
  [
    "numItems as text",
    () => reduce({ input, output, op: add, init: 0, numItems: "3" }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.numItems",
  ],
  [
    "no numItems for an input without an end",
    () => reduce({ input: constant(1), output, op: add, init: 0 }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.numItems",
  ],
  [
    "an empty output",
    () => reduce({ input, output: DeviceArray.empty(0, "float32"), op: add, init: 0 }),
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "reduceInto.output",
  ],
  [
    "an unknown determinism",
    () => reduce({ input, output, op: add, init: 0, determinism: "always" }),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "reduceInto.determinism",
  ],
  [
    "gpu-to-gpu determinism",
    () => reduce({ input, output, op: add, init: 0, determinism: "gpu-to-gpu" }),
    "TypeError",
    "ERR_UNSUPPORTED",
    "reduceInto.determinism",
  ],
  [
    "a disposed input",
    () => reduce({ input: disposed, output, op: add, init: 0 }),
    "TypeError",
    "ERR_DISPOSED",
    "reduceInto.input",
  ],
  [
    "a disposed array within an iterator",
    () => {
      const array = DeviceArray.zeros(3, "float32");
      const iterator = transformed(array, (x) => x);
      array.dispose();
      reduce({ input: iterator, output, op: add, init: 0 });
    },
    "TypeError",
    "ERR_DISPOSED",
    "reduceInto.input",
  ],
  [
    "a disposed output",
    () => reduce({ input, output: disposed, op: add, init: 0 }),
    "TypeError",
    "ERR_DISPOSED",
    "reduceInto.output",
  ],
  ["counting in bool", () => counting(0, "bool" as never), "TypeError", "ERR_INVALID_ARG_TYPE", "counting.type"],
  ["a fractional count of integers", () => counting(0.5), "RangeError", "ERR_OUT_OF_RANGE", "counting.start"],
  ["a constant out of range", () => constant(-1, "uint8"), "RangeError", "ERR_OUT_OF_RANGE", "constant.value"],
  [
    "a transformed number",
    () => transformed(3 as never, (x) => x),
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "transformed.input",
  ],
  [
    "a memory limit below 0",
    () => {
      memory.setLimit(-1);
    },
    "RangeError",
    "ERR_OUT_OF_RANGE",
    "memory.setLimit.bytes",
  ],
  [
    "an unknown backend",
    () => {
      setBackend("gpu" as "cuda");
    },
    "TypeError",
    "ERR_INVALID_ARG_TYPE",
    "setBackend.name",
  ],
];

describe("a mistake in the arguments is a typed error that names it, and changes nothing", () => {
  test.each(mistakes)("%s", (_, mistake, name, code, argument) => {
    const before = output.toTypedArray();
    let thrown: unknown;
    try {
      mistake();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ name, code, ...(argument === "" ? {} : { argument }) });
    expect((thrown as Error).message.length).toBeGreaterThan(20);
    expect(output.toTypedArray()).toEqual(before);
  });

  test("the next good call works", () => {
    const sum = makeReduceInto({ input, output, op: add, init: 0 });
    sum({ input, output, init: 1 });
    expect(output.toTypedArray()[0]).toBe(7);
    inclusiveScan({ input, output, op: add });
    expect(Array.from(output.toTypedArray())).toEqual([1, 3, 6]);
  });
});
