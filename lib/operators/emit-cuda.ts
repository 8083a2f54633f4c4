/** A typed program as CUDA C++. Every expression has exactly the C++ type of its node. */
import { cudaConvert } from "../types/convert";
import { type AggregateType, type ElementType, isScalarType } from "../types/element";
import { cudaDefinitions } from "../types/struct";
import { type ScalarType, type ScalarValue, scalarTypes } from "../types/scalar";
import { integerCounters } from "./counters";
import { isItemWithin } from "./aggregate";
import { infinity, notANumber } from "./cuda-prelude";
import type { Atomic, Comparison, Element, Expression, FunctionBody, Item, AnyProgram, Statement } from "./ir";
import { type StateLayout, stateLayout } from "./state-layout";
import { toBfloat16Bits, toFloat16Bits } from "../types/float16";
import { missingElement } from "../types/value";

const comparisonOperators: Readonly<Record<Comparison, string>> = {
  equal: "==",
  notEqual: "!=",
  less: "<",
  lessEqual: "<=",
  greater: ">",
  greaterEqual: ">=",
};
/** The answers of `cuda_compute::order` that make each comparison true: 1 less, 2 equal, 4 greater. */
const orderMasks: Readonly<Record<Comparison, string>> = {
  equal: "== 2",
  notEqual: "!= 2",
  less: "== 1",
  lessEqual: "& 3",
  greater: "== 4",
  greaterEqual: "& 6",
};
/** Prelude names that are not the name in the program. */
const preludeNames: Readonly<Record<string, string>> = {
  shiftLeft: "shift_left",
  shiftRight: "shift_right",
  isNaN: "is_nan",
  isFinite: "is_finite",
  isInteger: "is_integer",
  isSafeInteger: "is_safe_integer",
};
/** Written plainly, the compiler may fuse them. */
const fusedOperators: Readonly<Record<string, string>> = { add: "+", subtract: "-", multiply: "*" };
const bitOperators: Readonly<Record<string, string>> = { bitAnd: "&", bitOr: "|", bitXor: "^" };

function floatLiteral(type: "float" | "double", value: number): string {
  if (Number.isNaN(value)) return notANumber[type];
  if (!Number.isFinite(value)) return value > 0 ? infinity[type] : `(-${infinity[type]})`;
  const digits = Object.is(value, -0) ? "-0" : String(value);
  const text = /[.e]/.test(digits) ? digits : `${digits}.0`;
  const literal = type === "float" ? `${text}f` : text;
  return literal.startsWith("-") ? `(${literal})` : literal;
}

function literal(type: ScalarType, value: ScalarValue): string {
  switch (type.name) {
    case "bool":
      return value ? "true" : "false";
    case "float16":
      return `(unsigned short)${String(toFloat16Bits(Number(value)))}`;
    case "bfloat16":
      return `(unsigned short)${String(toBfloat16Bits(Number(value)))}`;
    case "float32":
      return floatLiteral("float", Number(value));
    case "float64":
      return floatLiteral("double", Number(value));
    case "int32":
      return value === -2147483648 ? "(-2147483647 - 1)" : Number(value) < 0 ? `(${String(value)})` : String(value);
    case "uint32":
      return `${String(value)}u`;
    case "int64":
      if (value === -(1n << 63n)) return "(-9223372036854775807LL - 1)";
      return BigInt(value) < 0n ? `(${String(value)}LL)` : `${String(value)}LL`;
    case "uint64":
      return `${String(value)}ULL`;
    default:
      return `static_cast<${type.cudaStorage}>(${String(value)})`;
  }
}

const call = (name: string, ...operands: string[]): string => `cuda_compute::${name}(${operands.join(", ")})`;

/** What is read outside of an array. */
function missing(type: ElementType): string {
  if (isScalarType(type)) return literal(type, missingElement(type));
  if (type.kind === "struct")
    return construct(
      type,
      type.fields.map((field) => missing(field.type)),
    );
  return construct(type, Array<string>(type.length).fill(missing(type.element)));
}

/** A struct or an array of its parts, each of which has exactly the part's type. */
function construct(type: AggregateType, parts: readonly string[]): string {
  const items = parts.join(", ");
  return type.kind === "struct" ? `${type.cudaStorage}{${items}}` : `${type.cudaStorage}{{${items}}}`;
}

/** How a function hands out its result. */
type Returns = (value: string) => string;

class Emitter {
  private readonly layout: StateLayout;

  constructor(
    private readonly program: AnyProgram,
    private readonly name: string,
    private readonly fuses: boolean,
  ) {
    this.layout = stateLayout(program);
  }

  /** Where a captured value lies in the state. */
  private address(capture: number): string {
    return `static_cast<const char*>(state) + ${String(this.layout.offsets[capture])}`;
  }

  private place(array: number, index: Expression): string {
    return `${this.address(array)}, ${call("place", this.expression(index))}`;
  }

  private missing(node: Element | Item): string {
    return node.missing === undefined ? missing(node.type) : this.expression(node.missing);
  }

  private functionName(index: number): string {
    return `${this.name}_f${String(index)}`;
  }

  private invocation(index: number, operands: readonly Expression[]): string {
    return `${this.functionName(index)}(${["state", ...operands.map((operand) => this.expression(operand))].join(", ")})`;
  }

  expression(node: Expression): string {
    switch (node.kind) {
      case "literal":
        return literal(node.type, node.value);
      case "parameter":
        return `p${String(node.index)}`;
      case "local":
        return `v${String(node.index)}`;
      case "capture":
        return `*reinterpret_cast<const ${node.type.cudaStorage}*>(${this.address(node.index)})`;
      case "element":
        return call("load", this.place(node.array, node.index), this.missing(node));
      case "construct":
        return construct(
          node.type,
          node.parts.map((part) => this.expression(part)),
        );
      case "field":
        return `${this.expression(node.value)}.f${String(node.index)}`;
      case "item": {
        const { index } = node;
        if (isItemWithin(node)) return `${this.expression(node.value)}.items[${this.expression(index)}]`;
        return call("item", this.expression(node.value), call("place", this.expression(index)), this.missing(node));
      }
      case "length":
        return `static_cast<${node.type.cudaStorage}>(${call("length", this.address(node.array))})`;
      case "call":
        return this.invocation(node.function, node.operands);
      case "convert":
        return cudaConvert(node.value.type, node.type, this.expression(node.value));
      case "not":
        return `(!${this.expression(node.operand)})`;
      case "unary":
        return node.operation === "bitNot"
          ? `(~${this.expression(node.operand)})`
          : call("negate", this.expression(node.operand));
      case "binary": {
        const isPlain = this.fuses && node.type.kind === "float";
        const operator = bitOperators[node.operation] ?? (isPlain ? fusedOperators[node.operation] : undefined);
        const left = this.expression(node.left);
        const right = this.expression(node.right);
        if (operator !== undefined) return `(${left} ${operator} ${right})`;
        return call(preludeNames[node.operation] ?? node.operation, left, right);
      }
      case "compare": {
        const left = this.expression(node.left);
        const right = this.expression(node.right);
        if (node.left.type === node.right.type) return `(${left} ${comparisonOperators[node.operation]} ${right})`;
        return `((${call("order", left, right)} ${orderMasks[node.operation]}) != 0)`;
      }
      case "logical":
        return this.logical(node.operation, node.type, node.left, node.right);
      case "conditional": {
        const test = this.expression(node.test);
        const consequent = this.expression(node.consequent);
        const alternate = this.expression(node.alternate);
        // The cast keeps narrow types from becoming int.
        return `static_cast<${node.type.cudaStorage}>(${test} ? ${consequent} : ${alternate})`;
      }
      case "math": {
        const name = preludeNames[node.name] ?? node.name;
        const operands = node.operands.map((operand) => this.expression(operand));
        if (operands.length === 1 && node.name === "hypot") return call("abs", ...operands);
        if (operands.length <= 2) return call(name, ...operands);
        return operands.reduce((held, operand) => call(name, held, operand));
      }
    }
  }

  private logical(operation: "and" | "or", type: ScalarType, left: Expression, right: Expression): string {
    if (type.name === "bool") {
      return `(${this.expression(left)} ${operation === "and" ? "&&" : "||"} ${this.expression(right)})`;
    }
    const storage = type.cudaStorage;
    const held = cudaConvert(type, scalarTypes.bool, "held");
    const choice =
      operation === "and" ? `${held} ? ${this.expression(right)} : held` : `${held} ? held : ${this.expression(right)}`;
    return `[&]() -> ${storage} { const ${storage} held = ${this.expression(left)}; return ${choice}; }()`;
  }

  private atomic(node: Atomic): string {
    const operands = node.operands.map((operand) => this.expression(operand));
    return call(`atomic_${node.operation}`, this.place(node.array, node.index), missing(node.type), ...operands);
  }

  private statements(
    statements: readonly Statement[],
    locals: readonly ElementType[],
    returns: Returns,
    indent: string,
  ): string {
    const inner = `${indent}  `;
    const local = (index: number): ElementType => locals[index] as ElementType;
    /** Calls something for its effect, and keeps its answer where there is a variable for it. */
    const effect = (result: number | undefined, type: ElementType | undefined, text: string): string =>
      result === undefined || type === undefined
        ? `${indent}${text};\n`
        : `${indent}v${String(result)} = ${cudaConvert(type, local(result), text)};\n`;
    return statements
      .map((statement) => {
        switch (statement.kind) {
          case "declare":
          case "assign": {
            const value = statement.value === undefined ? "" : ` = ${this.expression(statement.value)}`;
            const type = statement.kind === "declare" ? `${local(statement.index).cudaStorage} ` : "";
            return `${indent}${type}v${String(statement.index)}${value};\n`;
          }
          case "return":
            if (statement.value === undefined) return `${indent}return;\n`;
            return indent + returns(this.expression(statement.value));
          case "break":
          case "continue":
            return `${indent}${statement.kind};\n`;
          case "loop": {
            const body = this.statements(statement.body, locals, returns, inner);
            const test = statement.test === undefined ? "" : this.expression(statement.test);
            if (statement.testsAfter) return `${indent}do {\n${body}${indent}} while (${test});\n`;
            const update = statement.update.map(({ index, value }) => `v${String(index)} = ${this.expression(value)}`);
            return `${indent}for (; ${test}; ${update.join(", ")}) {\n${body}${indent}}\n`;
          }
          case "if": {
            const alternate = this.statements(statement.alternate, locals, returns, inner);
            return (
              `${indent}if (${this.expression(statement.test)}) {\n` +
              this.statements(statement.consequent, locals, returns, inner) +
              (alternate === "" ? `${indent}}\n` : `${indent}} else {\n${alternate}${indent}}\n`)
            );
          }
          case "store": {
            const place = this.place(statement.array, statement.index);
            return `${indent}${call("store", place, this.expression(statement.value))};\n`;
          }
          case "atomic":
            return effect(statement.result, statement.type, this.atomic(statement));
          case "invoke": {
            const type = this.program.functions[statement.function]?.resultType;
            return effect(statement.result, type, this.invocation(statement.function, statement.operands));
          }
        }
      })
      .join("");
  }

  /** A captured function. */
  private function(body: FunctionBody, index: number): string {
    const parameters = body.parameters.map((type, place) => `[[maybe_unused]] ${type.cudaStorage} p${String(place)}`);
    return (
      `static __device__ inline ${body.resultType?.cudaStorage ?? "void"} ${this.functionName(index)}(` +
      `${["[[maybe_unused]] const void* state", ...parameters].join(", ")}) {\n` +
      `${this.statements(body.body, body.locals, (value) => `return ${value};\n`, "  ")}}\n`
    );
  }

  /** The captured functions, and the operator itself. */
  text(): string {
    const { program } = this;
    const loads = program.parameters.map(({ cudaStorage }, index) => {
      const operand = operandName(index);
      return `  [[maybe_unused]] const ${cudaStorage} p${String(index)} = *static_cast<const ${cudaStorage}*>(${operand});\n`;
    });
    const result = program.resultType?.cudaStorage;
    const returns: Returns = (value) => `{ *static_cast<${result ?? ""}*>(out) = ${value}; return; }\n`;
    const body = this.statements(program.body, program.locals, returns, "  ");
    const functions = program.functions.map((each, index) => this.function(each, index));
    return `${cudaDefinitions(typesOf(program))}${functions.join("")}${cudaSignature(this.name, program.parameters.length, result !== undefined)} {\n${loads.join("")}${body}}\n`;
  }
}

/** The types of everything in a program. */
function typesOf(program: AnyProgram): Set<ElementType> {
  const types = new Set<ElementType>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("cudaStorage" in value) types.add(value as ElementType);
    else for (const part of Object.values(value)) visit(part);
  };
  visit(program);
  return types;
}

/** Parameters of an operator's function, in the order in which kernels pass them. */
export function cudaSignature(name: string, arity: number, hasResult: boolean): string {
  const operands = Array.from({ length: arity }, (_, index) => `const void* ${operandName(index)}`);
  const parameters = ["const void* state", ...operands, ...(hasResult ? ["void* out"] : [])];
  return `static __device__ __forceinline__ void ${name}(${parameters.join(", ")})`;
}

/** Name of the pointer to an operand. */
export function operandName(index: number): string {
  return `operand${String(index)}`;
}

/** The program as device functions over `cudaPrelude`. With `fuses`, `a * b + c` of floats may be rounded once. */
export function emitCuda(program: AnyProgram, name: string, fuses: boolean): string {
  return new Emitter(integerCounters(program), name, fuses).text();
}
