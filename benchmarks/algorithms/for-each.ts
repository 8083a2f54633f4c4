import { DeviceArray, type ForEachOptions, atomicAdd, bind, counting, forEach, makeForEach } from "../../lib";
import { benchmark, empty, filled, integerTypes, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyArray, entropyBelow } from "../inputs";

type Counts = DeviceArray<"int32">;

export const forEachBenchmarks = [
  // Each index reads one array and writes another.
  benchmark("copy", { type: numberTypes, elements: lengths }, ({ type, elements }) => {
    const bytes = elements * sizeOf(type);
    const arrays = {
      from: filled(elements, type, (length) => entropyArray(type, length, 1, 1)),
      to: empty(elements, type),
    };
    return work<ForEachOptions<"int64">>({ read: bytes, written: bytes }, forEach, makeForEach, {
      input: counting(0n),
      numItems: elements,
      op: bind((i, { from, to }) => {
        // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- there are as many elements as indices
        to[i] = from[i]!;
      }, arrays),
    });
  }),

  // Each item adds to one of 256 counters, or with less entropy to the same few.
  benchmark("count", { type: integerTypes, elements: lengths, entropy: [1, 0.201] }, ({ type, elements, entropy }) => {
    const counts: Counts = DeviceArray.zeros(256, "int32");
    const traffic = { read: elements * sizeOf(type), written: counts.byteLength };
    return work<ForEachOptions<"float32">>(traffic, forEach, makeForEach, {
      input: filled(elements, type, (length) => entropyBelow(type, length, 128, entropy, 1)),
      op: bind(
        (x: number, captured: { counts: Counts }) => {
          atomicAdd(captured.counts, x, 1);
        },
        { counts },
      ),
    });
  }),
];
