/** One way to write each expression, for the ways in which people and minifiers write it. No result changes by a bit. */
import { convertTo } from "../types/convert";
import { type ElementType, isScalarType } from "../types/element";
import { promote } from "../types/promote";
import { isBigIntType, scalarTypes } from "../types/scalar";
import type { Binary, Compare, Comparison, Conditional, Convert, Expression, Logical, Not } from "./ir";
import { remembered } from "./remember";
import { isSame, mapChildren } from "./rewrite";

const { bool } = scalarTypes;

/** The comparison with its operands exchanged. */
const exchanged: Readonly<Record<Comparison, Comparison>> = {
  equal: "equal",
  notEqual: "notEqual",
  less: "greater",
  lessEqual: "greaterEqual",
  greater: "less",
  greaterEqual: "lessEqual",
};
/** The comparison that is true where this one is false, as long as no operand is NaN. */
const opposite: Readonly<Record<Comparison, Comparison>> = {
  equal: "notEqual",
  notEqual: "equal",
  less: "greaterEqual",
  lessEqual: "greater",
  greater: "lessEqual",
  greaterEqual: "less",
};
/** Of integers, with 0 on the right, these are their left operand. */
const neutralZero: ReadonlySet<Binary["operation"]> = new Set(["bitOr", "bitXor", "shiftLeft", "shiftRight"]);
const commutative: ReadonlySet<Binary["operation"]> = new Set(["add", "multiply", "bitAnd", "bitOr", "bitXor"]);

/** An expression and all within it, from the inside out. */
export function simplified(expression: Expression): Expression {
  return simplify(mapChildren(expression, simplified, (list) => list));
}

/** An expression whose operands are simple already. */
function simplify(node: Expression): Expression {
  switch (node.kind) {
    case "convert":
      return simplifyConvert(node);
    case "not":
      return simplifyNot(node);
    case "binary":
      return simplifyBinary(node);
    case "compare":
      return simplifyCompare(node);
    case "logical":
      return node.type === bool ? simplifyLogical(node) : node;
    case "conditional":
      return simplifyConditional(node);
    case "field":
      return node.value.kind === "construct" ? (node.value.parts[node.index] as Expression) : node;
    default:
      return node;
  }
}

const truth = (value: boolean): Expression => ({ kind: "literal", type: bool, value });
const isTruth = (node: Expression, value: boolean): boolean => node.kind === "literal" && node.value === value;
const convert = (value: Expression, type: ElementType): Expression =>
  type === bool ? truthOf(value) : simplify({ kind: "convert", type, value });
/** `Boolean(value)`: each conditional of a chain asks for that of all that follow. */
const truthOf = remembered((value: Expression): Expression => simplify({ kind: "convert", type: bool, value }));
const logical = (operation: "and" | "or", left: Expression, right: Expression): Expression =>
  simplify({ kind: "logical", type: bool, operation, left, right });

/** `!operand`, simplified. */
export const not = (operand: Expression): Expression => simplify({ kind: "not", type: bool, operand });
/** `left && right` of bools, simplified. */
export const and = (left: Expression, right: Expression): Expression => logical("and", left, right);
const or = (left: Expression, right: Expression): Expression => logical("or", left, right);
/** `test ? consequent : alternate`, simplified. */
export const conditional = (test: Expression, consequent: Expression, alternate: Expression): Expression =>
  simplify({ kind: "conditional", type: consequent.type, test, consequent, alternate });

/**
 * Of a test and its opposite, one is the negative: branches stand in the order in which the other has them. Only tests
 * with an exact opposite are negative.
 */
export function isNegative(test: Expression): boolean {
  if (test.kind === "not") return true;
  if (test.kind === "logical") return test.operation === "or";
  if (test.kind !== "compare" || !hasOpposite(test)) return false;
  return test.operation === "notEqual" || test.operation === "lessEqual" || test.operation === "greaterEqual";
}

/** NaN is neither less than, equal to nor greater than anything. */
function hasOpposite({ operation, left, right }: Compare): boolean {
  const isEquality = operation === "equal" || operation === "notEqual";
  return isEquality || (left.type.kind !== "float" && right.type.kind !== "float");
}

/** Whether every value of one type is a value of the other. */
function isLossless(from: ElementType, to: ElementType): boolean {
  if (!isScalarType(from) || !isScalarType(to)) return false;
  // NumPy promotes 64-bit integers to a float64 that cannot hold them.
  return promote(from, to) === to && !(isBigIntType(from) && to.kind === "float");
}

function simplifyConvert(node: Convert): Expression {
  const { type, value } = node;
  if (value.type === type) return value;
  if (value.kind === "literal" && isScalarType(type)) return { ...value, type, value: convertTo(type)(value.value) };
  if (value.kind === "convert" && isLossless(value.value.type, value.type)) return convert(value.value, type);
  if (value.kind === "conditional") {
    return conditional(value.test, convert(value.consequent, type), convert(value.alternate, type));
  }
  if (value.kind === "logical" && type === bool) {
    return logical(value.operation, convert(value.left, bool), convert(value.right, bool));
  }
  return node;
}

function simplifyNot(node: Not): Expression {
  const { operand } = node;
  switch (operand.kind) {
    case "literal":
      return truth(!operand.value);
    case "not":
      return operand.operand;
    case "compare":
      return hasOpposite(operand) ? { ...operand, operation: opposite[operand.operation] } : node;
    case "logical":
      return logical(operand.operation === "and" ? "or" : "and", not(operand.left), not(operand.right));
    case "conditional":
      return conditional(operand.test, not(operand.consequent), not(operand.alternate));
    default:
      return node;
  }
}

function simplifyBinary(node: Binary): Expression {
  const { operation, left, right } = node;
  if (commutative.has(operation) && left.kind === "literal" && right.kind !== "literal") {
    return simplifyBinary({ ...node, left: right, right: left });
  }
  const isZero = right.kind === "literal" && (right.value === 0 || right.value === 0n);
  return isZero && neutralZero.has(operation) ? left : node;
}

function simplifyCompare(node: Compare): Expression {
  const { operation, left, right } = node;
  if (left.kind !== "literal") return node;
  if (right.kind !== "literal") return { ...node, operation: exchanged[operation], left: right, right: left };
  const [a, b] = [left.value, right.value];
  // By order alone: of a number and a BigInt, `===` would answer false.
  const isEqual = a <= b && a >= b;
  const answers: Record<Comparison, boolean> = {
    equal: isEqual,
    notEqual: !isEqual,
    less: a < b,
    lessEqual: a <= b,
    greater: a > b,
    greaterEqual: a >= b,
  };
  return truth(answers[operation]);
}

/** Of bools. Chains lean to the left. */
function simplifyLogical(node: Logical): Expression {
  const { operation, left, right } = node;
  const neutral = operation === "and";
  if (isTruth(left, neutral) || isTruth(right, !neutral)) return right;
  if (isTruth(right, neutral) || isTruth(left, !neutral) || isSame(left, right)) return left;
  if (right.kind === "logical" && right.operation === operation) {
    return logical(operation, logical(operation, left, right.left), right.right);
  }
  return node;
}

function simplifyConditional(node: Conditional): Expression {
  const { test, consequent, alternate } = node;
  if (test.kind === "literal") return test.value ? consequent : alternate;
  if (isSame(consequent, alternate)) return consequent;
  if (isNegative(test)) return conditional(not(test), alternate, consequent);
  return booleanConditional(node) ?? valueOfTest(node) ?? mergedConditional(node) ?? node;
}

/** `t ? true : x` is `t || x`, and so on. */
function booleanConditional({ test, consequent, alternate }: Conditional): Expression | undefined {
  if (consequent.type !== bool) return undefined;
  if (isTruth(consequent, true)) return or(test, alternate);
  if (isTruth(consequent, false)) return and(not(test), alternate);
  if (isTruth(alternate, false)) return and(test, consequent);
  if (isTruth(alternate, true)) return or(not(test), consequent);
  return undefined;
}

/** `a ? b : a` is `a && b`, and `a ? a : b` is `a || b`. */
function valueOfTest({ type, test, consequent, alternate }: Conditional): Expression | undefined {
  if (!isScalarType(type)) return undefined;
  if (isSame(test, convert(alternate, bool))) {
    return simplify({ kind: "logical", type, operation: "and", left: alternate, right: consequent });
  }
  if (isSame(test, convert(consequent, bool))) {
    return simplify({ kind: "logical", type, operation: "or", left: consequent, right: alternate });
  }
  return undefined;
}

/** `t ? (u ? x : y) : y` is `t && u ? x : y`, whichever branch holds the inner one. */
function mergedConditional({ test, consequent, alternate }: Conditional): Expression | undefined {
  const merged = mergedBranches(test, inner(consequent), inner(alternate), consequent, alternate);
  return merged && conditional(merged.test, merged.consequent, merged.alternate);
}

function inner(node: Expression): Branches<Expression> | undefined {
  return node.kind === "conditional" ? node : undefined;
}

/** A test and what it chooses between. */
export interface Branches<T> {
  readonly test: Expression;
  readonly consequent: T;
  readonly alternate: T;
}

/** Two tests as one, where one branch tests again and shares a branch of its own with the other. */
export function mergedBranches<T>(
  test: Expression,
  inConsequent: Branches<T> | undefined,
  inAlternate: Branches<T> | undefined,
  consequent: T,
  alternate: T,
): Branches<T> | undefined {
  if (inConsequent !== undefined) {
    const { test: second, consequent: x, alternate: y } = inConsequent;
    if (isSame(y, alternate)) return { test: and(test, second), consequent: x, alternate };
    if (isSame(x, alternate)) return { test: and(test, not(second)), consequent: y, alternate };
  }
  if (inAlternate !== undefined) {
    const { test: second, consequent: x, alternate: y } = inAlternate;
    if (isSame(y, consequent)) return { test: and(not(test), second), consequent: x, alternate: consequent };
    if (isSame(x, consequent)) return { test: and(not(test), not(second)), consequent: y, alternate: consequent };
  }
  return undefined;
}
