import {
  DeviceArray,
  type ScalarName,
  Stream,
  caches,
  constant,
  counting,
  histogramEven,
  makeHistogramEven,
  makeHistogramEvenAsync,
  struct,
  transformed,
} from "../../lib";
import { describeOnBackends, onGpu, testBackends } from "../helpers/backends";
import { download, elements, integers, numberTypes, upload } from "../helpers/elements";

/** Any types: what is wrong about them is for the library to say. */
const histogramAny = histogramEven as unknown as (options: object) => void;

const sampleTypes = numberTypes.filter((type) => type !== "bfloat16");
const counterTypes = ["int32", "uint32", "int64", "uint64"] as const;

/** Counts by comparing with each bin's levels, which are exact for whole numbers. */
function expectedCounts(samples: readonly number[], lower: number, upper: number, bins: number): number[] {
  const counts = Array<number>(bins).fill(0);
  for (const sample of samples) {
    if (sample < lower || sample >= upper) continue;
    const bin = Number((BigInt(sample - lower) * BigInt(bins)) / BigInt(upper - lower));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

function count(
  samples: DeviceArray,
  lower: unknown,
  upper: unknown,
  bins: number,
  type: ScalarName = "int32",
): number[] {
  const output = DeviceArray.full(bins, 99, type as "int32");
  histogramAny({ samples, output, lower, upper });
  return download(output).map(Number);
}

const failsWith = (code: string, argument: string): Error => expect.objectContaining({ code, argument }) as Error;

describeOnBackends("histogramEven", () => {
  describe.each(sampleTypes)("%s samples", (type) => {
    const isSigned = !type.startsWith("u");
    const [least, most] = [isSigned ? -100 : 0, 120];
    const numbers = integers(5_000, least, most, 3);
    const samples = upload(type, elements(type, numbers));

    test.each([1, 2, 7, 100, 256, 257, 1024])("%i bins", (bins) => {
      const upper = bins === 7 ? 110 : 100; // widths that are whole numbers, or powers of two
      const lower = bins === 7 ? 5 : bins === 100 ? 0 : isSigned ? -28 : 36;
      const last = bins === 7 || bins === 100 ? upper : bins === 257 ? lower + 257 : lower + 64;
      expect(count(samples, lower, last, bins)).toEqual(expectedCounts(numbers, lower, last, bins));
    });
  });

  describe.each([126, 1024])("%i bins of samples in four sizes", (bins) => {
    test.each(sampleTypes)("%s", (type) => {
      const bits = Number(/\d+/.exec(type)?.[0]);
      const sizes = bits === 8 ? [8, 10, 12, 14] : bits === 16 ? [10, 12, 14, 16] : [12, 14, 16, ...onGpu(18)];
      const most = bits === 8 ? 127 : 2_000;
      for (const size of sizes) {
        const numbers = integers(2 ** size, 0, most, size);
        const samples = upload(type, elements(type, numbers));
        // Two numbers to a bin where the type has as many, else half a bin or more to a number.
        const upper = bits === 8 ? 126 : 2 * bins;
        expect(count(samples, 0, upper, bins)).toEqual(expectedCounts(numbers, 0, upper, bins));
      }
    });
  });

  test("on a stream the counts are there after it is synchronized", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(2, "int32", { stream });
    histogramEven({ samples: counting(0), output, lower: 0, upper: 10, numItems: 8, stream });
    stream.synchronize();
    expect(Array.from(output.toTypedArray({ stream }))).toEqual([5, 3]);
  });

  test.each(counterTypes)("counters of type %s are overwritten", (type) => {
    const samples = DeviceArray.from(new Int16Array([0, 1, 1, 5, 9]));
    expect(count(samples, 0, 10, 5, type)).toEqual([3, 0, 1, 0, 1]);
  });

  test("booleans", () => {
    expect(count(DeviceArray.from([true, false, true]), 0, 2, 2)).toEqual([1, 2]);
    expect(count(DeviceArray.from([true, false, true]), -0.5, 1.5, 2)).toEqual([1, 2]);
  });

  describe("what is counted", () => {
    test("from lower inclusive to upper exclusive; samples outside are in no bin", () => {
      expect(count(DeviceArray.from(new Float32Array([-1, 0, 1.5, 2, 3.5, 4, 99])), 0, 4, 2)).toEqual([2, 2]);
      expect(count(DeviceArray.from(new Int8Array([-128, -3, -2, -1, 0, 1, 2, 127])), -2, 2, 4)).toEqual([1, 1, 1, 1]);
    });

    test("NaN and infinities are in no bin, -0 is 0, subnormals count", () => {
      const samples = DeviceArray.from(new Float64Array([NaN, Infinity, -Infinity, -0, 0, 5e-324, -5e-324]));
      expect(count(samples, 0, 1, 2)).toEqual([3, 0]);
      expect(count(samples, -1, 0, 2)).toEqual([0, 1]);
    });

    test("every sample just below the last level is in the last bin", () => {
      const wrong: string[] = [];
      for (const [upper, bins] of [
        [3, 35],
        [3, 17],
        [7, 25],
        [10, 3],
        [0.3, 6],
        [255, 111],
      ] as const) {
        // prettier-ignore
        for (const type of ["float32", "float64"] as const) {
          const bits = type === "float32" ? new Float32Array([upper]) : new Float64Array([upper]);
          const view = new DataView(bits.buffer);
          if (type === "float32") view.setUint32(0, view.getUint32(0, true) - (Math.fround(upper) < upper ? 0 : 1), true);
          else view.setBigUint64(0, view.getBigUint64(0, true) - 1n, true);
          const counts = count(DeviceArray.from(bits), 0, upper, bins);
          if (counts[bins - 1] !== 1) wrong.push(`${String(bits[0])} of ${String(upper)} in ${String(bins)}`);
        }
      }
      expect(wrong).toEqual([]);
    });

    test("all equal, sorted and reversed", () => {
      const sorted = integers(1000, 0, 31, 4).sort((a, b) => a - b);
      const expected = expectedCounts(sorted, 0, 32, 8);
      expect(count(DeviceArray.from(new Uint16Array(sorted)), 0, 32, 8)).toEqual(expected);
      expect(count(DeviceArray.from(new Uint16Array(sorted.reverse())), 0, 32, 8)).toEqual(expected);
      expect(count(DeviceArray.full(1000, 3, "uint8"), 0, 4, 4)).toEqual([0, 0, 0, 1000]);
    });

    test.each([0, 1, 2])("%i samples", (items) => {
      expect(count(DeviceArray.full(items, 1, "int32"), 0, 3, 3)).toEqual([0, items, 0]);
    });
  });

  describe("levels", () => {
    test("beyond the samples' type", () => {
      const bytes = DeviceArray.from(new Uint8Array([0, 127, 128, 255]));
      expect(count(bytes, 0, 256, 2)).toEqual([2, 2]);
      expect(count(bytes, -256, 1024, 5)).toEqual([0, 4, 0, 0, 0]);
      expect(count(DeviceArray.from(new Int8Array([-128, -1, 0, 127])), -128, 128, 4)).toEqual([1, 1, 1, 1]);
      expect(count(DeviceArray.from(new Uint32Array([0, 2 ** 31, 2 ** 32 - 1])), 0, 2 ** 32, 2)).toEqual([1, 2]);
      expect(count(DeviceArray.from(new Uint32Array([0, 2 ** 32 - 1])), -1, 1, 2)).toEqual([0, 1]);
      expect(count(DeviceArray.from(new Int32Array([-(2 ** 31), 0, 2 ** 31 - 1])), -(2 ** 31), 2 ** 31, 2)).toEqual([1, 2]); // prettier-ignore
    });

    test("64-bit integers are exact", () => {
      const base = 2n ** 60n;
      const samples = DeviceArray.from([base - 1n, base, base + 1n, base + 2n, base + 3n]);
      expect(count(samples, base, base + 3n, 3)).toEqual([1, 1, 1]);
      expect(count(upload("uint64", [2n ** 64n - 2n, 2n ** 63n]), 2n ** 63n, 2n ** 64n - 1n, 1)).toEqual([2]);
      expect(count(DeviceArray.from([-5n, 5n]), -10n, 10, 2)).toEqual([1, 1]);
    });

    test("fractional ones beside integers", () => {
      const samples = integers(300, 0, 9, 6);
      const expected = [0.5, 3, 5.5].map((first) => samples.filter((x) => x >= first && x < first + 2.5).length); // prettier-ignore
      for (const type of ["int8", "uint8", "int32", "int64"] as const) {
        expect(count(upload(type, elements(type, samples)), 0.5, 8, 3)).toEqual(expected);
      }
    });

    test("fractional ones that no float32 holds", () => {
      const samples = DeviceArray.from(new Float32Array([0.05, 0.15, 0.25, 0.35]));
      expect(count(samples, 0.1, 0.3, 2)).toEqual([1, 1]);
    });
  });

  describe("iterators and parts", () => {
    test("counted, constant and computed samples", () => {
      const output = DeviceArray.empty(3, "int32");
      histogramEven({ samples: counting(0), output, lower: 0, upper: 30, numItems: 25 });
      expect(download(output)).toEqual([10, 10, 5]);
      histogramEven({ samples: constant(1.5), output, lower: 0, upper: 3, numItems: 70_000 });
      expect(download(output)).toEqual([0, 70_000, 0]);
      const scale = 3;
      const samples = transformed(DeviceArray.from(new Int32Array([1, 2, 3])), (x) => x * scale, "int32");
      histogramEven({ samples, output, lower: 3, upper: 12, numItems: 2 });
      expect(download(output)).toEqual([1, 1, 0]);
    });

    test("parts that begin anywhere; counters beside them stay", () => {
      const samples = DeviceArray.from(new Uint8Array([9, 1, 2, 2, 9])).subarray(1, 4);
      const output = DeviceArray.full(4, 7, "int32");
      histogramEven({ samples, output: output.subarray(1, 3), lower: 1, upper: 3 });
      expect(download(output)).toEqual([7, 1, 2, 7]);
    });
  });

  test("bounds, sizes and numbers of bins change without another build", () => {
    const samples = DeviceArray.from(new Float32Array([0, 0.5, 1, 7]));
    const whole = DeviceArray.from(new Int16Array([0, 5, 100]));
    const run = (lower: number, upper: number, bins: number): number =>
      [samples, whole.subarray(bins % 2)]
        .flatMap((array) =>
          count(
            array,
            array === samples ? lower : Math.floor(lower),
            array === samples ? upper : Math.ceil(upper),
            bins,
          ),
        ) // prettier-ignore
        .reduce((sum, each) => sum + each, 0);
    expect(run(0, 1.5, 10)).toBe(4);
    const before = caches.stats();
    expect([run(-1, 0, 256), run(0, 0.1, 11), run(-1e6, 1e9, 255), run(5, 2 ** 40, 3)]).toEqual([0, 1, 6, 3]);
    expect(caches.stats()).toEqual(before);
  });

  test("variants alternate without being taken for one another", () => {
    const numbers = integers(3_000, 0, 255, 8);
    const bytes = DeviceArray.from(new Uint8Array(numbers));
    const floats = DeviceArray.from(new Float32Array(numbers));
    for (let round = 0; round < 2; round++) {
      for (const bins of [128, 2048, 64, 512]) {
        const expected = expectedCounts(numbers, 0, 256, bins);
        expect(count(bytes, 0, 256, bins)).toEqual(expected);
        expect(count(floats, 0, 256, bins, "int64")).toEqual(expected);
        expect(count(bytes, 0.5, 256.5, 256)).toEqual(expectedCounts(numbers.map((x) => x - 1), 0, 256, 256)); // prettier-ignore
      }
    }
  });

  test("made functions take other samples, levels and numbers of bins", async () => {
    const options = { samples: DeviceArray.from([0.5]), output: DeviceArray.empty(1, "int32"), lower: 0, upper: 3 };
    const made = [makeHistogramEven(options), await makeHistogramEvenAsync(options)];
    const before = caches.stats();
    for (const histogram of made) {
      const output = DeviceArray.empty(4, "int32");
      histogram({ samples: DeviceArray.from([0.1, 0.3, 0.3]), output, lower: 0.1, upper: 0.5 });
      expect(download(output)).toEqual([1, 2, 0, 0]);
    }
    expect(caches.stats()).toEqual(before);
    expect(() => {
      made[0]?.({ ...options, output: DeviceArray.empty(257, "int32") });
    }).toThrow(failsWith("ERR_BUILD_MISMATCH", "histogramEven.output"));
  });

  describe("wrong arguments", () => {
    const right = (): Record<string, unknown> => ({
      samples: DeviceArray.zeros(4, "int32"),
      output: DeviceArray.zeros(2, "int32"),
      lower: 0,
      upper: 10,
    });
    const cases: [string, object, string, string][] = [
      ["samples that are a typed array", { samples: new Int32Array(4) }, "ERR_INVALID_ARG_TYPE", "histogramEven.samples"], // prettier-ignore
      ["samples of bfloat16", { samples: DeviceArray.zeros(4, "bfloat16") }, "ERR_UNSUPPORTED", "histogramEven.samples"], // prettier-ignore
      ["samples that are structs", { samples: DeviceArray.zeros(4, struct({ x: "int32" })) }, "ERR_INVALID_ARG_TYPE", "histogramEven.samples"], // prettier-ignore
      ["samples without an end", { samples: counting(0) }, "ERR_INVALID_ARG_TYPE", "histogramEven.numItems"],
      ["more items than there are", { numItems: 5 }, "ERR_OUT_OF_RANGE", "histogramEven.numItems (samples)"],
      ["counters that are bytes", { output: DeviceArray.zeros(2, "uint8") }, "ERR_INVALID_ARG_TYPE", "histogramEven.output"], // prettier-ignore
      ["counters that are floats", { output: DeviceArray.zeros(2, "float32") }, "ERR_INVALID_ARG_TYPE", "histogramEven.output"], // prettier-ignore
      ["no counters", { output: DeviceArray.zeros(0, "int32") }, "ERR_OUT_OF_RANGE", "histogramEven.output"],
      ["no lower level", { lower: undefined }, "ERR_INVALID_ARG_TYPE", "histogramEven.lower"],
      ["a level that is NaN", { lower: NaN }, "ERR_OUT_OF_RANGE", "histogramEven.lower"],
      ["an infinite level", { upper: Infinity }, "ERR_OUT_OF_RANGE", "histogramEven.upper"],
      ["equal levels", { upper: 0 }, "ERR_OUT_OF_RANGE", "histogramEven.upper"],
      ["levels the wrong way round", { lower: 11n }, "ERR_OUT_OF_RANGE", "histogramEven.upper"],
      ["a level below uint64", { samples: DeviceArray.zeros(4, "uint64"), lower: -1 }, "ERR_OUT_OF_RANGE", "histogramEven.lower"], // prettier-ignore
      ["a range that overflows", { samples: DeviceArray.zeros(4, "int64"), upper: 2n ** 63n - 1n, output: DeviceArray.zeros(3, "int32") }, "ERR_OUT_OF_RANGE", "histogramEven.upper"], // prettier-ignore
      ["a range of 2^63", { samples: DeviceArray.zeros(4, "int64"), lower: -1, upper: 2n ** 63n - 1n, output: DeviceArray.zeros(1, "int32") }, "ERR_OUT_OF_RANGE", "histogramEven.upper"], // prettier-ignore
      ["an infinite range", { samples: DeviceArray.zeros(4, "float64"), lower: -1e308, upper: 1e308 }, "ERR_OUT_OF_RANGE", "histogramEven.upper"], // prettier-ignore
      ["a range too small", { samples: DeviceArray.zeros(4, "float64"), upper: 5e-324 }, "ERR_OUT_OF_RANGE", "histogramEven.upper"], // prettier-ignore
      ["a level between two floats", { samples: DeviceArray.zeros(4, "float64"), upper: 2n ** 60n + 1n }, "ERR_OUT_OF_RANGE", "histogramEven.upper"], // prettier-ignore
    ];
    test.each(cases)("%s", (_, wrong, code, argument) => {
      expect(() => {
        histogramAny({ ...right(), ...wrong });
      }).toThrow(failsWith(code, argument));
    });

    test("counters that are the samples, or some of them", () => {
      const samples = DeviceArray.zeros(4, "int32");
      for (const output of [samples, samples.subarray(1, 2)]) {
        expect(() => {
          histogramAny({ ...right(), samples, output });
        }).toThrow(failsWith("ERR_OVERLAP", "histogramEven.output"));
      }
    });
  });

  if (testBackends.includes("cuda")) {
    test("more than 2^31 samples, and just less", () => {
      for (const numItems of [2 ** 31 - 100, 2 ** 31 + 1000, 2 ** 32 + 5]) {
        const output = DeviceArray.empty(2, "int64");
        histogramEven({ samples: constant(1, "uint8"), output, lower: 0, upper: 2, numItems });
        expect(download(output)).toEqual([0n, BigInt(numItems)]);
      }
    });

    test("two million bins", () => {
      const bins = 2 ** 21;
      const output = DeviceArray.empty(bins, "uint32");
      histogramEven({ samples: counting(0), output, lower: 0, upper: bins, numItems: bins + 10 });
      expect(output.toTypedArray().every((total) => total === 1)).toBe(true);
    });
  }
});
