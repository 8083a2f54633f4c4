/** Sorted copies, and the places that sort. */
import { mergeSort, radixSort } from "../algorithms";
import type { SortOrder } from "../algorithms";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { type Input, counting } from "../iterators";
import type { BinaryOperator } from "../iterators/types";
import { DeviceArray, type StreamOption } from "../memory/device-array";
import { type ElementSpec, type ValueOf, isScalarType } from "../types/element";
import { type ScalarName, scalarTypes } from "../types/scalar";
import { type Untyped, allocate, finite, streamOnly, within } from "./result";

/** `ascending`, `descending`, or whether the first of two elements comes before the second: a strict order. */
export type Order<N extends ElementSpec> = BinaryOperator<ValueOf<N>, ValueOf<N>, boolean> | SortOrder;

/** Descending, with NaN at the end as for ascending. */
const descending = (a: number, b: number): boolean => a > b || (b !== b && a === a);

type Comparator = BinaryOperator<number, number, boolean>;

/** The order as mergeSort takes it; undefined for its default, ascending. */
function comparator(order: unknown, argument: string): Comparator | undefined {
  if (typeof order === "string" && order !== "ascending" && order !== "descending") {
    throw new ArgumentTypeError(argument, '"ascending", "descending", or a function such as (a, b) => a < b', order);
  }
  if (order === undefined || order === "ascending") return undefined;
  return order === "descending" ? descending : (order as Comparator);
}

/** What the algorithms' options are called here. */
const ownNames = { inputKeys: "input", op: "order" };

/** Integers by name sort fastest by their bits. */
const sortsByBits = ({ type }: Untyped, order: unknown): boolean =>
  (order === undefined || order === "ascending" || order === "descending") &&
  isScalarType(type) &&
  type.kind !== "float";

/**
 * A sorted copy. Stable; NaN comes last in either order, and -0 equals 0.
 *
 * @param input - an array, or an iterator that has an end
 * @param order - `ascending` by default; structs need a function
 * @returns an array whose values are there once the work that is queued on the stream is done
 * @throws TypeError or RangeError naming the argument at fault, CompileError for the order, OutOfDeviceMemoryError
 */
export function sort<N extends ElementSpec>(input: Input<N>, order?: Order<N>, options?: StreamOption): DeviceArray<N> {
  const from = finite(input, "sort");
  const stream = streamOnly("sort", options);
  const outputKeys = allocate(from, from.argument.length, from.type, stream);
  const keys = from.input;
  if (sortsByBits(from, order) && keys instanceof DeviceArray) {
    within("sort", "radixSort", ownNames, () => {
      radixSort({ inputKeys: keys as DeviceArray<"float64">, outputKeys, order: order as SortOrder, ...stream });
    });
  } else {
    within("sort", "mergeSort", ownNames, () => {
      mergeSort({ inputKeys: keys, outputKeys, op: comparator(order, "sort.order"), ...stream });
    });
  }
  return outputKeys as unknown as DeviceArray<N>;
}

/**
 * The indices that sort: `permuted(input, argsort(input))` reads the elements in order. Else as {@link sort}.
 *
 * @throws RangeError for more than 2^32 elements too
 */
export function argsort<N extends ElementSpec>(
  input: Input<N>,
  order?: Order<N>,
  options?: StreamOption,
): DeviceArray<"uint32"> {
  const from = finite(input, "argsort");
  const { length } = from.argument;
  if (length > 2 ** 32) throw new ArgumentRangeError("argsort.input", "at most 2^32 elements", length);
  const stream = streamOnly("argsort", options);
  const outputValues = allocate(from, length, scalarTypes.uint32, stream) as unknown as DeviceArray<"uint32">;
  const outputKeys = allocate(from, length, from.type, stream);
  within("argsort", "mergeSort", ownNames, () => {
    mergeSort({
      inputKeys: from.input,
      inputValues: counting(0, "uint32" satisfies ScalarName),
      outputKeys,
      outputValues,
      op: comparator(order, "argsort.order"),
      ...stream,
    });
  });
  outputKeys.dispose();
  return outputValues;
}
