/**
 * An exponential moving average, y[i] = (x[i] + y[i - 1]) / 2, in parallel. Each step is a function y → keep · y + add, and
 * composing functions is associative where averaging is not.
 *
 *   npm run build && node dist/examples/exponential-moving-average.js
 */
import { DeviceArray, counting, inclusiveScan, struct, transformed, transformedOutput, zipped } from "../lib";

const Step = struct({ keep: "float64", add: "float64" });
const input = DeviceArray.from(new Float64Array([8, 4, 4, 12, 0]));
const average = DeviceArray.empty(5, "float64");

// The average begins with the first item: its step keeps nothing of what was before.
const steps = transformed(
  zipped(counting(0), input),
  ([i, x]) => (i === 0 ? { keep: 0, add: x } : { keep: 0.5, add: 0.5 * x }),
  Step,
);
inclusiveScan({
  input: steps,
  output: transformedOutput(average, (step) => step.add, Step),
  op: (first, then) => ({ keep: first.keep * then.keep, add: first.add * then.keep + then.add }),
});
console.log("moving average:", average.toArray().join(" "));

/* prints:
moving average: 8 6 5 8.5 4.25
*/
