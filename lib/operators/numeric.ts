/** The typing rules of numbers: weak literals, computing types, and what two operands have in common. */
import { convertTo } from "../types/convert";
import type { ElementType } from "../types/element";
import { promote } from "../types/promote";
import { type ScalarType, type ScalarValue, isBigIntType, scalarTypes } from "../types/scalar";
import type { Expression, ScalarExpression } from "./ir";

const { bool, int32, int64, uint64, float32, float64 } = scalarTypes;

/**
 * An expression whose type may still give way. A weak one stands for literals (`values` lists all that it can be), for a
 * captured number (`values` unknown) or for a captured BigInt that is not negative (`values` are the least and the most
 * that it can be). Its own type is float64, or a 64-bit integer for BigInts.
 */
export interface Typed<T extends ElementType = ElementType> {
  readonly node: Expression & { readonly type: T };
  readonly isWeak: boolean;
  readonly values: readonly (number | bigint)[] | undefined;
  /** Of a struct or an array that has weak parts: what each part is. */
  readonly parts?: readonly Held[] | undefined;
}

/** What a place holds: a variable, a parameter, a result. */
export type Held<T extends ElementType = ElementType> = Omit<Typed, "node"> & { readonly type: T };

/** More possible values than this are not worth telling apart. */
const mostValues = 8;

export function strong(node: ScalarExpression): Typed<ScalarType>;
export function strong(node: Expression): Typed;
export function strong(node: Expression): Typed {
  return { node, isWeak: false, values: undefined };
}

/** A number that was written in the source. */
export function weakNumber(value: number): Typed<ScalarType> {
  return { node: { kind: "literal", type: float64, value }, isWeak: true, values: [value] };
}

/** A BigInt that was written in the source: int64, or uint64 where only that holds it. */
export function weakBigInt(value: bigint): Typed<ScalarType> {
  const type = BigInt.asIntN(64, value) === value ? int64 : uint64;
  return { node: { kind: "literal", type, value }, isWeak: true, values: [value] };
}

/** Between these is a captured BigInt that int64 and uint64 hold alike. */
export const naturals: readonly bigint[] = [0n, (1n << 63n) - 1n];

/** The values that one of two weak expressions may have. */
export function unionOfValues(a: Typed<ScalarType>, b: Typed<ScalarType>): readonly (number | bigint)[] | undefined {
  if (a.values === undefined || b.values === undefined) return undefined;
  const all = [...a.values];
  for (const value of b.values) if (!all.some((other) => Object.is(other, value))) all.push(value);
  return all.length > mostValues ? undefined : all;
}

/** The type that a value of `type` is computed in: at least int32, and float32 for the 16-bit floats. */
export function computingType(type: ScalarType): ScalarType {
  if (type.kind === "float") return type.size === 2 ? float32 : type;
  return type.size < 4 ? int32 : type;
}

function fitsInteger(value: number | bigint, type: ScalarType): boolean {
  if (typeof value === "number" && (!Number.isInteger(value) || Object.is(value, -0))) return false;
  const whole = BigInt(value);
  const bits = type.size * 8;
  return (type.kind === "int" ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) === whole;
}

function fitsFloat(value: number | bigint, type: ScalarType): boolean {
  const number = Number(value);
  if (typeof value === "bigint" && (!Number.isFinite(number) || BigInt(number) !== value)) return false;
  const stored = Number(convertTo(type)(number));
  // A literal gives up digits beside a float32, but neither its magnitude nor, beside a 16-bit float, anything.
  return type.size === 2 ? Object.is(stored, number) : Number.isFinite(stored) || !Number.isFinite(number);
}

/** Whether a weak expression can take a type without losing what it says. */
export function fits(weak: Typed<ScalarType>, type: ScalarType): boolean {
  if (type.kind === "bool") return false;
  if (weak.values === undefined) return type.kind === "float" && type.size > 2 && !isWeakInteger(weak);
  return weak.values.every((value) => (type.kind === "float" ? fitsFloat(value, type) : fitsInteger(value, type)));
}

/** The expression as a value of a scalar type. Literals, and choices between them, convert here, the rest by a node. */
export function convertNode(node: Expression, type: ScalarType): ScalarExpression {
  if (node.type === type) return node as ScalarExpression;
  if (node.kind === "conditional" && node.consequent.kind === "literal" && node.alternate.kind === "literal") {
    const { consequent, alternate } = node;
    return { ...node, type, consequent: convertNode(consequent, type), alternate: convertNode(alternate, type) };
  }
  if (node.kind === "literal") return { kind: "literal", type, value: convertTo(type)(node.value) };
  return { kind: "convert", type, value: node };
}

function isWeakInteger(typed: Typed<ScalarType>): boolean {
  return typed.isWeak && isBigIntType(typed.node.type);
}

/** The type in which two operands are computed; undefined when both are weak. */
export function commonType(a: Typed<ScalarType>, b: Typed<ScalarType>): ScalarType | undefined {
  if (a.isWeak && b.isWeak) {
    if (isWeakInteger(a) === isWeakInteger(b)) return undefined;
    // A number gives way to a BigInt, on either side.
    return isWeakInteger(a) ? commonType(strong(a.node), b) : commonType(a, strong(b.node));
  }
  if (a.isWeak) return besideWeak(computingType(b.node.type), a);
  if (b.isWeak) return besideWeak(computingType(a.node.type), b);
  return computingType(promote(a.node.type, b.node.type));
}

function besideWeak(type: ScalarType, weak: Typed<ScalarType>): ScalarType {
  if (fits(weak, type)) return type;
  return isWeakInteger(weak) ? computingType(promote(type, weak.node.type)) : float64;
}

/** What a place holds that either number may reach: a conditional, a variable, the function's result. */
export function joinScalars(a: Typed<ScalarType>, b: Typed<ScalarType>): Held<ScalarType> {
  const [x, y] = [a.node.type, b.node.type];
  const plain = (type: ScalarType): Held<ScalarType> => ({ type, isWeak: false, values: undefined });
  if (a.isWeak && b.isWeak) {
    if (x === y) return { type: x, isWeak: true, values: unionOfValues(a, b) };
    if (isWeakInteger(a) === isWeakInteger(b)) return plain(promote(x, y));
    return isWeakInteger(a) ? joinScalars(strong(a.node), b) : joinScalars(a, strong(b.node));
  }
  if (!a.isWeak && !b.isWeak) return plain(promote(x, y));
  const [weak, type] = a.isWeak ? [a, y] : [b, x];
  if (fits(weak, type)) return plain(type);
  return plain(besideWeak(computingType(type), weak));
}

/** A value's literal, where it is one. */
export function literalValue(typed: Typed): ScalarValue | undefined {
  return typed.node.kind === "literal" ? typed.node.value : undefined;
}

/** What a condition tests: false for 0, -0, 0n, NaN and false. */
export function truthiness(typed: Typed<ScalarType>): Expression {
  return convertNode(typed.node, bool);
}
