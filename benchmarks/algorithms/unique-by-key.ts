import { DeviceArray, complex64, makeUniqueByKey, uniqueByKey } from "../../lib";
import {
  benchmark,
  empty,
  filled,
  filledStructs,
  integerTypes,
  lengths,
  numberTypes,
  sizeOf,
  work,
} from "../benchmark";
import { entropyArray, keysInRuns } from "../inputs";

type ValueType = (typeof numberTypes)[number] | "complex64";

const valueSize = (type: ValueType): number => (type === "complex64" ? complex64.size : sizeOf(type));

export const uniqueByKeyBenchmarks = [
  benchmark(
    "runs",
    { type: integerTypes, values: [...numberTypes, "complex64"], elements: lengths, maxRun: [2 ** 4, 2, 2 ** 8] },
    ({ type, values, elements, maxRun }) => {
      // As many as are expected: each length of a run is as likely.
      const runs = elements / ((1 + maxRun) / 2);
      const itemSize = sizeOf(type) + valueSize(values);
      const traffic = { read: elements * itemSize, written: Math.round(runs) * itemSize };
      const keys = {
        inputKeys: filled(elements, type, (length) => keysInRuns(type, length, maxRun, 1)),
        outputKeys: empty(elements, type),
        outputCount: DeviceArray.empty(1, "int64"),
      };
      if (values === "complex64") {
        return work(traffic, uniqueByKey, makeUniqueByKey, {
          ...keys,
          inputValues: filledStructs(elements, complex64, "float32", (length) => entropyArray("float32", length, 1, 2)),
          outputValues: DeviceArray.empty(elements, complex64),
        });
      }
      return work(traffic, uniqueByKey, makeUniqueByKey, {
        ...keys,
        inputValues: filled(elements, values, (length) => entropyArray(values, length, 1, 2)),
        outputValues: empty(elements, values),
      });
    },
  ),
];
