/**
 * Backend cuda for tests of what is held: on the GPU where CUDA_COMPUTE_TEST_BACKENDS names it, else on the simulated
 * device. Import before anything of the library.
 */
import type * as SimulatedBackend from "./simulated-backend";

export const onGpu = process.env["CUDA_COMPUTE_TEST_BACKENDS"]?.includes("cuda") ?? false;

if (onGpu) process.env["CUDA_COMPUTE_BACKEND"] = "cuda";
// Not imported above: it takes over the driver.
else require("./simulated-backend") as typeof SimulatedBackend;
