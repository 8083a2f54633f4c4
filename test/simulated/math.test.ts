/** Every function that operators may call is one that the device's compiler knows, for every kind of number. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { DeviceArray, cpp, unaryTransform } from "../../lib";
import { CompileError } from "../../lib/errors";
import { specialize } from "../operators/helpers";

afterAll(() => {
  collect();
  expect(simulatedDevice.lastViolation()).toBe("");
});

const functions = [
  ...Object.getOwnPropertyNames(Math)
    .filter((name) => typeof (Math as unknown as Record<string, unknown>)[name] === "function")
    .map((name) => `Math.${name}`),
  ...["Number.isNaN", "Number.isFinite", "Number.isInteger", "Number.isSafeInteger", "isNaN", "isFinite"],
];
const kinds = { f: "float32", d: "float64", h: "float16", i: "int32", u: "uint32", l: "int64" } as const;

/** Calls of all functions with 0 to 4 arguments of each type, as far as the library accepts them. */
const calls = Object.entries(kinds).flatMap(([variable, type]) =>
  functions.flatMap((name) =>
    [0, 1, 2, 3, 4].flatMap((count) => {
      const call = `${name}(${Array<string>(count).fill(variable).join(", ")})`;
      try {
        specialize((0, eval)(`(${variable}) => Number(${call})`), type);
        return [call];
      } catch (error) {
        if (error instanceof CompileError) return [];
        throw error;
      }
    }),
  ),
);

test("they compile", () => {
  expect(calls.length).toBeGreaterThan(200);
  const declarations = "const f = float32(i), d = float64(i), h = float16(i), u = uint32(i), l = int64(i);";
  const sum = calls.map((call) => `s += Number(${call});`).join(" ");
  const all = specialize((0, eval)(`(i) => { ${declarations} let s = 0; ${sum} return s; }`), "int32");
  // Checked by the compiler; calling them all would take it half a minute.
  const compile = (text: string): void => {
    const array = DeviceArray.zeros(1, "float32");
    unaryTransform({ input: array, output: array, op: cpp(`${text}\n__device__ float one(float x) { return x; }`) });
  };
  const text = all.cuda("all");
  compile(text);
  expect(text).toContain("hypot");
  expect(() => {
    compile(text.replaceAll("hypot", "hypotenuse"));
  }).toThrow(CompileError);
});
