import { type ExclusiveScanOptions, exclusiveScan, makeExclusiveScan, ops } from "../../lib";
import { type Work, benchmark, empty, filled, longLengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyArray } from "../inputs";

type Options = ExclusiveScanOptions<"float32", "float32", number>;

const axes = { type: numberTypes, elements: longLengths } as const;

function scan(type: (typeof numberTypes)[number], elements: number, op: Options["op"]): Work {
  const bytes = elements * sizeOf(type);
  const input = filled(elements, type, (length) => entropyArray(type, length, 1, 1));
  const output = empty(elements, type);
  return work<Options>({ read: bytes, written: bytes }, exclusiveScan, makeExclusiveScan, {
    input,
    output,
    op,
    init: 0,
  });
}

export const exclusiveScanBenchmarks = [
  benchmark("sum", axes, ({ type, elements }) => scan(type, elements, ops.plus)),
  benchmark("custom", axes, ({ type, elements }) => scan(type, elements, (a, b) => (a > b ? a : b))),
];
