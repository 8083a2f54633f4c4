/** The CUDA C++ of generated operators compiles with NVRTC, structs' layouts checked by the compiler itself. */
import { simulatedDevice } from "../helpers/simulated-backend";
import fc from "fast-check";
import { CompileError, DeviceArray, cpp, unaryTransform } from "../../lib";
import { operatorOf, programs } from "../operators/programs";
import { specialize } from "../operators/helpers";

test("the CUDA C++ of generated programs compiles", () => {
  const seed = Date.now() % 2 ** 31;
  const texts: string[] = [];
  for (const program of fc.sample(programs, { numRuns: 120, seed })) {
    const names = program.types.map((type) => type.name).join();
    try {
      const operator = specialize(operatorOf(program), program.result ? `${names} -> ${program.result.name}` : names);
      texts.push(operator.cuda(`program${String(texts.length)}`));
    } catch (error) {
      // Some programs have no meaning for their types; most do.
      if (!(error instanceof CompileError)) throw error;
    }
  }
  expect(texts.length).toBeGreaterThan(40);
  const calls = texts.map((text, index) => {
    const count = /program\d+\(const void\* state, (.*?)void\* out\)/.exec(text)?.[1]?.split(",").length ?? 0;
    return `  program${String(index)}(data, ${"data, ".repeat(count - 1)}data);\n`;
  });
  const source = `${texts.join("")}__device__ float all(float x) {\n  void* data = &x;\n${calls.join("")}  return x;\n}\n`;
  const array = DeviceArray.zeros(1, "float32");
  try {
    unaryTransform({ input: array, output: array, op: cpp(source, { name: "all", arity: 1 }) });
  } catch (error) {
    throw new Error(`seed ${String(seed)}`, { cause: error });
  }
  expect(simulatedDevice.lastViolation()).toBe("");
}, 300_000);
