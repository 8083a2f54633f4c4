/**
 * The functions that operators may call without compiling them: members of `Math` and `Number`, conversions, atomics.
 * They are found by name in the source, and by identity where a capture holds one under another name. The library's own
 * bear a mark, so that those of another copy of it in the process are known too.
 */
import { type ScalarName, scalarTypes } from "../types/scalar";
import * as atomics from "./atomics";
import * as conversions from "./conversions";
import type { AtomicOperation } from "./ir";
import { type MathFunction, mathFunctions, numberFunctions } from "./math";
import type { Span } from "./source";
import type { ConversionTarget, SyntaxExpression } from "./syntax";

export type Intrinsic =
  /** `function` is its name in the table of math.ts. */
  | (Callable & { readonly kind: "math"; readonly function: string })
  | (Callable & { readonly kind: "conversion"; readonly target: ConversionTarget })
  /** Its operands are how many bits to keep, and the BigInt. */
  | (Callable & { readonly kind: "cut"; readonly isSigned: boolean })
  /** Its operands are the array, the index and the values. */
  | (Callable & { readonly kind: "atomic"; readonly operation: AtomicOperation });

interface Callable {
  /** As users write it. */
  readonly name: string;
  /** How many operands it takes. */
  readonly least: number;
  readonly most: number;
}

const conversion = (name: string, target: ConversionTarget): Intrinsic => ({
  kind: "conversion",
  name,
  target,
  least: 1,
  most: 1,
});

function math(object: string, name: string): Intrinsic {
  const { least, most } = mathFunctions.get(name) as MathFunction;
  return { kind: "math", name: `${object}${name}`, function: name, least, most };
}

const cut = (name: string, isSigned: boolean): Intrinsic => ({ kind: "cut", name, isSigned, least: 2, most: 2 });

/** By the object that has them. */
const members: Readonly<Record<string, ReadonlyMap<string, Intrinsic>>> = {
  Math: new Map<string, Intrinsic>([
    ...[...mathFunctions.keys()]
      .filter((name) => name !== "square" && !numberFunctions.has(name))
      .map((name) => [name, math("Math.", name)] as const),
    ["fround", conversion("Math.fround", "float32")],
  ]),
  Number: new Map([...numberFunctions].map((name) => [name, math("Number.", name)])),
  BigInt: new Map([
    ["asIntN", cut("BigInt.asIntN", true)],
    ["asUintN", cut("BigInt.asUintN", false)],
  ]),
};

/** By their own names. */
const named: ReadonlyMap<string, Intrinsic> = new Map<string, Intrinsic>([
  ...(Object.keys(scalarTypes) as ScalarName[]).map((name) => [name, conversion(name, name)] as const),
  ["Number", conversion("Number", "number")],
  ["Boolean", conversion("Boolean", "boolean")],
  ["BigInt", conversion("BigInt", "bigint")],
  ["isNaN", math("", "isNaN")],
  ["isFinite", math("", "isFinite")],
  ...Object.entries(atomics.operations).map(([name, operation]): [string, Intrinsic] => {
    const count = operation === "compareExchange" ? 4 : 3;
    return [name, { kind: "atomic", name, operation, least: count, most: count }];
  }),
]);

/** Holds the name of a function of the library's own. */
const mark = Symbol.for("cuda-compute.intrinsic");

/** True for the objects of JavaScript's whose members operators know. */
export function hasMembers(name: string): boolean {
  return Object.hasOwn(members, name);
}

/** JavaScript's own. */
const identities = new Map<unknown, Intrinsic>();
for (const [object, functions] of Object.entries(members)) {
  for (const [name, intrinsic] of functions) {
    identities.set((globalThis as unknown as Record<string, Record<string, unknown>>)[object]?.[name], intrinsic);
  }
}
const own: Readonly<Record<string, unknown>> = { ...conversions, ...atomics };
for (const [name, intrinsic] of named) {
  if (own[name] === undefined) identities.set((globalThis as Record<string, unknown>)[name], intrinsic);
  else Object.defineProperty(own[name], mark, { value: name });
}

const builtIns: ReadonlySet<string> = new Set([
  ...Object.keys(members),
  ...[...named.keys()].filter((name) => own[name] === undefined),
  ...["NaN", "Infinity", "undefined"],
]);

/** True for the globals of JavaScript's that operators know. */
export function isBuiltIn(name: string): boolean {
  return builtIns.has(name);
}

/** The function of a name, such as `["Math", "sqrt"]` or `["int32"]`; module names before our own do not matter. */
export function intrinsicOf(path: readonly string[]): Intrinsic | undefined {
  const [root = "", property] = path;
  if (path.length === 2 && property !== undefined && Object.hasOwn(members, root)) return members[root]?.get(property);
  const last = path[path.length - 1] ?? "";
  const isGlobal = Object.hasOwn(globalThis, last);
  return isGlobal && path.length > 1 ? undefined : named.get(last);
}

/** The function that a captured value is. */
export function intrinsicByIdentity(value: unknown): Intrinsic | undefined {
  if (typeof value !== "function") return undefined;
  const name = (value as { [mark]?: string })[mark];
  return name === undefined ? identities.get(value) : named.get(name);
}

/** What is wrong with the number of operands, if anything. */
export function wrongCount({ name, kind, least, most }: Intrinsic, count: number): string | undefined {
  // Math.min(), Math.max() and Math.hypot() have values without operands.
  if ((count >= least || (kind === "math" && most > 2)) && count <= most) return undefined;
  const range = least === most ? String(least) : `${String(least)} to ${String(most)}`;
  return `${name} takes ${range} argument(s), not ${String(count)}`;
}

const unaryPlus = (operand: SyntaxExpression, span: Span): SyntaxExpression => ({
  kind: "unary",
  operator: "+",
  operand,
  span,
});

/** A call of a function of numbers; their count was checked. */
export function applyIntrinsic(
  intrinsic: Exclude<Intrinsic, { kind: "atomic" }>,
  operands: readonly SyntaxExpression[],
  span: Span,
): SyntaxExpression {
  if (intrinsic.kind === "conversion") {
    return { kind: "conversion", target: intrinsic.target, operand: operands[0] as SyntaxExpression, span };
  }
  if (intrinsic.kind === "cut") {
    const [bits, operand] = operands as [SyntaxExpression, SyntaxExpression];
    return { kind: "cut", isSigned: intrinsic.isSigned, bits, operand, span };
  }
  if (operands.length === 0) {
    return { kind: "number", value: mathFunctions.get(intrinsic.function)?.evaluate() as number, span };
  }
  // The global isNaN and isFinite make a number of their operand first, those of Number do not.
  const isGlobal = intrinsic.name === intrinsic.function;
  const asNumbers = isGlobal ? operands.map((operand) => unaryPlus(operand, span)) : operands;
  return { kind: "math", name: intrinsic.function, operands: asNumbers, span };
}
