/** Every member of `Math` that this engine has is JavaScript's, with every number of arguments, or is refused by name. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CompileError } from "../../lib/errors";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

type NumberFunction = (...operands: number[]) => number;

const members = Object.getOwnPropertyNames(Math);
const all = Math as unknown as Record<string, number | NumberFunction>;
const functions = members.filter((name) => typeof all[name] === "function");

/** The functions that the documentation lists: the table under "Math". */
const documentation = readFileSync(join(__dirname, "../../docs/operators.md"), "utf8");
const [section = ""] = /^## Math\n[^]*?\n\n(?!\|)/m.exec(documentation) ?? [];
const words = new Set(section.replace(/`hypot`|`/g, " ").match(/[a-z]+\w*/g) ?? []);
const documented = new Set([...functions.filter((name) => words.has(name)), "fround"]);

const operands: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  float64: [[0.3, 0.7], [-0.5, 2], [-2.5, -0.5], [1, NaN], [-0, 0], [0, -0], [Infinity, -3], [1e300, 1e-300], [-2, 3]],
  float32: [[0.25, 0.75], [-0.5, 2], [1, NaN], [-0, 0], [Infinity, -3]],
  int32: [[0, 1], [3, -7], [2147483640, 5]],
}; // prettier-ignore

/** As many arguments as are asked for, in terms of the elements. */
const argumentsOf = (count: number): string => ["a", "b", "b - a", "2", "a + 1"].slice(0, count).join(", ");

function callOf(name: string, count: number): NumberFunction {
  return functionFrom(`(a, b) => Math.${name}(${argumentsOf(count)})`) as NumberFunction;
}

/** How many arguments the library accepts, of 0 to 5. */
function accepted(name: string): number[] {
  return [0, 1, 2, 3, 4, 5].filter((count) => {
    try {
      specialize(callOf(name, count), "float64, float64");
      return true;
    } catch (error) {
      if (error instanceof CompileError) return false;
      throw error;
    }
  });
}

test("what is accepted is what the documentation lists", () => {
  expect(documented.size).toBeGreaterThan(30);
  expect(functions.filter((name) => accepted(name).length > 0).sort()).toEqual([...documented].sort());
});

test("functions of any number of arguments take none, one and more", () => {
  for (const name of ["min", "max", "hypot"]) expect([name, accepted(name)]).toEqual([name, [0, 1, 2, 3, 4, 5]]);
});

describe.each([...documented])("Math.%s", (name) => {
  test.each(Object.keys(operands))("of %s is the engine's with every number of arguments that it takes", (type) => {
    const counts = accepted(name);
    expect(counts.length).toBeGreaterThan(0);
    for (const count of counts) {
      const op = callOf(name, count);
      for (const pair of operands[type] as [number, number][]) {
        const { resultType } = specialize(op, `${type}, ${type}`);
        const exact = op(...pair);
        // float32 computes from rounded operands and rounds its result.
        const expected = resultType.name === "float32" ? Math.fround(exact) : exact;
        const operand = { count, pair };
        expect({ ...operand, value: evaluate(op, `${type}, ${type}`, ...pair) }).toEqual({
          ...operand,
          value: expected,
        });
      }
    }
  });

  test("with another number of arguments is refused by name", () => {
    for (const count of [0, 1, 2, 3, 4, 5]) {
      if (accepted(name).includes(count)) continue;
      const error = thrownBy(() => specialize(callOf(name, count), "float64, float64"));
      expect(error.message).toContain(`Math.${name} takes `);
      expect(error.frame).toContain(`Math.${name}(${argumentsOf(count)})`);
    }
  });
});

test.each(functions.filter((name) => !documented.has(name)))("Math.%s is refused by name", (name) => {
  for (const count of [0, 1, 2]) {
    const error = thrownBy(() => specialize(callOf(name, count), "float64, float64"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain(`Math.${name} is not known on the GPU`);
  }
});

test.each(members.filter((name) => typeof all[name] === "number"))("Math.%s is the constant", (name) => {
  expect(evaluate(functionFrom(`(x) => x * Math.${name}`), "float64", 1)).toBe(all[name]);
});
