/** The backends that a script in a process of its own can run on. */
import { testBackends } from "./backends";
import { type ChildResult, runChild } from "./child";
import { runSimulated } from "./simulated-child";

export interface ChildBackend {
  readonly name: string;
  readonly run: (script: string) => Promise<ChildResult>;
  /** Whether kernels are executed; copies and fills are everywhere. */
  readonly executes: boolean;
}

const host: ChildBackend = {
  name: "host",
  run: (script) => runChild(script, { CUDA_COMPUTE_BACKEND: "host" }),
  executes: true,
};
const simulated: ChildBackend = { name: "cuda on the simulated device", run: runSimulated, executes: false };
const gpu: ChildBackend = {
  name: "cuda on the GPU",
  run: (script) => runChild(script, { CUDA_COMPUTE_BACKEND: "cuda" }),
  executes: true,
};

/** Host, the simulated device, and the GPU where CUDA_COMPUTE_TEST_BACKENDS names cuda. */
export const childBackends: readonly ChildBackend[] = testBackends.includes("cuda")
  ? [host, simulated, gpu]
  : [host, simulated];
