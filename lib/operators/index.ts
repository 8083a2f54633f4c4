/** Operators: functions of elements, written in JavaScript or CUDA C++, or known to CCCL by name. */
import { ArgumentTypeError, CompileError } from "../errors";
import { BoundOperator } from "./bind";
import { readCaptures, useWith } from "./capture-values";
import { CppOperator } from "./cpp";
import { FunctionOperator, type FunctionText } from "./function-operator";
import { FusedOperator } from "./fused";
import type { ElementType } from "../types/element";
import type { Operator, OperatorUse, SpecializedOperator } from "./operator";
import { functionText } from "./registry";
import { compileErrorForFunction } from "./source";

export {
  atomicAdd,
  atomicAnd,
  atomicCompareExchange,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicSub,
  atomicXor,
} from "./atomics";
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
export { cpp, CppOperator, type CppOptions, ltoir, type LtoirOptions } from "./cpp";
export { cudaPrelude } from "./cuda-prelude";
export { FunctionOperator } from "./function-operator";
export { fused, FusedOperator } from "./fused";
export { noOperatorId } from "./operator-id";
export { noValues } from "./operator";
export type { CaptureValues, Operator, OperatorUse, SpecializedOperator } from "./operator";
export { operatorPairId } from "./operator-pair";
export { onOperatorUnused, operatorStatistics } from "./registry";
export { ops } from "./well-known";

/** What is an operator without being a function: one of `ops`, or made by `bind`, `fused`, `cpp` or `ltoir`. */
export type OperatorObject = FunctionOperator | BoundOperator | CppOperator | FusedOperator;

const takes = (count: number, most: number, least: number): boolean => count <= most && count >= least;
const elements = (count: number): string => `${String(count)} element${count === 1 ? "" : "s"}`;

function wrongArity(text: FunctionText, arity: number, argument: string): CompileError {
  const hint = "Give it a parameter for each element; further values are captured.";
  const problem = `an operator of ${elements(arity)} is needed, and this function takes ${String(text.syntax.arity)}`;
  return compileErrorForFunction(text.source, argument, problem, hint);
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
    if (!takes(arity, text.syntax.arity, text.leastArity)) throw wrongArity(text, arity, argument);
    return text.plain ?? useWith(text, readCaptures(op, text, argument), argument);
  }
  if (op instanceof FusedOperator) {
    const { operator, values } = resolveOperator(op.inner, arity, argument);
    if (!(operator instanceof FunctionOperator)) {
      throw new ArgumentTypeError(argument, "fused() of a JavaScript function", op);
    }
    const { fused } = operator;
    return values.length === 0 ? fused : { operator: fused, values };
  }
  const use = op instanceof BoundOperator ? op.use(argument) : op;
  const operator = op instanceof BoundOperator ? (use as OperatorUse).operator : op;
  if (!(operator instanceof FunctionOperator || operator instanceof CppOperator)) {
    const example = arity === 1 ? "ops.negate" : "ops.plus";
    throw new ArgumentTypeError(argument, `a function, one of ops (${example} …), or what bind() or cpp() made`, op);
  }
  if (!takes(arity, operator.arity, operator.leastArity)) {
    throw new CompileError(
      `${argument}: an operator of ${elements(arity)} is needed, and this one takes ${String(operator.arity)}.`,
      { code: "ERR_OPERATOR" },
    );
  }
  return use as OperatorUse;
}

/**
 * The operator for given types, where it may be called more or less than once for each element: it must not write.
 *
 * @throws CompileError where it has no meaning for these types, or writes to captured arrays.
 */
export function specializePure(
  operator: Operator,
  parameters: readonly ElementType[],
  result: ElementType | undefined,
  argument: string,
): SpecializedOperator {
  const specialized = operator.specialize(parameters, result, argument);
  specialized.refuseWrites(argument);
  return specialized;
}
