/** The untyped tree and the types of its parameters to the typed program. */
import { promote } from "../types/promote";
import { type ScalarName, type ScalarType, isBigIntType, scalarTypes } from "../types/scalar";
import type { Assign, BinaryOperation, Comparison, Expression, Program, Statement } from "./ir";
import { type MathFunction, mathFunctions } from "./math";
import {
  commonType,
  computingType,
  convertNode,
  join,
  literalValue,
  strong,
  truthiness,
  type Typed,
  weakBigInt,
  weakNumber,
} from "./numeric";
import { compileErrorAt, type Source, type Span } from "./source";
import type {
  ArithmeticOperator,
  ComparisonOperator,
  SyntaxExpression,
  SyntaxFunction,
  SyntaxStatement,
} from "./syntax";

const { bool, int32, uint32, int64, uint64, float64 } = scalarTypes;

/** The type of a captured value: a number is weak, as a literal of unknown value. */
export type CaptureType = "number" | "bigint" | "boolean";

/** How a captured value lies in the operator's state. */
export const captureStorage: Readonly<Record<CaptureType, ScalarType>> = {
  number: float64,
  bigint: int64,
  boolean: bool,
};

/** What a variable, or the result, holds so far. */
type Held = ReturnType<typeof join>;

const operations: Readonly<Record<ArithmeticOperator, BinaryOperation>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
  "**": "power",
  "&": "bitAnd",
  "|": "bitOr",
  "^": "bitXor",
  "<<": "shiftLeft",
  ">>": "shiftRight",
  ">>>": "shiftRight",
};
const comparisons: Readonly<Record<ComparisonOperator, Comparison>> = {
  "===": "equal",
  "==": "equal",
  "!==": "notEqual",
  "!=": "notEqual",
  "<": "less",
  "<=": "lessEqual",
  ">": "greater",
  ">=": "greaterEqual",
};
const conversionTargets = { number: float64, boolean: bool } as const;

class Checker {
  /** What each variable holds, from this pass and the ones before it. */
  private readonly held = new Map<number, Held>();
  private result: Held | undefined;
  private changes = 0;

  constructor(
    private readonly syntax: SyntaxFunction,
    private readonly source: Source,
    private readonly parameters: readonly ScalarType[],
    private readonly captures: readonly CaptureType[],
    private readonly argument: string,
  ) {}

  program(resultType: ScalarType | undefined): Program {
    let body: Statement[];
    // A variable takes the type of all that is assigned to it, which may depend on variables: repeat until it rests.
    do {
      this.changes = 0;
      body = this.statements(this.syntax.body);
    } while (this.changes > 0);
    const type = resultType ?? this.result?.type;
    if (type === undefined) throw new Error("a resolved function returns");
    return {
      parameters: this.parameters,
      captures: this.captures.map((capture) => captureStorage[capture]),
      locals: this.syntax.variables.map((_, variable) => this.held.get(variable)?.type ?? float64),
      resultType: type,
      body: withConversions(body, type, (variable) => this.held.get(variable)?.type ?? float64),
    };
  }

  private statements(statements: readonly SyntaxStatement[]): Statement[] {
    return statements.map((statement): Statement => {
      switch (statement.kind) {
        case "declare":
        case "assign": {
          const { kind, variable: index } = statement;
          if (statement.value === undefined) return { kind: "declare", index, value: undefined };
          const value = this.expression(statement.value);
          this.hold(index, value);
          return { kind, index, value: value.node };
        }
        case "if":
          return {
            kind: "if",
            test: truthiness(this.expression(statement.test)),
            consequent: this.statements(statement.consequent),
            alternate: this.statements(statement.alternate),
          };
        case "loop": {
          const { testsAfter } = statement;
          const test = (): Expression | undefined =>
            statement.test === undefined ? undefined : truthiness(this.expression(statement.test));
          const before = testsAfter ? undefined : test();
          const body = this.statements(statement.body);
          const update = this.statements(statement.update) as Assign[];
          return { kind: "loop", test: testsAfter ? test() : before, testsAfter, update, body };
        }
        case "break":
        case "continue":
          return { kind: statement.kind };
        case "return": {
          const value = this.expression(statement.value);
          this.result = this.result === undefined ? heldOf(value) : join(typedOf(this.result, value.node), value);
          return { kind: "return", value: value.node };
        }
      }
    });
  }

  private hold(variable: number, value: Typed): void {
    const before = this.held.get(variable);
    const after = before === undefined ? heldOf(value) : join(typedOf(before, value.node), value);
    this.held.set(variable, after);
    const rests =
      before?.type === after.type && before.isWeak === after.isWeak && before.values?.length === after.values?.length;
    if (!rests) this.changes++;
  }

  private expression(syntax: SyntaxExpression): Typed {
    switch (syntax.kind) {
      case "number":
        return weakNumber(syntax.value);
      case "bigint": {
        const { value } = syntax;
        if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value) {
          this.fail(syntax.span, "this BigInt needs more than 64 bits", "Integers have at most 64 bits on the GPU.");
        }
        return weakBigInt(value);
      }
      case "boolean":
        return strong({ kind: "literal", type: bool, value: syntax.value });
      case "parameter": {
        const type = this.parameters[syntax.index];
        if (type === undefined) throw new Error("a parameter without a type");
        return strong({ kind: "parameter", type, index: syntax.index });
      }
      case "capture": {
        const capture = this.captures[syntax.index];
        if (capture === undefined) throw new Error("a capture without a type");
        const node: Expression = { kind: "capture", type: captureStorage[capture], index: syntax.index };
        return { node, isWeak: capture === "number", values: undefined };
      }
      case "local": {
        const { variable } = syntax;
        const held = this.held.get(variable);
        if (held === undefined) throw new Error("a variable that is read before it is assigned");
        // A local that only ever holds one literal is that literal, as it is once a tool has put it in its place.
        const [value] = held.values?.length === 1 ? held.values : [];
        if (value !== undefined) return typeof value === "bigint" ? weakBigInt(value) : weakNumber(value);
        return typedOf(held, { kind: "local", type: held.type, index: variable });
      }
      case "unary":
        return this.unary(syntax);
      case "binary":
        return this.binary(syntax);
      case "compare":
        return this.compare(syntax);
      case "logical":
        return this.logical(syntax);
      case "conditional": {
        const test = this.expression(syntax.test);
        const consequent = this.expression(syntax.consequent);
        const alternate = this.expression(syntax.alternate);
        const held = join(consequent, alternate);
        return typedOf(held, {
          kind: "conditional",
          type: held.type,
          test: truthiness(test),
          consequent: convertNode(consequent.node, held.type),
          alternate: convertNode(alternate.node, held.type),
        });
      }
      case "math":
        return this.math(syntax);
      case "conversion": {
        const operand = this.expression(syntax.operand);
        return strong(convertNode(operand.node, this.conversionTarget(syntax.target, operand)));
      }
    }
  }

  private conversionTarget(target: ScalarName | "number" | "boolean" | "bigint", operand: Typed): ScalarType {
    if (target === "bigint") return operand.node.type === uint64 ? uint64 : int64;
    return target === "number" || target === "boolean" ? conversionTargets[target] : scalarTypes[target];
  }

  private unary(syntax: SyntaxExpression & { kind: "unary" }): Typed {
    const operand = this.expression(syntax.operand);
    const value = operand.isWeak ? literalValue(operand) : undefined;
    switch (syntax.operator) {
      case "!":
        return strong({ kind: "not", type: bool, operand: truthiness(operand) });
      case "+":
        if (isBigIntType(operand.node.type)) {
          this.fail(syntax.span, "unary + has no meaning on a 64-bit integer", "Write Number(x), or leave it out.");
        }
        return operand.isWeak ? operand : strong(convertNode(operand.node, computingType(operand.node.type)));
      case "-": {
        if (typeof value === "number") return weakNumber(-value);
        if (typeof value === "bigint") return weakBigInt(-value);
        const type = computingType(operand.node.type);
        const node: Expression = {
          kind: "unary",
          type,
          operation: "negate",
          operand: convertNode(operand.node, type),
        };
        const negated = operand.values?.map((each) => -each);
        return { node, isWeak: operand.isWeak, values: negated };
      }
      case "~": {
        if (typeof value === "number") return weakNumber(~value);
        if (typeof value === "bigint") return weakBigInt(~value);
        const type = isBigIntType(operand.node.type) ? operand.node.type : int32;
        return strong({ kind: "unary", type, operation: "bitNot", operand: convertNode(operand.node, type) });
      }
    }
  }

  private binary(syntax: SyntaxExpression & { kind: "binary" }): Typed {
    const { operator, span } = syntax;
    const left = this.expression(syntax.left);
    const right = this.expression(syntax.right);
    const whole = operator === "|" && literalValue(right) === 0 ? this.wholeQuotient(syntax.left) : undefined;
    if (whole !== undefined) return strong(convertNode(whole, int32));
    const folded = this.foldBinary(operator, left, right);
    if (folded !== undefined) return folded;
    switch (operator) {
      case "&":
      case "|":
      case "^":
        return this.bitwise(operator, left, right, span);
      case "<<":
      case ">>":
      case ">>>":
        return this.shift(operator, left, right, span);
      case "**":
        return this.power(left, right);
      default:
        break;
    }
    const common = commonType(left, right);
    // Both weak: the result is as weak as they are.
    const weakType = left.node.type === right.node.type ? left.node.type : float64;
    const isWide = isBigIntType(left.node.type) || isBigIntType(right.node.type);
    const isReal = operator === "/" && !isWide && common?.kind !== "float";
    const type = isReal && common !== undefined ? float64 : (common ?? weakType);
    const node = this.operation(operations[operator], type, left, right);
    return { node, isWeak: common === undefined, values: undefined };
  }

  private operation(operation: BinaryOperation, type: ScalarType, left: Typed, right: Typed): Expression {
    return {
      kind: "binary",
      type,
      operation,
      left: convertNode(left.node, type),
      right: convertNode(right.node, type),
    };
  }

  /** Two literals are one, so that `2 * Math.PI * x` stays in the type of x. */
  private foldBinary(operator: ArithmeticOperator, left: Typed, right: Typed): Typed | undefined {
    if (!left.isWeak || !right.isWeak) return undefined;
    const a = literalValue(left);
    const b = literalValue(right);
    if (typeof a === "number" && typeof b === "number") return weakNumber(foldNumbers(operator, a, b));
    if (typeof a !== "bigint" || typeof b !== "bigint") return undefined;
    const value = foldBigInts(operator, a, b);
    return value === undefined || BigInt.asIntN(64, value) !== value ? undefined : weakBigInt(value);
  }

  private power(left: Typed, right: Typed): Typed {
    const common = commonType(left, right);
    if (common !== undefined && isBigIntType(common)) return strong(this.operation("power", common, left, right));
    return this.mathCall("pow", [left, right]);
  }

  /** `&`, `|` and `^`: on 32 bits as in JavaScript, or on two 64-bit integers of one type. */
  private bitwise(operator: "&" | "|" | "^", left: Typed, right: Typed, span: Span): Typed {
    const wide = isBigIntType(left.node.type) || isBigIntType(right.node.type);
    if (!wide) return strong(this.operation(operations[operator], int32, left, right));
    const type = commonType(left, right) ?? left.node.type;
    if (!isBigIntType(type)) {
      this.fail(
        span,
        `\`${operator}\` of ${nameOf(left)} and ${nameOf(right)}: there is no integer type for both`,
        "Convert one, as in int64(x) or uint64(x).",
      );
    }
    return strong(this.operation(operations[operator], type, left, right));
  }

  private shift(operator: "<<" | ">>" | ">>>", left: Typed, right: Typed, span: Span): Typed {
    const { type } = left.node;
    const operation = operations[operator];
    if (!isBigIntType(type)) {
      if (isBigIntType(right.node.type) && !(right.isWeak && literalValue(right) !== undefined)) {
        this.fail(span, `\`${operator}\` of ${nameOf(left)} by a 64-bit integer`, "Convert one: int64(x) or int32(n).");
      }
      const as = operator === ">>>" ? uint32 : int32;
      return strong({
        kind: "binary",
        type: as,
        operation,
        left: convertNode(left.node, as),
        right: convertNode(right.node, int32),
      });
    }
    if (operator === ">>>") {
      this.fail(span, "`>>>` has no meaning on a 64-bit integer", "Write uint64(x) >> n.");
    }
    if (right.node.type.kind === "float" && !(right.isWeak && Number.isInteger(literalValue(right)))) {
      this.fail(span, "a 64-bit integer shifts by an integer only", "Write int32(n) for the count.");
    }
    // A count beyond int64 shifts everything out, as the largest int64 does.
    const count = right.node.type === uint64 ? saturated(right.node) : convertNode(right.node, int64);
    return strong({ kind: "binary", type, operation, left: left.node, right: count });
  }

  private compare(syntax: SyntaxExpression & { kind: "compare" }): Typed {
    const left = this.expression(syntax.left);
    const right = this.expression(syntax.right);
    const [a, b] = [left.node.type, right.node.type];
    const strict = syntax.operator === "===" || syntax.operator === "!==";
    if (strict && (a === bool) !== (b === bool)) {
      this.fail(
        syntax.span,
        `\`${syntax.operator}\` of ${nameOf(left)} and ${nameOf(right)} never depends on their values`,
        "Write `==` or `!=`, or convert one with Boolean(x) or Number(x).",
      );
    }
    const operation = comparisons[syntax.operator];
    const isEquality = operation === "equal" || operation === "notEqual";
    const node = (x: Expression, y: Expression): Typed =>
      strong({ kind: "compare", type: bool, operation, left: x, right: y });
    if (a === bool && b === bool && isEquality) return node(left.node, right.node);
    const common = commonType(left, right) ?? (a === b ? a : float64);
    const isWide = isBigIntType(a) || isBigIntType(b);
    if (!isWide || common.kind !== "float")
      return node(convertNode(left.node, common), convertNode(right.node, common));
    // No type holds both exactly: each side keeps a 64-bit integer or becomes float64, and they are compared as they are.
    const side = (typed: Typed): Expression => {
      const { type } = typed.node;
      return convertNode(typed.node, type.kind === "float" ? float64 : type === uint64 ? uint64 : int64);
    };
    return node(side(left), side(right));
  }

  private logical(syntax: SyntaxExpression & { kind: "logical" }): Typed {
    const left = this.expression(syntax.left);
    const right = this.expression(syntax.right);
    const held = join(left, right);
    return typedOf(held, {
      kind: "logical",
      type: held.type,
      operation: syntax.operator === "&&" ? "and" : "or",
      left: convertNode(left.node, held.type),
      right: convertNode(right.node, held.type),
    });
  }

  private math(syntax: SyntaxExpression & { kind: "math" }): Typed {
    const [first] = syntax.operands;
    const whole = syntax.name === "trunc" && first !== undefined ? this.wholeQuotient(first) : undefined;
    if (whole !== undefined) return strong(whole);
    const operands = syntax.operands.map((operand) => this.expression(operand));
    const rule = mathFunctions.get(syntax.name)?.rule;
    if (rule === "predicate" && operands[0] !== undefined && isBigIntType(operands[0].node.type)) {
      this.fail(syntax.span, `Number.${syntax.name} has no meaning on a 64-bit integer`, "It is always an integer.");
    }
    return this.mathCall(syntax.name, operands);
  }

  /** The integer division that `Math.trunc(a / b)` and `(a / b) | 0` of integers are. */
  private wholeQuotient(syntax: SyntaxExpression): Expression | undefined {
    if (syntax.kind !== "binary" || syntax.operator !== "/") return undefined;
    const left = this.expression(syntax.left);
    const right = this.expression(syntax.right);
    const type = commonType(left, right);
    return type === undefined || type.kind === "float" ? undefined : this.operation("divide", type, left, right);
  }

  private mathCall(name: string, operands: readonly Typed[]): Typed {
    const entry = mathFunctions.get(name);
    if (entry === undefined) throw new Error(`no function ${name}`);
    const folded = foldMath(entry, operands);
    if (folded !== undefined) return folded;
    const [first, second] = operands;
    if (first === undefined) throw new Error(`${name} without operands`);
    if (name === "pow" && second !== undefined && second.isWeak && literalValue(second) === 2) {
      return this.mathCall("square", [first]);
    }
    const call = (type: ScalarType, as: ScalarType): Expression => ({
      kind: "math",
      type,
      name,
      operands: operands.map((operand) => convertNode(operand.node, as)),
    });
    const allWeak = operands.every((operand) => operand.isWeak);
    switch (entry.rule) {
      case "int32":
        return strong(call(int32, int32));
      case "predicate": {
        const as = computingType(first.node.type);
        if (as.kind === "float") return strong(call(bool, as));
        return strong({ kind: "literal", type: bool, value: name !== "isNaN" });
      }
      case "whole": {
        const as = computingType(first.node.type);
        if (as.kind !== "float" && name !== "abs" && name !== "sign") return strong(convertNode(first.node, as));
        return { node: call(as, as), isWeak: first.isWeak, values: undefined };
      }
      case "common":
      case "float": {
        const type = this.operandType(operands, entry.rule === "float");
        if (operands.length === 1 && entry.rule === "common") {
          return { node: convertNode(first.node, type), isWeak: allWeak, values: first.values };
        }
        return { node: call(type, type), isWeak: allWeak, values: undefined };
      }
    }
  }

  /** One type for all operands; weak ones give way to the rest together. */
  private operandType(operands: readonly Typed[], mustBeFloat: boolean): ScalarType {
    const [first, ...more] = operands.filter((operand) => !operand.isWeak);
    const weak = operands.filter((operand) => operand.isWeak);
    let type: ScalarType;
    if (first === undefined) {
      type = weak.every((operand) => isBigIntType(operand.node.type)) ? int64 : float64;
    } else {
      type = computingType(more.reduce((held, operand) => promote(held, operand.node.type), first.node.type));
      for (const operand of weak) type = commonType(strong({ ...first.node, type }), operand) ?? type;
    }
    return mustBeFloat && type.kind !== "float" ? float64 : type;
  }

  private fail(span: Span, problem: string, hint: string): never {
    throw compileErrorAt(this.source, span, this.argument, problem, hint);
  }
}

function heldOf(typed: Typed): Held {
  return { type: typed.node.type, isWeak: typed.isWeak, values: typed.values };
}

function typedOf(held: Held, node: Expression): Typed {
  const expression = node.type === held.type ? node : convertNode(node, held.type);
  return { node: expression, isWeak: held.isWeak, values: held.values };
}

function saturated(count: Expression): Expression {
  const most = (1n << 63n) - 1n;
  return {
    kind: "convert",
    type: int64,
    value: {
      kind: "math",
      type: uint64,
      name: "min",
      operands: [count, { kind: "literal", type: uint64, value: most }],
    },
  };
}

/** Converts what is stored to the types that the variables and the result turned out to have. */
function withConversions(
  body: readonly Statement[],
  resultType: ScalarType,
  typeOfVariable: (variable: number) => ScalarType,
): Statement[] {
  const assignment = (statement: Assign): Assign => ({
    ...statement,
    value: convertNode(statement.value, typeOfVariable(statement.index)),
  });
  return body.map((statement): Statement => {
    switch (statement.kind) {
      case "declare":
        if (statement.value === undefined) return statement;
        return { ...statement, value: convertNode(statement.value, typeOfVariable(statement.index)) };
      case "assign":
        return assignment(statement);
      case "loop":
        return {
          ...statement,
          update: statement.update.map(assignment),
          body: withConversions(statement.body, resultType, typeOfVariable),
        };
      case "break":
      case "continue":
        return statement;
      case "if":
        return {
          ...statement,
          consequent: withConversions(statement.consequent, resultType, typeOfVariable),
          alternate: withConversions(statement.alternate, resultType, typeOfVariable),
        };
      case "return":
        return { ...statement, value: convertNode(statement.value, resultType) };
    }
  });
}

function foldNumbers(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "**":
      return a ** b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return a << b;
    case ">>":
      return a >> b;
    case ">>>":
      return a >>> b;
  }
}

/** Undefined where the result may be large, or where JavaScript throws: then it is computed in 64 bits. */
function foldBigInts(operator: ArithmeticOperator, a: bigint, b: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    default:
      return undefined;
  }
}

function foldMath(entry: MathFunction, operands: readonly Typed[]): Typed | undefined {
  const values = operands.map((operand) => (operand.isWeak ? literalValue(operand) : undefined));
  if (!values.every((value) => typeof value === "number")) return undefined;
  const value = entry.evaluate(...values);
  return typeof value === "number" ? weakNumber(value) : strong({ kind: "literal", type: bool, value });
}

function nameOf(typed: Typed): string {
  if (!typed.isWeak) return typed.node.type.name;
  return typed.node.type.kind === "float" ? "a number" : "a BigInt";
}

/**
 * Types a function.
 *
 * @param resultType what to convert the result to; undefined for the type that it has by itself.
 * @throws CompileError where the function has no meaning for these types.
 */
export function checkFunction(
  syntax: SyntaxFunction,
  source: Source,
  parameters: readonly ScalarType[],
  captures: readonly CaptureType[],
  resultType: ScalarType | undefined,
  argument: string,
): Program {
  return new Checker(syntax, source, parameters, captures, argument).program(resultType);
}
