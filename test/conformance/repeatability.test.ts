/** How repeatability is measured, at a small size: test/large/repeatability.test.ts measures it. */
import { DeviceArray, caches } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { compileCases, makeRepeatedInputs, patternsOf, repeatedCases, runCase } from "../helpers/repeatability";

const items = 1_000;

describeOnBackends("repeatability", (backend) => {
  test.each(repeatedCases.map((each) => [`${each.algorithm}, ${each.use}`, each] as const))(
    "%s: every output is computed from the inputs",
    (_title, each) => {
      const outputs = runCase(each, makeRepeatedInputs(items));
      const isWritten = outputs.map((output) => output.toArray().some((value) => value !== 0 && value !== 0n));
      expect(isWritten).toEqual(outputs.map(() => true));
    },
  );

  test("cases that were compiled need no further build to run", async () => {
    const inputs = makeRepeatedInputs(items);
    await compileCases(inputs);
    const { builds } = caches.stats();
    for (const each of repeatedCases) runCase(each, inputs);
    expect(caches.stats().builds).toBe(builds);
  });

  describe("patterns", () => {
    const patternsOfDoubles = (...values: number[]): number => {
      const left = [...values];
      return patternsOf(
        () => [DeviceArray.zeros(2, "int32"), DeviceArray.from([1, left.shift() as number])] as DeviceArray[],
        values.length,
      );
    };

    test("are as many as there are results that differ, over as many runs as asked for", () => {
      expect(patternsOfDoubles(3, 3, 3)).toBe(1);
      expect(patternsOfDoubles(0, 1, 2, 1, 0)).toBe(3);
    });

    test("differ by a sign of 0, or the last bit", () => {
      expect(patternsOfDoubles(0, -0, 0)).toBe(2);
      expect(patternsOfDoubles(1, 1 + Number.EPSILON, 1)).toBe(2);
    });

    test("differ by any element of any output, and by its place", () => {
      for (const type of ["int32", "float64"] as const) {
        const run = (place: number) => (): DeviceArray[] => {
          const array = new Array<number>(100).fill(0).with(place, 1);
          return [DeviceArray.from([1]), DeviceArray.from(array, type)] as DeviceArray[];
        };
        let place = 0;
        expect(patternsOf(() => run(place++)(), 100)).toBe(100);
      }
    });
  });

  test.each(backend === "host" ? repeatedCases : [])(
    "$algorithm, $use: one pattern where items come one after the other",
    (each) => {
      const inputs = makeRepeatedInputs(items);
      expect(patternsOf(() => runCase(each, inputs), 3)).toBe(1);
    },
  );
});
