/** The order of operands and the way a fraction is written never decide how exactly a product is computed. */
import { bind } from "../../lib/operators";
import type { ScalarName, ScalarValue } from "../../lib/types/scalar";
import { allTypes, elements } from "../helpers/elements";
import { evaluate, functionFrom, naturalType } from "./helpers";

const pairs = allTypes.flatMap((left) => allTypes.map((right): [ScalarName, ScalarName] => [left, right]));
const valueOf = (type: ScalarName, number: number): ScalarValue => elements(type, [number])[0] as ScalarValue;

test.each(pairs)("%s and %s multiply and add alike in both orders", (left, right) => {
  const [a, b] = [valueOf(left, 7), valueOf(right, 11)];
  for (const symbol of ["*", "+"]) {
    const op = functionFrom(`(a, b) => a ${symbol} b`);
    expect(naturalType(op, `${right}, ${left}`)).toBe(naturalType(op, `${left}, ${right}`));
    const expected = symbol === "*" ? Number(a) * Number(b) : Number(a) + Number(b);
    expect(Number(evaluate(op, `${left}, ${right}`, a, b))).toBe(expected);
    expect(Number(evaluate(op, `${right}, ${left}`, b, a))).toBe(expected);
  }
});

const fraction = 2.5;
const ways: [way: string, left: unknown, right: unknown][] = [
  ["a literal", (x: number) => x * 2.5, (x: number) => 2.5 * x],
  ["a local", (x: number) => { const k = 2.5; return x * k; }, (x: number) => { const k = 2.5; return k * x; }],
  ["a closure's variable", (x: number) => x * fraction, (x: number) => fraction * x],
  [
    "a bound number",
    bind((x: number, { k }: { k: number }) => x * k, { k: fraction }),
    bind((x: number, { k }: { k: number }) => k * x, { k: fraction }),
  ],
  ["an expression of literals", (x: number) => x * (5 / 2), (x: number) => (5 / 2) * x],
  ["a choice", (x: number) => x * (x ? 2.5 : 2), (x: number) => (x ? 2.5 : 2) * x],
]; // prettier-ignore

describe.each(ways)("a fraction that is %s is never cut to an integer", (_way, left, right) => {
  test.each(allTypes)("beside %s", (type) => {
    const value = valueOf(type, 7);
    const expected = Number(value) * 2.5;
    expect(evaluate(left, type, value)).toBe(expected);
    expect(evaluate(right, type, value)).toBe(expected);
    expect(naturalType(left, type)).toMatch(/^float/);
  });
});
