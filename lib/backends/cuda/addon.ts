/** Loads the native addon. */
import path from "node:path";
import bindings from "bindings";
import { CompileError, CudaError, ToolkitNotFoundError } from "../../errors";
import type { NativeAddon } from "./native";

let addon: NativeAddon | undefined;

/** The package's folder, from `lib/` as well as from `dist/lib/`. */
export function packageRoot(): string {
  const up = path.resolve(__dirname, "../../..");
  return path.basename(up) === "dist" ? path.dirname(up) : up;
}

/**
 * The addon of this environment.
 *
 * @throws ToolkitNotFoundError with code `ERR_ADDON_NOT_FOUND` and the loader's own text when it cannot be loaded
 */
export function loadAddon(): NativeAddon {
  if (addon === undefined) {
    let loaded: NativeAddon;
    try {
      loaded = bindings({ bindings: "cuda_compute", module_root: packageRoot() }) as NativeAddon;
    } catch (cause) {
      const { message, tries } = cause as Error & { tries?: string[] };
      throw new ToolkitNotFoundError(
        `The native addon cannot be loaded (${message.split("\n")[0] ?? ""}). It needs Linux on x86-64 with glibc 2.34 ` +
          "or later; in a clone, `npm run build` makes it. Backend host works without it.",
        { code: "ERR_ADDON_NOT_FOUND", searched: tries ?? [] },
        { cause },
      );
    }
    loaded.setErrorClasses({ CudaError, CompileError, ToolkitNotFoundError });
    addon = loaded;
  }
  return addon;
}
