/**
 * What docs/matrix.md claims to have the same bits in every run, in 50 runs over ten million doubles. Needs a GPU: runs
 * where CUDA_COMPUTE_TEST_LARGE is set, on backend cuda. Prints how many bit patterns came out of each case, those of
 * which nothing is claimed, too; the claims are in test/helpers/repeatability.ts.
 */
import { getBackend, setBackend } from "../../lib";
import {
  type RepeatedInputs,
  compileCases,
  makeRepeatedInputs,
  patternsOf,
  repeatedCases,
  runCase,
} from "../helpers/repeatability";

const large = process.env["CUDA_COMPUTE_TEST_LARGE"] === undefined ? describe.skip : describe;

const items = 10_000_000;
const runs = 50;

large(`in ${String(runs)} runs over ${String(items)} doubles`, () => {
  let inputs: RepeatedInputs;
  const seen: string[] = [];

  beforeAll(async () => {
    setBackend("cuda");
    await compileCases(makeRepeatedInputs(100));
    inputs = makeRepeatedInputs(items);
  });
  afterAll(() => {
    process.stderr.write(`Bit patterns of ${String(runs)} runs on ${getBackend().device}:\n${seen.join("\n")}\n`);
  });

  test.each(repeatedCases.map((each) => [`${each.algorithm}, ${each.use}`, each] as const))("%s", (title, each) => {
    const patterns = patternsOf(() => runCase(each, inputs), runs);
    seen.push(`${String(patterns).padStart(3)}  ${title}${each.isRepeatable ? ", claimed to be 1" : ""}`);
    if (each.isRepeatable) expect(patterns).toBe(1);
  });
});
