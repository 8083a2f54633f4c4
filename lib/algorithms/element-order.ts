/** Orders that users give: operators that say whether the first of two elements comes before the second. */
import { ArgumentTypeError, Words } from "../errors";
import { FunctionOperator, type OperatorUse, type SpecializedOperator, specializePure } from "../operators";
import { type ElementType, isScalarType } from "../types/element";
import { type ScalarValue, isBigIntType, scalarTypes } from "../types/scalar";

/** Pairs of a scalar type's values, on which an order is tried: equal ones, and two that differ. */
function samples(type: ElementType): (readonly [ScalarValue, ScalarValue])[] {
  if (!isScalarType(type)) return [];
  const [a, b] = type.kind === "bool" ? [false, true] : isBigIntType(type) ? [0n, 1n] : [0, 1];
  return [[a, a], [b, b], [a, b]]; // prettier-ignore
}

/**
 * The operator for elements of a type, to order them by. One that is no order would make kernels lose elements and
 * repeat others; it is refused where that can be known before they run. A number as the answer is the mistake of those
 * who know `Array.prototype.sort`.
 *
 * @throws TypeError for an operator that answers something else than true and false, or that is true of equal elements
 *   or of two elements both ways; CompileError where the operator has no meaning for the type, or writes.
 */
export function specializeOrder({ operator }: OperatorUse, type: ElementType, argument: string): SpecializedOperator {
  const specialized = specializePure(operator, [type, type], scalarTypes.bool, argument);
  if (!(operator instanceof FunctionOperator)) return specialized;
  const answer = operator.specialize([type, type], undefined, argument).resultType;
  if (answer !== scalarTypes.bool) {
    const expected = "an operator that answers whether the first comes before the second, such as (a, b) => a < b";
    throw new ArgumentTypeError(argument, expected, new Words(`one that answers ${answer.name}`));
  }
  // What is captured has values at the call alone.
  if (operator.captureNames.length > 0) return specialized;
  const isBefore = specialized.host([]);
  for (const [a, b] of samples(type)) {
    if (isBefore(a, b) !== true || isBefore(b, a) !== true) continue;
    const expected = "an order that is false of equal elements, and of two others true one way at most, as < and > are";
    const pairs = a === b ? `(${String(a)}, ${String(b)})` : `(${String(a)}, ${String(b)}) both ways`;
    throw new ArgumentTypeError(argument, expected, new Words(`one that is true of ${pairs}`));
  }
  return specialized;
}
