/**
 * Every program of examples/ runs, and prints what it says at its end. Needs the built package (`npm run build`).
 *
 * The text stands in a comment that begins with "prints:", or with "prints on host:" and "prints on cuda:" where the
 * backends differ.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { testBackends } from "../helpers/backends";
import { root, runNode } from "../helpers/child";
import { buildSimulatedDevice, paths } from "../helpers/simulated-paths";

const folder = path.join(root, "examples");
const sourceOf = (name: string): string => readFileSync(path.join(folder, `${name}.ts`), "utf8");
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => path.basename(file, ".ts"));

/** A program for people, whose text names the device; its numbers are held against the file by --json. */
const FLIGHTS = "flights";
const programs = names.filter((name) => name !== FLIGHTS);

const run = (name: string, environment: Record<string, string>, parameters: string[] = []) =>
  runNode([path.join(root, "dist", "examples", `${name}.js`), ...parameters], environment);

/** What a program prints, by backend; "" stands for all of them. */
function printed(name: string): Record<string, string> {
  const blocks = sourceOf(name).matchAll(/^\/\* prints(?: on (\w+))?:\n([^]*?)\*\/$/gm);
  return Object.fromEntries([...blocks].map(([, backend = "", text = ""]) => [backend, text]));
}

/** Versions of Node break the lines of objects differently. */
const unwrapped = (text = ""): string => text.replace(/\s+/g, " ").trim();

test.each(names)("%s is built, says how to run it, and what it prints", (name) => {
  expect(existsSync(path.join(root, "dist", "examples", `${name}.js`))).toBe(true);
  if (name === FLIGHTS) return;
  expect(sourceOf(name)).toContain(` *\n *   npm run build && node dist/examples/${name}.js\n */\n`);
  const blocks = Object.keys(printed(name)).sort();
  expect([[""], ["cuda", "host"]]).toContainEqual(blocks);
});

test("the table names every program, and no other", () => {
  const table = readFileSync(path.join(folder, "README.md"), "utf8");
  const linked = [...table.matchAll(/\]\(([\w-]+)\.ts\)/g)].map(([, name]) => name);
  expect(linked.sort()).toEqual(names.sort());
});

describe.each(testBackends)("backend %s", (backend) => {
  test.each(programs)("%s prints what it says", async (name) => {
    const { code, stdout, stderr } = await run(name, { CUDA_COMPUTE_BACKEND: backend });
    const expected = printed(name);
    expect({ code, stderr, printed: unwrapped(stdout) }).toEqual({
      code: 0,
      stderr: "",
      printed: unwrapped(expected[""] ?? expected[backend]),
    });
  });

  test("flights prints the numbers of the file", async () => {
    const { code, stdout, stderr } = await run(FLIGHTS, { CUDA_COMPUTE_BACKEND: backend }, ["--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { byHour, ...totals } = JSON.parse(stdout) as { byHour: { hour: number }[] };
    expect(totals).toEqual({
      backend,
      flights: 200_000,
      delaySum: 1_500_159,
      delayMean: 7.500795,
      delayMax: 1444,
      overAnHour: 10_498,
      distanceSum: 145_847_125,
    });
    expect(byHour.map(({ hour }) => hour)).toEqual([...Array(24).keys()]);
    expect([byHour[0], byHour[12], byHour[23]]).toEqual([
      { hour: 0, flights: 697, meanDelay: 41.863702 },
      { hour: 12, flights: 12_022, meanDelay: 5.914407 },
      { hour: 23, flights: 1_854, meanDelay: 35.168824 },
    ]);
  });
});

// A simulated device computes nothing, but CUDA's compiler and linker are real. Where there is a GPU, these have run.
const simulatedHere = testBackends.includes("cuda") ? test.skip : test;
simulatedHere.each(programs.filter((name) => "cuda" in printed(name)))("%s compiles for a GPU", async (name) => {
  buildSimulatedDevice();
  const simulated = {
    CUDA_COMPUTE_BACKEND: "cuda",
    CUDA_COMPUTE_LIBCUDA: paths.driver,
    CUDA_COMPUTE_CCCL: paths.cccl,
  };
  expect(await run(name, simulated)).toMatchObject({ code: 0, stderr: "" });
});
