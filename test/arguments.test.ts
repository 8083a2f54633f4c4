/** Bad input: each is a typed error that names the culprit, and nothing has changed when it is thrown. */
import {
  ArgumentTypeError,
  DeviceArray,
  DoubleBuffer,
  Event,
  type ScalarName,
  Stream,
  argmax,
  argsort,
  bind,
  constant,
  count,
  counting,
  exclusiveScan,
  filter,
  histogram,
  inclusiveScan,
  int32,
  makeReduceInto,
  makeReduceIntoAsync,
  makeThreeWayPartition,
  makeUnaryTransform,
  map,
  memory,
  radixSort,
  reduce as reduceOf,
  reduceInto,
  scan as scanOf,
  select as selectItems,
  setBackend,
  sort,
  struct,
  sum as sumOf,
  transformed,
  transformedOutput,
  unaryTransform,
  unique,
} from "../lib";
import { everyAlgorithm } from "./helpers/every-algorithm";

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

/** The message of what a function throws. */
function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

describe("options of other names", () => {
  const other = DeviceArray.zeros(3, "float32");

  test("are named where an option is missing", () => {
    expect(messageOf(() => reduce({ input, outputs: other, op: add, init: 0 }))).toBe(
      "reduceInto.outputs: expected an option of reduceInto (did you mean `output`?), but received a DeviceArray.",
    );
    expect(() => reduce({ input, outputs: other, op: add, init: 0 })).toThrow(
      expect.objectContaining({
        name: "TypeError",
        code: "ERR_UNKNOWN_OPTION",
        argument: "reduceInto.outputs",
      }) as Error,
    );
  });

  test("are refused where a call builds something, before it runs", () => {
    const items = DeviceArray.from(new Uint16Array([1, 2, 3]));
    const sum = DeviceArray.zeros(1, "uint16");
    const mistyped = { input: items, output: sum, op: (a: number, b: number) => a ^ b, numitems: 2 };
    expect(messageOf(() => reduce(mistyped))).toContain("reduceInto.numitems");
    expect(messageOf(() => reduce(mistyped))).toContain("did you mean `numItems`?");
    expect(sum.toArray()).toEqual([0]);
    expect(messageOf(() => makeReduceInto(mistyped))).toContain("reduceInto.numitems");
  });

  test("are refused by made functions of both kinds even where the build is there", async () => {
    const options = { input, output, op: add, init: 0, axis: 1 };
    makeReduceInto({ input, output, op: add, init: 0 });
    expect(messageOf(() => makeReduceInto(options))).toBe(
      "reduceInto.axis: expected an option of reduceInto (which has input, output, op, init, numItems, determinism, " +
        "stream), but received 1.",
    );
    await expect(makeReduceIntoAsync(options)).rejects.toMatchObject({ argument: "reduceInto.axis" });
  });

  test("are refused by the functions that allocate", async () => {
    expect(messageOf(() => map(input, (x) => x, { typ: "int32" } as never))).toContain("map.typ: ");
    expect(messageOf(() => map(input, (x) => x, { typ: "int32" } as never))).toContain("did you mean `type`?");
    await expect(sumOf(input, { numItems: 2 } as never)).rejects.toMatchObject({ argument: "sum.numItems" });
  });
});

describe("messages", () => {
  const untyped = reduceInto as unknown as (...values: unknown[]) => unknown;

  test.each<[string, () => unknown, string]>([
    [
      "arguments by place instead of options",
      () => untyped(input, output, add),
      "reduceInto: expected an object of options (input, output, op, init, numItems, determinism, stream), but received " +
        "a DeviceArray.",
    ],
    [
      "a list instead of options",
      () => untyped([input, output, add]),
      "reduceInto: expected an object of options (input, output, op, init, numItems, determinism, stream), but received " +
        "an array of 3.",
    ],
    [
      "an operator as a text",
      () => reduce({ input, output, op: "+", init: 0 }),
      'reduceInto.op: expected a function, one of ops (ops.plus …), or what bind() or cpp() made, but received "+".',
    ],
    [
      "a function of the engine's",
      () => reduce({ input, output, op: Math.max, init: 0 }),
      "Write an arrow function that calls it, such as (x) => Math.sqrt(x) or (a, b) => Math.max(a, b)",
    ],
    [
      "an output without room",
      () => reduce({ input, output: DeviceArray.empty(0, "float32"), op: add, init: 0 }),
      "reduceInto.output: expected at least 1 element, but received 0.",
    ],
    [
      "counts in floats",
      () => selectItems({ input, output: input, outputCount: output, op: () => true } as never),
      "select.outputCount: expected a DeviceArray of integers, but received one of float32.",
    ],
    [
      "new",
      () => new (DeviceArray as unknown as new (length: number, type: string) => unknown)(3, "float32"),
      "DeviceArray: expected no `new` but DeviceArray.from, empty, zeros or full, but received one.",
    ],
    [
      "a typed array of another type",
      () => DeviceArray.from(new Float32Array(2), "int32"),
      "DeviceArray.from.source: expected an Int32Array for elements of type int32, but received a Float32Array.",
    ],
    [
      "a typed array of signed elements",
      () => DeviceArray.from(new Int8Array(2), "uint8"),
      "DeviceArray.from.source: expected a Uint8Array or Uint8ClampedArray for elements of type uint8, but received an Int8Array.",
    ],
    [
      "an array that was disposed",
      () => {
        const disposed = DeviceArray.zeros(2, "int32");
        disposed.dispose();
        return disposed.toArray();
      },
      "DeviceArray.toArray: expected a live array, but received a disposed DeviceArray.",
    ],
    [
      "an order by another name",
      () => sort(input, "desc" as never),
      'sort.order: expected "ascending", "descending", or a function such as (a, b) => a < b, but received "desc".',
    ],
    ["the same of argsort", () => argsort(input, "desc" as never), "argsort.order: expected "],
    [
      "no bins",
      () => histogram(input, undefined as never),
      "histogram.bins: expected an object such as { bins: 10, lower: 0, upper: 1 }, but received undefined.",
    ],
    ["a stream's option by another name", () => new Stream({ prio: 1 } as never), "Stream.prio: expected an option"],
    ["a stream's priority by place", () => new Stream(1 as never), "Stream: expected an object of options"],
    ["an event's option by another name", () => new Event({ time: false } as never), "Event.time: expected an option"],
    ["what is recorded", () => new Stream().record({} as never), "Stream.record.event: expected an Event"],
    [
      "what is waited for",
      () => {
        new Stream().wait(undefined as never);
      },
      "Stream.wait.event: expected an Event",
    ],
    ["a bin's edge by another name", () => histogram(input, { bins: 3, lower: 0, uper: 3 } as never), "`upper`?"],
  ])("say what to do about %s", (_, call, message) => {
    expect(messageOf(call)).toContain(message);
  });
});

describe("a made function that is called with what it was not made for", () => {
  const integers = DeviceArray.zeros(3, "int32");
  const multiply = (a: number, b: number): number => a * b;
  const made = makeReduceInto({ input, output, op: add, init: 0 }) as (options: unknown) => void;
  const hint = "which this function was made with (make another for other types, operators and options)";

  test.each<[string, object, string]>([
    [
      "another input type",
      { input: integers, output, init: 0 },
      `reduceInto.input: expected a DeviceArray of float32, ${hint}, but received a DeviceArray of int32.`,
    ],
    [
      "an iterator as input",
      { input: counting(0, "float32"), output, init: 0, numItems: 1 },
      `reduceInto.input: expected a DeviceArray of float32, ${hint}, but received a CountingIterator of float32.`,
    ],
    [
      "another operator",
      { input, output, init: 0, op: multiply },
      `reduceInto.op: expected \`${String(add)}\`, ${hint}, but received \`${String(multiply)}\`.`,
    ],
    ["no init", { input, output }, `reduceInto.init: expected a number, ${hint}, but received none.`],
    [
      "another determinism",
      { input, output, init: 0, determinism: "not-guaranteed" },
      `reduceInto.determinism: expected none, ${hint}, but received "not-guaranteed".`,
    ],
  ])("%s: says what it was made with and what came", (_, options, message) => {
    expect(messageOf(() => made(options))).toBe(message);
    expect(() => made(options)).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH" }) as Error);
  });

  test("captured values of other types, where the text is the same", () => {
    const scaled = (k: number | bigint) => bind((x: number, c: { k: number }) => x * int32(c.k), { k: k as number });
    const scale = makeUnaryTransform({ input, output, op: scaled(2) });
    expect(messageOf(() => scale({ input, output, op: scaled(2n) }))).toContain(
      "received a BoundOperator that differs in its operator, or in the types of what that captures.",
    );
  });

  test("the second of two operators", () => {
    const counts = DeviceArray.zeros(2, "int32");
    const aboveTwo = (x: number): boolean => x > 2;
    const outputs = { firstOutput: other(), secondOutput: other(), unselectedOutput: other(), outputCounts: counts };
    const split = makeThreeWayPartition({
      input,
      ...outputs,
      selectFirst: (x) => x < 1,
      selectSecond: aboveTwo,
    });
    expect(messageOf(() => split({ input, ...outputs, selectSecond: (x) => x > 5 }))).toContain(
      `threeWayPartition.selectSecond: expected \`${String(aboveTwo)}\`, which`,
    );
  });

  function other(): DeviceArray<"float32"> {
    return DeviceArray.zeros(3, "float32");
  }
});

describe("errors of functions that allocate name that function and its arguments", () => {
  const structs = DeviceArray.zeros(2, struct({ x: "float32" }));
  const wrong = ((x: number) => String(x)) as never;
  const noStream = { stream: {} as Stream };

  test.each<[string, () => unknown, string]>([
    ["map's operator", () => map(input, wrong), "map.op"],
    ["map's stream", () => map(input, (x) => x, noStream), "map.stream"],
    ["scan's operator", () => scanOf(input, wrong), "scan.op"],
    ["an exclusive scan's operator", () => scanOf(input, wrong, { exclusive: true, init: 0 }), "scan.op"],
    ["scan's init", () => scanOf(input, add, { init: "0" as never }), "scan.init"],
    ["scan's type", () => scanOf(structs as never, add, { type: "float32" }), "scan.type"],
    ["reduce's operator", () => reduceOf(input, wrong), "reduce.op"],
    ["reduce's init", () => reduceOf(input, add, "0" as never), "reduce.init"],
    ["reduce's type", () => reduceOf(structs as never, add, undefined, { type: "float32" }), "reduce.type"],
    ["count's predicate", () => count(input, wrong), "count.predicate"],
    ["filter's predicate", () => filter(input, wrong), "filter.predicate"],
    ["sort's order", () => sort(input, wrong), "sort.order"],
    ["sort's order of integers", () => sort(DeviceArray.from([1n]), "up" as never), "sort.order"],
    ["argsort's order", () => argsort(input, wrong), "argsort.order"],
    ["unique's stream", () => unique(input, noStream), "unique.stream"],
    ["sum's stream", () => sumOf(input, noStream), "sum.stream"],
    ["argmax's stream", () => argmax(input, noStream), "argmax.stream"],
    ["histogram's lower", () => histogram(input, { bins: 2, lower: "0" as never, upper: 1 }), "histogram.lower"],
    ["histogram's upper", () => histogram(input, { bins: 2, lower: 1, upper: 1 }), "histogram.upper"],
  ])("%s", async (_, call, argument) => {
    const error = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
    expect(error?.message.startsWith(`${argument}: `)).toBe(true);
    expect(error?.stack?.startsWith(`${String(error)}\n`)).toBe(true);
    if (error instanceof ArgumentTypeError) expect(error.argument).toBe(argument);
  });

  test("an iterator that the user made keeps its own name", () => {
    let k: number | bigint = 1;
    const iterator = transformed(input, (x) => x + Number(k), "float32");
    k = 1n;
    expect(messageOf(() => map(iterator, (x) => x))).toContain("transformed.op: ");
  });
});

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

describe.each(everyAlgorithm.map((algorithm) => [algorithm.name, algorithm] as const))(
  "%s refuses",
  (name, algorithm) => {
    // A segmented reduction has as many items as its segments say.
    const option = name === "segmentedReduce" ? "numSegments" : "numItems";
    test.each([-1, 0.5, NaN, Infinity, 2 ** 53])("a count of %d", (count) => {
      const refused = { name: "RangeError", code: "ERR_OUT_OF_RANGE", argument: `${name}.${option}` };
      expect(() => {
        algorithm.run({ ...algorithm.options("int32"), [option]: count });
      }).toThrow(expect.objectContaining(refused) as Error);
    });
  },
);

/** Things that look like an array, and have none of its private fields. */
const lookalikes: readonly [string, (array: object) => object][] = [
  ["a proxy of an array", (array) => new Proxy(array, {})],
  ["an object that inherits from an array", (array) => Object.create(array) as object],
  ["an object of the class that its constructor did not make", () => Object.create(DeviceArray.prototype) as object],
  ["an object with a method of the same name", () => ({ writeState: () => undefined })],
  [
    "a revoked proxy",
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
];

describe.each(everyAlgorithm.map((algorithm) => [algorithm.name, algorithm] as const))(
  "%s refuses as any of its arrays",
  (name, algorithm) => {
    test.each(lookalikes)("%s", (_, lookalike) => {
      for (const [option, value] of Object.entries(algorithm.options("int32"))) {
        if (!(value instanceof DeviceArray)) continue;
        const refused = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE", argument: `${name}.${option}` };
        expect(() => {
          algorithm.run({ ...algorithm.options("int32"), [option]: lookalike(value) });
        }).toThrow(expect.objectContaining(refused) as Error);
      }
    });

    test.each([
      ["a proxy of a stream", () => new Proxy(new Stream(), {})],
      ["an object of the class that its constructor did not make", () => Object.create(Stream.prototype) as object],
    ])("a stream that is %s", (_, stream) => {
      const refused = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE", argument: `${name}.stream` };
      expect(() => {
        algorithm.run({ ...algorithm.options("int32"), stream: stream() });
      }).toThrow(expect.objectContaining(refused) as Error);
    });
  },
);

test("the error for a proxy says that it is one", () => {
  expect(messageOf(() => reduce({ input: new Proxy(input, {}), output, op: add, init: 0 }))).toBe(
    "reduceInto.input: expected a DeviceArray or an input iterator, but received a Proxy (give what it stands for).",
  );
});

describe.each(everyAlgorithm.map((algorithm) => [algorithm.name, algorithm] as const))("%s reads", (_, algorithm) => {
  const options = Object.keys({ ...algorithm.options("int32"), numItems: 0, stream: undefined });

  test.each(options.map((option) => [option]))("%s once at most, so that a getter cannot change its mind", (option) => {
    const given = algorithm.options("int32") as Record<string, unknown>;
    let reads = 0;
    algorithm.run(
      Object.defineProperty({ ...given }, option, {
        get: () => {
          reads++;
          return given[option];
        },
      }),
    );
    expect(reads).toBeLessThanOrEqual(1);
  });
});

test("a sort of double buffers swaps those that it read", () => {
  const buffer = (items: number[]): DoubleBuffer<"int32"> =>
    new DoubleBuffer(DeviceArray.from(new Int32Array(items)), DeviceArray.zeros(items.length, "int32"));
  const inputKeys = buffer([3, 1, 2]);
  const inputValues = buffer([0, 1, 2]);
  const reads: unknown[] = [inputKeys, inputValues];
  radixSort({
    get inputKeys() {
      return reads.shift() as DoubleBuffer<"int32">;
    },
    get inputValues() {
      return reads.shift() as DoubleBuffer<"int32">;
    },
  });
  expect(inputKeys.current.toArray()).toEqual([1, 2, 3]);
  expect(inputValues.current.toArray()).toEqual([1, 2, 0]);
});

test.each([["record"], ["wait"]] as const)("Stream.%s refuses what is no event", (method) => {
  for (const event of [null, {}, 1, new Stream(), Object.create(Event.prototype) as Event]) {
    const refused = { name: "TypeError", code: "ERR_INVALID_ARG_TYPE", argument: `Stream.${method}.event` };
    expect(() => new Stream()[method](event as Event)).toThrow(expect.objectContaining(refused) as Error);
  }
});
