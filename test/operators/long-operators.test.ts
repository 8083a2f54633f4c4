/** Programs far longer than people write, but that a generator may: compiling them stays a matter of their size. */
import { evaluate, functionFrom, specialize } from "./helpers";

type Numbers = (...elements: number[]) => number;

/** A text for each of 0, 1, … below a count, from that number and the one before it. */
const repeat = (count: number, text: (index: string, before: string) => string, between = ""): string =>
  Array.from({ length: count }, (_, index) => text(String(index), String(index - 1))).join(between);

/** A text around a text, and so on, the last number innermost. */
const nest = (count: number, around: (index: string, inner: string) => string, inner: string): string =>
  Array.from({ length: count }).reduceRight<string>((text, _, index) => around(String(index), text), inner);

const conditions = (operator: string): string => repeat(40, (i) => ` ${operator} (x = x * 2 + ${i}) > ${i} * 3`);
const mixed = nest(20, (i, inner) => `(x = x + ${i}) > ${i} && ((y = x) > 40 || (${inner}))`, "b > 0");
const nestedBranches = nest(
  40,
  (i, inner) => `if (b > -${i} && (x = a + ${i}) > 0) { ${inner} } else { y += ${i}; }`,
  "y = 5;",
);
/** Texts that are to be compiled to a size that grows with theirs: not twice as much with each level. */
const growing: readonly (readonly [string, (count: number) => string])[] = [
  [
    "else if",
    (count) => `let x = a, y = 0; ${repeat(count, (i) => `if (a > ${i} && (x = x + ${i}) > b) y += x; else `)} y -= 1; return y + x;`,
  ],
  [
    "else",
    (count) => `let x = a, y = 0; ${nest(count, (i, inner) => `if (a > ${i} && (x = x + ${i}) > b) y++; else { ${inner} } y -= x;`, "y++;")} return y + x;`,
  ],
  [
    "&& in ||",
    (count) => `let x = a, y = 0; if (${nest(count, (i, inner) => `(${inner}) && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40`, "b > 0")}) y += x; else y = b; return y + x;`,
  ],
  [
    "a test of while",
    (count) => `let x = a, y = 0; while (x < 50 && (${nest(count, (i, inner) => `(${inner}) && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40`, "b > 0")})) { y += x; x += 1; if (y > 1e6) break; } return y + x;`,
  ],
  ["|| as a value", (count) => `let x = a; return ${nest(count, (i, inner) => `((${inner}) || (x = x + ${i}) && x - 5)`, "b")};`],
  ["a choice", (count) => `let x = a, y = 1; y += ${nest(count, (i, inner) => `((x = x + ${i}) > b ? (${inner}) : y)`, "b")}; return y + x;`],
  ["switch", (count) => `let x = a, y = 0; ${nest(count, (i, inner) => `switch (x) { case ${i}: y += 1; case 3: ${inner} break; default: x += 1; case 9: if (y > 3) break; y += 2; }`, "y += 1;")} return y + x;`],
]; // prettier-ignore
const traded = repeat(50, (i) => `{ const t = x; x = y + ${i}; y = t; }`);
const names = (count: number): string => repeat(count, (i) => `v${i}`, ", ");
const sum = (count: number): string => repeat(count, (i) => `v${i}`, " + ");

const programs: readonly (readonly [string, string])[] = [
  ["assigned conditions with &&", `let x = a; if (a > 0${conditions("&&")}) return x; return b;`],
  ["assigned conditions with ||", `let x = a, y; if (a > 9${conditions("||")}) y = x; else y = b; return y;`],
  ["assigned conditions inside one another", `let x = a, y = 0; if (${mixed}) y += x; else y = b; return y + x;`],
  ["branches with assigned conditions inside one another", `let x = a, y = 0; ${nestedBranches} return x + y;`],
  [
    "a loop with assigned conditions",
    `let x = a, s = 0; while (a > 0${conditions("&&")}) { s += x; if (s > b) break; } return s;`,
  ],
  ["ifs that return", `${repeat(200, (i) => `if (a < (${i} - 100) * b) return b * ${i};`)} return a;`],
  ["conditionals", `return ${repeat(300, (i) => `a < (${i} - 150) * b ? b * ${i} : `)} a;`],
  ["conditionals of negations", `return ${repeat(300, (i) => `!(a >= ${i} - 150) ? b * ${i} : `)} a;`],
  [
    "ifs inside one another",
    `let s = b; ${nest(100, (i, inner) => `if (s > ${i} - a) { s += b; ${inner} }`, "s *= b;")} return s;`,
  ],
  ["&& inside one another", `return ${nest(300, (i, inner) => `(a < ${i} * b + 1 && ${inner})`, "b > 0")} ? a : b;`],
  [
    "locals that are read once",
    `${repeat(1500, (i, before) => `const v${i} = ${i === "0" ? "a" : `v${before}`} + b;`)} return v1499;`,
  ],
  ["locals that are read at the end", `${repeat(1500, (i) => `const v${i} = a * ${i};`)} return b + ${sum(1500)};`],
  [
    "locals that are read twice",
    `var ${names(500)}; ${repeat(500, (i, before) => `v${i} = ${i === "0" ? "a" : `v${before} - v${before} / 2`} + b;`)} return v499;`,
  ],
  [
    "locals that branches give values",
    `let ${names(300)}; ${repeat(300, (i) => `if (a > ${i}) v${i} = b * ${i}; else v${i} = a;`)} return ${sum(300)};`,
  ],
  ["locals that trade places", `let x = a, y = b; ${traded} return x - y;`],
  [
    "locals that are not read",
    `${repeat(200, (i, before) => `const v${i} = ${i === "0" ? "a" : `v${before} * v${before}`} + b;`)} return a;`,
  ],
  ["spreads of a struct", `let p = { x: a, y: b }; ${repeat(60, (i) => `p = { ...p, x: p.y + ${i} };`)} return p.x;`],
];

describe("a long operator has the results of its function:", () => {
  test.each(programs)("%s", (_what, body) => {
    const op = functionFrom(`((a, b) => { ${body} })`) as Numbers;
    for (const [a, b] of [[0, 0], [3, 2], [-7.5, 1], [1e3, -4], [2, 1e6]] as const) {
      expect(evaluate(op, "float64, float64", a, b)).toBe(op(a, b));
    } // prettier-ignore
  });
});

describe("what is compiled grows with assigned conditions inside one another by their text, in", () => {
  test.each(growing)("%s", (_what, make) => {
    const sizes = [4, 8, 16].map((count) => {
      const op = functionFrom(`((a, b) => { ${make(count)} })`) as Numbers;
      for (const [a, b] of [[0, 0], [3, 2], [-7.5, 1], [12, 0], [1, 5]] as const) {
        expect([count, a, b, evaluate(op, "float64, float64 -> float64", a, b)]).toEqual([count, a, b, op(a, b)]);
      } // prettier-ignore
      return specialize(op, "float64, float64").cuda("f").length;
    });
    // Indentation makes a square of it at most.
    const [first = 0, , last = 0] = sizes;
    expect(last / first).toBeLessThan(12);
  });
});

describe("helpers that call helpers have the results of their functions:", () => {
  test.each([
    ["once each", (f: string) => `${f}(x) + 1`],
    ["into a variable", (f: string) => `{ let y = ${f}(x) + 1; y = y * 0.5; return y; }`],
    ["in a loop", (f: string) => `{ let s = 0; for (let k = 0; k < 1; k++) s += ${f}(x + s); return s; }`],
    ["more than once", (f: string) => `{ let y = 1; y = ${f}(y) / 4; return y + ${f}(x) / 4; }`],
  ])("%s", (_what, body) => {
    const helpers = repeat(14, (i, before) => `const f${i} = (x) => ${i === "0" ? "x - 1" : body(`f${before}`)};\n`);
    const op = functionFrom(`(() => { ${helpers} return (a) => f13(a) * 2; })()`) as Numbers;
    for (const a of [0, 3, -7.5]) expect(evaluate(op, "float64", a)).toBe(op(a));
  });

  test("two at each level", () => {
    const helpers = repeat(16, (i, before) =>
      i === "0"
        ? "const f0 = (x) => x - 1, g0 = (x) => x + 2;\n"
        : `const f${i} = (x) => f${before}(x) - g${before}(x), g${i} = (x) => f${before}(x) / 2 + g${before}(x);\n`,
    );
    const op = functionFrom(`(() => { ${helpers} return (a) => f15(a) * 2; })()`) as Numbers;
    for (const a of [0, 3, -7.5]) expect(evaluate(op, "float64", a)).toBe(op(a));
  });
});

test.each([
  ["assignments", `(x) => { ${repeat(1_000, (i) => `x = x * 2 + ${i};`)} return x; }`],
  ["terms", `(x) => ${repeat(6_000, (i) => `x * ${i}.5`, " + ")}`],
])("thousands of %s are compiled or refused as too long, and never a failure inside", (_, text) => {
  const attempt = (): unknown => evaluate(functionFrom(text), "float64", 1);
  try {
    attempt();
  } catch (error) {
    expect(error).toMatchObject({ name: "CompileError" });
  }
});
