/** A typed program as a JavaScript function on element values: what the host backend runs. */
import { fieldIndex, isItemWithin } from "./aggregate";
import { convertTo } from "../types/convert";
import { type ScalarName, type ScalarType, type ScalarValue, isBigIntType, scalarTypes } from "../types/scalar";
import { type AggregateType, type ElementType, type ElementValue, isScalarType } from "../types/element";
import { missingElement } from "../types/value";
import type { Atomic, Binary, Comparison, Element, Expression, FunctionBody, Item, AnyProgram, Statement } from "./ir";
import type { HostArray } from "./state-layout";

/** What emitted functions call, under the name `h`. */
const helpers = {
  /** Stores into each type. */
  to: Object.fromEntries(Object.values(scalarTypes).map((type) => [type.name, convertTo(type)])) as Record<
    ScalarName,
    (value: ScalarValue) => ScalarValue
  >,
  square: (value: number): number => value * value,
  divide: (a: bigint, b: bigint): bigint => (b === 0n ? 0n : a / b),
  remainder: (a: bigint, b: bigint): bigint => (b === 0n ? 0n : a % b),
  /** Wraps at each step, so that a large exponent stays cheap. */
  power: (a: bigint, b: bigint): bigint => {
    if (b < 0n) return a === 1n ? 1n : a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n;
    let base = BigInt.asUintN(64, a);
    let result = 1n;
    for (let n = b; n !== 0n; n >>= 1n) {
      if (n & 1n) result = BigInt.asUintN(64, result * base);
      base = BigInt.asUintN(64, base * base);
    }
    return result;
  },
  /** Counts beyond 64 shift everything out; the bound keeps the BigInt small. */
  shiftLeft: (a: bigint, n: bigint): bigint => a << (n > 64n ? 64n : n < -64n ? -64n : n),
  shiftRight: (a: bigint, n: bigint): bigint => a >> (n > 64n ? 64n : n < -64n ? -64n : n),
  abs: (a: bigint): bigint => (a < 0n ? -a : a),
  sign: (a: bigint): bigint => (a > 0n ? 1n : a < 0n ? -1n : 0n),
  min: (...values: bigint[]): bigint => values.reduce((least, value) => (value < least ? value : least)),
  max: (...values: bigint[]): bigint => values.reduce((most, value) => (value > most ? value : most)),
  load: (array: HostArray, index: number | bigint, missing: ElementValue): ElementValue =>
    isWithin(array, Number(index)) ? array.read(Number(index)) : missing,
  item: (items: readonly ElementValue[], index: number | bigint, missing: ElementValue): ElementValue =>
    items[Number(index)] ?? missing,
  store: (array: HostArray, index: number | bigint, value: ElementValue): void => {
    if (isWithin(array, Number(index))) array.write(Number(index), value);
  },
  atomic: (
    array: HostArray,
    index: number | bigint,
    missing: ElementValue,
    change: (old: ElementValue) => ElementValue,
  ): ElementValue => {
    const old = helpers.load(array, index, missing);
    helpers.store(array, index, change(old));
    return old;
  },
};

const isWithin = (array: HostArray, index: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < array.length;

const operators: Readonly<Record<string, string>> = {
  add: "+",
  subtract: "-",
  multiply: "*",
  divide: "/",
  remainder: "%",
  bitAnd: "&",
  bitOr: "|",
  bitXor: "^",
  shiftLeft: "<<",
  shiftRight: ">>",
};
const comparisonOperators: Readonly<Record<Comparison, string>> = {
  equal: "==",
  notEqual: "!=",
  less: "<",
  lessEqual: "<=",
  greater: ">",
  greaterEqual: ">=",
};
const helpersOfBigInts: ReadonlySet<string> = new Set(["divide", "remainder", "power", "shiftLeft", "shiftRight"]);

/** Cuts an exact or float64 result to the type that it was computed in. */
function wrap(type: ScalarType, text: string): string {
  switch (type.name) {
    case "int32":
      return `(${text} | 0)`;
    case "uint32":
      return `(${text} >>> 0)`;
    case "int64":
      return `BigInt.asIntN(64, ${text})`;
    case "uint64":
      return `BigInt.asUintN(64, ${text})`;
    case "float32":
      return `Math.fround(${text})`;
    default:
      return `(${text})`;
  }
}

function literal(value: ScalarValue): string {
  if (typeof value === "bigint") return value < 0n ? `(${String(value)}n)` : `${String(value)}n`;
  if (typeof value === "boolean") return String(value);
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.startsWith("-") ? `(${text})` : text;
}

/** An object of a struct's fields, or an array of a tuple's or an array's items. */
function construct(type: AggregateType, parts: readonly string[]): string {
  if (type.kind === "array" || type.isTuple) return `[${parts.join(", ")}]`;
  return `({${type.fields.map(({ name }, index) => `${JSON.stringify(name)}: ${parts[index] ?? ""}`).join(", ")}})`;
}

function fieldAccess(type: ElementType, index: number): string {
  const field = type.kind === "struct" ? type.fields[index] : undefined;
  if (field === undefined || type.kind !== "struct") return `[${String(index)}]`;
  return type.isTuple ? `[${String(index)}]` : `[${JSON.stringify(field.name)}]`;
}

/** What is read outside of an array. */
function missing(type: ElementType): string {
  if (isScalarType(type)) return literal(missingElement(type));
  if (type.kind === "struct")
    return construct(
      type,
      type.fields.map((field) => missing(field.type)),
    );
  return construct(type, Array<string>(type.length).fill(missing(type.element)));
}

function missingOf(node: Element | Item): string {
  return node.missing === undefined ? missing(node.type) : expression(node.missing);
}

function convert(from: ElementType, to: ElementType, text: string): string {
  if (isScalarType(from) && isScalarType(to)) return convertScalar(from, to, text);
  if (from.kind === "array" && to.kind === "array") {
    return `${text}.map((each) => ${convert(from.element, to.element, "each")})`;
  }
  if (from.kind !== "struct" || to.kind !== "struct") throw new Error(`no conversion from ${from.name} to ${to.name}`);
  const parts = to.fields.map(({ name, type }) => {
    const place = fieldIndex(from, name);
    const field = from.fields[place];
    if (field === undefined) throw new Error(`${from.name} has no field ${name}`);
    return convert(field.type, type, `from${fieldAccess(from, place)}`);
  });
  return `((from) => ${construct(to, parts)})(${text})`;
}

function convertScalar(from: ScalarType, to: ScalarType, text: string): string {
  if (from === to) return text;
  if (to.kind === "bool") return `(!!${text})`;
  if (to.name === "float64") return from.kind === "float" ? text : `Number(${text})`;
  if (isBigIntType(from) || isBigIntType(to)) return `h.to.${to.name}(${text})`;
  if (to.name === "int32" || to.name === "uint32" || to.name === "float32") return wrap(to, text);
  return `h.to.${to.name}(${text})`;
}

function binary({
  type,
  operation,
  left,
  right,
}: Omit<Binary, "kind" | "left" | "right"> & Record<"left" | "right", string>): string {
  if (isBigIntType(type) && helpersOfBigInts.has(operation)) return wrap(type, `h.${operation}(${left}, ${right})`);
  if (type.name === "uint32" && operation === "shiftRight") return `(${left} >>> ${right})`;
  if ((type.name === "int32" || type.name === "uint32") && operation === "multiply") {
    return wrap(type, `Math.imul(${left}, ${right})`);
  }
  const operator = operators[operation];
  if (operator === undefined) throw new Error(`${operation} is not an operation of ${type.name}`);
  return wrap(type, `${left} ${operator} ${right}`);
}

function expression(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return literal(node.value);
    case "parameter":
      return `p${String(node.index)}`;
    case "capture":
      return `c${String(node.index)}`;
    case "local":
      return `v${String(node.index)}`;
    case "convert":
      return convert(node.value.type, node.type, expression(node.value));
    case "not":
      return `(!${expression(node.operand)})`;
    case "unary":
      return wrap(node.type, `${node.operation === "bitNot" ? "~" : "-"}${expression(node.operand)}`);
    case "binary":
      return binary({ ...node, left: expression(node.left), right: expression(node.right) });
    case "compare":
      return `(${expression(node.left)} ${comparisonOperators[node.operation]} ${expression(node.right)})`;
    case "logical":
      return `(${expression(node.left)} ${node.operation === "and" ? "&&" : "||"} ${expression(node.right)})`;
    case "conditional":
      return `(${expression(node.test)} ? ${expression(node.consequent)} : ${expression(node.alternate)})`;
    case "math":
      return math(node.name, node.type, node.operands.map(expression).join(", "));
    case "element":
      return `h.load(c${String(node.array)}, ${expression(node.index)}, ${missingOf(node)})`;
    case "construct":
      return construct(node.type, node.parts.map(expression));
    case "field":
      return expression(node.value) + fieldAccess(node.value.type, node.index);
    case "item": {
      const { index } = node;
      if (isItemWithin(node)) return `${expression(node.value)}[${expression(index)}]`;
      return `h.item(${expression(node.value)}, ${expression(index)}, ${missingOf(node)})`;
    }
    case "length":
      return `c${String(node.array)}.length`;
    case "call":
      return invocation(node.function, node.operands);
  }
}

function math(name: string, type: ScalarType, operands: string): string {
  if (type.name === "bool") return `Number.${name}(${operands})`;
  const object = isBigIntType(type) || name === "square" ? "h" : "Math";
  return wrap(type, `${object}.${name}(${operands})`);
}

function invocation(index: number, operands: readonly Expression[]): string {
  return `f${String(index)}(${operands.map(expression).join(", ")})`;
}

const atomicOperations = {
  add: "add",
  sub: "subtract",
  and: "bitAnd",
  or: "bitOr",
  xor: "bitXor",
} as const;

/** What an atomic makes of `old`. */
function changed({ operation, type, operands }: Atomic): string {
  const [first = "", second = ""] = operands.map(expression);
  switch (operation) {
    case "exchange":
      return first;
    case "compareExchange":
      return `(Object.is(old, ${first}) ? ${second} : old)`;
    case "min":
    case "max":
      return math(operation, type, `old, ${first}`);
    default:
      return binary({ type, operation: atomicOperations[operation], left: "old", right: first });
  }
}

function atomic(node: Atomic): string {
  const place = `c${String(node.array)}, ${expression(node.index)}`;
  return `h.atomic(${place}, ${literal(missingElement(node.type))}, (old) => ${changed(node)})`;
}

function statements(body: readonly Statement[], scope: Scope, indent: string): string {
  const inner = `${indent}  `;
  const effect = (result: number | undefined, type: ElementType | undefined, text: string): string => {
    const local = result === undefined ? undefined : scope.locals[result];
    if (result === undefined || type === undefined || local === undefined) return `${indent}${text};\n`;
    return `${indent}v${String(result)} = ${type === local ? text : convert(type, local, text)};\n`;
  };
  return body
    .map((statement) => {
      switch (statement.kind) {
        case "declare":
        case "assign": {
          const value = statement.value === undefined ? "" : ` = ${expression(statement.value)}`;
          return `${indent}${statement.kind === "declare" ? "let " : ""}v${String(statement.index)}${value};\n`;
        }
        case "return":
          return `${indent}return ${statement.value === undefined ? "" : expression(statement.value)};\n`;
        case "break":
        case "continue":
          return `${indent}${statement.kind};\n`;
        case "loop": {
          const turn = statements(statement.body, scope, inner);
          const test = statement.test === undefined ? "" : expression(statement.test);
          if (statement.testsAfter) return `${indent}do {\n${turn}${indent}} while (${test});\n`;
          const update = statement.update.map(({ index, value }) => `v${String(index)} = ${expression(value)}`);
          return `${indent}for (; ${test}; ${update.join(", ")}) {\n${turn}${indent}}\n`;
        }
        case "if": {
          const alternate = statements(statement.alternate, scope, inner);
          return (
            `${indent}if (${expression(statement.test)}) {\n${statements(statement.consequent, scope, inner)}${indent}}` +
            (alternate === "" ? "\n" : ` else {\n${alternate}${indent}}\n`)
          );
        }
        case "store": {
          const { array, index, value } = statement;
          return `${indent}h.store(c${String(array)}, ${expression(index)}, ${expression(value)});\n`;
        }
        case "atomic":
          return effect(statement.result, statement.type, atomic(statement));
        case "invoke": {
          const { function: index, operands, result } = statement;
          return effect(result, scope.functions[index]?.resultType, invocation(index, operands));
        }
      }
    })
    .join("");
}

/** What the statements of one function refer to by number. */
interface Scope {
  readonly locals: readonly ElementType[];
  readonly functions: readonly FunctionBody[];
}

/** Makes the host's function of a program for given captured values. */
export type HostFactory = (
  values: readonly (ScalarValue | HostArray)[],
) => (...elements: ElementValue[]) => ElementValue;

function functionText({ parameters, locals, body }: FunctionBody, functions: readonly FunctionBody[]): string {
  const names = parameters.map((_, index) => `p${String(index)}`).join(", ");
  return `(${names}) => {\n${statements(body, { locals, functions }, "  ")}}`;
}

/** The text of the function, for captured values `c…`, captured functions `f…` and parameters `p…` by index. */
export function emitJavaScript(program: AnyProgram): string {
  const { captures, functions } = program;
  const values = captures.map((_, index) => `const c${String(index)} = values[${String(index)}];\n`);
  const helpers = functions.map((each, index) => `const f${String(index)} = ${functionText(each, functions)};\n`);
  return `"use strict";\n${values.join("")}${helpers.join("")}return ${functionText(program, functions)};\n`;
}

/** Compiles a program for the host. */
export function compileForHost(program: AnyProgram): HostFactory {
  // The text is made from the typed program alone: nothing of the user's source is in it.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const factory = new Function("h", "values", emitJavaScript(program)) as (
    h: typeof helpers,
    values: readonly (ScalarValue | HostArray)[],
  ) => (...elements: ElementValue[]) => ElementValue;
  return (values) => factory(helpers, values);
}
