/** What emitted JavaScript computes is what the typed program says, as an evaluation of its own with big numbers finds. */
import fc from "fast-check";
import { CompileError } from "../../lib/errors";
import { arrayCapture, functionCapture, type StateCapture, valueCaptures } from "../../lib/operators/capture-types";
import { simpleType } from "../../lib/operators/capture-values";
import { canonical } from "../../lib/operators/canonical";
import { integerCounters } from "../../lib/operators/counters";
import { checkFunction } from "../../lib/operators/check";
import { compileForHost } from "../../lib/operators/emit-javascript";
import { FunctionText } from "../../lib/operators/function-operator";
import type { Program } from "../../lib/operators/ir";
import { parseFunction } from "../../lib/operators/parse";
import { resolveFunction } from "../../lib/operators/resolve";
import type { ScalarType, ScalarValue } from "../../lib/types/scalar";
import { interpret, type Captured, type Value } from "./interpreter";
import { elementOf, type GeneratedProgram, programs, type RawElement, rawElements } from "./programs";

const programCount = Number(process.env["CUDA_COMPUTE_PROGRAMS"] ?? 250);
const rounds = 10;

interface Checked {
  readonly typed: Program;
  /** Captured values in the order of the program's captures. */
  readonly values: readonly (ScalarValue | readonly ScalarValue[])[];
}

function check({ text, types, result, k, tableType, table, helper }: GeneratedProgram): Checked {
  const source = { text: `(${text})` };
  const syntax = resolveFunction(parseFunction({ text }, "op"), "op", true);
  const captures = syntax.captures.map(({ name }) => {
    if (name === "t") return arrayCapture(tableType);
    if (name === "t.length") return valueCaptures.number;
    if (name === "f") return functionCapture(new FunctionText(helper, "op", false), []);
    return simpleType(k, name, "op") as StateCapture;
  });
  const elements = table.map((raw) => elementOf(tableType, raw));
  const known: Record<string, Checked["values"][number]> = { k, t: elements, "t.length": elements.length };
  const values = syntax.captures.flatMap(({ name }) => (name === "f" ? [] : [known[name] as ScalarValue]));
  return { typed: checkFunction(syntax, source, types, captures, result, "op").program, values };
}

/** As the interpreter has values: integers are BigInts. */
function exact(type: ScalarType, value: ScalarValue): Value {
  return type.kind === "int" || type.kind === "uint" ? BigInt(value) : value;
}

function captured(capture: StateCapture, value: Checked["values"][number]): Captured {
  if (capture.kind === "value") return exact(capture.type, value as ScalarValue);
  return (value as readonly ScalarValue[]).map((element) => exact(capture.element as ScalarType, element));
}

test("emitted JavaScript computes what the typed program says, before and after it is brought to one form", () => {
  let compared = 0;
  const raw = fc.array(rawElements, { minLength: rounds * 2, maxLength: rounds * 2 });
  fc.assert(
    fc.property(programs, raw, (program, elements) => {
      let checked: Checked;
      try {
        checked = check(program);
      } catch (error) {
        if (error instanceof CompileError) return;
        throw error;
      }
      const { typed, values } = checked;
      const host = values.map((value) =>
        Array.isArray(value)
          ? { length: value.length, read: (i: number) => value[i] as ScalarValue, write: () => undefined }
          : (value as ScalarValue),
      );
      const run = compileForHost(canonical(typed))(host);
      for (let round = 0; round < rounds; round++) {
        const operands = program.types.map((type, which) => elementOf(type, elements[round * 2 + which] as RawElement));
        const arrays = typed.captures.map((capture, index) => captured(capture, values[index] as ScalarValue));
        const parameters = operands.map((value, which) => exact(program.types[which] as ScalarType, value));
        const expected = interpret(typed, arrays, parameters);
        const counted = interpret(integerCounters(canonical(typed)), arrays, parameters);
        if (!Object.is(counted, expected)) expect({ operands, counted }).toEqual({ operands, counted: expected });
        const found = exact(typed.resultType as ScalarType, run(...operands) as ScalarValue);
        if (!Object.is(found, expected)) expect({ operands, value: found }).toEqual({ operands, value: expected });
        compared++;
      }
    }),
    { numRuns: programCount },
  );
  expect(compared).toBeGreaterThan((programCount * rounds) / 4);
}, 300_000);
