import type { Input } from "../iterators/types";
import { readable } from "../iterators/readable";
import type { Argument } from "../builds/shape";
import { DeviceArray, shapeOf } from "../memory/device-array";
import type { Stream } from "../memory/stream";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { noOperatorId } from "../operators";
import { isScalarType } from "../types/element";
import { type ScalarName, type ScalarType, isBigIntType, scalarTypes } from "../types/scalar";
import { type Definition, defineAlgorithm } from "./algorithm";
import { addSlot, checkApart, checkLength, setCount, setStream } from "./checks";
import { binFunction, countable } from "./histogram-levels";

/** Options of {@link histogramEven}. */
export interface HistogramEvenOptions<I extends SampleName> {
  /** What is counted. */
  samples: Input<I>;
  /** A counter for each bin, as many as there are bins. What they held is overwritten. */
  output: DeviceArray<CounterName>;
  /** Where the first bin begins. */
  lower: number | bigint;
  /** Where the last bin ends; not part of it. */
  upper: number | bigint;
  /** How many samples; by default all. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

/** What can be counted: all scalars but bfloat16. */
export type SampleName = Exclude<ScalarName, "bfloat16">;

/** What can count. */
export type CounterName = "int32" | "uint32" | "int64" | "uint64";

type AnyOptions = HistogramEvenOptions<SampleName>;

const { int8, int16, uint8, int64, uint64 } = scalarTypes;
const counterTypes: ReadonlySet<unknown> = new Set<CounterName>(["int32", "uint32", "int64", "uint64"]);

/** So many bins have counters in shared memory, which is another kernel. */
const mostSharedBins = 256;

/**
 * From so many bytes on offsets have 64 bits. The library's own limit is twice as large, but a block that adds its
 * stride to an offset close to it overflows.
 */
const wideBytes = 2 ** 30;

function checkSamples({ shape: { elementType } }: Argument): void {
  const isScalar = isScalarType(elementType);
  if (isScalar && elementType.name !== "bfloat16") return;
  const expected = "samples of a scalar type other than bfloat16, which the C library cannot count";
  const code = isScalar ? "ERR_UNSUPPORTED" : undefined;
  throw new ArgumentTypeError("histogramEven.samples", expected, elementType.name, code);
}

/** The type in which the library reads what it counts: it takes bytes for places of counters, so none may be negative. */
function countedAs({ shape }: Argument): ScalarType {
  const type = shape.elementType as ScalarType;
  if (type === int8) return int16;
  return type.kind === "bool" ? uint8 : type;
}

function counters(value: unknown): DeviceArray {
  const name = "histogramEven.output";
  const type = value instanceof DeviceArray ? (value as DeviceArray).type : undefined;
  if (!counterTypes.has(type)) {
    throw new ArgumentTypeError(name, "a DeviceArray of int32, uint32, int64 or uint64", type ?? value);
  }
  const output = value as DeviceArray;
  output.checkAlive(name);
  if (output.length < 1 || output.length > 2 ** 31 - 2) {
    throw new ArgumentRangeError(name, "a counter for each of 1 to 2^31-2 bins", output.length);
  }
  return output;
}

const definition: Definition<AnyOptions> = {
  name: "histogram_even",
  publicName: "histogramEven",
  compiles: "whole",
  options: ["samples", "output", "lower", "upper", "numItems", "stream"],
  dependsOn: [[], "samples", "output", "lower", "output", "numItems"],

  read(options, call) {
    const samples = readable(options.samples, "histogramEven.samples");
    checkSamples(samples);
    const output = counters(options.output);
    addSlot(call, 0, samples, "histogramEven.samples");
    addSlot(call, 1, output, "histogramEven.output");
    setStream(call, options.stream, "histogramEven.stream");
    setCount(call, options.numItems, samples, undefined, "histogramEven.numItems");
    checkLength(samples, call.count, "histogramEven.numItems (samples)");
    checkApart(output, samples, "histogramEven.output", "histogramEven.samples");
    const bins = output.length;
    call.scalars[1] = bins + 1;
    const counted = countable(samples, call, options.lower, options.upper, "histogramEven");
    call.slots[0] = counted;
    call.depends(noOperatorId);
    call.depends(0);
    call.depends(counted.shape.id);
    call.depends(output.shape.id);
    call.depends((call.valueType as ScalarType).id);
    call.depends(bins > mostSharedBins ? 1 : 0);
    call.depends(call.count * countedAs(counted).size >= wideBytes ? 1 : 0);
  },

  request(call, algorithm) {
    const [samples, output] = call.slots;
    const level = call.valueType;
    if (!samples || !output || !level) throw new Error("the call was not read");
    // The GPU adds to unsigned 64-bit counters alone; the bits are the same.
    const counter = output.shape.elementType === int64 ? shapeOf(uint64) : output.shape;
    const isMany = call.key[5] === 1;
    return {
      algorithm,
      slots: [
        { shape: samples.shape, as: countedAs(samples), direction: "input" },
        { shape: counter, as: counter.elementType, direction: "output" },
      ],
      operators: [],
      values: [level, level],
      options: { levels: mostSharedBins + (isMany ? 2 : 1), wide: call.key[6] as number },
    };
  },

  host({ request, count, scalars, read, write, values }) {
    const [samples] = read;
    const [, output] = write;
    const type = request.values?.[0] as ScalarType;
    const [lower, upper] = values as [bigint, bigint];
    if (!samples || !output) throw new Error("an argument is missing");
    const counts = new Float64Array((scalars[1] as number) - 1);
    const binOf = binFunction(type, lower, upper, counts.length);
    for (let i = 0; i < count; i++) {
      const bin = binOf(samples(i) as number);
      if (bin >= 0) counts[bin] = (counts[bin] as number) + 1;
    }
    const isWide = isBigIntType(request.slots[1]?.as as ScalarType);
    counts.forEach((total, bin) => {
      output(bin, isWide ? BigInt(total) : total);
    });
    return undefined;
  },
};

const forms = defineAlgorithm<AnyOptions>(definition);

/**
 * Counts samples in bins of equal width: `output[b]` is how many samples lie in the b-th of `output.length` equal parts
 * of `lower` (inclusive) to `upper` (exclusive). Samples outside, and NaN, are in none. What the counters held before is
 * overwritten; one that cannot hold its count wraps.
 *
 * With integer samples and whole levels bins are exact; the range of levels, times the number of bins, must stay below
 * 2^64. With float samples or fractional levels bins are computed in float64: a sample that is as good as on the boundary
 * of two bins may be in either, but is never lost. 64-bit integers beside fractional levels are rounded to float64.
 *
 * Enqueued on the stream; the output shares no memory with the samples. Counts are the same at each run. Implements
 * CUB's DeviceHistogram.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError, OutOfDeviceMemoryError
 */
export function histogramEven<I extends SampleName>(options: HistogramEvenOptions<I>): void {
  forms.run(options);
}

/**
 * Builds a histogram now: for the types of these options and, where samples are integers, for whole or for fractional
 * levels; for up to 256 bins or more; and for up to 1 GiB of samples or more. The function it returns keeps no array.
 */
export function makeHistogramEven<I extends SampleName>(
  options: HistogramEvenOptions<I>,
): (options: HistogramEvenOptions<I>) => void {
  return forms.make(options);
}

/** {@link makeHistogramEven}, compiling off the event loop. */
export function makeHistogramEvenAsync<I extends SampleName>(
  options: HistogramEvenOptions<I>,
): Promise<(options: HistogramEvenOptions<I>) => void> {
  return forms.makeAsync(options);
}
