/** Child processes of backend cuda on the simulated device, whose scripts see its controls as `device`. */
import path from "node:path";
import { type ChildResult, root, runChild } from "./child";
import { paths } from "./simulated-device";

export const simulated = {
  CUDA_COMPUTE_BACKEND: "cuda",
  CUDA_COMPUTE_LIBCUDA: paths.driver,
  CUDA_COMPUTE_CCCL: paths.cccl,
};

const control = `
  const device = require(${JSON.stringify(path.join(path.dirname(paths.driver), "simulated_control.node"))});
  device.open(${JSON.stringify(paths.driver)});
  require("node:v8").setFlagsFromString("--expose-gc");
  const collect = require("node:vm").runInNewContext("gc");
`;

/** What lives on the device, for scripts that end with what they began with. */
const counts = `
  const counts = () => {
    const { liveAllocations, liveStreams, liveEvents, livePinnedBytes, pendingWork, violations } = device.counters();
    return { liveAllocations, liveStreams, liveEvents, livePinnedBytes, pendingWork, violations };
  };
`;

/** As `runChild`; also `collect()` for a full collection and `counts()` are there. */
export function runSimulated(script: string): Promise<ChildResult> {
  return runChild(control + counts + script, simulated);
}

/** The text of a worker's script, which sees `cc` and `parentPort`; quoted, to stand in another script. */
export function workerSource(script: string): string {
  return JSON.stringify(
    `const cc = require(${JSON.stringify(root)});
     const { parentPort, workerData } = require("node:worker_threads");\n${script}`,
  );
}
