/**
 * Which results are the same to the bit in 50 runs over ten million doubles. Needs a GPU: runs where
 * CUDA_COMPUTE_TEST_LARGE is set, on backend cuda, and writes what it measured to the file that
 * CUDA_COMPUTE_REPEATABILITY names (docs/repeatability.json, from which docs/matrix.md is written).
 */
import { writeFileSync } from "node:fs";
import { getBackend, setBackend } from "../../lib";
import { measureRepeatability } from "../helpers/repeatability";

const large = process.env["CUDA_COMPUTE_TEST_LARGE"] === undefined ? test.skip : test;

/** What the library promises to be the same in every run. */
const varies = /not-guaranteed|atomicAdd. of doubles|segmentedSort: few keys|Scan/;

large("results that are promised to be the same in every run are", () => {
  setBackend("cuda");
  const measurements = measureRepeatability(10_000_000, 50, getBackend().device);
  const file = process.env["CUDA_COMPUTE_REPEATABILITY"];
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(measurements, undefined, 2)}\n`);
  const promised = measurements.measured.filter(({ algorithm, use }) => !varies.test(`${algorithm}: ${use}`));
  expect(promised.filter(({ patterns }) => patterns !== 1)).toEqual([]);
});
