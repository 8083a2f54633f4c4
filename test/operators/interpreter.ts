/**
 * What a typed program computes, by walking it: an evaluation of its own beside the emitters. Integers are BigInts that
 * are cut to their bits, floats are exact until they are rounded once; nothing here is shared with the code under test.
 */
import type { Atomic, Expression, FunctionBody, Program, Statement } from "../../lib/operators/ir";
import type { ElementType } from "../../lib/types/element";
import { scalarTypes } from "../../lib/types/scalar";

/** Integers of any width are BigInts here; floats numbers; aggregates lists of their parts. */
export type Value = bigint | number | boolean | readonly Value[];

/** A captured value, or the elements of a captured array. */
export type Captured = Value | Value[];

const isInteger = (type: ElementType): boolean => type.kind === "int" || type.kind === "uint";

function cut(type: ElementType, value: bigint): bigint {
  return type.kind === "int" ? BigInt.asIntN(type.size * 8, value) : BigInt.asUintN(type.size * 8, value);
}

/** Nearest, ties to even, with `bits` of mantissa and exponents down to `least`. */
function roundTo(bits: number, least: number, largest: number, value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), least);
  // log2 may be off by one beside a power of two.
  const unit = [exponent - 1, exponent, exponent + 1].find((e) => Math.abs(value) < 2 ** (e + 1)) ?? exponent;
  const step = 2 ** (Math.max(unit, least) - bits + 1);
  const steps = value / step;
  const floor = Math.floor(steps);
  const rest = steps - floor;
  const whole = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  const rounded = whole * step;
  if (Math.abs(rounded) > largest) return rounded > 0 ? Infinity : -Infinity;
  return rounded === 0 && value < 0 ? -0 : rounded;
}

function round(type: ElementType, value: number): number {
  if (type.name === "float16") return roundTo(11, -14, 65504, value);
  if (type.name === "bfloat16") return roundTo(8, -126, 3.3895313892515355e38, value);
  return type.name === "float32" ? roundTo(24, -126, 3.4028234663852886e38, value) : value;
}

function truth(value: Value): boolean {
  return typeof value === "bigint" ? value !== 0n : Boolean(value);
}

function store(from: ElementType, to: ElementType, value: Value): Value {
  if (from === to) return value;
  if (to.kind === "struct" && from.kind === "struct") {
    return to.fields.map(({ name, type }, index) => {
      const place = to.isTuple ? index : from.fields.findIndex((field) => field.name === name);
      return store((from.fields[place] as { type: ElementType }).type, type, (value as Value[])[place] as Value);
    });
  }
  if (to.kind === "array" && from.kind === "array") {
    return (value as Value[]).map((item) => store(from.element, to.element, item));
  }
  if (to.kind === "bool") return truth(value);
  if (isInteger(to)) {
    if (typeof value === "bigint") return cut(to, value);
    if (typeof value === "boolean") return value ? 1n : 0n;
    return Number.isFinite(value) ? cut(to, BigInt(Math.trunc(value as number))) : 0n;
  }
  // A 64-bit integer becomes a float64 first.
  return round(to, Number(value));
}

function missing(type: ElementType): Value {
  if (type.kind === "struct") return type.fields.map((field) => missing(field.type));
  if (type.kind === "array") return Array.from({ length: type.length }, () => missing(type.element));
  return type.kind === "bool" ? false : isInteger(type) ? 0n : NaN;
}

function integerOperation(type: ElementType, operation: string, a: bigint, b: bigint): bigint {
  const bits = BigInt(type.size * 8);
  switch (operation) {
    case "add":
      return cut(type, a + b);
    case "subtract":
      return cut(type, a - b);
    case "multiply":
      return cut(type, a * b);
    case "divide":
      return b === 0n ? 0n : cut(type, a / b);
    case "remainder":
      return b === 0n ? 0n : cut(type, a % b);
    case "bitAnd":
      return cut(type, a & b);
    case "bitOr":
      return cut(type, a | b);
    case "bitXor":
      return cut(type, a ^ b);
    case "power": {
      if (b < 0n) return a === 1n ? 1n : a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n;
      let result = 1n;
      let base = a;
      for (let n = b; n > 0n; n /= 2n) {
        if (n % 2n === 1n) result = cut(type, result * base);
        base = cut(type, base * base);
      }
      return cut(type, result);
    }
    case "shiftLeft":
    case "shiftRight": {
      const wanted = operation === "shiftLeft" ? b : -b;
      const count = bits === 32n ? (operation === "shiftLeft" ? b & 31n : -(b & 31n)) : wanted;
      const held = count > 64n ? 64n : count < -64n ? -64n : count;
      return cut(type, held >= 0n ? a << held : a >> -held);
    }
    default:
      throw new Error(operation);
  }
}

function floatOperation(type: ElementType, operation: string, a: number, b: number): number {
  switch (operation) {
    case "add":
      return round(type, a + b);
    case "subtract":
      return round(type, a - b);
    case "multiply":
      return round(type, a * b);
    case "divide":
      return round(type, a / b);
    case "remainder":
      return round(type, a % b);
    default:
      throw new Error(operation);
  }
}

function compare(operation: string, a: Value, b: Value): boolean {
  // JavaScript compares BigInts with numbers exactly.
  const [x, y] = [a as number, b as number];
  switch (operation) {
    case "equal":
      return x <= y && x >= y;
    case "notEqual":
      return !(x <= y && x >= y);
    case "less":
      return x < y;
    case "lessEqual":
      return x <= y;
    case "greater":
      return x > y;
    default:
      return x >= y;
  }
}

function math(type: ElementType, name: string, operands: readonly Value[]): Value {
  if (name === "whole_from" || name === "whole_to") {
    const [bound, nan] = operands as [number, bigint];
    if (Number.isNaN(bound)) return nan;
    const whole = name === "whole_from" ? Math.ceil(bound) : Math.floor(bound);
    return whole >= 2 ** 63 ? (1n << 63n) - 1n : whole < -(2 ** 63) ? -(1n << 63n) : BigInt(whole);
  }
  if (operands.every((value) => typeof value === "bigint")) return integerMath(type, name, operands);
  const numbers = operands.map(Number);
  if (name === "square") return round(type, (numbers[0] as number) ** 2);
  if (type.kind === "bool") return (Number as unknown as Record<string, (x: number) => boolean>)[name]?.(numbers[0] as number) as boolean; // prettier-ignore
  return round(type, (Math as unknown as Record<string, (...x: number[]) => number>)[name]?.(...numbers) as number);
}

function integerMath(type: ElementType, name: string, operands: readonly bigint[]): Value {
  const [a = 0n, b = 0n] = operands;
  const sorted = [...operands].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
  switch (name) {
    case "abs":
      return cut(type, a < 0n ? -a : a);
    case "sign":
      return a > 0n ? 1n : a < 0n ? -1n : 0n;
    case "min":
      return sorted[0] as bigint;
    case "max":
      return sorted[sorted.length - 1] as bigint;
    case "imul":
      return cut(type, a * b);
    case "clz32":
      return BigInt(32 - (a === 0n ? 0 : BigInt.asUintN(32, a).toString(2).length));
    default:
      throw new Error(name);
  }
}

class Machine {
  constructor(
    private readonly program: Program,
    private readonly captured: readonly Captured[],
  ) {}

  call(body: FunctionBody, parameters: readonly Value[]): Value | undefined {
    const frame = new Frame(this, body, parameters);
    const end = frame.run(body.body);
    return typeof end === "object" ? end.value : undefined;
  }

  invoke(index: number, parameters: readonly Value[]): Value | undefined {
    return this.call(this.program.functions[index] as FunctionBody, parameters);
  }

  resultType(index: number): ElementType {
    return this.program.functions[index]?.resultType as ElementType;
  }

  capture(index: number): Captured {
    return this.captured[index] as Captured;
  }
}

/** How statements ended: at their end, by a jump, or with the function's result. */
type End = undefined | "break" | "continue" | { readonly value: Value | undefined };

class Frame {
  private readonly locals = new Map<number, Value>();

  constructor(
    private readonly machine: Machine,
    private readonly body: FunctionBody,
    private readonly parameters: readonly Value[],
  ) {}

  run(statements: readonly Statement[]): End {
    for (const statement of statements) {
      const end = this.statement(statement);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  private statement(statement: Statement): End {
    switch (statement.kind) {
      case "declare":
      case "assign":
        if (statement.value === undefined) this.locals.delete(statement.index);
        else this.locals.set(statement.index, this.value(statement.value));
        return undefined;
      case "if":
        return this.run(this.value(statement.test) === true ? statement.consequent : statement.alternate);
      case "loop":
        for (let turn = 0; ; turn++) {
          const tests = statement.test !== undefined && (!statement.testsAfter || turn > 0);
          if (tests && this.value(statement.test) !== true) return undefined;
          const end = this.run(statement.body);
          if (end === "break") return undefined;
          if (typeof end === "object") return end;
          this.run(statement.update);
        }
      case "break":
      case "continue":
        return statement.kind;
      case "return":
        return { value: statement.value && this.value(statement.value) };
      case "store": {
        const place = this.place(statement.array, statement.index);
        const value = this.value(statement.value);
        if (place !== undefined) (this.machine.capture(statement.array) as Value[])[place] = value;
        return undefined;
      }
      case "atomic":
        this.keep(statement.result, statement.type, this.atomic(statement));
        return undefined;
      case "invoke": {
        const operands = statement.operands.map((operand) => this.value(operand));
        const answer = this.machine.invoke(statement.function, operands);
        if (answer !== undefined) this.keep(statement.result, this.machine.resultType(statement.function), answer);
        return undefined;
      }
    }
  }

  private keep(local: number | undefined, type: ElementType, value: Value): void {
    if (local !== undefined) this.locals.set(local, store(type, this.body.locals[local] as ElementType, value));
  }

  private atomic({ operation, type, array, index, operands }: Atomic): Value {
    const place = this.place(array, index);
    const [first, second] = operands.map((operand) => this.value(operand)) as [Value, Value];
    if (place === undefined) return missing(type);
    const elements = this.machine.capture(array) as Value[];
    const old = elements[place] as Value;
    const names: Record<string, string> = { sub: "subtract", and: "bitAnd", or: "bitOr", xor: "bitXor" };
    if (operation === "exchange") elements[place] = first;
    else if (operation === "compareExchange") elements[place] = Object.is(old, first) ? second : old;
    else if (operation === "min" || operation === "max") elements[place] = math(type, operation, [old, first]);
    else elements[place] = arithmetic(type, names[operation] ?? operation, old, first);
    return old;
  }

  private place(array: number, index: Expression): number | undefined {
    const place = Number(this.value(index));
    const { length } = this.machine.capture(array) as Value[];
    return Number.isInteger(place) && place >= 0 && place < length ? place : undefined;
  }

  private value(node: Expression): Value {
    switch (node.kind) {
      case "literal":
        return isInteger(node.type) ? BigInt(node.value) : node.value;
      case "parameter":
        return this.parameters[node.index] as Value;
      case "capture":
        return this.machine.capture(node.index);
      case "local":
        return this.locals.get(node.index) as Value;
      case "convert":
        return store(node.value.type, node.type, this.value(node.value));
      case "unary": {
        const operand = this.value(node.operand);
        if (typeof operand === "number") return -operand;
        return cut(node.type, node.operation === "negate" ? -(operand as bigint) : ~(operand as bigint));
      }
      case "binary":
        return arithmetic(node.type, node.operation, this.value(node.left), this.value(node.right));
      case "compare":
        return compare(node.operation, this.value(node.left), this.value(node.right));
      case "not":
        return this.value(node.operand) !== true;
      case "logical": {
        const left = this.value(node.left);
        return truth(left) === (node.operation === "and") ? this.value(node.right) : left;
      }
      case "conditional":
        return this.value(this.value(node.test) === true ? node.consequent : node.alternate);
      case "math":
        return math(
          node.type,
          node.name,
          node.operands.map((operand) => this.value(operand)),
        );
      case "element": {
        const place = this.place(node.array, node.index);
        if (place === undefined && node.missing !== undefined) return this.value(node.missing);
        return place === undefined
          ? missing(node.type)
          : ((this.machine.capture(node.array) as Value[])[place] as Value);
      }
      case "length":
        return store(scalarTypes.float64, node.type, (this.machine.capture(node.array) as Value[]).length);
      case "call":
        return this.machine.invoke(
          node.function,
          node.operands.map((operand) => this.value(operand)),
        ) as Value;
      case "construct":
        return node.parts.map((part) => this.value(part));
      case "field":
        return (this.value(node.value) as Value[])[node.index] as Value;
      case "item": {
        const items = this.value(node.value) as Value[];
        return items[Number(this.value(node.index))] ?? (node.missing ? this.value(node.missing) : missing(node.type));
      }
    }
  }
}

function arithmetic(type: ElementType, operation: string, a: Value, b: Value): Value {
  return isInteger(type)
    ? integerOperation(type, operation, a as bigint, b as bigint)
    : floatOperation(type, operation, a as number, b as number);
}

/** The program's answer. Captured arrays are changed where it writes. */
export function interpret(program: Program, captured: readonly Captured[], parameters: readonly Value[]): Value {
  return new Machine(program, captured).call(program, parameters) as Value;
}
