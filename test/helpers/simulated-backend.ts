/** Backend cuda on the simulated device: real compiler and linker, no GPU. Import before anything of the library. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type * as Library from "../../lib";
import { paths, simulatedDevice } from "./simulated-device";

process.env["CUDA_COMPUTE_LIBCUDA"] = paths.driver;
process.env["CUDA_COMPUTE_CCCL"] = paths.cccl;
process.env["CUDA_COMPUTE_BACKEND"] = "cuda";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as (options?: { type: "minor" | "major" }) => void;

/** A full collection, at once. */
export function collect(): void {
  gc();
}

// Before the first test of each file: what the file before it in this process left behind goes with that one's context,
// in a turn or two of the loop.
beforeAll(async () => {
  // Not imported above: the environment is set first.
  const { memory } = require("../../lib") as typeof Library;
  for (let turn = 0; turn < 1_000; turn++) {
    collect();
    if (memory.stats().liveArrays === 0) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error("Arrays are alive before the first test: make those that tests share in beforeAll, not at the top.");
});

/** `CUresult`s that tests inject. */
export const CudaResult = { invalidValue: 1, outOfMemory: 2, notSupported: 801, unknown: 999 } as const;

export { simulatedDevice };
