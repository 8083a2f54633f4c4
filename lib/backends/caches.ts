/** The caches of compiled code, as users see them. Nothing in them is an array. */
import { currentBackend } from "./select";

/** Counters since the process began, and what is held now. */
export interface CacheStatistics {
  /** Signatures and operators that calls of this thread have a build for. */
  builds: number;
  /** CUB kernels compiled, one for each type signature. */
  kernelsCompiled: number;
  /** Operators and iterators compiled, one for each meaning and its types. */
  operatorsCompiled: number;
  /** Kernels and operators linked to a loadable build. */
  links: number;
  /** Builds loaded onto the device. */
  loads: number;
  /** Builds that were asked for and there already. */
  hits: number;
}

/** What is known of the caches. */
export const caches = {
  stats(): CacheStatistics {
    return currentBackend().cacheStatistics();
  },
};

/**
 * Forgets every build, kernel and operator that no made function holds. Device arrays are not touched: nothing in the
 * caches holds one, so this is never needed to free memory.
 */
export function clearAllCaches(): void {
  currentBackend().clearCaches();
}
