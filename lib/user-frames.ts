/** The frames of a stack that are the user's: what lies between them and the place that asks says nothing to a user. */
import path from "node:path";

/** This package's own files, as they are named in a stack. */
const ownFiles = `${__dirname}${path.sep}`;

/** Some errors are thrown some twenty frames below the call that is to blame. */
const deepest = 100;

const isFrame = (line: string): boolean => /^ +at /.test(line);
const isOwn = (line: string): boolean => line.includes(ownFiles);

/** The user's innermost frames, as lines of text: unformatted, a stack keeps the receivers of its frames alive. */
export function userFrames(count: number): string[] {
  const { stackTraceLimit } = Error;
  if (stackTraceLimit > 0) Error.stackTraceLimit = Math.max(stackTraceLimit, deepest);
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const frames = stack.split("\n").filter(isFrame);
  // On top lie this package's own, and the built-in functions that they called.
  const first = frames.findIndex((line) => !isOwn(line) && !line.endsWith("(<anonymous>)"));
  return first < 0
    ? []
    : frames
        .slice(first)
        .filter((line) => !isOwn(line))
        .slice(0, count);
}
