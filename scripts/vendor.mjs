// Puts CCCL into vendor/cccl, and the CUDA compilers for development and tests into vendor/cuda.
// The wheels and their hashes are in lib/cli/wheels.ts; what is there already is left alone.

import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Throws an error whose message says what to do. */
export function vendor() {
  const { cccl, cudaCompilers, install, isInstalled } = createRequire(import.meta.url)("../dist/lib/cli/wheels.js");
  const downloads = join(root, "vendor", "downloads");
  for (const [bundle, folder] of [
    [cccl, "cccl"],
    [cudaCompilers[13], "cuda"],
  ]) {
    const target = join(root, "vendor", folder);
    if (isInstalled(bundle, target)) continue;
    console.log(`Fetching ${bundle.title} into vendor/${folder} …`);
    install(bundle, target, downloads);
  }
}
