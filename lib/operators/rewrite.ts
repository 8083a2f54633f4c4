/** Reads and rebuilds trees of a program without knowing each kind of node: fields that hold nodes are found by shape. */
import type { Expression, Statement } from "./ir";

type Node = Expression | Statement;

/** Fields that hold lists of statements; in any other list of nodes they are expressions. */
const statementLists: ReadonlySet<string> = new Set(["consequent", "alternate", "body", "update"]);

/** Types have a kind too, but belong to a node and are none. */
const isTree = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !("cudaStorage" in value);
const isNode = (value: unknown): value is Node => isTree(value) && "kind" in value;

/** A node whose inner expressions and lists of statements were replaced. */
export function mapChildren<N extends Node>(
  node: N,
  expression: (child: Expression) => Expression,
  statements: (list: readonly Statement[]) => readonly Statement[],
): N {
  const rebuild = (value: unknown, key: string): unknown => {
    if (Array.isArray(value) && statementLists.has(key)) return statements(value as Statement[]);
    if (Array.isArray(value)) return value.map((each) => rebuild(each, key));
    if (isNode(value)) return expression(value as Expression);
    return isTree(value) ? fields(value) : value;
  };
  const fields = (object: object): unknown =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, rebuild(value, key)]));
  return fields(node) as N;
}

/** Every expression in the statements, replaced from the inside out. */
export function mapExpressions(
  list: readonly Statement[],
  replace: (expression: Expression) => Expression,
): readonly Statement[] {
  const within = (expression: Expression): Expression => replace(mapChildren(expression, within, same));
  return list.map((statement) => mapChildren(statement, within, (inner) => mapExpressions(inner, replace)));
}

/** Every list of statements, replaced from the inside out. */
export function mapLists(
  list: readonly Statement[],
  replace: (list: readonly Statement[]) => readonly Statement[],
): readonly Statement[] {
  const kept = (expression: Expression): Expression => expression;
  return replace(list.map((statement) => mapChildren(statement, kept, (inner) => mapLists(inner, replace))));
}

/** Calls back for every node in a tree, outer ones first, in the order of the source. */
export function visit(tree: unknown, callback: (node: Node) => void): void {
  if (!isTree(tree)) return;
  if (isNode(tree)) callback(tree);
  for (const value of Object.values(tree) as unknown[]) visit(value, callback);
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
