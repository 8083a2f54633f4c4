import { readFileSync } from "node:fs";
import { setBackend } from "../../lib";
import { algorithms } from "../helpers/matrix/algorithms";
import { matrixPage, pagePath } from "../helpers/matrix/page";
import { repeatedCases } from "../helpers/repeatability";

beforeAll(() => {
  setBackend("host");
});

test("docs/matrix.md says what is observed (npm run docs:matrix writes it anew)", () => {
  expect(matrixPage()).toBe(readFileSync(pagePath, "utf8"));
});

test("every algorithm is measured for the same bits in every run", () => {
  expect(new Set(repeatedCases.map(({ algorithm }) => algorithm))).toEqual(new Set(algorithms.map(({ name }) => name)));
});
