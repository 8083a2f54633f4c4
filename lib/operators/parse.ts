/** Function text to ESTree, for every form in which the engine writes a function down. */
import * as acorn from "acorn";
import { compileErrorAt, compileErrorForFunction, type Source } from "./source";

/** The parts of a parsed function. Positions are those of the parse; `offset` takes them back to the text. */
export interface ParsedFunction {
  readonly source: Source;
  /** What was put before the text to parse it. */
  readonly offset: number;
  readonly parameters: readonly acorn.Pattern[];
  readonly body: acorn.BlockStatement | acorn.Expression;
  readonly node: acorn.Node;
}

type FunctionNode = acorn.ArrowFunctionExpression | acorn.FunctionExpression;

function functionOf(program: acorn.Program): FunctionNode | undefined {
  const statement = program.body[0];
  if (program.body.length !== 1 || statement?.type !== "ExpressionStatement") return undefined;
  const { expression } = statement;
  if (expression.type === "ArrowFunctionExpression" || expression.type === "FunctionExpression") return expression;
  if (expression.type !== "ObjectExpression" || expression.properties.length !== 1) return undefined;
  const property = expression.properties[0];
  if (property?.type !== "Property" || property.kind !== "init") return undefined;
  return property.value.type === "FunctionExpression" ? property.value : undefined;
}

/** Functions and arrow functions stand as expressions; a method is one only inside an object literal. */
const wrappers: readonly (readonly [string, string])[] = [
  ["(", "\n)"],
  ["({", "\n})"],
];

/** What a module and a class allow around a function is missing around its text. */
const options: acorn.Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowImportExportEverywhere: true,
  checkPrivateFields: false,
};

/** Why a text cannot be parsed, and where. */
interface Failure {
  readonly problem: string;
  readonly hint?: string;
  readonly position: number;
}

/** Of `<!--` and `-->`: a script has comments there, a module operators, and the text is that of either. */
function htmlComment(written: string, position: number): Failure {
  return {
    problem: `\`${written}\` begins a comment in a script, and is operators in a module`,
    hint: "Write spaces between the operators, or `//` for a comment.",
    position,
  };
}

function parseText(text: string): { node: FunctionNode; offset: number } | Failure {
  let failure: Failure = { problem: "it is not a function", position: 0 };
  for (const [before, after] of wrappers) {
    const ambiguous: Failure[] = [];
    const onComment = (_isBlock: boolean, _text: string, start: number): void => {
      const written = /^(<!--|-->)/.exec((before + text).slice(start, start + 4))?.[0];
      if (written !== undefined) ambiguous.push(htmlComment(written, start - before.length));
    };
    try {
      const node = functionOf(acorn.parse(before + text + after, { ...options, onComment }));
      if (node !== undefined && ambiguous.length === 0) return { node, offset: before.length };
    } catch (error) {
      const { message, pos } = error as SyntaxError & { pos: number };
      const position = pos - before.length;
      // The form that the text has is the one that leads the furthest.
      if (position >= failure.position) failure = { problem: message.replace(/ \(\d+:\d+\)$/, ""), position };
    }
    if (ambiguous[0] !== undefined) return ambiguous[0];
  }
  return failure;
}

/**
 * Parses a function's text.
 *
 * @throws CompileError for native and bound functions, classes, async functions, generators and accessors.
 */
export function parseFunction(source: Source, argument: string): ParsedFunction {
  const { text } = source;
  const refuse = (problem: string, hint: string): never => {
    throw compileErrorForFunction(source, argument, problem, hint);
  };
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) {
    refuse(
      "a native or bound function has no JavaScript source to compile",
      "Write an arrow function that calls it, such as (x) => Math.sqrt(x) or (a, b) => Math.max(a, b); give values " +
        "that were bound through bind().",
    );
  }
  if (/^class\b/.test(text)) refuse("a class is not an operator", "Pass a function, such as (a, b) => a + b.");
  const parsed = parseText(text);
  if ("problem" in parsed) {
    if (/^(get|set)\b/.test(text)) refuse("an accessor is not an operator", "Pass a function or a method.");
    const start = Math.min(parsed.position, text.length - 1);
    const problem = `the function's text cannot be parsed: ${parsed.problem}`;
    throw compileErrorAt(source, { start, end: start + 1 }, argument, problem, parsed.hint);
  }
  const { node, offset } = parsed;
  if (node.async) refuse("an async function cannot run on the GPU", "Remove `async` and `await`.");
  if (node.generator) refuse("a generator cannot run on the GPU", "Return one value instead of yielding many.");
  return { source, offset, parameters: node.params, body: node.body, node };
}

/** Where a node lies in the function's own text. */
export function spanOf(parsed: ParsedFunction, node: { start: number; end: number }): { start: number; end: number } {
  return { start: node.start - parsed.offset, end: node.end - parsed.offset };
}
