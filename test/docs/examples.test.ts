/** The programs of the docs do what the docs say: they compile strictly, and print what stands below them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, runNode } from "../helpers/child";

const page = readFileSync(path.join(root, "docs/operator-examples.md"), "utf8");
const examples = [...page.matchAll(/^## (.+)$([^]*?)^```ts\n([^]*?)^```\n\n```text\n([^]*?)^```/gm)].map(
  ([, title = "", , program = "", printed = ""]) => ({ title, program, printed }),
);

const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-examples-"));
const fileOf = (index: number, extension: string): string => path.join(folder, `example${String(index)}.${extension}`);

beforeAll(async () => {
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(root, path.join(folder, "node_modules", "cuda-compute"));
  examples.forEach(({ program }, index) => {
    writeFileSync(fileOf(index, "ts"), program);
  });
  const { code, stdout } = await runNode([
    path.join(root, "node_modules/typescript/bin/tsc"),
    ..."--ignoreConfig --strict --noUncheckedIndexedAccess --module node16 --target es2022 --types node".split(" "),
    ...["--typeRoots", path.join(root, "node_modules/@types")],
    ...examples.map((_, index) => fileOf(index, "ts")),
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Versions of Node break lines differently. */
const unwrapped = (text = ""): string => text.replace(/\s+/g, " ").trim();

test("the page has its examples", () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
  expect(page.match(/```ts/g)).toHaveLength(examples.length);
});

test.each(examples.map(({ title }, index) => [title, index] as const))("%s", async (_title, index) => {
  const environment = { CUDA_COMPUTE_BACKEND: "host" };
  const { code, stdout, stderr } = await runNode([fileOf(index, "js")], environment);
  expect({ code, stderr, printed: unwrapped(stdout) }).toEqual({
    code: 0,
    stderr: "",
    printed: unwrapped(examples[index]?.printed),
  });
});
