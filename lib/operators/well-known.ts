/** CCCL's own operators by name, as values to pass for `op`. */
import type { ElementType } from "../types/element";
import { scalarTypes } from "../types/scalar";
import type { FunctionOperator } from "./function-operator";
import { OperatorKind } from "./recognise";
import { permanentOperator } from "./registry";

const { float32, float64 } = scalarTypes;

/**
 * Minimum and maximum are CCCL's by name: of floats they pass over NaN, which Math.min and Math.max do not, so that no
 * rule would find them.
 */
function extreme(kind: number): (parameters: readonly ElementType[], result: ElementType) => number | undefined {
  return (parameters, result) => {
    const isCounted = result.kind === "int" || result.kind === "uint" || result === float32 || result === float64;
    return isCounted && parameters.every((type) => type === result) ? kind : undefined;
  };
}

const none = (): undefined => undefined;
const named = (source: string): FunctionOperator => permanentOperator(source, none);

/**
 * The well-known operators. Each means what its expression means in an operator of your own; where CCCL's own gives the
 * same bits for the types at hand, that is what runs.
 *
 * `minimum` and `maximum` pass over NaN: one NaN operand gives the other. `Math.min` and `Math.max` in a function of
 * your own answer NaN, as in JavaScript.
 */
export const ops = Object.freeze({
  plus: named("(a, b) => a + b"),
  minus: named("(a, b) => a - b"),
  multiplies: named("(a, b) => a * b"),
  divides: named("(a, b) => a / b"),
  modulus: named("(a, b) => a % b"),
  equalTo: named("(a, b) => a === b"),
  notEqualTo: named("(a, b) => a !== b"),
  greater: named("(a, b) => a > b"),
  less: named("(a, b) => a < b"),
  greaterEqual: named("(a, b) => a >= b"),
  lessEqual: named("(a, b) => a <= b"),
  logicalAnd: named("(a, b) => Boolean(a) && Boolean(b)"),
  logicalOr: named("(a, b) => Boolean(a) || Boolean(b)"),
  logicalNot: named("(a) => !a"),
  bitAnd: named("(a, b) => a & b"),
  bitOr: named("(a, b) => a | b"),
  bitXor: named("(a, b) => a ^ b"),
  bitNot: named("(a) => ~a"),
  identity: named("(a) => a"),
  negate: named("(a) => -a"),
  minimum: permanentOperator("(a, b) => a != a ? b : b != b ? a : Math.min(a, b)", extreme(OperatorKind.minimum)),
  maximum: permanentOperator("(a, b) => a != a ? b : b != b ? a : Math.max(a, b)", extreme(OperatorKind.maximum)),
});
