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
