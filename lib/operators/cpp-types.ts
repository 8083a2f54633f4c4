/** Struct types as an operator in CUDA C++ sees them: by the names Operand0, Operand1 and Result, with their fields. */
import { CompileError } from "../errors";
import { type ElementType, type StructType, isScalarType } from "../types/element";
import type { ScalarName, ScalarType } from "../types/scalar";

const halfTypes: Partial<Record<ScalarName, { type: string; header: string }>> = {
  float16: { type: "__half", header: "cuda_fp16.h" },
  bfloat16: { type: "__nv_bfloat16", header: "cuda_bf16.h" },
};

/** The C++ type of a scalar. */
export const scalarText = (type: ScalarType): string => halfTypes[type.name]?.type ?? type.cudaStorage;

/** Headers that the types need. */
export function headersOf(types: readonly ElementType[]): string[] {
  const headers = types.flatMap((type) => {
    if (isScalarType(type)) return halfTypes[type.name]?.header ?? [];
    return headersOf(type.kind === "array" ? [type.element] : type.fields.map((field) => field.type));
  });
  return [...new Set(headers)];
}

const keywords = new Set(
  (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl " +
    "concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default " +
    "delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long " +
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register " +
    "reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template " +
    "this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t " +
    "while xor xor_eq"
  ).split(" "),
);

/** Whether C++ lets a member have the name; those with two underscores are the compiler's own. */
const canNameMember = (name: string): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !/__|^_[A-Z]/.test(name) && !keywords.has(name);

/** The names of the types, and the text that defines them. */
export interface CppTypes {
  /** The C++ type of a parameter or of the result, within the source's namespace. */
  nameOf(type: ElementType): string;
  /** Whether a type is defined here, and not one of C++'s own. */
  isDefined(type: ElementType): boolean;
  readonly definitions: string;
}

class Definer implements CppTypes {
  definitions = "";
  readonly #names = new Map<StructType, string>();
  readonly #taken = new Set<string>();

  constructor(private readonly argument: string) {}

  isDefined(type: ElementType): boolean {
    return type.kind === "struct";
  }

  nameOf(type: ElementType): string {
    return type.kind === "struct" ? (this.#names.get(type) as string) : scalarText(type as ScalarType);
  }

  /** Gives a parameter or the result its name. */
  alias(type: ElementType, name: string): void {
    this.#taken.add(name);
    if (type.kind === "struct" && !this.#names.has(type)) this.#define(type, name);
    else this.definitions += `using ${name} = ${this.nameOf(type)};\n`;
  }

  #define(type: StructType, name: string): void {
    const members = type.fields.map((field) => {
      const member = type.isTuple ? `_${field.name}` : field.name;
      if (!canNameMember(member)) throw this.#unnameable(type, member);
      return `  ${this.#member(field.type, member, `${name}_${member}`)};\n`;
    });
    this.#names.set(type, name);
    this.definitions += `struct ${name} {\n${members.join("")}};\n`;
    const message = `"layout of ${name}"`;
    this.definitions += `static_assert(sizeof(${name}) == ${String(type.size)}, ${message});\n`;
  }

  /** A member's declaration; a struct within a struct is defined before it, under the names of the way to it. */
  #member(type: ElementType, member: string, path: string): string {
    let inner = type;
    let dimensions = "";
    while (inner.kind === "array") {
      dimensions += `[${String(inner.length)}]`;
      inner = inner.element;
    }
    if (inner.kind === "struct" && !this.#names.has(inner)) this.#define(inner, this.#free(path));
    return `${this.nameOf(inner)} ${member}${dimensions}`;
  }

  #free(name: string): string {
    const free = this.#taken.has(name) ? `${name}_` : name;
    if (free !== name && this.#taken.has(free)) return this.#free(free);
    this.#taken.add(free);
    return free;
  }

  #unnameable(type: StructType, field: string): CompileError {
    return new CompileError(
      `${this.argument}: the field ${JSON.stringify(field)} of ${type.name} is not a name in C++, so that an operator ` +
        "made by cpp() cannot take such elements. Name it otherwise, or write the operator in JavaScript.",
      { code: "ERR_OPERATOR" },
    );
  }
}

/**
 * The C++ types of an operator. Where one is a struct, all have the names Operand0, Operand1 and Result; equal types are
 * one type in C++.
 *
 * @param captured element types of captured arrays by their names: structs among them are `State_` and the name.
 * @throws CompileError for a field whose name C++ does not have
 */
export function cppTypes(
  parameters: readonly ElementType[],
  result: ElementType | undefined,
  captured: readonly (readonly [string, ElementType])[],
  argument: string,
): CppTypes {
  const definer = new Definer(argument);
  if ([...parameters, result].some((type) => type?.kind === "struct")) {
    parameters.forEach((type, index) => {
      definer.alias(type, `Operand${String(index)}`);
    });
    if (result !== undefined) definer.alias(result, "Result");
  }
  for (const [name, type] of captured) if (type.kind === "struct") definer.alias(type, `State_${name}`);
  return definer;
}
