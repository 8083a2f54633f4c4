/** `cuda-compute doctor`: what backend cuda needs, what of it is here, and how to mend the rest. */
import path from "node:path";
import { loadAddon, packageRoot } from "../backends/cuda/addon";
import type { NativeAddon } from "../backends/cuda/native";
import { checkVersions, findDriver, findToolkit, headersVersion, type Toolkit } from "../backends/cuda/toolkit";
import { getBackend } from "../backends/select";
import { cccl, changedLibraries, readManifest } from "./wheels";

/** One thing that backend cuda needs. `problem` says what is wrong and how to mend it. */
export interface Finding {
  name: string;
  found?: string;
  version?: string;
  problem?: string;
  searched?: readonly string[];
}

export interface Report {
  cudaWorks: boolean;
  /** The backend that programs get here. */
  backend: { name: string; device: string; reason?: string };
  findings: Finding[];
}

/** CUDA's numbering: 13000 is 13.0. */
const versionText = (version: number): string =>
  `${String(Math.floor(version / 1000))}.${String(Math.floor((version % 1000) / 10))}`;

function problemOf(error: unknown): Pick<Finding, "problem" | "searched"> {
  const { message, searched } = error as Error & { searched?: readonly string[] };
  return { problem: message, ...(searched === undefined || searched.length === 0 ? {} : { searched }) };
}

/** Runs one step; what it throws is a finding, and the steps that need its answer do not run. */
function attempt<T>(findings: Finding[], name: string, step: () => [T, Omit<Finding, "name">]): T | undefined {
  try {
    const [answer, finding] = step();
    findings.push({ name, ...finding });
    return answer;
  } catch (error) {
    findings.push({ name, ...problemOf(error) });
    return undefined;
  }
}

/** The first device, opened as a program would open it. */
function openDevice(findings: Finding[], addon: NativeAddon): void {
  attempt(findings, "GPU", () => {
    const count = addon.deviceCount();
    if (count === 0) return [undefined, { problem: "The driver sees no GPU; `nvidia-smi` says more." }];
    const { name, computeCapability, totalBytes } = addon.openDevice(0);
    const gibibytes = (totalBytes / 2 ** 30).toFixed(0);
    const capability = `${String(Math.floor(computeCapability / 10))}.${String(computeCapability % 10)}`;
    const others = count > 1 ? `, the first of ${String(count)}` : "";
    return [undefined, { found: `${name}${others}`, version: `compute capability ${capability}, ${gibibytes} GiB` }];
  });
}

function loadCompilers(findings: Finding[], addon: NativeAddon, toolkit: Toolkit): void {
  attempt(findings, "Compilers", () => {
    const { nvrtc, nvJitLink } = addon.loadCompilers(toolkit);
    checkVersions(nvrtc, nvJitLink, toolkit);
    return [undefined, { found: "they load", version: `NVRTC ${nvrtc.join(".")}, nvJitLink ${nvJitLink.join(".")}` }];
  });
}

function describeToolkit(findings: Finding[], toolkit: Toolkit): void {
  findings.push({ name: "NVRTC", found: toolkit.nvrtc }, { name: "nvJitLink", found: toolkit.nvJitLink });
  const headers = toolkit.includeOptions.at(-1)?.slice("-I".length) ?? "";
  const version = headersVersion(headers);
  findings.push({
    name: "CUDA headers",
    found: headers,
    ...(version === undefined ? {} : { version: versionText(version) }),
  });
  const vendored = path.join(packageRoot(), "vendor", "cccl");
  const isVendored = toolkit.cccl.startsWith(`${vendored}${path.sep}`);
  const changed = isVendored ? changedLibraries(vendored) : [];
  const pinned = isVendored ? readManifest(vendored)?.wheels[cccl.wheels[0]?.name ?? ""]?.version : undefined;
  findings.push({
    name: "CCCL",
    found: toolkit.cccl,
    ...(pinned === undefined ? {} : { version: `cuda-cccl ${pinned}` }),
    ...(changed.length === 0
      ? {}
      : { problem: `${changed.join(", ")} is not as it was installed; install cuda-compute again.` }),
  });
}

/** Looks at this machine as a program that uses backend cuda would, and loads what such a program loads. */
export function doctor(): Report {
  const findings: Finding[] = [{ name: "Node.js", found: process.execPath, version: process.version }];
  const addon = attempt(findings, "Addon", () => [loadAddon(), { found: "it loads" }]);
  const driver = attempt(findings, "Driver", () => {
    const { path: found } = findDriver();
    const version = addon?.loadDriver(found);
    return [version, version === undefined ? { found } : { found, version: `CUDA ${versionText(version)}` }];
  });
  if (addon !== undefined && driver !== undefined) openDevice(findings, addon);
  // Without a driver, what the newest one would use.
  try {
    const toolkit = findToolkit(driver ?? 13000);
    describeToolkit(findings, toolkit);
    if (addon !== undefined && driver !== undefined) loadCompilers(findings, addon, toolkit);
  } catch (error) {
    findings.push({ name: "Toolkit", ...problemOf(error) });
  }
  return { cudaWorks: findings.every(({ problem }) => problem === undefined), backend: backend(), findings };
}

function backend(): Report["backend"] {
  try {
    const { name, device, reason } = getBackend();
    return { name, device, ...(reason === undefined ? {} : { reason }) };
  } catch (error) {
    return { name: "none", device: "none", reason: (error as Error).message };
  }
}

/** The report as text. */
export function renderReport({ cudaWorks, backend, findings }: Report): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, found, version, problem, searched }) => [
    `${problem === undefined ? "ok     " : "MISSING"}  ${name.padEnd(width)}  ` +
      (problem ?? [version, found].filter((part) => part !== undefined).join("  ")),
    ...(searched ?? []).map((file) => `${" ".repeat(width + 11)}looked for ${file}`),
  ]);
  const verdict = cudaWorks ? "Backend cuda works." : "Backend cuda does not work here; see MISSING above.";
  return [...lines, "", `${verdict} Programs use backend ${backend.name} (${backend.device}).`].join("\n");
}
