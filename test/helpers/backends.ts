/** The backends that the conformance suite runs on: host, or those that CUDA_COMPUTE_TEST_BACKENDS names. */
import type { BackendName } from "../../lib";
import { setBackend } from "../../lib";

const named = process.env["CUDA_COMPUTE_TEST_BACKENDS"];

export const testBackends: readonly BackendName[] =
  named === undefined || named === "" ? ["host"] : named.split(",").map((name) => name.trim() as BackendName);

/** Declares a suite once for each backend. */
export function describeOnBackends(title: string, suite: (backend: BackendName) => void): void {
  describe.each(testBackends)(`${title} [backend %s]`, (backend) => {
    beforeAll(() => {
      setBackend(backend);
    });
    suite(backend);
  });
}

/** Sizes for a GPU alone: the host would take seconds for each. */
export function onGpu<T>(...sizes: readonly T[]): readonly T[] {
  return testBackends.includes("cuda") ? sizes : [];
}
