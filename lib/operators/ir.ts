/**
 * The typed program that a function becomes: the one meaning that both emitters and the fingerprint read.
 *
 * Every operand already has the type that its operation computes in; all conversions are explicit. Expressions have no
 * effects, so an emitter may evaluate one as often as it likes. Nothing here knows the source: no names, no positions.
 */
import type { AggregateType, ElementType } from "../types/element";
import type { ScalarType, ScalarValue } from "../types/scalar";
import type { StateCapture } from "./capture-types";

/** Operations of one operand, in the type of the node. */
export type UnaryOperation = "negate" | "bitNot";

/** Operations of two operands. Of shifts, the right one is an int32 or, for 64-bit values, an int64. */
export type BinaryOperation =
  | "add"
  | "subtract"
  | "multiply"
  /** Integers truncate; by zero it is 0. */
  | "divide"
  /** The sign of the left operand; for integers, by zero it is 0. */
  | "remainder"
  | "power"
  | "bitAnd"
  | "bitOr"
  | "bitXor"
  | "shiftLeft"
  | "shiftRight";

export type Comparison = "equal" | "notEqual" | "less" | "lessEqual" | "greater" | "greaterEqual";

export interface Literal {
  readonly kind: "literal";
  readonly type: ScalarType;
  readonly value: ScalarValue;
}
export interface Parameter {
  readonly kind: "parameter";
  readonly type: ElementType;
  readonly index: number;
}
export interface Capture {
  readonly kind: "capture";
  readonly type: ScalarType;
  readonly index: number;
}
export interface Local {
  readonly kind: "local";
  readonly type: ElementType;
  readonly index: number;
}
/** A store into the type: truncates, wraps, rounds; of structs and arrays, each part. */
export interface Convert {
  readonly kind: "convert";
  readonly type: ElementType;
  readonly value: Expression;
}
export interface Unary {
  readonly kind: "unary";
  readonly type: ScalarType;
  readonly operation: UnaryOperation;
  readonly operand: Expression;
}
export interface Binary {
  readonly kind: "binary";
  readonly type: ScalarType;
  readonly operation: BinaryOperation;
  readonly left: Expression;
  readonly right: Expression;
}
/** The operands are of one type, or one is a 64-bit integer and the other a 64-bit integer or float64: then exact. */
export interface Compare {
  readonly kind: "compare";
  readonly type: ScalarType;
  readonly operation: Comparison;
  readonly left: Expression;
  readonly right: Expression;
}
/** `!`, on a bool. */
export interface Not {
  readonly kind: "not";
  readonly type: ScalarType;
  readonly operand: Expression;
}
/** `&&` and `||` as values: the right operand is evaluated only where JavaScript would. */
export interface Logical {
  readonly kind: "logical";
  readonly type: ScalarType;
  readonly operation: "and" | "or";
  readonly left: Expression;
  readonly right: Expression;
}
export interface Conditional {
  readonly kind: "conditional";
  readonly type: ElementType;
  readonly test: Expression;
  readonly consequent: Expression;
  readonly alternate: Expression;
}
/** A function of the table in math.ts. */
export interface MathCall {
  readonly kind: "math";
  readonly type: ScalarType;
  readonly name: string;
  readonly operands: readonly Expression[];
}
/** An element of a captured array, whose place among the captures is `array`. Outside of it: `missing`, or NaN, 0 or false. */
export interface Element {
  readonly kind: "element";
  readonly type: ElementType;
  readonly array: number;
  /** An int32, uint32, int64, uint64, or a float64 (which is outside where it is not whole). */
  readonly index: Expression;
  readonly missing: Expression | undefined;
}
/** How many elements a captured array has. */
export interface Length {
  readonly kind: "length";
  readonly type: ScalarType;
  readonly array: number;
}
/** A call of one of the program's functions that has no effects. */
export interface Call {
  readonly kind: "call";
  readonly type: ElementType;
  readonly function: number;
  readonly operands: readonly Expression[];
}

/** A struct of its fields, or an array of its items, in the type's order. */
export interface Construct {
  readonly kind: "construct";
  readonly type: AggregateType;
  readonly parts: readonly Expression[];
}
/** A field of a struct, by its place. */
export interface Field {
  readonly kind: "field";
  readonly type: ElementType;
  readonly value: Expression;
  readonly index: number;
}
/** An item of a fixed-size array. Outside of it: `missing`, or NaN, 0 or false in every part. */
export interface Item {
  readonly kind: "item";
  readonly type: ElementType;
  readonly value: Expression;
  /** As an element's. */
  readonly index: Expression;
  readonly missing: Expression | undefined;
}

export type Expression =
  | Literal
  | Parameter
  | Capture
  | Local
  | Convert
  | Unary
  | Binary
  | Compare
  | Not
  | Logical
  | Conditional
  | MathCall
  | Element
  | Length
  | Call
  | Construct
  | Field
  | Item;

/** An expression that is a number, a BigInt or a boolean. */
export type ScalarExpression = Expression & { readonly type: ScalarType };

export interface Declare {
  readonly kind: "declare";
  readonly index: number;
  readonly value: Expression | undefined;
}
export interface Assign {
  readonly kind: "assign";
  readonly index: number;
  readonly value: Expression;
}
export interface If {
  readonly kind: "if";
  readonly test: Expression;
  readonly consequent: readonly Statement[];
  readonly alternate: readonly Statement[];
}
/** Tests before each turn, or after it. `update` runs after each turn, also one that `continue` cut short. */
export interface Loop {
  readonly kind: "loop";
  readonly test: Expression | undefined;
  readonly testsAfter: boolean;
  readonly update: readonly Assign[];
  readonly body: readonly Statement[];
}
/** Leaves the innermost loop, or its turn. */
export interface Jump {
  readonly kind: "break" | "continue";
}
export interface Return {
  readonly kind: "return";
  /** Absent in a function without a result. */
  readonly value: Expression | undefined;
}
/** Stores an element of a captured array; outside of it nothing happens. */
export interface Store {
  readonly kind: "store";
  readonly array: number;
  readonly index: Expression;
  readonly value: Expression;
}

export type AtomicOperation = "add" | "sub" | "min" | "max" | "and" | "or" | "xor" | "exchange" | "compareExchange";

/** Changes an element of a captured array in one step. `result` is the local that takes what it held before. */
export interface Atomic {
  readonly kind: "atomic";
  readonly operation: AtomicOperation;
  readonly type: ScalarType;
  readonly array: number;
  readonly index: Expression;
  /** The new value, or for compareExchange the expected and the new one. */
  readonly operands: readonly Expression[];
  readonly result: number | undefined;
}
/** A call of a function that writes. */
export interface Invoke {
  readonly kind: "invoke";
  readonly function: number;
  readonly operands: readonly Expression[];
  readonly result: number | undefined;
}

export type Statement = Declare | Assign | If | Loop | Jump | Return | Store | Atomic | Invoke;

export interface FunctionBody {
  readonly parameters: readonly ElementType[];
  /** Types of the local variables, in the order of their declarations. */
  readonly locals: readonly ElementType[];
  /** Undefined for a function without a result. */
  readonly resultType: ElementType | undefined;
  /** Where there is a result, it ends in a return on every path; each returned value has `resultType`. */
  readonly body: readonly Statement[];
}

/** An operator: with a result, or called for its effects. */
export interface Program<Result extends ElementType | undefined = ElementType> extends FunctionBody {
  readonly resultType: Result;
  /** The captured values as they lie in the operator's state. */
  readonly captures: readonly StateCapture[];
  /** Places of the captured arrays that are written. */
  readonly written: readonly number[];
  /** The captured functions, each before those that call it. */
  readonly functions: readonly FunctionBody[];
}

/** An operator of either kind. */
export type AnyProgram = Program<ElementType | undefined>;
