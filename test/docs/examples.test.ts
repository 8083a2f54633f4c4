/**
 * The programs of the README and the docs do what these say: they compile strictly, and print what stands below them.
 * Needs the built package (`npm run build`).
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { testBackends } from "../helpers/backends";
import { root, runNode } from "../helpers/child";
import { buildSimulatedDevice, paths } from "../helpers/simulated-paths";

interface Program {
  readonly title: string;
  readonly text: string;
  /** The block of text below it; undefined where there is none. */
  readonly printed: string | undefined;
}

/** Every block of TypeScript is a whole program. */
function programsOf(page: string): Program[] {
  const markdown = readFileSync(path.join(root, page), "utf8");
  const blocks = markdown.matchAll(/^```ts\n([^]*?)^```\n(?:\n```text\n([^]*?)^```$)?/gm);
  return [...blocks].map(({ index, 1: text = "", 2: printed }) => {
    const [, heading = ""] = /^[^]*^#+ (.+)$/m.exec(markdown.slice(0, index)) ?? [];
    return { title: `${page}: ${heading}`, text, printed };
  });
}

const docs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
const programs = ["README.md", ...docs.map((name) => `docs/${name}`)].flatMap(programsOf);
const needsGpu = ({ text }: Program): boolean => /\bcpp\(/.test(text);

const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-examples-"));
const fileOf = (program: Program, extension: string): string =>
  path.join(folder, `program${String(programs.indexOf(program))}.${extension}`);
const run = (program: Program, environment: Record<string, string>): ReturnType<typeof runNode> =>
  runNode([fileOf(program, "mjs")], environment);

/** Versions of Node break lines differently. */
const unwrapped = (text = ""): string => text.replace(/\s+/g, " ").trim();

beforeAll(async () => {
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(root, path.join(folder, "node_modules", "cuda-compute"));
  for (const program of programs) writeFileSync(fileOf(program, "mts"), program.text);
  const { code, stdout } = await runNode([
    path.join(root, "node_modules/typescript/bin/tsc"),
    ..."--ignoreConfig --strict --noUncheckedIndexedAccess --module node16 --target es2022 --types node".split(" "),
    ...["--typeRoots", path.join(root, "node_modules/@types")],
    ...programs.map((program) => fileOf(program, "mts")),
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("every block of TypeScript is found, with what it prints", () => {
  const pages = ["README.md", "docs/operator-examples.md"];
  const fences = pages.flatMap((page) => readFileSync(path.join(root, page), "utf8").match(/^```ts$/gm) ?? []);
  expect(fences.length).toBeGreaterThanOrEqual(14);
  expect(programs.length).toBeGreaterThanOrEqual(fences.length);
  expect(programs.filter(({ printed }) => printed === undefined)).toEqual([]);
});

describe.each(testBackends)("backend %s prints what the page says", (backend) => {
  const runnable = programs.filter((program) => backend === "cuda" || !needsGpu(program));
  test.each(runnable.map((program) => [program.title, program] as const))("%s", async (_title, program) => {
    const { code, stdout, stderr } = await run(program, { CUDA_COMPUTE_BACKEND: backend });
    expect({ code, stderr, printed: unwrapped(stdout) }).toEqual({
      code: 0,
      stderr: "",
      printed: unwrapped(program.printed),
    });
  });
});

// A simulated device computes nothing, but CUDA's compiler and linker are real. Where there is a GPU, these have run.
const simulatedHere = testBackends.includes("cuda") ? test.skip : test;
simulatedHere.each(programs.filter(needsGpu).map((program) => [program.title, program] as const))(
  "%s compiles for a GPU",
  async (_title, program) => {
    buildSimulatedDevice();
    const simulated = {
      CUDA_COMPUTE_BACKEND: "cuda",
      CUDA_COMPUTE_LIBCUDA: paths.driver,
      CUDA_COMPUTE_CCCL: paths.cccl,
    };
    expect(await run(program, simulated)).toMatchObject({ code: 0, stderr: "" });
  },
);
