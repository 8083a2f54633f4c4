/** Generated operators give the same bits on a device as on the host, whose results the operators' own tests hold. */
import fc from "fast-check";
import { CompileError, DeviceArray, binaryTransform, setBackend } from "../../lib";
import type { ScalarType } from "../../lib/types/scalar";
import { describeOnBackends } from "../helpers/backends";
import { download } from "../helpers/elements";
import { specialize } from "../operators/helpers";
import { elementOf, type GeneratedProgram, operatorOf, programs, rawElements } from "../operators/programs";

const programCount = Number(process.env["CUDA_COMPUTE_PROGRAMS"] ?? 20);
const inputs = 256;

/** The results of a program for the inputs, or undefined where it has no meaning for its types. */
function results(
  program: GeneratedProgram,
  first: readonly unknown[],
  second: readonly unknown[],
): unknown[] | undefined {
  const [a, b] = program.types;
  let { result } = program;
  let op;
  try {
    op = operatorOf(program);
    result ??= specialize(op, `${a.name}, ${b.name}`).resultType;
    specialize(op, `${a.name}, ${b.name} -> ${result.name}`);
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
  const array = (values: readonly unknown[], { name }: ScalarType): DeviceArray<"float64"> =>
    DeviceArray.from(values as number[], name as "float64");
  const output = DeviceArray.empty(inputs, result.name as "float64");
  binaryTransform({ input1: array(first, a), input2: array(second, b), output, op });
  return download(output);
}

describeOnBackends("generated operators", (backend) => {
  test("give the bits that the host gives", () => {
    const seed = Date.now() % 2 ** 31;
    const raw = fc.sample(rawElements, { numRuns: inputs * 2, seed });
    let pairs = 0;
    const differences: string[] = [];
    for (const program of fc.sample(programs, { numRuns: programCount, seed })) {
      const [first, second] = program.types.map((type, which) =>
        raw.slice(which * inputs, (which + 1) * inputs).map((element) => elementOf(type, element)),
      ) as [unknown[], unknown[]];
      setBackend(backend);
      const found = results(program, first, second);
      setBackend("host");
      const expected = results(program, first, second);
      setBackend(backend);
      expect(found === undefined).toBe(expected === undefined);
      found?.forEach((value, index) => {
        pairs++;
        if (Object.is(value, expected?.[index])) return;
        const { text, types, helper, tableType } = program;
        differences.push(
          `${text} of ${types.map((type) => type.name).join()}, f = ${helper}, t of ${tableType.name}: ` +
            `(${String(first[index])}, ${String(second[index])}) is ${String(value)}, on the host ${String(expected?.[index])}`,
        );
      });
    }
    console.log(`${String(pairs)} pairs, seed ${String(seed)}`);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(pairs).toBeGreaterThan((programCount * inputs) / 4);
  }, 600_000);
});
