/** Which backend the library works on. */
import { debuglog } from "node:util";
import { ArgumentTypeError } from "../errors";
import type { Backend, BackendName } from "./backend";
import { openCudaBackend } from "./cuda/cuda-backend";
import { openHostBackend } from "./host/host-backend";

const log = debuglog("cuda-compute");

let selected: Backend | undefined;
let whyNotCuda: Error | undefined;

function open(name: BackendName): Backend {
  return name === "cuda" ? openCudaBackend() : openHostBackend();
}

function checkName(name: unknown, argument: string): BackendName {
  if (name === "cuda" || name === "host") return name;
  throw new ArgumentTypeError(argument, '"cuda" or "host"', name);
}

function choose(): Backend {
  const asked = process.env["CUDA_COMPUTE_BACKEND"];
  if (asked !== undefined && asked !== "") return open(checkName(asked, "CUDA_COMPUTE_BACKEND"));
  try {
    return open("cuda");
  } catch (error) {
    whyNotCuda = error as Error;
    return open("host");
  }
}

/** The backend that new arrays are made on; chosen at the first use. */
export function currentBackend(): Backend {
  if (selected === undefined) {
    selected = choose();
    log("backend %s (%s)%s", selected.name, selected.deviceName, whyNotCuda ? `: ${whyNotCuda.message}` : "");
  }
  return selected;
}

/**
 * The backend in use: `cuda` where a driver and a GPU were found, else `host`, unless `CUDA_COMPUTE_BACKEND` or
 * {@link setBackend} decided. `device` names what it runs on; `reason` says why an automatic choice was not `cuda`.
 */
export function getBackend(): { name: BackendName; device: string; reason: string | undefined } {
  const { name, deviceName } = currentBackend();
  return { name, device: deviceName, reason: name === "host" ? whyNotCuda?.message : undefined };
}

/**
 * Decides the backend for arrays, streams and events made from here on. Arrays that exist stay on theirs.
 *
 * @throws ToolkitNotFoundError or CudaError when backend `cuda` is asked for and cannot be had; nothing changes then
 */
export function setBackend(name: BackendName): void {
  selected = open(checkName(name, "setBackend.name"));
  whyNotCuda = undefined;
  log("backend %s (%s)", selected.name, selected.deviceName);
}

/** True when backend `cuda` can be used here. Never throws. */
export function isCudaAvailable(): boolean {
  try {
    openCudaBackend();
    return true;
  } catch {
    return false;
  }
}
