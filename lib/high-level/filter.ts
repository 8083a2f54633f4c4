/** Arrays of what is kept, as long as that is. */
import { select, uniqueByKey } from "../algorithms";
import type { Input } from "../iterators";
import type { UnaryOperator } from "../iterators/types";
import type { DeviceArray, StreamOption } from "../memory/device-array";
import type { ElementSpec, ValueOf } from "../types/element";
import { type ScalarName, scalarTypes } from "../types/scalar";
import { sort } from "./sort";
import { type Untyped, allocate, finite, finiteScalars, streamOnly, take, within } from "./result";

/** The first elements of `kept`, as many as `count` says, in an array of their own. */
async function cut(
  from: Untyped,
  kept: DeviceArray<"float64">,
  count: DeviceArray<"float64">,
  options: StreamOption | undefined,
): Promise<DeviceArray> {
  const length = Number(await take(count, options));
  if (length === kept.length) return kept;
  const result = allocate(from, length, from.type, options);
  result.copyFrom(kept.subarray(0, length), options);
  kept.dispose();
  return result;
}

/**
 * The elements that `predicate` holds for, in their order.
 *
 * @param input - an array, or an iterator that has an end
 * @returns an array that is as long as there are such elements; a Promise, since that is known once the work is done
 * @throws TypeError or RangeError (as a rejection) naming the argument at fault, CompileError for the predicate,
 *   OutOfDeviceMemoryError
 */
export async function filter<N extends ElementSpec>(
  input: Input<N>,
  predicate: UnaryOperator<ValueOf<N>, boolean>,
  options?: StreamOption,
): Promise<DeviceArray<N>> {
  const from = finite(input, "filter");
  const stream = streamOnly("filter", options);
  const output = allocate(from, from.argument.length, from.type, stream);
  const outputCount = allocate(from, 1, scalarTypes.int64, stream);
  within("filter", "select", { op: "predicate" }, () => {
    select({
      input: from.input,
      output,
      outputCount: outputCount as unknown as DeviceArray<"int64">,
      op: predicate as UnaryOperator<number, boolean>,
      ...stream,
    });
  });
  return (await cut(from, output, outputCount, stream)) as DeviceArray<N>;
}

/** Equal, or both NaN. */
const same = (a: number, b: number): boolean => a === b || (a !== a && b !== b);

/**
 * The distinct elements, sorted: NaN once and last, and of -0 and 0 the one that comes first in the input.
 *
 * @param input - an array of scalars, or an iterator of them that has an end
 * @returns an array that is as long as there are such elements; a Promise, since that is known once the work is done
 * @throws as {@link filter} does
 */
export async function unique<N extends ScalarName>(input: Input<N>, options?: StreamOption): Promise<DeviceArray<N>> {
  const from = finiteScalars(input, "unique");
  const stream = streamOnly("unique", options);
  const sorted = within("unique", "sort", {}, () => sort(from.input, "ascending", stream));
  const outputKeys = allocate(from, from.argument.length, from.type, stream);
  const outputCount = allocate(from, 1, scalarTypes.int64, stream);
  within("unique", "uniqueByKey", { inputKeys: "input" }, () => {
    uniqueByKey({
      inputKeys: sorted,
      outputKeys,
      outputCount: outputCount as unknown as DeviceArray<"int64">,
      op: same,
      ...stream,
    });
  });
  sorted.dispose();
  return (await cut(from, outputKeys, outputCount, stream)) as unknown as DeviceArray<N>;
}
