/** The members of `Math` and `Number` that operators may use, and how each is typed. */

/**
 * - `float`: the operands become one float type, float32 where all are float32 or narrower floats, else float64.
 * - `whole`: as `float`, but integers keep their type.
 * - `common`: the operands become one type of any kind.
 * - `int32`: the operands are cut to int32, which is the result.
 * - `predicate`: a question about a number, answered by a bool.
 */
export type MathRule = "float" | "whole" | "common" | "int32" | "predicate";

export interface MathFunction {
  readonly rule: MathRule;
  readonly least: number;
  readonly most: number;
  /** JavaScript's own function: folds constants, and computes on the host backend. */
  readonly evaluate: (...operands: number[]) => number | boolean;
}

const one = (rule: MathRule, evaluate: MathFunction["evaluate"]): MathFunction => ({
  rule,
  least: 1,
  most: 1,
  evaluate,
});
const two = (rule: MathRule, evaluate: MathFunction["evaluate"]): MathFunction => ({
  rule,
  least: 2,
  most: 2,
  evaluate,
});
const many = (rule: MathRule, evaluate: MathFunction["evaluate"]): MathFunction => ({
  rule,
  least: 1,
  most: 64,
  evaluate,
});

/** By the name in the source. `square` is what `x ** 2` becomes; it has no name in JavaScript. */
export const mathFunctions: ReadonlyMap<string, MathFunction> = new Map(
  Object.entries({
    abs: one("whole", Math.abs),
    floor: one("whole", Math.floor),
    ceil: one("whole", Math.ceil),
    round: one("whole", Math.round),
    trunc: one("whole", Math.trunc),
    sign: one("whole", Math.sign),
    min: many("common", Math.min),
    max: many("common", Math.max),
    sqrt: one("float", Math.sqrt),
    cbrt: one("float", Math.cbrt),
    exp: one("float", Math.exp),
    expm1: one("float", Math.expm1),
    log: one("float", Math.log),
    log2: one("float", Math.log2),
    log10: one("float", Math.log10),
    log1p: one("float", Math.log1p),
    sin: one("float", Math.sin),
    cos: one("float", Math.cos),
    tan: one("float", Math.tan),
    asin: one("float", Math.asin),
    acos: one("float", Math.acos),
    atan: one("float", Math.atan),
    sinh: one("float", Math.sinh),
    cosh: one("float", Math.cosh),
    tanh: one("float", Math.tanh),
    asinh: one("float", Math.asinh),
    acosh: one("float", Math.acosh),
    atanh: one("float", Math.atanh),
    atan2: two("float", Math.atan2),
    pow: two("float", Math.pow),
    square: one("float", (value: number) => value * value),
    hypot: many("float", Math.hypot),
    imul: two("int32", Math.imul),
    clz32: one("int32", Math.clz32),
    isNaN: one("predicate", Number.isNaN),
    isFinite: one("predicate", Number.isFinite),
    isInteger: one("predicate", Number.isInteger),
    isSafeInteger: one("predicate", Number.isSafeInteger),
  } satisfies Record<string, MathFunction>),
);

/** Functions of the table that belong to `Number`. */
export const numberFunctions: ReadonlySet<string> = new Set(["isNaN", "isFinite", "isInteger", "isSafeInteger"]);

/** Numeric constants by the object that they are read from. */
export const constants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Math: {
    E: Math.E,
    LN10: Math.LN10,
    LN2: Math.LN2,
    LOG10E: Math.LOG10E,
    LOG2E: Math.LOG2E,
    PI: Math.PI,
    SQRT1_2: Math.SQRT1_2,
    SQRT2: Math.SQRT2,
  },
  Number: {
    EPSILON: Number.EPSILON,
    MAX_SAFE_INTEGER: Number.MAX_SAFE_INTEGER,
    MAX_VALUE: Number.MAX_VALUE,
    MIN_SAFE_INTEGER: Number.MIN_SAFE_INTEGER,
    MIN_VALUE: Number.MIN_VALUE,
    NEGATIVE_INFINITY: Number.NEGATIVE_INFINITY,
    NaN: Number.NaN,
    POSITIVE_INFINITY: Number.POSITIVE_INFINITY,
  },
};
