/**
 * Loop counters as integers. In JavaScript a counter is a number, so a float64; on a GPU that costs a loop several times
 * what an integer does. A local that only ever holds small whole numbers and takes small steps becomes an int64: it
 * would have to count for hours before the two differ.
 */
import { isBigIntType, type ScalarType, scalarTypes } from "../types/scalar";
import type { Binary, Compare, Expression, FunctionBody, Literal, AnyProgram, ScalarExpression, Statement } from "./ir";
import { mapChildren, visit, writtenLocal } from "./rewrite";

const { int64, float64 } = scalarTypes;

/** The largest number that a counter begins at or a factor is, and the largest step. */
const largest = 2 ** 31;
const largestStep = 1024;

/** Expressions whose bounds are known when a loop begins: comparing them with an integer costs little. */
const invariants: ReadonlySet<string> = new Set<Expression["kind"]>(["capture", "parameter"]);

const isWholeLiteral = (node: Expression, most: number): node is Literal =>
  node.kind === "literal" &&
  node.type === float64 &&
  Number.isInteger(node.value) &&
  !Object.is(node.value, -0) &&
  Math.abs(node.value as number) <= most;

const isInteger = (type: ScalarType): boolean => type.kind === "int" || type.kind === "uint";

/**
 * A float64 that is a whole number, as an int64; undefined where it may be something else. Integers of other types are
 * found in what `rewrite` makes of them, since counters may stand inside.
 */
function asInteger(
  node: Expression,
  isCounter: (local: number) => boolean,
  rewrite: (node: Expression) => Expression = (same) => same,
): ScalarExpression | undefined {
  const inner = (operand: Expression): ScalarExpression | undefined => asInteger(operand, isCounter, rewrite);
  if (isWholeLiteral(node, largest)) return { ...node, type: int64, value: BigInt(node.value) };
  switch (node.kind) {
    case "local":
      return isCounter(node.index) ? { ...node, type: int64 } : undefined;
    case "length":
      return { ...node, type: int64 };
    case "convert": {
      const from = node.value.type as ScalarType;
      const isExact = node.type === float64 && isInteger(from) && !isBigIntType(from);
      return isExact ? { kind: "convert", type: int64, value: rewrite(node.value) } : undefined;
    }
    case "binary":
      return node.type === float64 ? integerOperation(node, inner) : undefined;
    default:
      return undefined;
  }
}

/** Results that float64 holds exactly. A remainder may be -0 in JavaScript, which no user of these integers sees. */
function integerOperation(
  node: Binary,
  inner: (operand: Expression) => ScalarExpression | undefined,
): ScalarExpression | undefined {
  const { operation } = node;
  const left = inner(node.left);
  const right = inner(node.right);
  if (left === undefined || right === undefined) return undefined;
  // One factor at most: a product of many could leave what float64 holds exactly.
  const isFactor = isWholeLiteral(node.right, largestStep) && !hasProduct(node.left);
  const isExact =
    operation === "add" ||
    operation === "subtract" ||
    (isFactor && (operation === "multiply" || (operation === "remainder" && node.right.value !== 0)));
  return isExact ? { ...node, type: int64, left, right } : undefined;
}

function hasProduct(node: Expression): boolean {
  let found = false;
  visit(node, (each) => {
    found ||= each.kind === "binary" && each.operation === "multiply";
  });
  return found;
}

/** What a counter may become: a whole number to begin at, or a small step from where it is. */
function isCounted(local: number, value: Expression, isCounter: (local: number) => boolean): boolean {
  if (value.kind !== "binary") return value.kind !== "local" && asInteger(value, isCounter) !== undefined;
  const { operation, left, right } = value;
  if ((operation !== "add" && operation !== "subtract") || !isWholeLiteral(right, largestStep)) return false;
  const isStep = left.kind === "local" && left.index === local;
  return isStep || (left.kind !== "local" && left.kind !== "binary" && asInteger(left, isCounter) !== undefined);
}

/** The locals that are counters. */
function countersOf({ body, locals }: FunctionBody): Set<number> {
  const counters = new Set(locals.flatMap((type, index) => (type === float64 ? [index] : [])));
  const written = new Map<number, number>();
  const isCounter = (local: number): boolean => counters.has(local);
  visit(body, (node) => {
    const local = writtenLocal(node);
    if (local === undefined || !counters.has(local)) return;
    written.set(local, (written.get(local) ?? 0) + 1);
    const value = node.kind === "declare" || node.kind === "assign" ? node.value : undefined;
    if (value === undefined || !isCounted(local, value, isCounter)) counters.delete(local);
  });
  // Only those that count, and that a test or an index asks for.
  const asked = new Set<number>();
  visit(body, (node) => {
    const places = node.kind === "compare" ? [node.left, node.right] : "array" in node ? [placeOf(node)] : [];
    for (const place of places) {
      visit(place, (part) => {
        if (part.kind === "local") asked.add(part.index);
      });
    }
  });
  for (const local of counters) if ((written.get(local) ?? 0) < 2 || !asked.has(local)) counters.delete(local);
  return counters;
}

function placeOf(node: Expression | Statement): Expression | undefined {
  return "index" in node && typeof node.index === "object" ? node.index : undefined;
}

/** `i < n` of a whole number and any, as a comparison of integers: the compiler takes the bound out of the loop. */
function withBound(node: Compare, left: ScalarExpression): Compare {
  const { operation } = node;
  const isUpper = operation === "less" || operation === "lessEqual";
  // No whole number is less than NaN, or greater.
  const nan: Literal = { kind: "literal", type: int64, value: isUpper ? -(1n << 63n) : (1n << 63n) - 1n };
  const name = operation === "less" || operation === "greaterEqual" ? "whole_from" : "whole_to";
  return { ...node, left, right: { kind: "math", type: int64, name, operands: [node.right, nan] } };
}

class Rewriter {
  constructor(private readonly counters: ReadonlySet<number>) {}

  private readonly isCounter = (local: number): boolean => this.counters.has(local);

  private integer(node: Expression): ScalarExpression | undefined {
    return asInteger(node, this.isCounter, this.expression);
  }

  readonly statements = (list: readonly Statement[]): readonly Statement[] =>
    list.map((statement): Statement => {
      if ((statement.kind === "declare" || statement.kind === "assign") && this.isCounter(statement.index)) {
        const value = statement.value && this.integer(statement.value);
        return { ...statement, value } as Statement;
      }
      return this.placed(mapChildren(statement, this.expression, this.statements), placeOf(statement));
    });

  private readonly expression = (node: Expression): Expression => {
    if (node.kind === "local" && this.isCounter(node.index)) {
      return { kind: "convert", type: float64, value: { ...node, type: int64 } };
    }
    if (node.kind === "convert" && isInteger(node.type as ScalarType)) {
      const value = this.integer(node.value);
      if (value !== undefined) return { ...node, value };
    }
    if (node.kind === "compare") {
      const [left, right] = [this.integer(node.left), this.integer(node.right)];
      if (left !== undefined && right !== undefined) return { ...node, left, right };
      const isBound = invariants.has(node.right.kind) && node.right.type === float64;
      const isOrder = node.operation !== "equal" && node.operation !== "notEqual";
      if (left !== undefined && isBound && isOrder) return withBound(node, left);
    }
    return this.placed(mapChildren(node, this.expression, this.statements), placeOf(node));
  };

  /** The index of an element or of an item as an integer, where it is one. */
  private placed<N extends Expression | Statement>(node: N, place: Expression | undefined): N {
    const index = place?.type === float64 ? this.integer(place) : undefined;
    return index === undefined ? node : { ...node, index };
  }
}

function withCounters<F extends FunctionBody>(body: F): F {
  const counters = countersOf(body);
  if (counters.size === 0) return body;
  return {
    ...body,
    locals: body.locals.map((type, index) => (counters.has(index) ? int64 : type)),
    body: new Rewriter(counters).statements(body.body),
  };
}

/** The program with integers for the counters of its loops. */
export function integerCounters<P extends AnyProgram>(program: P): P {
  return { ...withCounters(program), functions: program.functions.map(withCounters) };
}
