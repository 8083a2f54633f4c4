/** A user's function as text, and errors that point into that text. */
import { codeFrameColumns } from "@babel/code-frame";
import { CompileError } from "../errors";

/** A range of the function's own text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text of a user's function. */
export interface Source {
  readonly text: string;
}

/** The text of a function as the engine keeps it; about 0.1 µs. */
export function textOf(operator: (...elements: never[]) => unknown): string {
  return Function.prototype.toString.call(operator);
}

/** True for the engine's own functions and for bound ones, which have no text. */
export function isNative(operator: (...elements: never[]) => unknown): boolean {
  return /\{\s*\[native code\]\s*\}\s*$/.test(textOf(operator));
}

function place(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * An error about one construct of a user's function.
 *
 * @param argument names the option that the function was given as.
 * @param hint what to write instead.
 */
export function compileErrorAt(
  source: Source,
  span: Span,
  argument: string,
  problem: string,
  hint?: string,
  code = "ERR_OPERATOR",
): CompileError {
  const start = place(source.text, span.start);
  const end = place(source.text, Math.max(span.end, span.start + 1));
  const frame = codeFrameColumns(source.text, { start, end }, { highlightCode: false });
  const message =
    `${argument}: ${problem} (line ${String(start.line)}, column ${String(start.column)} of the function).` +
    (hint === undefined ? "" : ` ${hint}`);
  return new CompileError(message, { code, frame });
}

/** An error about the function as a whole; underlines its beginning. */
export function compileErrorForFunction(
  source: Source,
  argument: string,
  problem: string,
  hint?: string,
): CompileError {
  const firstLine = source.text.indexOf("\n");
  const end = firstLine === -1 ? source.text.length : firstLine;
  return compileErrorAt(source, { start: 0, end }, argument, problem, hint);
}

/** What an action gives, with an error that says so where the function is too large or too deep for the compiler. */
export function withinDepth<T>(source: Source, argument: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof RangeError) || !error.message.includes("call stack")) throw error;
    const problem = "this function is too long or nests too deeply to be compiled";
    throw compileErrorForFunction(source, argument, problem, "Split it into functions, or use a loop.");
  }
}

/** For a function whose end can be reached without a result. */
export function missingReturn(source: Source, end: Span, argument: string): CompileError {
  const problem = "not every path of the function returns a value";
  return compileErrorAt(source, end, argument, problem, "End it with a `return`.");
}

/** For a function that calls itself, at once or through others. */
export function recursion(source: Source, span: Span, name: string, argument: string): CompileError {
  const problem = `\`${name}\` calls itself: recursion cannot run on the GPU`;
  return compileErrorAt(
    source,
    span,
    argument,
    problem,
    "Write a loop, and keep what is still to do in local variables.",
  );
}
