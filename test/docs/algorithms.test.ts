/** The table of docs/algorithms.md has the options that the algorithms have. */
import { readFileSync } from "node:fs";
import path from "node:path";
import * as library from "../../lib";
import { root } from "../helpers/child";

library.setBackend("host");

const page = readFileSync(path.join(root, "docs/algorithms.md"), "utf8");
/** By algorithm, the options that its row names. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => {
    const [, algorithms = "", ...cells] = line.split("|");
    const named = (text: string): string[] => [...text.matchAll(/`(\w+)\??`/g)].map(([, name = ""]) => name);
    return named(algorithms).map((algorithm) => [algorithm, named(cells.join("|")).sort()] as const);
  });

/** What the page says once for all of them. */
const common = ["numItems", "stream"];

/** The options that an algorithm says it has. */
function optionsOf(algorithm: string): string[] {
  const call = (library as unknown as Record<string, (options: object) => void>)[algorithm];
  try {
    call?.({ anOptionThatNoneHas: 1 });
  } catch (error) {
    const [, names = ""] = /which has ([^)]*)\)/.exec((error as Error).message) ?? [];
    return names.split(", ").filter((name) => !common.includes(name));
  }
  return [];
}

test("every algorithm has its row", () => {
  const made = Object.keys(library).filter((name) => /^make[A-Z]\w*Async$/.test(name));
  const algorithms = made.map((name) => name.charAt(4).toLowerCase() + name.slice(5, -"Async".length));
  expect(rows.map(([algorithm]) => algorithm).sort()).toEqual(algorithms.sort());
});

test.each(rows)("%s has the options of its row", (algorithm, options) => {
  expect(options).toEqual(optionsOf(algorithm).sort());
});
