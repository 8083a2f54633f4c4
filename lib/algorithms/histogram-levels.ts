/** The levels of a histogram, in a type that holds both, every sample and the number of bins exactly. */
import type { Argument } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { transformed } from "../iterators/transformed";
import type { Input } from "../iterators/types";
import { bind } from "../operators";
import { type ScalarType, isBigIntType, scalarTypes } from "../types/scalar";
import { elementValue } from "../types/value";
import type { Call } from "./call";

type Level = number | bigint;

const { int64, float32, float64 } = scalarTypes;

function checkLevel(level: unknown, name: string): Level {
  if (typeof level === "bigint") return level;
  if (typeof level !== "number") throw new ArgumentTypeError(name, "a number or a bigint", level);
  if (!Number.isFinite(level)) throw new ArgumentRangeError(name, "a finite level", level);
  return level;
}

const isWhole = (level: Level): boolean => typeof level === "bigint" || Number.isInteger(level);

function setLevels(call: Call, type: ScalarType, lower: Level, upper: Level): void {
  call.valueType = type;
  call.values[0] = lower;
  call.values[1] = upper;
}

/** Puts lower and upper level into the call, and answers what the library is to count: the samples, or their bins. */
export function countable(samples: Argument, call: Call, lower: unknown, upper: unknown, name: string): Argument {
  const first = checkLevel(lower, `${name}.lower`);
  const last = checkLevel(upper, `${name}.upper`);
  if (first >= last) throw new ArgumentRangeError(`${name}.upper`, `a level above lower (${String(lower)})`, upper);
  const type = samples.shape.elementType as ScalarType;
  const bins = (call.scalars[1] as number) - 1;
  if (type.kind === "float" || !isWhole(first) || !isWhole(last)) {
    const binType = bins <= 2 ** 24 ? float32 : float64;
    setLevels(call, binType, 0, bins);
    return binned(samples, exact(first, `${name}.lower`), exact(last, `${name}.upper`), bins, binType, name);
  }
  setWhole(call, isBigIntType(type) ? type : int64, first, last, bins, name);
  return samples;
}

/** Whole levels of whole samples: CUB computes bins exactly, in 64 bits. */
function setWhole(call: Call, type: ScalarType, lower: Level, upper: Level, bins: number, name: string): void {
  const first = elementValue(lower, type, `${name}.lower`) as bigint;
  const last = elementValue(upper, type, `${name}.upper`) as bigint;
  const range = last - first;
  if (type === int64 && range >= 2n ** 63n) {
    throw new ArgumentRangeError(`${name}.upper`, "a range of levels below 2^63", range);
  }
  if (range * BigInt(bins) >= 2n ** 64n) {
    throw new ArgumentRangeError(`${name}.upper`, "a range that, times the number of bins, stays below 2^64", range);
  }
  setLevels(call, type, first, last);
}

function exact(level: Level, name: string): number {
  const number = Number(level);
  if (typeof level === "number" || BigInt(number) === level) return number;
  throw new ArgumentRangeError(name, "a level that a float64 holds exactly", level);
}

/**
 * The bin of each sample, -1 outside: as CUB computes it, but in float64, and samples just below `upper` stay in the
 * last bin. CUB's own product may round up to one bin more, where it counts beside the counters.
 */
function binned(
  samples: Argument,
  lower: number,
  upper: number,
  bins: number,
  type: ScalarType,
  name: string,
): Argument {
  const scale = bins / (upper - lower);
  if (upper - lower === Infinity || scale === Infinity) {
    const expected = "a range that, and whose bins' number for each unit, a float64 holds";
    throw new ArgumentRangeError(`${name}.upper`, expected, upper);
  }
  return transformed(
    samples as unknown as Input<"float64">,
    bind(
      (x: number | bigint, at: { lower: number; upper: number; scale: number; last: number }) => {
        const sample = Number(x);
        return sample >= at.lower && sample < at.upper
          ? Math.min(Math.floor((sample - at.lower) * at.scale), at.last)
          : -1;
      },
      { lower, upper, scale, last: bins - 1 },
    ),
    type.name as "float64",
  );
}

/** The bin of what the library counts, by its levels; -1 where it is outside. */
export function binFunction(type: ScalarType, lower: Level, upper: Level, bins: number): (value: Level) => number {
  if (type.kind === "float") return Number;
  const first = BigInt(lower);
  const range = BigInt(upper) - first;
  return (value) => (value < lower || value >= upper ? -1 : Number(((BigInt(value) - first) * BigInt(bins)) / range));
}
