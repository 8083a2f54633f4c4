/** Reads and rebuilds trees of a program without knowing each kind of node: fields that hold nodes are found by shape. */
import type { Expression, Statement } from "./ir";

type Node = Expression | Statement;

/** Fields that hold lists of statements; in any other list of nodes they are expressions. */
const statementLists: ReadonlySet<string> = new Set(["consequent", "alternate", "body", "update"]);

/** Types have a kind too, but belong to a node and are none. */
const isTree = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !("cudaStorage" in value);
const isNode = (value: unknown): value is Node => isTree(value) && "kind" in value;

/** A node whose inner expressions and lists of statements were replaced: the node itself where none changed. */
export function mapChildren<N extends Node>(
  node: N,
  expression: (child: Expression) => Expression,
  statements: (list: readonly Statement[]) => readonly Statement[],
): N {
  const rebuild = (value: unknown, key: string): unknown => {
    if (Array.isArray(value) && statementLists.has(key)) return statements(value as Statement[]);
    if (Array.isArray(value)) return mapped(value, (each) => rebuild(each, key));
    if (isNode(value)) return expression(value as Expression);
    return value;
  };
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(node)) {
    const value = (node as unknown as Record<string, unknown>)[key];
    // A call less for each level of a deep tree.
    const by = isNode(value) ? expression(value as Expression) : rebuild(value, key);
    if (by !== value) (changed ??= { ...node })[key] = by;
  }
  return (changed ?? node) as N;
}

/** As `list.map`: the list itself where nothing changed. */
export function mapped<T>(list: readonly T[], replace: (item: T) => T): readonly T[] {
  const replaced = list.map((item) => replace(item));
  return replaced.some((item, place) => item !== list[place]) ? replaced : list;
}

/** Every expression in the statements, replaced from the inside out. */
export function mapExpressions(
  list: readonly Statement[],
  replace: (expression: Expression) => Expression,
): readonly Statement[] {
  const within = (expression: Expression): Expression => replace(mapChildren(expression, within, same));
  return mapped(list, (statement) => mapChildren(statement, within, (inner) => mapExpressions(inner, replace)));
}

/** Every list of statements, replaced from the inside out. */
export function mapLists(
  list: readonly Statement[],
  replace: (list: readonly Statement[]) => readonly Statement[],
): readonly Statement[] {
  const kept = (expression: Expression): Expression => expression;
  return replace(mapped(list, (statement) => mapChildren(statement, kept, (inner) => mapLists(inner, replace))));
}

/** Calls back for every node in a tree, outer ones first, in the order of the source. */
export function visit(tree: unknown, callback: (node: Node) => void): void {
  if (!isTree(tree)) return;
  if (isNode(tree)) callback(tree);
  for (const value of Object.values(tree) as unknown[]) if (typeof value === "object") visit(value, callback);
}

/** Whether two trees are one, node by node. Most that differ do so at once: in their kinds. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => key in b && isSame(a[key as keyof typeof a], b[key as keyof typeof b]))
  );
}

/** The local that a statement gives a value to. */
export function writtenLocal(statement: Node): number | undefined {
  if (statement.kind === "atomic" || statement.kind === "invoke") return statement.result;
  const writes = statement.kind === "assign" || (statement.kind === "declare" && statement.value !== undefined);
  return writes ? statement.index : undefined;
}

function same<T>(value: T): T {
  return value;
}
