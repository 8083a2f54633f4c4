import { readFileSync } from "node:fs";
import { setBackend } from "../../lib";
import { algorithms } from "../helpers/matrix/algorithms";
import { matrixPage, pagePath, repeatability } from "../helpers/matrix/page";
import { repeatedCases } from "../helpers/repeatability";

beforeAll(() => {
  setBackend("host");
});

test("docs/matrix.md says what is observed (npm run docs:matrix writes it anew)", () => {
  expect(matrixPage()).toBe(readFileSync(pagePath, "utf8"));
});

describe("repeatability", () => {
  test("is claimed for nothing that was not measured", () => {
    expect(repeatability(undefined).match(/not measured yet/g)).toHaveLength(algorithms.length);
    expect(repeatability(undefined)).not.toContain("the same bits |");
  });

  test("is claimed where one pattern came out of all runs, and not where there were more", () => {
    const text = repeatability({
      device: "a GPU",
      items: 10_000_000,
      runs: 50,
      measured: [
        { algorithm: "reduceInto", use: "plus", patterns: 1 },
        { algorithm: "reduceInto", use: "plus, not guaranteed", patterns: 17 },
      ],
    });
    expect(text).toContain("50 runs over 10,000,000 doubles on a GPU");
    expect(text).toContain("| plus: the same bits; plus, not guaranteed: 17 results |");
    expect(text.match(/not measured yet/g)).toHaveLength(algorithms.length - 1);
  });

  test("is measured for every algorithm", () => {
    expect(new Set(repeatedCases(8).map(({ algorithm }) => algorithm))).toEqual(
      new Set(algorithms.map(({ name }) => name)),
    );
  });
});
