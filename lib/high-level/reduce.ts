import { reduceInto } from "../algorithms";
import type { Input } from "../iterators";
import type { BinaryOperator } from "../iterators/types";
import { ArgumentRangeError } from "../errors";
import type { StreamOption } from "../memory/device-array";
import type { ElementSpec, ValueOf } from "../types/element";
import { elementType } from "../types/struct";
import { allocate, finite, javaScriptType, streamOnly, take, within } from "./result";

/** Options of {@link reduce}. */
export interface ReduceToOptions<R extends ElementSpec> extends StreamOption {
  /** What the operator computes in; by default float64 for numbers, and the input's own type for every other. */
  type?: R;
}

/**
 * Combines all elements to one value, as `Array.prototype.reduce` does with an associative operator.
 *
 * Computes as JavaScript does: numbers in float64 unless `type` says otherwise, 64-bit integers as bigints that wrap.
 *
 * @param input - an array, or an iterator that has an end
 * @param op - combines two values; must be associative, and the order of the pairs is not the input's
 * @param init - the value to begin with
 * @returns the result, once the work that was queued on the stream is done
 * @throws RangeError (as a rejection) with code `ERR_EMPTY` for no elements without an `init`; TypeError, CompileError,
 *   OutOfDeviceMemoryError
 */
export async function reduce<N extends ElementSpec, R extends ElementSpec = N>(
  input: Input<N>,
  op: BinaryOperator<ValueOf<R>, ValueOf<R>, ValueOf<R>>,
  init?: ValueOf<R>,
  options?: ReduceToOptions<R>,
): Promise<ValueOf<R>> {
  const from = finite(input, "reduce");
  if (init === undefined && from.argument.length === 0) {
    throw new ArgumentRangeError("reduce.init", "an initial value, as the input is empty", init, "ERR_EMPTY");
  }
  const stream = streamOnly("reduce", options, ["type"]);
  const type = options?.type;
  const computed = type === undefined ? javaScriptType(from.type) : elementType(type, "reduce.type");
  const output = allocate(from, 1, computed, stream);
  within("reduce", "reduceInto", { output: "type" }, () => {
    reduceInto({
      input: from.input,
      output,
      op: op as unknown as (a: number, b: number) => number,
      ...(init === undefined ? {} : { init: init as number }),
      ...stream,
    });
  });
  return (await take(output, stream)) as ValueOf<R>;
}
