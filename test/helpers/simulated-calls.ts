/** What every call of an algorithm owes on the simulated device, and what its tests begin and end with. */
import { caches, memory } from "../../lib";
import { collect, simulatedDevice } from "./simulated-backend";

/** Nothing is alive after any test of a file; each begins with the device's counters at 0. */
export function leavingNothing(): void {
  beforeEach(() => {
    collect();
    simulatedDevice.reset();
  });

  afterEach(() => {
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(simulatedDevice.lastViolation()).toBe("");
  });
}

/** Each call builds once, launches once, and keeps no array; a second one compiles nothing. */
export function testCalls(calls: readonly (readonly [string, () => unknown])[]): void {
  test.each(calls)("%s builds once, launches, and keeps no array", (_, call) => {
    call();
    expect(simulatedDevice.counters().launches).toBe(1);
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    const { kernelsCompiled, operatorsCompiled, links } = caches.stats();
    call();
    expect(simulatedDevice.counters().launches).toBe(2);
    expect(caches.stats()).toMatchObject({ kernelsCompiled, operatorsCompiled, links });
  });
}
