/** Programs that do exactly what one of CCCL's own operators does, to the bit. CUB has faster kernels for some. */
import { isScalarType } from "../types/element";
import { type ScalarType, scalarTypes } from "../types/scalar";
import type { Binary, Compare, Expression, Program } from "./ir";
import { computingType } from "./numeric";

/** `cccl_op_kind_t`. */
export const OperatorKind = {
  plus: 2,
  minus: 3,
  multiplies: 4,
  divides: 5,
  modulus: 6,
  equalTo: 7,
  notEqualTo: 8,
  greater: 9,
  less: 10,
  greaterEqual: 11,
  lessEqual: 12,
  logicalAnd: 13,
  logicalOr: 14,
  logicalNot: 15,
  bitAnd: 16,
  bitOr: 17,
  bitXor: 18,
  bitNot: 19,
  identity: 20,
  negate: 21,
  minimum: 22,
  maximum: 23,
} as const;

/** Operations on two elements of one type with a result of that type, and whether their operands may swap. */
const arithmetic: Readonly<Partial<Record<Binary["operation"], { kind: number; commutes: boolean; floats: boolean }>>> =
  {
    add: { kind: OperatorKind.plus, commutes: true, floats: true },
    subtract: { kind: OperatorKind.minus, commutes: false, floats: true },
    multiply: { kind: OperatorKind.multiplies, commutes: true, floats: true },
    bitAnd: { kind: OperatorKind.bitAnd, commutes: true, floats: false },
    bitOr: { kind: OperatorKind.bitOr, commutes: true, floats: false },
    bitXor: { kind: OperatorKind.bitXor, commutes: true, floats: false },
  };

const comparisons: Readonly<Record<Compare["operation"], { kind: number; swapped: number }>> = {
  equal: { kind: OperatorKind.equalTo, swapped: OperatorKind.equalTo },
  notEqual: { kind: OperatorKind.notEqualTo, swapped: OperatorKind.notEqualTo },
  less: { kind: OperatorKind.less, swapped: OperatorKind.greater },
  lessEqual: { kind: OperatorKind.lessEqual, swapped: OperatorKind.greaterEqual },
  greater: { kind: OperatorKind.greater, swapped: OperatorKind.less },
  greaterEqual: { kind: OperatorKind.greaterEqual, swapped: OperatorKind.lessEqual },
};

/** The parameter behind conversions that change no bit of what is compared or, in the end, stored. */
function parameterOf(node: Expression): number | undefined {
  if (node.kind === "parameter") return node.index;
  if (node.kind !== "convert" || node.value.kind !== "parameter") return undefined;
  const from = node.value.type;
  // Widening a narrow integer, or int32 taken for uint32 and back: the low bits stay.
  const keepsBits = from.kind !== "float" && from.kind !== "bool" && node.type.kind !== "float";
  return keepsBits && node.type.size >= from.size && node.type.kind !== "bool" ? node.value.index : undefined;
}

function withoutConversion(node: Expression): Expression {
  return node.kind === "convert" ? node.value : node;
}

/** The order in which two operands are the two parameters; undefined when they are something else. */
function order(left: Expression, right: Expression): "straight" | "swapped" | undefined {
  const [a, b] = [parameterOf(left), parameterOf(right)];
  if (a === 0 && b === 1) return "straight";
  return a === 1 && b === 0 ? "swapped" : undefined;
}

function recogniseBinary(result: Expression, type: ScalarType, isExactInteger: boolean): number | undefined {
  const computed = withoutConversion(result);
  if (computed.kind === "binary") {
    const entry = arithmetic[computed.operation];
    const found = order(computed.left, computed.right);
    if (computed.type.kind === "float" && computed.operation === "divide" && found === "straight") {
      return computed.type === type ? OperatorKind.divides : undefined;
    }
    if (entry === undefined || found === undefined || (found === "swapped" && !entry.commutes)) return undefined;
    if (type.kind === "float") return entry.floats && computed.type === type ? entry.kind : undefined;
    return isExactInteger && computed.type.kind !== "float" ? entry.kind : undefined;
  }
  if (!isExactInteger) return undefined;
  // The order of integers is total, so every way to write the smaller or larger of two gives the same bits; but it
  // must be their own order: wider integers keep it, uint32 taken for int32 does not.
  const ordered = type.size < 4 ? computingType(type) : type;
  if (computed.kind === "math" && computed.operands.length === 2 && computed.type === ordered) {
    const [left, right] = computed.operands;
    if (left === undefined || right === undefined || order(left, right) === undefined) return undefined;
    return computed.name === "min" ? OperatorKind.minimum : computed.name === "max" ? OperatorKind.maximum : undefined;
  }
  if (computed.kind !== "conditional" || computed.test.kind !== "compare") return undefined;
  const { test } = computed;
  const tested = order(test.left, test.right);
  const chosen = order(computed.consequent, computed.alternate);
  if (tested === undefined || chosen === undefined) return undefined;
  if (test.left.type !== ordered || test.right.type !== ordered) return undefined;
  const isLess = test.operation === "less" || test.operation === "lessEqual";
  if (!isLess && test.operation !== "greater" && test.operation !== "greaterEqual") return undefined;
  return isLess === (tested === chosen) ? OperatorKind.minimum : OperatorKind.maximum;
}

function recogniseComparison(result: Expression, type: ScalarType): number | undefined {
  if (result.kind === "compare") {
    const found = order(result.left, result.right);
    const ordered = type.kind === "float" || type.size >= 4 ? type : computingType(type);
    if (found === undefined || result.left.type !== ordered || result.right.type !== ordered) return undefined;
    const { kind, swapped } = comparisons[result.operation];
    return found === "straight" ? kind : swapped;
  }
  if (result.kind !== "logical" || type.kind === "float") return undefined;
  const [a, b] = [truthOf(result.left), truthOf(result.right)];
  if (a === undefined || b === undefined || a === b) return undefined;
  return result.operation === "and" ? OperatorKind.logicalAnd : OperatorKind.logicalOr;
}

/** The parameter whose truth a bool expression is. */
function truthOf(node: Expression): number | undefined {
  const inner = node.kind === "convert" && node.type.kind === "bool" ? node.value : node;
  return inner.kind === "parameter" ? inner.index : undefined;
}

function recogniseUnary(result: Expression, type: ScalarType, program: Program): number | undefined {
  if (result.kind === "parameter" && program.resultType === type) return OperatorKind.identity;
  if (result.kind === "not") {
    const isTruth = truthOf(result.operand) === 0 && type.kind !== "float";
    return isTruth && program.resultType.kind === "bool" ? OperatorKind.logicalNot : undefined;
  }
  if (program.resultType !== type) return undefined;
  const computed = withoutConversion(result);
  if (computed.kind !== "unary" || parameterOf(computed.operand) !== 0 || computed.type.kind === "bool")
    return undefined;
  if (type.kind === "bool" || (type.kind === "float" && computed.type !== type)) return undefined;
  return computed.operation === "negate" ? OperatorKind.negate : OperatorKind.bitNot;
}

/** The well-known operator that a program is, or undefined where a single bit may differ. */
export function recognise(program: Program): number | undefined {
  const [statement] = program.body;
  if (program.body.length !== 1 || statement?.kind !== "return" || program.captures.length > 0) return undefined;
  const [type, second] = program.parameters;
  if (
    type === undefined ||
    !isScalarType(type) ||
    program.parameters.length > 2 ||
    (second !== undefined && second !== type)
  )
    return undefined;
  // The library's own 16-bit float arithmetic may be fused with what surrounds it.
  const isHalf = type.kind === "float" && type.size === 2;
  const { value } = statement;
  if (value === undefined) return undefined;
  if (second === undefined)
    return isHalf && value.kind !== "parameter" ? undefined : recogniseUnary(value, type, program);
  if (isHalf) return undefined;
  if (program.resultType === scalarTypes.bool) return recogniseComparison(value, type);
  if (program.resultType !== type) return undefined;
  return recogniseBinary(value, type, type.kind === "int" || type.kind === "uint");
}
