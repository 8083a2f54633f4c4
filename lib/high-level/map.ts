import { unaryTransform } from "../algorithms";
import type { Input } from "../iterators";
import type { UnaryOperator } from "../iterators/types";
import type { DeviceArray, StreamOption } from "../memory/device-array";
import type { ElementSpec, ValueOf } from "../types/element";
import { elementType } from "../types/struct";
import { allocate, finite, streamOnly, within } from "./result";

/** Options of {@link map}. */
export interface MapOptions<R extends ElementSpec> extends StreamOption {
  /** The type of the results; by default the input's own, as for `TypedArray.prototype.map`. */
  type?: R;
}

/**
 * A new array of `op` of every element; each result converts to the array's type as a store into its typed array would.
 *
 * @param input - an array, or an iterator that has an end
 * @returns an array whose values are there once the work that is queued on the stream is done
 * @throws TypeError or RangeError naming the argument at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function map<N extends ElementSpec, R extends ElementSpec = N>(
  input: Input<N>,
  op: UnaryOperator<ValueOf<N>, ValueOf<R>>,
  options?: MapOptions<R>,
): DeviceArray<R> {
  const from = finite(input, "map");
  const stream = streamOnly("map", options, ["type"]);
  const type = options?.type;
  const output = allocate(
    from,
    from.argument.length,
    type === undefined ? from.type : elementType(type, "map.type"),
    stream,
  );
  within("map", "unaryTransform", { output: "type" }, () => {
    unaryTransform({ input: from.input, output, op: op as unknown as (x: number) => number, ...stream });
  });
  return output as unknown as DeviceArray<R>;
}
