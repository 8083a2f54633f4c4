/**
 * A function's meaning before its types are known: names resolved, constructs checked, sugar gone. What check.ts reads
 * once for every combination of types.
 */
import type { ScalarName } from "../types/scalar";
import type { Intrinsic } from "./intrinsics";
import type { Span } from "./source";

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>" | ">>>";
export type ComparisonOperator = "===" | "!==" | "==" | "!=" | "<" | "<=" | ">" | ">=";
/** What a conversion helper converts to; `number`, `boolean` and `bigint` are JavaScript's own. */
export type ConversionTarget = ScalarName | "number" | "boolean" | "bigint";

export type SyntaxExpression = { readonly span: Span } & (
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "bigint"; readonly value: bigint }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "capture"; readonly index: number }
  | { readonly kind: "local"; readonly variable: number }
  | { readonly kind: "unary"; readonly operator: "-" | "+" | "~" | "!"; readonly operand: SyntaxExpression }
  | {
      readonly kind: "binary";
      readonly operator: ArithmeticOperator;
      readonly left: SyntaxExpression;
      readonly right: SyntaxExpression;
    }
  | {
      readonly kind: "compare";
      readonly operator: ComparisonOperator;
      readonly left: SyntaxExpression;
      readonly right: SyntaxExpression;
    }
  | {
      readonly kind: "logical";
      readonly operator: "&&" | "||";
      readonly left: SyntaxExpression;
      readonly right: SyntaxExpression;
    }
  | {
      readonly kind: "conditional";
      readonly test: SyntaxExpression;
      readonly consequent: SyntaxExpression;
      readonly alternate: SyntaxExpression;
    }
  | { readonly kind: "math"; readonly name: string; readonly operands: readonly SyntaxExpression[] }
  | { readonly kind: "conversion"; readonly target: ConversionTarget; readonly operand: SyntaxExpression }
  /** `BigInt.asIntN(bits, operand)`, or `BigInt.asUintN`. */
  | {
      readonly kind: "cut";
      readonly isSigned: boolean;
      readonly bits: SyntaxExpression;
      readonly operand: SyntaxExpression;
    }
  | SyntaxCall
  | SyntaxIndex
  | { readonly kind: "member"; readonly object: SyntaxExpression; readonly name: string }
  | { readonly kind: "object"; readonly properties: readonly SyntaxProperty[] }
  | { readonly kind: "array"; readonly items: readonly SyntaxExpression[] }
);

/** A property of an object literal; without a name, `...value`. */
export interface SyntaxProperty {
  readonly name: string | undefined;
  readonly value: SyntaxExpression;
}

/** `object[index]`, or `object[index] ?? missing`. */
export interface SyntaxIndex {
  readonly kind: "index";
  readonly span: Span;
  readonly object: SyntaxExpression;
  readonly index: SyntaxExpression;
  readonly missing?: SyntaxExpression;
}

/** A call of a captured function, or of an atomic. What is called may be known once the captures are. */
export interface SyntaxCall {
  readonly kind: "call";
  readonly span: Span;
  readonly callee: SyntaxExpression | Intrinsic;
  readonly operands: readonly SyntaxExpression[];
}

export type SyntaxStatement = { readonly span: Span } & (
  | { readonly kind: "declare"; readonly variable: number; readonly value: SyntaxExpression | undefined }
  | { readonly kind: "assign"; readonly variable: number; readonly value: SyntaxExpression }
  | {
      readonly kind: "if";
      readonly test: SyntaxExpression;
      readonly consequent: readonly SyntaxStatement[];
      readonly alternate: readonly SyntaxStatement[];
    }
  | {
      readonly kind: "loop";
      /** Absent for `for (;;)`. */
      readonly test: SyntaxExpression | undefined;
      /** True for `do … while`: the body runs before the first test. */
      readonly testsAfter: boolean;
      /** What `for` does after each turn; assignments alone. */
      readonly update: readonly SyntaxStatement[];
      readonly body: readonly SyntaxStatement[];
    }
  | { readonly kind: "break" }
  | { readonly kind: "continue" }
  | { readonly kind: "return"; readonly value: SyntaxExpression | undefined }
  | {
      readonly kind: "store";
      readonly object: SyntaxExpression;
      readonly index: SyntaxExpression;
      readonly value: SyntaxExpression;
    }
  /** A call for its effects. */
  | { readonly kind: "invoke"; readonly call: SyntaxCall }
);

/** A value from outside of the function: a variable, or a property of one (`settings.scale` is two names). */
export interface CapturedName {
  /** The path as it is written. */
  readonly name: string;
  readonly path: readonly string[];
  readonly span: Span;
}

export interface SyntaxFunction {
  /** Parameters that are elements; the captures object of bind() is not among them. */
  readonly arity: number;
  /** Default values of the parameters that have one. */
  readonly defaults: readonly (SyntaxExpression | undefined)[];
  /** False for a function that is called for its effects alone. */
  readonly hasResult: boolean;
  /** Where the function ends. */
  readonly end: Span;
  readonly captures: readonly CapturedName[];
  /** Names of the local variables, for errors. */
  readonly variables: readonly string[];
  readonly body: readonly SyntaxStatement[];
}

/** How many operands a function needs at least: the last ones may have default values. */
export function leastArity({ arity, defaults }: SyntaxFunction): number {
  let least = arity;
  while (least > 0 && defaults[least - 1] !== undefined) least--;
  return least;
}
