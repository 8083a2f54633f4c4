import type { Argument } from "../builds/shape";
import { constant } from "../iterators/constant";
import type { BinaryOperator, Input, Output } from "../iterators/types";
import { discardOf } from "../iterators/discard";
import { readable, writable } from "../iterators/readable";
import type { Stream } from "../memory/stream";
import { ops, specializePure } from "../operators";
import { type ElementSpec, type ValueOf, isScalarType } from "../types/element";
import { scalarTypes } from "../types/scalar";
import { defineAlgorithm } from "./algorithm";
import {
  addSlot,
  checkBothValues,
  checkLength,
  checkOutputType,
  checkOutputs,
  checkSize,
  countArray,
  operatorOf,
  setCount,
  setStream,
} from "./checks";
import { Placed, placedOutput, placedShape, places } from "./placed-values";
import type { Convertible, CountArray } from "./types";

/** Options of {@link uniqueByKey}. */
export interface UniqueByKeyOptions<
  K extends ElementSpec,
  KO extends ElementSpec,
  V extends ElementSpec,
  VO extends ElementSpec,
> {
  inputKeys: Input<K>;
  /** What belongs to the keys, one for each. Leave out both values for keys alone. */
  inputValues?: Input<V>;
  /** Where the first key of each run goes; has room for all items, as no two keys may be equal. */
  outputKeys: Output<KO>;
  /** Where the values of those keys go; has room for all items. */
  outputValues?: Output<VO>;
  /** Where the number of runs goes: the first element of an array of integers. */
  outputCount: CountArray;
  /** Whether two keys that follow each other belong to one run; by default `===`, for which no NaN equals another. */
  op?: BinaryOperator<ValueOf<K>, ValueOf<K>, boolean>;
  /** How many items; by default the length of the keys, or of the output keys where those have no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** Options as the definition reads them: types are checked at run time. */
type AnyOptions = UniqueByKeyOptions<ElementSpec, ElementSpec, ElementSpec, ElementSpec>;

const names = ["inputKeys", "inputValues", "outputKeys", "outputValues", "outputCount"].map(
  (option) => `uniqueByKey.${option}`,
);

/** Bytes of a key for which the library's kernel still has room. */
const largestKey = 376;

/** Values where a call has none: the library always moves some. */
const noInput: Argument = constant(0, "uint8");
const noOutput: Argument = discardOf(scalarTypes.uint8);

const forms = defineAlgorithm<AnyOptions>({
  name: "unique_by_key",
  publicName: "uniqueByKey",
  compiles: "linked",
  options: ["inputKeys", "inputValues", "outputKeys", "outputValues", "outputCount", "op", "numItems", "stream"],
  dependsOn: ["op", "inputKeys", "inputValues", "outputKeys", "outputValues", "outputCount"],

  read(options, call, operators) {
    const { inputValues, outputValues } = options;
    checkBothValues(inputValues, outputValues, "uniqueByKey.inputValues", "uniqueByKey.outputValues");
    const keys = readable(options.inputKeys, "uniqueByKey.inputKeys");
    const values = inputValues === undefined ? noInput : readable(inputValues, "uniqueByKey.inputValues");
    const keysOut = writable(options.outputKeys, "uniqueByKey.outputKeys");
    const valuesOut = outputValues === undefined ? noOutput : writable(outputValues, "uniqueByKey.outputValues");
    const outputCount = countArray(options.outputCount, 1, "uniqueByKey.outputCount");
    const op = options.op ?? (operators === undefined ? ops.equalTo : undefined);
    const use = operatorOf(op, 2, operators?.[0], "uniqueByKey.op");
    addSlot(call, 0, keys, "uniqueByKey.inputKeys");
    addSlot(call, 1, values, "uniqueByKey.inputValues");
    addSlot(call, 2, keysOut, "uniqueByKey.outputKeys");
    addSlot(call, 3, valuesOut, "uniqueByKey.outputValues");
    addSlot(call, 4, outputCount, "uniqueByKey.outputCount");
    call.operators[0] = use;
    setStream(call, options.stream, "uniqueByKey.stream");
    setCount(call, options.numItems, keys, keysOut, "uniqueByKey.numItems");
    checkLength(keys, call.count, "uniqueByKey.numItems (inputKeys)");
    checkLength(values, call.count, "uniqueByKey.inputValues");
    checkLength(keysOut, call.count, "uniqueByKey.outputKeys");
    checkLength(valuesOut, call.count, "uniqueByKey.outputValues");
    call.depends(use.operator.id);
    call.depends(0);
    checkOutputs(call, names, 2);
    for (let i = 0; i < names.length; i++) call.depends((call.slots[i] as Argument).shape.id);
    if (!isScalarType(values.shape.elementType)) {
      call.slots[Placed.input] = values;
      call.slots[Placed.output] = valuesOut;
      call.slots[1] = places;
      call.slots[3] = placedOutput(call);
    }
  },

  request(call, algorithm) {
    const [keys, , keysOut, , outputCount] = call.slots;
    const values = call.slots[Placed.input] ?? call.slots[1];
    const valuesOut = call.slots[Placed.output] ?? call.slots[3];
    const [use] = call.operators;
    if (!keys || !values || !keysOut || !valuesOut || !outputCount || !use) throw new Error("the call was not read");
    const { elementType: keyType } = keys.shape;
    const { elementType: valueType } = values.shape;
    checkSize(keyType, largestKey, "uniqueByKey.inputKeys");
    checkOutputType(keyType, keysOut.shape.elementType, "uniqueByKey.outputKeys");
    checkOutputType(valueType, valuesOut.shape.elementType, "uniqueByKey.outputValues");
    // The library takes structs among the values for keys.
    const byPlace = !isScalarType(valueType);
    const moved = byPlace ? scalarTypes.uint64 : valueType;
    return {
      algorithm,
      slots: [
        { shape: keys.shape, as: keyType, direction: "input" },
        { shape: byPlace ? places.shape : values.shape, as: moved, direction: "input" },
        { shape: keysOut.shape, as: keyType, direction: "output" },
        {
          shape: byPlace ? placedShape(values.shape, valuesOut.shape) : valuesOut.shape,
          as: moved,
          direction: "output",
        },
        { shape: outputCount.shape, as: scalarTypes.uint64, direction: "output" },
      ],
      operators: [specializePure(use.operator, [keyType, keyType], scalarTypes.bool, "uniqueByKey.op")],
      options: {},
    };
  },

  host({ count, read, write, operators }) {
    const [keys, values] = read;
    const [, , keysOut, valuesOut, outputCount] = write;
    const [isEqual] = operators;
    if (!keys || !values || !keysOut || !valuesOut || !outputCount || !isEqual) {
      throw new Error("an argument is missing");
    }
    let runs = 0;
    for (let i = 0; i < count; i++) {
      const key = keys(i);
      if (i > 0 && isEqual(keys(i - 1), key) === true) continue;
      keysOut(runs, key);
      valuesOut(runs++, values(i));
    }
    outputCount(0, BigInt(runs));
  },
});

/**
 * Keeps the first of each run of equal keys, with its value, and writes how many runs there were. Keys are equal that
 * `op` says so of, each compared with the one before it.
 *
 * Runs keep their order; output elements behind them stay as they are. Keys and values convert to the outputs' types,
 * and the count to its array's, as a store into their typed arrays would. No output may share memory with another
 * argument. Enqueued on the stream; the result is the same in each run. Implements CUB's DeviceSelect::UniqueByKey.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function uniqueByKey<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: UniqueByKeyOptions<K, KO, V, VO>): void {
  forms.run(options);
}

/**
 * Builds the algorithm for the types of these options now. The function it returns keeps no array, and takes `op` again
 * only where it captures values.
 */
export function makeUniqueByKey<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: UniqueByKeyOptions<K, KO, V, VO>): (options: UniqueByKeyOptions<K, KO, V, VO>) => void {
  return forms.make(options);
}

/** {@link makeUniqueByKey}, compiling off the event loop. */
export function makeUniqueByKeyAsync<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: UniqueByKeyOptions<K, KO, V, VO>): Promise<(options: UniqueByKeyOptions<K, KO, V, VO>) => void> {
  return forms.makeAsync(options);
}
