/** Operators: functions of elements, written in JavaScript or CUDA C++, or known to CCCL by name. */
import { ArgumentTypeError, CompileError } from "../errors";
import { BoundOperator } from "./bind";
import { readClosure } from "./captures";
import { CppOperator } from "./cpp";
import { FunctionOperator, type FunctionText } from "./function-operator";
import type { OperatorUse } from "./operator";
import { functionText } from "./registry";
import { compileErrorForFunction } from "./source";

export { bind, BoundOperator } from "./bind";
export {
  bfloat16,
  bool,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  uint16,
  uint32,
  uint64,
  uint8,
} from "./conversions";
export { cpp, CppOperator, type CppOptions } from "./cpp";
export { cudaPrelude } from "./cuda-prelude";
export { FunctionOperator } from "./function-operator";
export { noValues } from "./operator";
export type { CaptureValues, Operator, OperatorUse, SpecializedOperator } from "./operator";
export { onOperatorUnused, operatorStatistics } from "./registry";
export { ops } from "./well-known";

/** What is an operator without being a function: one of `ops`, or made by `bind` or `cpp`. */
export type OperatorObject = FunctionOperator | BoundOperator | CppOperator;

const elements = (count: number): string => `${String(count)} element${count === 1 ? "" : "s"}`;

function wrongArity(text: FunctionText, arity: number, argument: string): CompileError {
  const hint = "Give it a parameter for each element; further values are captured.";
  const problem = `an operator of ${elements(arity)} is needed, and this function takes ${String(text.syntax.arity)}`;
  return compileErrorForFunction(text.source, argument, problem, hint);
}

function readCaptures(operator: object, text: FunctionText, argument: string): unknown[] {
  try {
    return readClosure(operator, text.syntax.captures);
  } catch (cause) {
    const names = text.syntax.captures.map(({ path }) => path.join(".")).join(", ");
    throw new CompileError(
      `${argument}: the variables that the function captures (${names}) could not be read. ` +
        "Give them with bind((x, { scale }) => x * scale, { scale }).",
      { code: "ERR_OPERATOR_CAPTURE" },
      { cause },
    );
  }
}

/**
 * What a user passed as an operator, with the values that it captures now.
 *
 * For a function without free variables this is a look-up that allocates nothing; closures are read through the
 * inspector, bound operators from their captures object.
 *
 * @param arity how many elements the operator must take.
 * @param argument names the option in errors, as in `reduceInto.op`.
 * @throws ArgumentTypeError for anything that is no operator; CompileError for one that cannot be compiled, takes
 *   another number of elements, or captures what it cannot.
 */
export function resolveOperator(op: unknown, arity: number, argument: string): OperatorUse {
  if (typeof op === "function") {
    const text = functionText(op as (...elements: never[]) => unknown, argument);
    if (text.syntax.arity !== arity) throw wrongArity(text, arity, argument);
    return text.plain ?? text.use(readCaptures(op, text, argument), argument);
  }
  const use = op instanceof BoundOperator ? op.use(argument) : op;
  const operator = op instanceof BoundOperator ? (use as OperatorUse).operator : op;
  if (!(operator instanceof FunctionOperator || operator instanceof CppOperator)) {
    throw new ArgumentTypeError(argument, "a function, an operator of `ops`, or one made by bind() or cpp()", op);
  }
  if (operator.arity !== arity) {
    throw new CompileError(
      `${argument}: an operator of ${elements(arity)} is needed, and this one takes ${String(operator.arity)}.`,
      { code: "ERR_OPERATOR" },
    );
  }
  return use as OperatorUse;
}
