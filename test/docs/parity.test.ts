/** docs/parity.md names tests: each exists, under that title, in that file. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../helpers/child";
import { testTitles } from "../helpers/test-titles";

interface Row {
  readonly behaviour: string;
  readonly here: string;
}

const page = readFileSync(path.join(root, "docs", "parity.md"), "utf8");

const rows: Row[] = page.split("\n").flatMap((line) => {
  const [, behaviour, here] = /^\| (.+?) +\| (.+?) +\|$/.exec(line) ?? [];
  const isHead = behaviour === undefined || here === undefined || here === "here" || /^-+$/.test(here);
  return isHead ? [] : [{ behaviour, here }];
});

/** `test/folder/name.test.ts › suite › test`. */
const references = rows.flatMap(({ here }) =>
  [...here.matchAll(/`(test\/[^ ]+\.test\.ts) › ([^`]+)`/g)].map(([, file = "", title = ""]) => [file, title] as const),
);

const titlesOf = new Map<string, readonly string[]>();
function titlesIn(file: string): readonly string[] {
  const titles = titlesOf.get(file) ?? testTitles(readFileSync(path.join(root, file), "utf8"));
  titlesOf.set(file, titles);
  return titles;
}

test("the page is read as a table: every row has a behaviour, and a test or a reason why there is none", () => {
  expect(rows.length).toBeGreaterThan(150);
  expect(page.match(/^\|/gm)).toHaveLength(rows.length + 2 * (page.match(/^## /gm) ?? []).length);
  expect(rows.filter(({ here }) => here.replace(/`[^`]*`/g, "").includes("test/"))).toEqual([]);
  expect(references.length).toBeGreaterThan(rows.length / 2);
});

test("every test that is named exists", () => {
  const missing = references.filter(([file, title]) => {
    if (!existsSync(path.join(root, file))) return true;
    const titles = titlesIn(file);
    const isTest = (full: string): boolean => !titles.some((other) => other.startsWith(`${full} › `));
    return !titles.some((full) => (full === title || full.endsWith(` › ${title}`)) && isTest(full));
  });
  expect(missing).toEqual([]);
});

test("titles are read as jest nests them, and nothing else is taken for one", () => {
  const source = `
    const large = process.env.LARGE ? describe : describe.skip;
    describeOnBackends("suite", (backend) => {
      describe.each(["a"])("each %s", (x) => {
        test.each([1])(
          "is %i",
          () => { expect("no title").toBe(x); },
        );
      });
      if (backend === "cuda") { test("it's there", async () => { /* test("commented", () => {}) */ }); }
    });
    large("outside", () => {});
    log("not one", () => {});
  `;
  expect(testTitles(source)).toEqual([
    "suite",
    "suite › each %s",
    "suite › each %s › is %i",
    "suite › it's there",
    "outside",
  ]);
});
