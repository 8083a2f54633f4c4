/** Operators written in CUDA C++. */
import { ArgumentRangeError, ArgumentTypeError, CompileError } from "../errors";
import type { ElementType } from "../types/element";
import { type ScalarName, scalarTypes } from "../types/scalar";
import { type CppTypes, cppTypes, headersOf } from "./cpp-types";
import { cudaSignature, operandName } from "./emit-cuda";
import { hashText } from "./fingerprint";
import { nextOperatorId } from "./operator-id";
import { type CaptureValues, noValues, type Operator, type SpecializedOperator } from "./operator";
import { operatorUnused } from "./registry";

/** How to call the source's function, where that cannot be seen. */
export interface CppOptions {
  /** The function to call; by default the last that the source defines. */
  name?: string;
  /** How many elements it takes; by default what its definition says. */
  arity?: number;
}

/** Result types that the source may spell out. */
const returnTypes: Readonly<Record<string, ScalarName>> = {
  "signed char": "int8",
  short: "int16",
  int: "int32",
  long: "int64",
  "long long": "int64",
  "unsigned char": "uint8",
  "unsigned short": "uint16",
  unsigned: "uint32",
  "unsigned int": "uint32",
  "unsigned long": "uint64",
  "unsigned long long": "uint64",
  __half: "float16",
  __nv_bfloat16: "bfloat16",
  float: "float32",
  double: "float64",
  bool: "bool",
};

interface Definition {
  readonly name: string;
  readonly returnType: string;
  readonly arity: number;
}

const plainText = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ").replace(/^[ \t]*#[^\n]*/gm, "");

/** The functions that a source defines, as far as their headers are plain. */
function definitions(source: string): Definition[] {
  const header = /([\w:<>,\s*&]+?)\s*\b(\w+)\s*\(([^()]*)\)\s*(?:noexcept\s*)?\{/g;
  return [...plainText(source).matchAll(header)].map(([, before = "", name = "", parameters = ""]) => ({
    name,
    returnType: before
      .replace(/\b(__device__|__host__|__forceinline__|__noinline__|static|inline|constexpr|extern)\b/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
    arity: /^\s*(void\s*)?$/.test(parameters) ? 0 : parameters.replace(/<[^<>]*>/g, "").split(",").length,
  }));
}

class SpecializedCpp implements SpecializedOperator {
  readonly fingerprint: string;
  readonly wellKnown = undefined;
  readonly stateSize = 0;
  readonly stateAlignment = 0;
  private readonly types: CppTypes;

  constructor(
    private readonly source: string,
    private readonly functionName: string,
    readonly parameters: readonly ElementType[],
    readonly resultType: ElementType,
    private readonly argument: string,
  ) {
    this.types = cppTypes(parameters, resultType, argument);
    const types = [...parameters, resultType].map((type) => type.name);
    this.fingerprint = hashText(JSON.stringify(["cpp", functionName, types, source]));
  }

  writeState(): void {
    // Operators in C++ capture nothing.
  }

  cuda(name: string): string {
    const headers = new Set(headersOf([...this.parameters, this.resultType]));
    // Includes go to the head, so that the rest can lie in a namespace of its own; the lines keep their numbers.
    const includes: string[] = [];
    const body = this.source.replace(/^[ \t]*#[ \t]*include\b[^\n]*/gm, (line) => {
      includes.push(line.trim());
      return "";
    });
    const { types } = this;
    const cppType = (type: ElementType): string =>
      (types.isDefined(type) ? `${name}_source::` : "") + types.nameOf(type);
    const operands = this.parameters.map(
      (type, index) => `*static_cast<const ${cppType(type)}*>(${operandName(index)})`,
    );
    const result = cppType(this.resultType);
    return [
      ...[...headers].map((header) => `#include <${header}>`),
      ...includes,
      `namespace ${name}_source {`,
      types.definitions,
      '#line 1 "operator.cu"',
      body,
      "}",
      '#line 1 "cuda-compute"',
      `${cudaSignature(name, this.parameters.length)} {`,
      `  *static_cast<${result}*>(out) = static_cast<${result}>(`,
      `      ${name}_source::${this.functionName}(${operands.join(", ")}));`,
      "}",
      "",
    ].join("\n");
  }

  host(): never {
    throw new CompileError(
      `${this.argument}: an operator in CUDA C++ runs on the cuda backend only. ` +
        "Write it as a JavaScript function to run it on the host.",
      { code: "ERR_OPERATOR_NEEDS_CUDA" },
    );
  }
}

/** An operator in CUDA C++, made by `cpp`. */
export class CppOperator implements Operator {
  readonly id = nextOperatorId();
  readonly operator: Operator = this;
  readonly values: CaptureValues = noValues;
  readonly captureNames: readonly string[] = [];
  private readonly specialized = new Map<string, SpecializedCpp>();

  constructor(
    private readonly source: string,
    private readonly functionName: string,
    readonly arity: number,
    private readonly returnType: string | undefined,
  ) {}

  specialize(
    parameters: readonly ElementType[],
    result: ElementType | undefined,
    argument: string,
  ): SpecializedOperator {
    const resultType = result ?? this.naturalType(parameters, argument);
    const key = [...parameters, resultType].map((type) => type.name).join();
    let specialized = this.specialized.get(key);
    if (specialized === undefined) {
      specialized = new SpecializedCpp(this.source, this.functionName, parameters, resultType, argument);
      this.specialized.set(key, specialized);
    }
    return specialized;
  }

  private naturalType(parameters: readonly ElementType[], argument: string): ElementType {
    const operand = /^Operand([01])$/.exec(this.returnType ?? "")?.[1];
    const type = operand === undefined ? undefined : parameters[Number(operand)];
    if (type !== undefined) return type;
    const name = this.returnType === undefined ? undefined : returnTypes[this.returnType];
    if (name !== undefined) return scalarTypes[name];
    throw new CompileError(
      `${argument}: the result type of ${this.functionName} is not plain in its source. ` +
        "Spell it out there (float, int, …), or name the result's type where the operator is used.",
      { code: "ERR_OPERATOR" },
    );
  }
}

/** Operators by source, so that equal texts are one operator; the longest unused is forgotten first. */
const known = new Map<string, CppOperator>();
const mostKnown = 512;

/**
 * An operator written in CUDA C++, for the cuda backend.
 *
 * `cpp("__device__ float op(float a, float b) { return a * b; }")`. The function takes the elements by value (float16 as
 * `__half`, bfloat16 as `__nv_bfloat16`), and its result is cast to the output's type as C++ casts. The source may
 * include headers and define what else it needs.
 *
 * Where an element is a struct, the source finds the types of elements and result defined, with their fields, as
 * `Operand0`, `Operand1` and `Result`: `cpp("__device__ Result op(Operand0 a, Operand1 b) { return a.v > b.v ? a : b; }")`.
 * Equal types are one type under these names. A struct within a struct is a type named by the way to it
 * (`Operand0_position`), a fixed-size array a C array.
 *
 * @param source CUDA C++ text that defines a device function.
 * @param options `name` of the function and its `arity`, where they cannot be seen in the source.
 * @throws ArgumentTypeError or ArgumentRangeError for a source without a function to call. What NVRTC finds is thrown as
 *   a CompileError, with its log, when the operator is first used.
 */
export function cpp(source: string, options: CppOptions = {}): CppOperator {
  if (typeof source !== "string") throw new ArgumentTypeError("cpp.source", "CUDA C++ text", source);
  const { name, arity } = options;
  if (name !== undefined && !/^[A-Za-z_]\w*$/.test(name)) {
    throw new ArgumentRangeError("cpp.name", "the name of a C++ function", name);
  }
  if (arity !== undefined && arity !== 1 && arity !== 2) throw new ArgumentRangeError("cpp.arity", "1 or 2", arity);
  const found = definitions(source)
    .filter((definition) => name === undefined || definition.name === name)
    .pop();
  const functionName = name ?? found?.name;
  const parameters = arity ?? found?.arity;
  if (functionName === undefined || parameters === undefined) {
    throw new ArgumentRangeError(
      "cpp.source",
      "the definition of a device function (or give its name and arity)",
      source,
    );
  }
  const key = JSON.stringify([functionName, parameters, source]);
  const operator = known.get(key) ?? new CppOperator(source, functionName, parameters, found?.returnType);
  known.delete(key);
  known.set(key, operator);
  const [oldest] = known;
  if (known.size > mostKnown && oldest !== undefined) {
    known.delete(oldest[0]);
    operatorUnused(oldest[1].id);
  }
  return operator;
}
