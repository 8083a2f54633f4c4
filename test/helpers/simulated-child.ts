/** Child processes of backend cuda on the simulated device, whose scripts see its controls as `device`. */
import path from "node:path";
import { type ChildResult, runChild } from "./child";
import { buildSimulatedDevice, directory, paths } from "./simulated-paths";

let isBuilt = false;

/** The environment of such a process. */
export function simulated(): Record<string, string> {
  if (!isBuilt) buildSimulatedDevice();
  isBuilt = true;
  return { CUDA_COMPUTE_BACKEND: "cuda", CUDA_COMPUTE_LIBCUDA: paths.driver, CUDA_COMPUTE_CCCL: paths.cccl };
}

const control = `
  const device = require(${JSON.stringify(path.join(directory, "simulated_control.node"))});
  device.open(${JSON.stringify(paths.driver)});
  require("node:v8").setFlagsFromString("--expose-gc");
  const collect = require("node:vm").runInNewContext("gc");
`;

/** What lives on the device, for scripts that end with what they began with. Locked memory is pooled, up to 64 MiB. */
const counts = `
  const counts = () => {
    const { liveAllocations, liveStreams, liveEvents, liveContexts, pendingWork, violations } = device.counters();
    return { liveAllocations, liveStreams, liveEvents, liveContexts, pendingWork, violations };
  };
`;

/** As `runChild`; also `collect()` for a full collection and `counts()` are there. */
export function runSimulated(
  script: string,
  environment: Record<string, string | undefined> = {},
): Promise<ChildResult> {
  return runChild(control + counts + script, { ...simulated(), ...environment });
}
