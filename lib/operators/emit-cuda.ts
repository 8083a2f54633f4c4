/** A typed program as CUDA C++. Every expression has exactly the C++ type of its node. */
import { cudaConvert } from "../types/convert";
import { type ScalarType, type ScalarValue, scalarTypes } from "../types/scalar";
import { infinity, notANumber } from "./cuda-prelude";
import type { Comparison, Expression, Program, Statement } from "./ir";
import { type StateLayout, stateLayout } from "./state-layout";
import { toBfloat16Bits, toFloat16Bits } from "../types/float16";

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

class Emitter {
  constructor(private readonly layout: StateLayout) {}

  expression(node: Expression): string {
    switch (node.kind) {
      case "literal":
        return literal(node.type, node.value);
      case "parameter":
        return `p${String(node.index)}`;
      case "local":
        return `v${String(node.index)}`;
      case "capture": {
        const offset = this.layout.offsets[node.index];
        const address = `static_cast<const char*>(state) + ${String(offset)}`;
        return `*reinterpret_cast<const ${node.type.cudaStorage}*>(${address})`;
      }
      case "convert":
        return cudaConvert(node.value.type, node.type, this.expression(node.value));
      case "not":
        return `(!${this.expression(node.operand)})`;
      case "unary":
        return node.operation === "bitNot"
          ? `(~${this.expression(node.operand)})`
          : call("negate", this.expression(node.operand));
      case "binary": {
        const operator = bitOperators[node.operation];
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

  statements(statements: readonly Statement[], locals: readonly ScalarType[], result: string, indent: string): string {
    return statements
      .map((statement) => {
        switch (statement.kind) {
          case "declare":
          case "assign": {
            const value = statement.value === undefined ? "" : ` = ${this.expression(statement.value)}`;
            const type = statement.kind === "declare" ? `${locals[statement.index]?.cudaStorage ?? ""} ` : "";
            return `${indent}${type}v${String(statement.index)}${value};\n`;
          }
          case "return":
            return `${indent}*static_cast<${result}*>(out) = ${this.expression(statement.value)};\n${indent}return;\n`;
          case "break":
          case "continue":
            return `${indent}${statement.kind};\n`;
          case "loop": {
            const body = this.statements(statement.body, locals, result, `${indent}  `);
            const test = statement.test === undefined ? "" : this.expression(statement.test);
            if (statement.testsAfter) return `${indent}do {\n${body}${indent}} while (${test});\n`;
            const update = statement.update.map(({ index, value }) => `v${String(index)} = ${this.expression(value)}`);
            return `${indent}for (; ${test}; ${update.join(", ")}) {\n${body}${indent}}\n`;
          }
          case "if": {
            const inner = `${indent}  `;
            const alternate = this.statements(statement.alternate, locals, result, inner);
            return (
              `${indent}if (${this.expression(statement.test)}) {\n` +
              this.statements(statement.consequent, locals, result, inner) +
              (alternate === "" ? `${indent}}\n` : `${indent}} else {\n${alternate}${indent}}\n`)
            );
          }
        }
      })
      .join("");
  }
}

/** Parameters of an operator's function, in the order in which kernels pass them. */
export function cudaSignature(name: string, arity: number): string {
  const operands = Array.from({ length: arity }, (_, index) => `const void* ${operandName(index)}`);
  return (
    `static __device__ __forceinline__ void ${name}(` + ["const void* state", ...operands, "void* out"].join(", ") + ")"
  );
}

/** Name of the pointer to an operand. */
export function operandName(index: number): string {
  return `operand${String(index)}`;
}

/** The program as one device function over `cudaPrelude`. */
export function emitCuda(program: Program, name: string): string {
  const emitter = new Emitter(stateLayout(program.captures));
  const loads = program.parameters
    .map(({ cudaStorage }, index) => {
      const operand = operandName(index);
      return `  [[maybe_unused]] const ${cudaStorage} p${String(index)} = *static_cast<const ${cudaStorage}*>(${operand});\n`;
    })
    .join("");
  const body = emitter.statements(program.body, program.locals, program.resultType.cudaStorage, "  ");
  return `${cudaSignature(name, program.parameters.length)} {\n${loads}${body}}\n`;
}
