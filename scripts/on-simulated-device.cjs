// Preload: `node --require ./scripts/on-simulated-device.cjs PROGRAM` runs a program on the simulated device, which
// executes nothing, with SIMULATED_DEVICE_BYTES of memory (48e9 unless set). It must have been built
// (scripts/build-simulated-device.mjs).

const path = require("node:path");

const directory = path.join(__dirname, "..", "build", "simulated");
const driver = path.join(directory, "libcuda.so.1");
process.env.CUDA_COMPUTE_LIBCUDA = driver;
process.env.CUDA_COMPUTE_CCCL = path.join(directory, "libcccl.c.parallel.so");
// Passes on to the real compiler what no process has compiled before.
process.env.CUDA_COMPUTE_NVRTC = path.join(directory, "libnvrtc.so.13");
process.env.CUDA_COMPUTE_BACKEND = "cuda";

const control = require(path.join(directory, "simulated_control.node"));
control.open(driver);
control.setCapacity(Number(process.env.SIMULATED_DEVICE_BYTES ?? 48e9));

// What no correct program does, such as a double free, is a failure of the whole run.
process.on("exit", () => {
  const violation = control.lastViolation();
  if (violation === "") return;
  process.exitCode = 1;
  require("node:fs").writeSync(2, `The simulated device saw: ${violation}\n`);
});
