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

/** A line and a column of a text, each from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

function place(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** How many columns of a line are shown: minified functions stand on one line. */
const widest = 120;

/** The lines around a place, which is underlined; of long lines the part around it, with `…` where they are cut. */
function frameOf(text: string, start: Place, end: Place): string {
  const lines = text.split("\n");
  const length = lines[start.line - 1]?.length ?? 0;
  const underlined = (end.line === start.line ? end.column : length + 1) - start.column;
  const margin = Math.max(widest - underlined, 4) / 2;
  const first = Math.max(Math.min(Math.floor(start.column - 1 - margin), length - widest), 0);
  const cut = (line: string): string => {
    const shown = line.slice(first, first + widest);
    const begun = first > 0 && line !== "" ? `…${shown.slice(1)}` : shown;
    return line.length > first + widest ? `${begun.slice(0, -1)}…` : begun;
  };
  const moved = ({ line, column }: Place): Place => {
    return { line, column: Math.min(Math.max(column - first, 1), widest + 1) };
  };
  const code = lines.map(cut).join("\n");
  return codeFrameColumns(code, { start: moved(start), end: moved(end) }, { highlightCode: false });
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
  const frame = frameOf(source.text, start, end);
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
