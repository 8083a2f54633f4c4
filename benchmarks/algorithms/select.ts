import { DeviceArray, type SelectOptions, bind, makeSelect, select } from "../../lib";
import { benchmark, empty, filled, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyBelow } from "../inputs";

export const selectBenchmarks = [
  // A share of the items is kept.
  benchmark("if", { type: numberTypes, elements: lengths, kept: [0.54, 1, 0] }, ({ type, elements, kept }) => {
    const size = sizeOf(type);
    const traffic = { read: elements * size, written: Math.round(elements * kept) * size };
    return work<SelectOptions<"float32", "float32">>(traffic, select, makeSelect, {
      input: filled(elements, type, (length) => entropyBelow(type, length, 100, 1, 1)),
      output: empty(elements, type),
      outputCount: DeviceArray.empty(1, "int64"),
      op: bind((x: number, at: { threshold: number }) => x < at.threshold, { threshold: kept * 100 }),
    });
  }),
];
