/** Generated operators of two elements with locals, branches, loops and jumps, as text. */
import fc from "fast-check";
import { scalarTypes } from "../../lib/types/scalar";

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

/** Over the parameters a and b, the constants c and d, and the variables x, y and z, which all have values. */
const parts = fc.letrec<Parts>((tie) => {
  const expression = tie("expression") as fc.Arbitrary<string>;
  const statement = tie("statement") as fc.Arbitrary<string>;
  const block = tie("block") as fc.Arbitrary<string>;
  const variable = fc.constantFrom("x", "y", "z");
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d", "x", "y", "z") },
    fc.constantFrom("0", "1", "2", "-1", "-0", "0.5", "NaN", "Infinity", "true", "false", "5n", "1e10"),
  );
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
          .map(([kind, name, value, rest]) => `{ ${kind} t = ${value}; { const ${name} = t; ${rest} } }`),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(loop, expression, block).map(([make, test, body]) => make(test, body)),
      },
    ),
    block: fc.array(statement, { maxLength: 4, depthIdentifier: "block" }).map((list) => list.join(" ")),
  };
});

/** Loops are the only places of jumps; elsewhere they stand in one that is run once. */
const text = fc
  .tuple(parts.expression, parts.expression, parts.expression, parts.expression, parts.block, parts.expression)
  .map(([c, x, y, z, body, result]) => {
    const early = (value: string, ...names: string[]): string =>
      names.reduce((known, name) => known.replace(new RegExp(`\\b${name}\\b`, "g"), "a"), value);
    return (
      `(a, b) => { const c = ${early(c, "c", "d", "x", "y", "z")}; let x = ${early(x, "d", "x", "y", "z")}; ` +
      `let y = ${early(y, "d", "y", "z")}; const d = y; var z = ${early(z, "z")}; ` +
      `for (let n = 0; n < 1; n++) { ${body} } return ${result}; }`
    );
  });

const numeric = fc.constantFrom(...types);

/** Functions with the types of their elements; a result type, or the type that the result has by itself. */
export const functions = fc.record({
  text,
  types: fc.oneof(
    numeric.map((type) => [type, type]),
    fc.array(numeric, { minLength: 2, maxLength: 2 }),
  ),
  result: fc.option(numeric, { nil: undefined }),
});
