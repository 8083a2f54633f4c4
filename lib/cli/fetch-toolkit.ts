/** `cuda-compute toolkit`: fetches the CUDA compilers to where the loader finds them. */
import path from "node:path";
import { loadAddon } from "../backends/cuda/addon";
import { cudaMajor, findDriver, toolkitCache } from "../backends/cuda/toolkit";
import { cudaCompilers, install, WheelError } from "./wheels";

/** What the driver of this machine runs; 13 where there is none. */
function majorOfDriver(): 12 | 13 {
  try {
    return cudaMajor(loadAddon().loadDriver(findDriver().path));
  } catch {
    return 13;
  }
}

/** Fetches for the CUDA version asked for, else for the driver's. Answers the exit code. */
export function fetchToolkit(asked: "12" | "13" | undefined): number {
  const major = asked === undefined ? majorOfDriver() : asked === "12" ? 12 : 13;
  const bundle = cudaCompilers[major];
  const folder = toolkitCache(major);
  console.log(`Fetching ${bundle.title} (${bundle.wheels.map((each) => `${each.name} ${each.version}`).join(", ")}) …`);
  try {
    const fetched = install(bundle, folder, path.join(path.dirname(folder), "downloads"));
    console.log(fetched ? `They are in ${folder} now.` : `They are in ${folder} already.`);
    console.log("They come under NVIDIA's own licence; it is in the folder licenses there.");
    return 0;
  } catch (error) {
    if (!(error instanceof WheelError)) throw error;
    console.error(error.message);
    return 1;
  }
}
