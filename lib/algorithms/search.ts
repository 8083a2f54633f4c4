/** Lower and upper bounds: one definition for both, as the C library has one family. */
import type { BinaryOperator, Input, Output } from "../iterators/types";
import { readable, writable } from "../iterators/readable";
import type { Argument } from "../builds/shape";
import type { DeviceArray } from "../memory/device-array";
import type { Stream } from "../memory/stream";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { ops } from "../operators";
import { optionNames } from "../option-names";
import { converts } from "../types/convert";
import { type ElementSpec, type ElementType, type ElementValue, type ValueOf, isScalarType } from "../types/element";
import { type IntegerName, type ScalarType, scalarTypes } from "../types/scalar";
import { type Forms, defineAlgorithm } from "./algorithm";
import type { Call } from "./call";
import {
  addSlot,
  checkAliasing,
  checkApart,
  checkCaptures,
  checkLength,
  deviceArray,
  operatorOf,
  setCount,
  setStream,
} from "./checks";
import { specializeOrder } from "./element-order";
import type { Convertible } from "./types";

/** Options of {@link lowerBound} and {@link upperBound}. */
export interface SearchOptions<D extends ElementSpec, V extends Convertible<D>> {
  /** What is searched: sorted by `comp`. */
  data: DeviceArray<D>;
  /** What is looked for; converts to the data's type. */
  values: Input<V>;
  /** Where the indices go: as many as there are values. */
  output: Output<IntegerName>;
  /** Whether one element comes before another; by default `(a, b) => a < b`, which scalars have. */
  comp?: BinaryOperator<ValueOf<D>, ValueOf<D>, boolean>;
  /** How many elements are searched; by default all. */
  numItems?: number | undefined;
  /** How many values are looked for; by default as many as there are, or the output's length where they have no end. */
  numValues?: number | undefined;
  stream?: Stream | undefined;
}

type AnyOptions = SearchOptions<ElementSpec, never>;

/**
 * The type in which the library writes indices. It takes structs of the data for as large, and as aligned, as the
 * largest of data, values and indices are; where that is wrong for uint64, uint32 may do.
 */
function indexType(data: ElementType): ScalarType | undefined {
  if (isScalarType(data)) return scalarTypes.uint64;
  const fits = ({ size }: ScalarType): boolean => data.size % Math.max(size, data.alignment) === 0;
  return [scalarTypes.uint64, scalarTypes.uint32].find(fits);
}

function defineSearch(name: string, publicName: string, isUpper: boolean): Forms<AnyOptions, object> {
  const known = ["data", "values", "output", "comp", "numItems", "numValues", "stream"] as const;
  const names = optionNames(publicName, [...known, "numItems (data)", "numValues (values)"]);

  /** Refuses structs of sizes, and in numbers, that the library cannot search. */
  function checkItems(call: Call, type: ElementType): void {
    const index = indexType(type);
    if (index === undefined) {
      const expected = "structs of a multiple of 4 bytes, as the C library's searches are: add a field that fills up";
      throw new ArgumentTypeError(names.data, expected, type.name, "ERR_UNSUPPORTED");
    }
    if (call.count < 2 ** (8 * index.size)) return;
    throw new ArgumentRangeError(names.numItems, "fewer than 2^32 structs of this size", call.count);
  }

  function checkOutput(value: unknown): Argument {
    const output = writable(value, names.output);
    const { kind, name: type } = output.shape.elementType;
    if (kind === "int" || kind === "uint") return output;
    throw new ArgumentTypeError(names.output, "an output of integers", type);
  }

  return defineAlgorithm<AnyOptions, object>({
    name,
    publicName,
    // The library's search is an operator of its own around the comparator, which it compiles with it.
    compiles: "whole",
    options: known,
    dependsOn: ["comp", "data", "values", "output"],

    read(options, call, operators) {
      const data = deviceArray(options.data, "a sorted DeviceArray", names.data);
      const values = readable(options.values, names.values);
      const output = checkOutput(options.output);
      const { elementType } = data.shape;
      const { comp: given } = options;
      if (given === undefined && operators === undefined && !isScalarType(elementType)) {
        throw new ArgumentTypeError(names.comp, "a comparator, as the elements are structs", undefined);
      }
      const comp = given ?? (operators === undefined ? ops.less : undefined);
      const use = operatorOf(comp, 2, operators?.[0], names.comp);
      addSlot(call, 0, data, names.data);
      addSlot(call, 1, values, names.values);
      addSlot(call, 2, output, names.output);
      call.operators[0] = use;
      if (!converts(values.shape.elementType, elementType)) {
        const expected = `elements that convert to the data's (${elementType.name})`;
        throw new ArgumentTypeError(names.values, expected, values.shape.elementType.name);
      }
      setStream(call, options.stream, names.stream);
      setCount(call, options.numItems, data, undefined, names.numItems);
      checkLength(data, call.count, names["numItems (data)"]);
      checkItems(call, elementType);
      call.scalars[1] = call.count;
      setCount(call, options.numValues, values, output, names.numValues);
      checkLength(values, call.count, names["numValues (values)"]);
      checkLength(output, call.count, names.output);
      checkApart(output, data, names.output, names.data);
      checkAliasing(values, output, names.output);
      checkCaptures(call, output, names.output);
      call.depends(use.operator.id);
      call.depends(0);
      call.depends(data.shape.id);
      call.depends(values.shape.id);
      call.depends(output.shape.id);
    },

    request(call, algorithm) {
      const [data, values, output] = call.slots;
      const [use] = call.operators;
      if (!data || !values || !output || !use) throw new Error("the call was not read");
      const type = data.shape.elementType;
      return {
        algorithm,
        slots: [
          { shape: data.shape, as: type, direction: "input" },
          { shape: values.shape, as: type, direction: "input" },
          { shape: output.shape, as: indexType(type) as ScalarType, direction: "output" },
        ],
        operators: [specializeOrder(use, type, names.comp)],
        options: {},
      };
    },

    host({ request, count, scalars, read, write, operators }) {
      const [data, values] = read;
      const [, , output] = write;
      const [before] = operators;
      if (!data || !values || !output || !before) throw new Error("an argument is missing");
      const isWide = request.slots[2]?.as === scalarTypes.uint64;
      /** Whether an element lies before the place that is looked for. */
      const isBefore = (element: ElementValue, value: ElementValue): boolean =>
        isUpper ? !(before(value, element) as boolean) : (before(element, value) as boolean);
      for (let i = 0; i < count; i++) {
        const value = values(i);
        let [first, last] = [0, scalars[1] ?? 0];
        while (first < last) {
          const middle = Math.floor((first + last) / 2);
          if (isBefore(data(middle), value)) first = middle + 1;
          else last = middle;
        }
        output(i, isWide ? BigInt(first) : first);
      }
      return undefined;
    },
  });
}

const lowerForms = defineSearch("lower_bound", "lowerBound", false);
const upperForms = defineSearch("upper_bound", "upperBound", true);

/**
 * Finds for each value where it belongs in sorted data, before equal elements: `output[i]` is the index of the first
 * element that does not come before `values[i]`, or `numItems` where all do.
 *
 * Values convert to the data's type, and indices to the output's, as a store into its typed array would. Two elements
 * are equal where neither comes before the other: 0 and -0 are. With the default comparator a value that is NaN comes
 * before nothing and nothing before it: `lowerBound` answers 0 and `upperBound` `numItems`. Data with NaN in it is not
 * sorted by `<`; give a comparator that orders NaN. Data that is not sorted gives indices without meaning. A comparator
 * that is true of equal elements, or that answers a number, is no order: it is refused where that shows before it runs.
 *
 * Enqueued on the stream; the output may be exactly the values, and shares no memory with the data. Implements CUB's
 * DeviceFind, which compiles each comparator with its kernel. Structs must have a multiple of 4 bytes.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the comparator
 */
export function lowerBound<D extends ElementSpec, V extends Convertible<D>>(options: SearchOptions<D, V>): void {
  lowerForms.run(options as unknown as AnyOptions);
}

/** Builds a search for the types of these options now. The function it returns keeps no array. */
export function makeLowerBound<D extends ElementSpec, V extends Convertible<D>>(
  options: SearchOptions<D, V>,
): (options: SearchOptions<D, V>) => void {
  return lowerForms.make(options as unknown as AnyOptions);
}

/** {@link makeLowerBound}, compiling off the event loop. */
export function makeLowerBoundAsync<D extends ElementSpec, V extends Convertible<D>>(
  options: SearchOptions<D, V>,
): Promise<(options: SearchOptions<D, V>) => void> {
  return lowerForms.makeAsync(options as unknown as AnyOptions);
}

/**
 * Finds for each value where it belongs in sorted data, after equal elements: `output[i]` is the index of the first
 * element that `values[i]` comes before, or `numItems` where there is none. Everything else is as for
 * {@link lowerBound}.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the comparator
 */
export function upperBound<D extends ElementSpec, V extends Convertible<D>>(options: SearchOptions<D, V>): void {
  upperForms.run(options as unknown as AnyOptions);
}

/** Builds a search for the types of these options now. The function it returns keeps no array. */
export function makeUpperBound<D extends ElementSpec, V extends Convertible<D>>(
  options: SearchOptions<D, V>,
): (options: SearchOptions<D, V>) => void {
  return upperForms.make(options as unknown as AnyOptions);
}

/** {@link makeUpperBound}, compiling off the event loop. */
export function makeUpperBoundAsync<D extends ElementSpec, V extends Convertible<D>>(
  options: SearchOptions<D, V>,
): Promise<(options: SearchOptions<D, V>) => void> {
  return upperForms.makeAsync(options as unknown as AnyOptions);
}
