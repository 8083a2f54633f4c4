/** Operators written in CUDA C++, or compiled from anything to LTO-IR. */
import { createHash } from "node:crypto";
import type { LinkedCode } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError, CompileError, Words } from "../errors";
import type { ElementType } from "../types/element";
import { type ScalarName, scalarTypes } from "../types/scalar";
import { scalarType } from "../types/value";
import { type StateCapture, keyOf, stateCaptures } from "./capture-types";
import { adviceFor, problemOf, simpleType } from "./capture-values";
import { type CppTypes, cppTypes, headersOf, scalarText } from "./cpp-types";
import { cudaSignature, operandName } from "./emit-cuda";
import { hashText } from "./fingerprint";
import { nextOperatorId } from "./operator-id";
import {
  type CaptureValue,
  type CaptureValues,
  noValues,
  type Operator,
  type OperatorUse,
  type SpecializedOperator,
  type StateFrame,
} from "./operator";
import { operatorUnused } from "./registry";
import { type StateLayout, stateLayout, writeState } from "./state-layout";

/** How to call the source's function, where that cannot be seen. */
export interface CppOptions {
  /** The function to call; by default the last that the source defines. */
  name?: string;
  /** How many elements it takes; by default what its definition says. */
  arity?: number;
}

/** What {@link ltoir} is to know of a function. */
export interface LtoirOptions {
  /** The function's symbol: it is `extern "C"`. */
  name: string;
  /** Types of its parameters, which it takes by value; elements convert to them as C++ casts. */
  parameters: readonly ScalarName[];
  /** Type of its result. */
  result: ScalarName;
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
  readonly parameters: readonly string[];
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
    parameters: /^\s*(void\s*)?$/.test(parameters) ? [] : parameters.replace(/<[^<>]*>/g, "").split(","),
  }));
}

/** A function that is not written in JavaScript, and how it is called. */
interface Foreign {
  /** Text that declares or defines it, and the expression that calls it. `prefix` makes names unique. */
  declare(prefix: string, types: readonly ElementType[], definitions: string): string;
  call(prefix: string, operands: readonly string[]): string;
  readonly linked: readonly LinkedCode[];
  /** Stands for the function: equal keys, equal code. */
  readonly key: string;
}

/** A member of `State` for each captured value. */
function stateText(names: readonly string[], { captures, size }: StateLayout, types: CppTypes): string {
  if (captures.length === 0) return "";
  const members = captures.map((capture, index) => {
    const type = capture.kind === "array" ? `DeviceSpan<${types.nameOf(capture.element)}>` : capture.type.cudaStorage;
    return `  ${type} ${names[index] ?? ""};\n`;
  });
  return (
    "template <class T> struct DeviceSpan {\n  T* data;\n  long long length;\n" +
    "  __device__ T& operator[](long long index) const { return data[index]; }\n};\n" +
    `struct State {\n${members.join("")}};\n` +
    `static_assert(sizeof(State) == ${String(size)}, "layout of State");`
  );
}

class SpecializedCpp<Result extends ElementType | undefined> implements SpecializedOperator<Result> {
  readonly fingerprint: string;
  readonly wellKnown = undefined;
  readonly stateSize: number;
  readonly stateAlignment: number;
  readonly linked: readonly LinkedCode[];
  private readonly layout: StateLayout;
  private readonly types: CppTypes;

  constructor(
    private readonly foreign: Foreign,
    private readonly names: readonly string[],
    captures: readonly StateCapture[],
    readonly parameters: readonly ElementType[],
    readonly resultType: Result,
    private readonly argument: string,
  ) {
    // What the code does with arrays is not known: they count as read and written.
    const written = captures.flatMap(({ kind }, index) => (kind === "array" ? [index] : []));
    this.layout = stateLayout({ captures, written });
    this.stateSize = this.layout.size;
    this.stateAlignment = this.layout.alignment;
    this.linked = foreign.linked;
    this.types = cppTypes(parameters, resultType, this.arrays(), argument);
    const types = [...parameters, resultType].map((type) => type?.name ?? "");
    this.fingerprint = hashText(JSON.stringify(["cpp", foreign.key, types, names, keyOf(captures)]));
  }

  /** Captured arrays, as the types of their elements by name. */
  private arrays(): [string, ElementType][] {
    return this.layout.captures.flatMap((capture, index): [string, ElementType][] =>
      capture.kind === "array" ? [[this.names[index] as string, capture.element]] : [],
    );
  }

  refuseWrites(): void {
    // Whether the code writes is not known.
  }

  writeState(values: CaptureValues, frame: StateFrame, position: number): void {
    writeState(this.layout, values, frame, position);
  }

  cuda(name: string): string {
    const { types } = this;
    const { resultType } = this;
    const results = resultType === undefined ? [] : [resultType];
    const used = [...this.parameters, ...results, ...this.arrays().map(([, type]) => type)];
    const cppType = (type: ElementType): string =>
      (types.isDefined(type) ? `${name}_source::` : "") + types.nameOf(type);
    const operands = this.parameters.map(
      (type, index) => `*static_cast<const ${cppType(type)}*>(${operandName(index)})`,
    );
    if (this.stateSize > 0) operands.push(`*static_cast<const ${name}_source::State*>(state)`);
    const result = resultType === undefined ? undefined : cppType(resultType);
    const call = this.foreign.call(name, operands);
    return [
      this.foreign.declare(name, used, types.definitions + stateText(this.names, this.layout, types)),
      `${cudaSignature(name, this.parameters.length, result !== undefined)} {`,
      result === undefined ? `  ${call};` : `  *static_cast<${result}*>(out) = static_cast<${result}>(${call});`,
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

/** An operator in CUDA C++, made by `cpp` or `ltoir`; with captured values, by `bind`. */
export class CppOperator implements Operator {
  readonly id = nextOperatorId();
  readonly operator: Operator = this;
  readonly values: CaptureValues = noValues;
  readonly leastArity: number;
  private readonly specialized = new Map<string, SpecializedCpp<ElementType>>();
  private readonly effects = new Map<string, SpecializedCpp<undefined>>();
  /** The operators with captured values, by their names and types. */
  private readonly bound = new Map<string, CppOperator>();

  /** @internal */
  constructor(
    private readonly foreign: Foreign,
    readonly arity: number,
    private readonly returnType: string | undefined,
    /** True when the function's last parameter is its state. */
    readonly takesState: boolean,
    readonly captureNames: readonly string[] = [],
    private readonly captures: readonly StateCapture[] = [],
  ) {
    this.leastArity = arity;
  }

  specialize(
    parameters: readonly ElementType[],
    result: ElementType | undefined,
    argument: string,
  ): SpecializedOperator {
    this.checkState(argument);
    const resultType = result ?? this.naturalType(parameters, argument);
    const key = [...parameters, resultType].map((type) => type.name).join();
    let specialized = this.specialized.get(key);
    if (specialized === undefined) {
      const { foreign, captureNames, captures } = this;
      specialized = new SpecializedCpp(foreign, captureNames, captures, parameters, resultType, argument);
      this.specialized.set(key, specialized);
    }
    return specialized;
  }

  specializeEffect(parameters: readonly ElementType[], argument: string): SpecializedOperator<undefined> {
    this.checkState(argument);
    const key = parameters.map((type) => type.name).join();
    let specialized = this.effects.get(key);
    if (specialized === undefined) {
      const { foreign, captureNames, captures } = this;
      specialized = new SpecializedCpp(foreign, captureNames, captures, parameters, undefined, argument);
      this.effects.set(key, specialized);
    }
    return specialized;
  }

  private checkState(argument: string): void {
    if (!this.takesState || this.captures.length > 0) return;
    throw new CompileError(`${argument}: the function takes a State. Give its members with bind(cpp(…), { … }).`, {
      code: "ERR_OPERATOR",
    });
  }

  /** The operator with the captured values that the object holds now. @internal */
  useWith(captured: object, argument: string): OperatorUse {
    const values: CaptureValue[] = [];
    const types: StateCapture[] = [];
    const names = Object.keys(captured);
    for (const name of names) {
      const value = (captured as Record<string, unknown>)[name];
      const type = simpleType(value, name, argument);
      if (type === undefined || !/^[A-Za-z_]\w*$/.test(name)) {
        const problem = type === undefined ? problemOf(name, value) : `\`${name}\` is no name of a C++ member`;
        throw new CompileError(`${argument}: ${problem}. ${adviceFor(value)}`, { code: "ERR_OPERATOR_CAPTURE" });
      }
      values.push(value as CaptureValue);
      types.push(...stateCaptures([type]));
    }
    const key = `${names.join()}:${keyOf(types)}`;
    let operator = this.bound.get(key);
    if (operator === undefined) {
      operator = new CppOperator(this.foreign, this.arity, this.returnType, true, names, types);
      this.bound.set(key, operator);
    }
    return { operator, values };
  }

  /** Ids of the operator and of those with captured values. @internal */
  ids(): number[] {
    return [this.id, ...[...this.bound.values()].map(({ id }) => id)];
  }

  private naturalType(parameters: readonly ElementType[], argument: string): ElementType {
    const operand = /^Operand([01])$/.exec(this.returnType ?? "")?.[1];
    const type = operand === undefined ? undefined : parameters[Number(operand)];
    if (type !== undefined) return type;
    const name = this.returnType === undefined ? undefined : returnTypes[this.returnType];
    if (name !== undefined) return scalarTypes[name];
    throw new CompileError(
      `${argument}: the result type of the function is not plain in its source. ` +
        "Spell it out there (float, int, …), or name the result's type where the operator is used.",
      { code: "ERR_OPERATOR" },
    );
  }
}

/** Operators by their code, so that equal code is one operator; the longest unused is forgotten first. */
const known = new Map<string, CppOperator>();
const mostKnown = 512;

function intern(key: string, make: () => CppOperator): CppOperator {
  const operator = known.get(key) ?? make();
  known.delete(key);
  known.set(key, operator);
  const [oldest] = known;
  if (known.size > mostKnown && oldest !== undefined) {
    known.delete(oldest[0]);
    for (const id of oldest[1].ids()) operatorUnused(id);
  }
  return operator;
}

/** Text in a namespace of its own; its includes go before that, and its lines keep their numbers. */
function sourceFunction(source: string, functionName: string): Foreign {
  const includes: string[] = [];
  const body = source.replace(/^[ \t]*#[ \t]*include\b[^\n]*/gm, (line) => {
    includes.push(line.trim());
    return "";
  });
  return {
    key: JSON.stringify([functionName, source]),
    linked: [],
    declare: (prefix, types, definitions) =>
      [
        ...headersOf(types).map((header) => `#include <${header}>`),
        ...includes,
        `namespace ${prefix}_source {`,
        definitions,
        '#line 1 "operator.cu"',
        body,
        "}",
        '#line 1 "cuda-compute"',
      ].join("\n"),
    call: (prefix, operands) => `${prefix}_source::${functionName}(${operands.join(", ")})`,
  };
}

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
 * Captured values come by `bind`: `bind(cpp("__device__ float op(float a, const State& state) { return a *
 * state.scale; }"), { scale: 2 })`. `State` is defined before the source, with a member for each value: `double` for a
 * number, `long long` for a BigInt (`unsigned long long` for one from 2^63 on), `bool` for a boolean, and for a device
 * array `data`, `length` and an unchecked `[]` (its elements are `State_name` where they are structs).
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
  const takesState = /\bState\b/.test(found === undefined ? plainText(source) : (found.parameters.at(-1) ?? ""));
  const functionName = name ?? found?.name;
  const elements = arity ?? (found === undefined ? undefined : found.parameters.length - (takesState ? 1 : 0));
  if (functionName === undefined || elements === undefined) {
    throw new ArgumentRangeError(
      "cpp.source",
      "the definition of a device function (or give its name and arity)",
      source,
    );
  }
  const key = JSON.stringify([functionName, elements, source]);
  return intern(
    key,
    () => new CppOperator(sourceFunction(source, functionName), elements, found?.returnType, takesState),
  );
}

/**
 * An operator that is compiled already, for the cuda backend: LTO-IR, as `nvcc -dlto` and NVRTC with `-dlto` make it.
 *
 * The function is `extern "C" __device__`, takes its operands by value and answers by value. The LTO-IR must be no newer
 * than the nvJitLink that links it.
 *
 * @param code the LTO-IR; copied.
 * @param options the function's symbol and types.
 * @throws ArgumentTypeError or ArgumentRangeError, naming the argument. What nvJitLink finds is thrown as a CompileError
 *   when the operator is first used.
 */
export function ltoir(code: Uint8Array, options: LtoirOptions): CppOperator {
  if (!(code instanceof Uint8Array)) throw new ArgumentTypeError("ltoir.code", "a Uint8Array of LTO-IR", code);
  if (code.length === 0) throw new ArgumentRangeError("ltoir.code", "LTO-IR", new Words("no bytes"));
  const { name, parameters, result } = options;
  if (typeof name !== "string" || !/^[A-Za-z_]\w*$/.test(name)) {
    throw new ArgumentRangeError("ltoir.name", "the symbol of a function", name);
  }
  if (!Array.isArray(parameters) || (parameters.length !== 1 && parameters.length !== 2)) {
    throw new ArgumentRangeError("ltoir.parameters", "the types of one or two parameters", parameters);
  }
  const types = parameters.map((type, index) => scalarType(type, `ltoir.parameters[${String(index)}]`));
  const resultType = scalarType(result, "ltoir.result");
  const content = createHash("sha256").update(code).digest("hex");
  const key = JSON.stringify(["ltoir", content, name, types.map((type) => type.name), resultType.name]);
  return intern(key, () => {
    const foreign: Foreign = {
      key,
      linked: [{ key: content, ltoir: code.slice() }],
      declare: () => {
        const headers = headersOf([...types, resultType]).map((header) => `#include <${header}>\n`);
        const names = [resultType, ...types].map(scalarText);
        return `${headers.join("")}extern "C" __device__ ${names.shift() ?? ""} ${name}(${names.join(", ")});`;
      },
      call: (_prefix, operands) => `${name}(${operands.join(", ")})`,
    };
    return new CppOperator(foreign, types.length, resultType.cudaStorage, false);
  });
}
