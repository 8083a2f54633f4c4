/** Backend cuda on the simulated device: real compiler and linker, no GPU. Import before anything of the library. */
import { collectGarbage } from "../../lib/backends/collector";
import type * as Addon from "../../lib/backends/cuda/addon";
import { paths, simulatedDevice } from "./simulated-device";

process.env["CUDA_COMPUTE_LIBCUDA"] = paths.driver;
process.env["CUDA_COMPUTE_CCCL"] = paths.cccl;
process.env["CUDA_COMPUTE_NVRTC"] = paths.nvrtc;
process.env["CUDA_COMPUTE_NVJITLINK"] = paths.nvJitLink;
process.env["CUDA_COMPUTE_BACKEND"] = "cuda";

/** A full collection, at once. */
export function collect(): void {
  collectGarbage("full");
}

// Files of one process count what lives in it, and the context of the one before may be collected late: whatever its
// tests left alive is freed with its last test.
afterAll(() => {
  // Not imported above: the environment is set first.
  const { loadAddon } = require("../../lib/backends/cuda/addon") as typeof Addon;
  const addon = loadAddon();
  addon.liveSlots().forEach((isLive, slot) => {
    if (isLive === 1) addon.release(slot);
  });
});

/** `CUresult`s that tests inject. */
export const CudaResult = { invalidValue: 1, outOfMemory: 2, notSupported: 801, unknown: 999 } as const;

export { simulatedDevice };
