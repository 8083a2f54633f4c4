// clang-format and clang-tidy of the pinned versions, from PyPI into vendor/tools; what is there already is left alone.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const scripts = dirname(fileURLToPath(import.meta.url));
const folder = resolve(scripts, "..", "vendor", "tools");
const requirements = join(scripts, "requirements-clang.txt");

/** The path of a tool of this name. */
export function clangTool(name) {
  const stamp = join(folder, "requirements.txt");
  const wanted = readFileSync(requirements, "utf8");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    console.log("Fetching clang-format and clang-tidy into vendor/tools …");
    const staged = `${folder}.${process.pid}`;
    const arguments_ = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--require-hashes",
      "--only-binary=:all:",
      "--target",
      staged,
    ];
    const { status, error } = spawnSync("python3", [...arguments_, "--requirement", requirements], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_ROOT_USER_ACTION: "ignore" },
    });
    if (status !== 0) {
      rmSync(staged, { recursive: true, force: true });
      throw new Error(
        `clang-format and clang-tidy could not be fetched with pip${error ? ` (${error.message})` : ""}.`,
      );
    }
    copyFileSync(requirements, join(staged, "requirements.txt"));
    rmSync(folder, { recursive: true, force: true });
    renameSync(staged, folder);
  }
  return join(folder, name.replace("-", "_"), "data", "bin", name);
}
