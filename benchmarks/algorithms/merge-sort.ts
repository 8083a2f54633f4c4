import { type MergeSortOptions, makeMergeSort, mergeSort, ops } from "../../lib";
import { benchmark, empty, filled, integerTypes, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyArray } from "../inputs";

type Options = MergeSortOptions<"float32", "float32", "float32", "float32">;

const entropy = [1, 0.201] as const;

export const mergeSortBenchmarks = [
  benchmark("keys", { type: numberTypes, elements: lengths, entropy }, (state) => {
    const { type, elements } = state;
    const bytes = elements * sizeOf(type);
    return work<Options>({ read: bytes, written: bytes }, mergeSort, makeMergeSort, {
      inputKeys: filled(elements, type, (length) => entropyArray(type, length, state.entropy, 1)),
      outputKeys: empty(elements, type),
      op: ops.less,
    });
  }),

  benchmark("pairs", { type: numberTypes, values: integerTypes, elements: lengths, entropy }, (state) => {
    const { type, values, elements } = state;
    const bytes = elements * (sizeOf(type) + sizeOf(values));
    return work<Options>({ read: bytes, written: bytes }, mergeSort, makeMergeSort, {
      inputKeys: filled(elements, type, (length) => entropyArray(type, length, state.entropy, 1)),
      inputValues: filled(elements, values, (length) => entropyArray(values, length, 1, 2)),
      outputKeys: empty(elements, type),
      outputValues: empty(elements, values),
      op: ops.less,
    });
  }),
];
