/** How repeatability is measured, at a small size: test/large/repeatability.test.ts measures it. */
import { DeviceArray } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { measureRepeatability, patternsOf, repeatedCases } from "../helpers/repeatability";

describeOnBackends("repeatability", (backend) => {
  test("each case computes something, and runs as often as it is asked to", () => {
    for (const { run } of repeatedCases(1_000)) {
      const outputs = run();
      expect(outputs.some((output) => output.toArray().some((value) => value !== 0 && value !== 0n))).toBe(true);
    }
    let runs = 0;
    patternsOf({ run: () => (runs++, [DeviceArray.zeros(1, "int32")] as DeviceArray[]) }, 7); // prettier-ignore
    expect(runs).toBe(7);
  });

  test("patterns differ by any bit of any output, and are counted once each", () => {
    let run = 0;
    const zeros = [0, -0, 0, -0, 0];
    const of = (value: number): DeviceArray[] => [
      DeviceArray.zeros(2, "float32") as DeviceArray,
      DeviceArray.from([1, value]) as DeviceArray,
    ];
    expect(patternsOf({ run: () => of(zeros[run++] as number) }, 5)).toBe(2);
    run = 0;
    expect(patternsOf({ run: () => of(run++) }, 5)).toBe(5);
    expect(patternsOf({ run: () => of(3) }, 5)).toBe(1);
  });

  test("what runs one item after the other is the same each time", () => {
    if (backend !== "host") return;
    const { measured, ...how } = measureRepeatability(1_000, 3, "host");
    expect(how).toEqual({ device: "host", items: 1_000, runs: 3 });
    expect(measured.filter(({ patterns }) => patterns !== 1)).toEqual([]);
  });
});
