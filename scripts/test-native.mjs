// The C++ tests, built by CMake with AddressSanitizer, LeakSanitizer and UBSan. Parameters go on to ctest.

import { spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, { cwd: root, stdio: "inherit" });
  if (error !== undefined) {
    console.error(`${command} is missing: on Debian and Ubuntu, \`apt-get install cmake g++ libgtest-dev\`.`);
  }
  if (status !== 0) process.exit(status ?? 1);
}

run("cmake", ["-S", ".", "-B", "build/native", "-DCMAKE_BUILD_TYPE=Debug", "-DCUDA_COMPUTE_SANITIZE=ON"]);
run("cmake", ["--build", "build/native", "--parallel", "2"]);
run("ctest", ["--test-dir", "build/native", "--output-on-failure", "--parallel", "2", ...process.argv.slice(2)]);
