import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./child";

export const directory = join(root, "build", "simulated");

/** The doubles, as the addon is to load them. */
export const paths = {
  driver: join(directory, "libcuda.so.1"),
  cccl: join(directory, "libcccl.c.parallel.so"),
  nvrtc: join(directory, "libnvrtc.so.13"),
  nvJitLink: join(directory, "libnvJitLink.so.13"),
} as const;

/** Builds the simulated device where it is not up to date. */
export function buildSimulatedDevice(): void {
  execFileSync(process.execPath, [join(root, "scripts", "build-simulated-device.mjs")], { stdio: "inherit" });
}
