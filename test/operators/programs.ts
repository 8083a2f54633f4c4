/** Generated operators of two elements: rich expressions, and statements with locals, branches, loops and captures. */
import fc from "fast-check";
import { DeviceArray } from "../../lib";
import { bind, type BoundOperator } from "../../lib/operators";
import { type ScalarType, type ScalarValue, scalarTypes } from "../../lib/types/scalar";
import { convertTo } from "../../lib/types/convert";
import { functionFrom } from "./helpers";

const types = Object.values(scalarTypes);

interface Parts {
  readonly expression: string;
  readonly statement: string;
  readonly block: string;
}

/** Each takes at most four turns: `n` counts them, whatever the body does. */
const loops: readonly ((test: string, body: string) => string)[] = [
  (test, body) => `for (let n = 0; n < 4 && ${test}; n++) { ${body} }`,
  (test, body) => `{ let n = 0; while (n < 4) { n++; if (${test}) break; ${body} } }`,
  (test, body) => `{ let n = 0; do { n++; ${body} } while (n < 4 && ${test}); }`,
  (test, body) => `{ let n = 0; for (;; n += 1) { if (n > 3) break; ${body} if (${test}) break; } }`,
];

/** Ends of a case, or none: then the next one runs, too. */
const ends = fc.constantFrom("break;", "break;", "break;", "continue;", "if (n > 0) break;", "", "");
/** What cases are compared with. */
const caseTests = fc.constantFrom("0", "1", "2", "-1", "c", "x", "a > b", "NaN", "5n", "0.5");

/** A `switch` whose cases are parts; its default, if any, stands anywhere. */
const switchOf = (value: fc.Arbitrary<string>, part: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      value,
      fc.array(fc.tuple(caseTests, part, ends), { maxLength: 4, depthIdentifier: "block" }),
      fc.nat(8),
      part,
      ends,
    )
    .map(([chosen, list, place, body, end]) => {
      const cases = list.map(([test, statements, last]) => `case ${test}: ${statements} ${last}`);
      if (place < 5) cases.splice(place, 0, `default: ${body} ${end}`);
      return `switch (${chosen}) { ${cases.join(" ")} }`;
    });

/**
 * Over the parameters a and b, the constants c and d, and the variables x, y and z, which all have values; and, where
 * they capture, the value k, the array t and the function f.
 */
const partsOf = (captures: boolean): fc.LetrecValue<Parts> =>
  fc.letrec<Parts>((tie) => {
    const expression = tie("expression") as fc.Arbitrary<string>;
    const statement = tie("statement") as fc.Arbitrary<string>;
    const block = tie("block") as fc.Arbitrary<string>;
    const variable = fc.constantFrom("x", "y", "z");
    const leaf = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d", "x", "y", "z") },
      fc.constantFrom("0", "1", "2", "-1", "-0", "0.5", "NaN", "Infinity", "true", "false", "5n", "1e10"),
      ...(captures ? [fc.constantFrom("k", "k", "t.length", "t[0]", "t[2]")] : []),
    );
    const pair = fc.tuple(expression, expression);
    const capturing = [
      { weight: 2, arbitrary: expression.map((index) => `t[Number(${index})]`) },
      { weight: 2, arbitrary: pair.map(([p, q]) => `f(${p}, ${q})`) },
      { weight: 1, arbitrary: pair.map(([p, q]) => `({ p: ${p}, q: ${q} }).p`) },
      { weight: 1, arbitrary: pair.map(([p, q]) => `[${p}, 1, ${q}][2]`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(expression, pair)
          .map(([test, [p, q]]) => `(${test} ? { p: ${p}, q: 1 } : { q: ${q}, p: 2 }).q`),
      },
    ];
    const operator = fc.constantFrom(
      ..."+ - * / % & | << < <= > >= == != === !== && ||".split(" "),
      ..."< <= > >= && ||".split(" "),
    );
    const call = fc.constantFrom(
      "!",
      "!",
      "-",
      "~",
      "Math.floor",
      "Boolean",
      "Number",
      "int32",
      "int64",
      "float32",
      "int8",
    );
    const loop = fc.constantFrom(...loops);
    return {
      expression: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        { weight: 2, arbitrary: leaf },
        { weight: 4, arbitrary: fc.tuple(expression, operator, expression).map(([p, op, q]) => `(${p} ${op} ${q})`) },
        { weight: 2, arbitrary: fc.tuple(call, expression).map(([name, p]) => `(${name}(${p}))`) },
        {
          weight: 2,
          arbitrary: fc.tuple(expression, expression, expression).map(([p, q, r]) => `(${p} ? ${q} : ${r})`),
        },
        ...(captures ? capturing : []),
      ),
      statement: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        {
          weight: 4,
          arbitrary: fc
            .tuple(variable, fc.constantFrom("=", "=", "+=", "-=", "*="), expression)
            .map(([name, operator, value]) => `${name} ${operator} ${value};`),
        },
        { weight: 1, arbitrary: expression.map((value) => `return ${value};`) },
        { weight: 1, arbitrary: fc.constantFrom("if (n > 2) break;", "if (n > 1) continue;", "break;", "continue;") },
        { weight: 2, arbitrary: fc.tuple(expression, block).map(([test, then]) => `if (${test}) { ${then} }`) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(expression, block, block)
            .map(([test, then, otherwise]) => `if (${test}) { ${then} } else { ${otherwise} }`),
        },
        {
          // A name of its own for a value, which statements after it read.
          weight: 2,
          arbitrary: fc
            .tuple(fc.constantFrom("const", "let"), fc.constantFrom("c", "d"), expression, block)
            .map(([kind, name, value, rest]) => `{ ${kind} u = ${value}; { const ${name} = u; ${rest} } }`),
        },
        { weight: 2, arbitrary: switchOf(fc.oneof(expression, fc.constantFrom("a", "x", "n", "x & 3")), block) },
        {
          weight: 2,
          arbitrary: fc.tuple(loop, expression, block).map(([make, test, body]) => make(test, body)),
        },
        ...(captures
          ? [
              {
                weight: 1,
                arbitrary: fc
                  .tuple(expression, expression, block)
                  .map(
                    ([p, q, rest]) =>
                      `{ const u = { p: ${p}, q: [${q}, 1] }; { const { p: c, q: [d] } = u; ${rest} } }`,
                  ),
              },
              { weight: 1, arbitrary: fc.constant("[x, y] = [y, x];") },
            ]
          : []),
      ),
      block: fc.array(statement, { maxLength: 4, depthIdentifier: "block" }).map((list) => list.join(" ")),
    };
  });

/** Loops are the only places of jumps; elsewhere they stand in one that is run once. */
const textOf = ({ expression, block }: fc.LetrecValue<Parts>, parameters: string): fc.Arbitrary<string> =>
  fc.tuple(expression, expression, expression, expression, block, expression).map(([c, x, y, z, body, result]) => {
    const early = (value: string, ...names: string[]): string =>
      names.reduce((known, name) => known.replace(new RegExp(`\\b${name}\\b`, "g"), "a"), value);
    return (
      `(${parameters}) => { const c = ${early(c, "c", "d", "x", "y", "z")}; let x = ${early(x, "d", "x", "y", "z")}; ` +
      `let y = ${early(y, "d", "y", "z")}; const d = y; var z = ${early(z, "z")}; ` +
      `for (let n = 0; n < 1; n++) { ${body} } return ${result}; }`
    );
  });

const numeric = fc.constantFrom(...types);
const twoTypes = fc.oneof(
  numeric.map((type): [ScalarType, ScalarType] => [type, type]),
  fc.tuple(numeric, numeric),
);

/** Functions with the types of their elements; a result type, or the type that the result has by itself. */
export const functions = fc.record({
  text: textOf(partsOf(false), "a, b"),
  types: twoTypes,
  result: fc.option(numeric, { nil: undefined }),
});

/** Expressions over a, b, the capture k and the local v. Only functions that IEEE or integers define to the bit. */
const expressions = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  const leaf = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("a", "b", "v", "k") },
    fc.constantFrom(..."0 1 2 3 7 -1 -0 0.5 0.1 31 255 1e10 4294967295 NaN 1e300".split(" ")),
    fc.constantFrom("Infinity", "true", "false", "5n", "-3n"),
  );
  const binary = fc.constantFrom(..."+ - * / % & | ^ << >> >>> < <= > >= ==".split(" "));
  const logical = fc.constantFrom("!=", "&&", "||");
  const unary = fc.constantFrom("-", "~", "!", "+");
  const math = fc.constantFrom("abs", "floor", "ceil", "round", "trunc", "sign", "sqrt", "fround", "clz32");
  const conversion = fc.constantFrom(...types.map((type) => type.name), "Number", "Boolean", "BigInt");
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 1, arbitrary: leaf },
      {
        weight: 4,
        arbitrary: fc
          .tuple(inner, fc.oneof({ weight: 5, arbitrary: binary }, logical), inner)
          .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      },
      { weight: 1, arbitrary: fc.tuple(unary, inner).map(([operator, x]) => `(${operator} ${x})`) },
      { weight: 1, arbitrary: fc.tuple(math, inner).map(([name, x]) => `Math.${name}(${x})`) },
      { weight: 1, arbitrary: fc.tuple(conversion, inner).map(([name, x]) => `${name}(${x})`) },
      { weight: 1, arbitrary: fc.tuple(inner, inner, inner).map(([x, y, z]) => `(${x} ? ${y} : ${z})`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("min", "max", "imul"), inner, inner)
          .map(([name, x, y]) => `Math.${name}(${x}, ${y})`),
      },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([x, y]) => `Math.trunc(${x} / ${y})`) },
      { weight: 1, arbitrary: inner.map((x) => `((${x}) ** 2)`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("asIntN", "asUintN"), fc.constantFrom("0", "1", "9", "32", "63", "64", "k"), inner)
          .map(([name, bits, x]) => `BigInt.${name}(${bits}, BigInt(${x}))`),
      },
    ),
  };
}).expression;

const assignments = fc.constantFrom("=", "+=", "-=", "*=", "/=", "%=", "|=", "<<=");
const expressionText = fc
  .tuple(expressions, expressions, expressions, assignments)
  .map(
    ([first, second, result, assignment]) =>
      `(a, b, { k }) => { let v = a; if (${first.replace(/\bv\b/g, "b")}) v ${assignment} ${second}; return ${result}; }`,
  );

const special = [0, -0, 1, -1, 0.5, -0.5, 1.5, 2.5, 3, 7, 127, 128, 255, -129, 32767, 65535, 65504, 2 ** 31, 2 ** 32];
special.push(-(2 ** 31), 2 ** 53, 2 ** 63, -(2 ** 63), 2 ** 64, 1e300, 1e-300, 1e-40, 0.1, NaN, Infinity, -Infinity);
const numbers = fc.oneof(fc.constantFrom(...special), fc.double(), fc.integer({ min: -300, max: 300 }));
const bigints = fc.oneof(fc.bigInt({ min: -5n, max: 70n }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));

/** A value of each kind, of which an element of any type is made. */
export const rawElements = fc.tuple(numbers, bigints);
export type RawElement = readonly [number, bigint];

/** An element of a type. */
export function elementOf(type: ScalarType, [number, bigint]: RawElement): ScalarValue {
  return convertTo(type)(type.size === 8 && type.kind !== "float" ? bigint : number);
}

/** An operator with what it captures. */
export interface GeneratedProgram {
  readonly text: string;
  readonly types: readonly [ScalarType, ScalarType];
  readonly result: ScalarType | undefined;
  readonly k: ScalarValue;
  /** Elements of t, and their type. */
  readonly table: readonly RawElement[];
  readonly tableType: ScalarType;
  /** The function f. */
  readonly helper: string;
}

const simple = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("p", "q", "1", "0.5", "-3"),
    fc
      .tuple(tie("expression"), fc.constantFrom(..."+ - * / % < && ||".split(" ")), tie("expression"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
  ),
})).expression;

const helpers = fc.oneof(
  simple.map((result) => `(p, q) => ${result}`),
  fc
    .tuple(simple, simple, simple)
    .map(([test, one, other]) => `(p, q = 2) => { if (${test}) return ${one}; return ${other}; }`),
  simple.map(
    (value) => `function (p, q) { let s = p; for (let i = 0; i < 3; i++) { s += ${value}; q = s; } return s; }`,
  ),
);

export const programs: fc.Arbitrary<GeneratedProgram> = fc.record({
  text: fc.oneof(expressionText, textOf(partsOf(true), "a, b, { k, t, f }")),
  types: twoTypes,
  result: fc.option(numeric, { nil: undefined }),
  k: fc.oneof(fc.double(), fc.bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n }), fc.boolean()),
  table: fc.array(rawElements, { minLength: 3, maxLength: 3 }),
  tableType: numeric,
  helper: helpers,
});

/** A program as an operator. Its array is made on the backend at hand. */
export function operatorOf({ text, k, table, tableType, helper }: GeneratedProgram): BoundOperator {
  const elements = table.map((raw) => elementOf(tableType, raw)) as number[];
  const t = DeviceArray.from(elements, tableType.name as "float64");
  return bind(functionFrom(`(${text})`) as (a: never, b: never, captures: object) => unknown, {
    k,
    t,
    f: functionFrom(`(${helper})`),
  });
}
