/** The published types, as a strict program of a user sees them. Needs the built package (`npm run build`). */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runNode } from "../helpers/child";

const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-"));
mkdirSync(path.join(folder, "node_modules"));
symlinkSync(root, path.join(folder, "node_modules", "cuda-compute"));
cpSync(path.join(__dirname, "consumer.ts"), path.join(folder, "consumer.ts"));

// A program may know fewer of JavaScript's libraries than this one; what it does not know must not become `any`.
test.each(["es2022", "es2023,esnext.disposable", "esnext"])(
  "with lib %s: right calls compile, wrong ones do not",
  async (lib) => {
    const { code, stdout } = await runNode([
      path.join(root, "node_modules/typescript/bin/tsc"),
      ...[
        "--ignoreConfig",
        "--strict",
        "--noEmit",
        "--module",
        "node16",
        "--moduleResolution",
        "node16",
        "--target",
        "es2022",
      ],
      ...["--types", "node", "--typeRoots", path.join(root, "node_modules/@types"), "--lib", lib],
      path.join(folder, "consumer.ts"),
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  },
);
