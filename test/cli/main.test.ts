/** The command as a user runs it. Needs the built package (`npm run build`). */
import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Report } from "../../lib/cli/doctor";
import { paths } from "../helpers/simulated-device";

const main = path.resolve(__dirname, "../../dist/lib/cli/main.js");

function run(parameters: string[], environment: Record<string, string> = {}) {
  const { CUDA_COMPUTE_BACKEND: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...parameters], {
    encoding: "utf8",
    env: { ...env, ...environment },
  });
  return { status, stdout, stderr };
}

const finding = (report: Report, name: string) => report.findings.find((each) => each.name === name);

describe("doctor", () => {
  const noDriver = { CUDA_COMPUTE_LIBCUDA: "/nowhere/libcuda.so.1" };

  test("without a driver: exit code 1, the reason with where it was looked for, and the backend that is used", () => {
    const { status, stdout, stderr } = run(["doctor", "--json"], noDriver);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    const report = JSON.parse(stdout) as Report;
    expect(report.cudaWorks).toBe(false);
    expect(report.backend).toMatchObject({ name: "host" });
    expect(finding(report, "Driver")).toEqual({
      name: "Driver",
      problem:
        "The CUDA driver (libcuda.so.1) was not found: CUDA_COMPUTE_LIBCUDA names /nowhere/libcuda.so.1, " +
        "which does not exist.",
      searched: ["/nowhere/libcuda.so.1"],
    });
  });

  test("the text says the same", () => {
    const { status, stdout } = run(["doctor"], noDriver);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^MISSING +Driver +The CUDA driver \(libcuda\.so\.1\) was not found/m);
    expect(stdout).toMatch(/^ +looked for \/nowhere\/libcuda\.so\.1$/m);
    expect(stdout).toMatch(/Backend cuda does not work here; .* Programs use backend host/);
  });

  test("with a driver, a GPU and the compilers: exit code 0 and the versions of all", () => {
    const { status, stdout, stderr } = run(["doctor", "--json"], {
      CUDA_COMPUTE_LIBCUDA: paths.driver,
      CUDA_COMPUTE_CCCL: paths.cccl,
    });
    const report = JSON.parse(stdout) as Report;
    expect(report.findings.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(report.backend.name).toBe("cuda");
    expect(finding(report, "Driver")).toMatchObject({ found: paths.driver, version: "CUDA 13.0" });
    expect(finding(report, "Compilers")).toMatchObject({ version: "NVRTC 13.0, nvJitLink 13.0" });
    expect(finding(report, "CUDA headers")).toMatchObject({ version: "13.0" });
  });

  test("a compiler that is named but missing is told", () => {
    const { status, stdout } = run(["doctor", "--json"], { ...noDriver, CUDA_COMPUTE_NVRTC: "/nowhere/libnvrtc.so" });
    expect(status).toBe(1);
    expect(finding(JSON.parse(stdout) as Report, "Toolkit")?.problem).toMatch(/NVRTC.*\/nowhere\/libnvrtc\.so/);
  });
});

test("help names the commands", () => {
  const { status, stdout } = run(["--help"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: cuda-compute <command>/);
  for (const command of ["doctor", "toolkit"]) expect(stdout).toContain(`  ${command} `);
});

test.each([
  [["docter"], "Unknown command: docter"],
  [["doctor", "now"], "Unknown argument: now"],
  [["toolkit", "--cuda", "11"], "--cuda is 12 or 13, but it was 11."],
  [["--quick"], "Unknown option '--quick'"],
])("%j is an error with exit code 2, and the usage", (parameters, message) => {
  const { status, stdout, stderr } = run(parameters);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toContain("Usage: cuda-compute");
});
