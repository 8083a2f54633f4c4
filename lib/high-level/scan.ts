import { exclusiveScan, inclusiveScan } from "../algorithms";
import { ArgumentTypeError } from "../errors";
import type { Input } from "../iterators";
import type { BinaryOperator } from "../iterators/types";
import type { DeviceArray, StreamOption } from "../memory/device-array";
import type { ElementSpec, ValueOf } from "../types/element";
import { elementType } from "../types/struct";
import { allocate, finite, streamOnly, within } from "./result";

/** Options of {@link scan}. */
export interface ScanToOptions<R extends ElementSpec> extends StreamOption {
  /** What the first element is combined with. */
  init?: ValueOf<R>;
  /** True to leave each element out of its own result; needs `init`, which is then the first result. */
  exclusive?: boolean;
  /** The type of the results; by default the input's own. */
  type?: R;
}

/**
 * A new array of running results: element i is `op` over the elements up to and with i.
 *
 * @param input - an array, or an iterator that has an end
 * @param op - combines two values; must be associative
 * @returns an array whose values are there once the work that is queued on the stream is done
 * @throws TypeError or RangeError naming the argument at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function scan<N extends ElementSpec, R extends ElementSpec = N>(
  input: Input<N>,
  op: BinaryOperator<ValueOf<R>, ValueOf<R>, ValueOf<R>>,
  options?: ScanToOptions<R>,
): DeviceArray<R> {
  const from = finite(input, "scan");
  const stream = streamOnly("scan", options, ["init", "exclusive", "type"]);
  const { type, init, exclusive } = options ?? {};
  if (exclusive === true && init === undefined) {
    throw new ArgumentTypeError("scan.init", "a first value, which an exclusive scan needs", init);
  }
  const output = allocate(
    from,
    from.argument.length,
    type === undefined ? from.type : elementType(type, "scan.type"),
    stream,
  );
  const call = { input: from.input, output, op: op as unknown as (a: number, b: number) => number, ...stream };
  within("scan", exclusive === true ? "exclusiveScan" : "inclusiveScan", { output: "type" }, () => {
    if (exclusive === true) exclusiveScan({ ...call, init: init as number });
    else inclusiveScan(init === undefined ? call : { ...call, init: init as number });
  });
  return output as unknown as DeviceArray<R>;
}
