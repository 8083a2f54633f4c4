/** Backend cuda on the simulated device: real compiler and linker, no GPU. Import before anything of the library. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

/** `CUresult`s that tests inject. */
export const CudaResult = { invalidValue: 1, outOfMemory: 2, notSupported: 801, unknown: 999 } as const;

export { simulatedDevice };
