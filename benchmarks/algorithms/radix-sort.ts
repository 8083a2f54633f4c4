import { type RadixSortOptions, makeRadixSort, radixSort } from "../../lib";
import { benchmark, empty, filled, integerTypes, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyArray } from "../inputs";

type Options = RadixSortOptions<"float32", "float32">;

export const radixSortBenchmarks = [
  benchmark("keys", { type: numberTypes, elements: lengths, entropy: [1, 0.544, 0.201] }, (state) => {
    const { type, elements, entropy } = state;
    const bytes = elements * sizeOf(type);
    return work<Options>({ read: bytes, written: bytes }, radixSort, makeRadixSort, {
      inputKeys: filled(elements, type, (length) => entropyArray(type, length, entropy, 1)),
      outputKeys: empty(elements, type),
    });
  }),

  benchmark("pairs", { type: integerTypes, values: integerTypes, elements: lengths, entropy: [1, 0.201] }, (state) => {
    const { type, values, elements, entropy } = state;
    const bytes = elements * (sizeOf(type) + sizeOf(values));
    return work<Options>({ read: bytes, written: bytes }, radixSort, makeRadixSort, {
      inputKeys: filled(elements, type, (length) => entropyArray(type, length, entropy, 1)),
      inputValues: filled(elements, values, (length) => entropyArray(values, length, 1, 2)),
      outputKeys: empty(elements, type),
      outputValues: empty(elements, values),
    });
  }),
];
