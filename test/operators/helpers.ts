import { type OperatorUse, resolveOperator, type SpecializedOperator } from "../../lib/operators";
import type { ElementType } from "../../lib/types/element";
import { type ScalarName, type ScalarType, type ScalarValue, scalarTypes } from "../../lib/types/scalar";

/** An operator of scalars. */
export interface ScalarOperator extends Omit<SpecializedOperator, "host"> {
  readonly use: OperatorUse;
  readonly parameters: readonly ScalarType[];
  readonly resultType: ScalarType;
  host(values: OperatorUse["values"]): (...elements: ScalarValue[]) => ScalarValue;
}

/** Parameter types and result type as "float32, int8 -> float64"; without an arrow, the natural result type. */
export function specialize(op: unknown, signature: string): ScalarOperator {
  const [parameters = "", result] = signature.split("->").map((part) => part.trim());
  const types = parameters.split(",").map((name) => scalarTypes[name.trim() as ScalarName]);
  const use = resolveOperator(op, types.length, "reduceInto.op");
  const resultType = result === undefined ? undefined : scalarTypes[result as ScalarName];
  const specialized = use.operator.specialize(types, resultType, "reduceInto.op");
  return Object.assign(Object.create(specialized) as ScalarOperator, { use });
}

/** As {@link specialize}, for any types. */
export function specializeFor(
  op: unknown,
  parameters: readonly ElementType[],
  result?: ElementType,
): SpecializedOperator & { use: OperatorUse } {
  const use = resolveOperator(op, parameters.length, "reduceInto.op");
  const specialized = use.operator.specialize(parameters, result, "reduceInto.op");
  return Object.assign(Object.create(specialized) as SpecializedOperator, { use });
}

/** The operator's answer on the host, computed with the given types. */
export function evaluate(op: unknown, signature: string, ...elements: ScalarValue[]): ScalarValue {
  const specialized = specialize(op, signature);
  return specialized.host(specialized.use.values)(...elements);
}

/** The type that an operator's result has by itself. */
export function naturalType(op: unknown, parameters: string): ScalarName {
  return specialize(op, parameters).resultType.name;
}

/** A function from its text, as a tool or another file would have made it. */
export function functionFrom(text: string): unknown {
  return (0, eval)(text) as unknown;
}

/** What `action` throws. */
export function thrownBy(action: () => unknown): Error & { code?: string; frame?: string } {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
