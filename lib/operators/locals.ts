/** Local variables in one form: declared where they get their value, and gone where a value can stand for them. */
import type { ElementType } from "../types/element";
import type { Declare, Expression, Statement } from "./ir";
import { mapChildren, mapExpressions, mapLists, visit, writtenLocal } from "./rewrite";

type List = readonly Statement[];

/** Expressions that depend on parameters, captures and locals alone: they have the same value wherever those have. */
const valueKinds: ReadonlySet<string> = new Set<Expression["kind"]>([
  "literal",
  "parameter",
  "capture",
  "local",
  "convert",
  "unary",
  "binary",
  "compare",
  "not",
  "logical",
  "conditional",
  "math",
  "construct",
  "field",
  "item",
  "length",
]);

/** Expressions that depend on the elements of captured arrays too. */
const memoryKinds: ReadonlySet<string> = new Set<Expression["kind"]>(["element", "call"]);

/** The statements with each local declared late, unless it is not needed at all. */
export function settledLocals(body: List): List {
  const settled = mapLists(withoutUnread(mapLists(body, declaredLate)), withoutOverwritten);
  const written = new Map<number, number>();
  visit(settled, (node) => {
    const local = writtenLocal(node);
    if (local !== undefined) written.set(local, (written.get(local) ?? 0) + 1);
  });
  return mapLists(settled, (list) => withReplaced(list, (local) => written.get(local) === 1));
}

/** The statements and the types of their locals, numbered in the order of their declarations. */
export function renumberedLocals(body: List, types: readonly ElementType[]): { locals: ElementType[]; body: List } {
  const numbers = new Map<number, number>();
  const locals: ElementType[] = [];
  visit(body, (node) => {
    const type = node.kind === "declare" ? types[node.index] : undefined;
    if (node.kind === "declare" && type !== undefined) numbers.set(node.index, locals.push(type) - 1);
  });
  const number = (local: number): number => {
    const index = numbers.get(local);
    if (index === undefined) throw new Error("a local that is not declared");
    return index;
  };
  const read = mapExpressions(body, (node) => (node.kind === "local" ? { ...node, index: number(node.index) } : node));
  const written = mapLists(read, (list) =>
    list.map((node) => {
      if (node.kind === "declare" || node.kind === "assign") return { ...node, index: number(node.index) };
      if (node.kind !== "atomic" && node.kind !== "invoke") return node;
      return { ...node, result: node.result === undefined ? undefined : number(node.result) };
    }),
  );
  return { locals, body: written };
}

function reads(tree: unknown, local: number): number {
  let count = 0;
  visit(tree, (node) => {
    if (node.kind === "local" && node.index === local) count++;
  });
  return count;
}

function writes(tree: unknown, local: number): number {
  let count = 0;
  visit(tree, (node) => {
    if (writtenLocal(node) === local) count++;
  });
  return count;
}

function mentions(tree: unknown, local: number): boolean {
  return reads(tree, local) > 0 || writes(tree, local) > 0;
}

/** `let x; …; x = a;` is `…; let x = a;`, and in the innermost block: what `var` and hoisting take apart. */
function declaredLate(list: List): List {
  const first = list.findIndex((statement) => statement.kind === "declare" && statement.value === undefined);
  if (first === -1) return list;
  const declaration = list[first] as Declare;
  const rest = declaredBeforeUse(declaration, declaredLate(list.slice(first + 1)));
  return [...list.slice(0, first), ...rest];
}

function declaredBeforeUse(declaration: Declare, list: List): List {
  const local = declaration.index;
  const first = list.findIndex((statement) => mentions(statement, local));
  const statement = list[first];
  if (statement === undefined) return list;
  const replaced = (by: List): List => [...list.slice(0, first), ...by, ...list.slice(first + 1)];
  if (statement.kind === "assign" && statement.index === local && reads(statement.value, local) === 0) {
    return replaced([{ kind: "declare", index: local, value: statement.value }]);
  }
  const isOnly = !mentions(list.slice(first + 1), local);
  if (isOnly && statement.kind === "if" && reads(statement.test, local) === 0) {
    const { consequent, alternate } = statement;
    if (!mentions(alternate, local)) {
      return replaced([{ ...statement, consequent: declaredBeforeUse(declaration, consequent) }]);
    }
    if (!mentions(consequent, local)) {
      return replaced([{ ...statement, alternate: declaredBeforeUse(declaration, alternate) }]);
    }
  }
  if (isOnly && statement.kind === "loop" && !mentions([statement.test, statement.update], local)) {
    // Reads follow assignments, so no turn reads the value of the one before.
    return replaced([{ ...statement, body: declaredBeforeUse(declaration, statement.body) }]);
  }
  return replaced([declaration, statement]);
}

/** The local that a statement writes and does nothing else. */
function ownLocal(statement: Statement): number | undefined {
  return statement.kind === "declare" || statement.kind === "assign" ? statement.index : undefined;
}

/** Without locals whose value nothing but their own next value depends on. */
function withoutUnread(body: List): List {
  const read = new Set<number>();
  const readBy = (tree: unknown, own: number | undefined): void =>
    visit(tree, (node) => {
      if (node.kind === "local" && node.index !== own) read.add(node.index);
    });
  mapLists(body, (list) => {
    for (const statement of list) {
      mapChildren(
        statement,
        (expression) => (readBy(expression, ownLocal(statement)), expression),
        (inner) => inner,
      );
    }
    return list;
  });
  return mapLists(body, (list) =>
    list.flatMap((node): Statement[] => {
      if (node.kind === "declare" || node.kind === "assign") return read.has(node.index) ? [node] : [];
      const isUnread = (node.kind === "atomic" || node.kind === "invoke") && !read.has(node.result ?? -1);
      return [isUnread ? { ...node, result: undefined } : node];
    }),
  );
}

/** `x = a; x = x + b;` is `x = a + b;`, and `x = a; return x + b;` is `return a + b;`. */
function withoutOverwritten(list: List): List {
  const kept: Statement[] = [];
  for (const statement of list) {
    const last = kept[kept.length - 1];
    const whole = last && inOne(last, statement);
    if (whole === undefined) kept.push(statement);
    else kept[kept.length - 1] = whole;
  }
  return kept;
}

/** A statement that gives a local its value together with the next, after which that value is gone. */
function inOne(first: Statement, second: Statement): Statement | undefined {
  if ((first.kind !== "declare" && first.kind !== "assign") || first.value === undefined) return undefined;
  const { index, value } = first;
  const isLast = second.kind === "return" || (second.kind === "assign" && second.index === index);
  if (!isLast || second.value === undefined) return undefined;
  if (reads(second.value, index) > 1 && !isPlain(value)) return undefined;
  const replaced = replaceIn(second.value, index, value);
  return second.kind === "return" ? { ...second, value: replaced } : { ...first, value: replaced };
}

/** Values in place of the locals that hold them, for locals that are written once. */
function withReplaced(list: List, isWrittenOnce: (local: number) => boolean): List {
  const kept: Statement[] = [];
  let rest = list;
  for (let [statement] = rest; statement !== undefined; [statement] = rest) {
    rest = rest.slice(1);
    const value = statement.kind === "declare" && isWrittenOnce(statement.index) ? statement.value : undefined;
    if (statement.kind === "declare" && value !== undefined && canReplace(statement.index, value, rest)) {
      const { index } = statement;
      rest = mapExpressions(rest, (node) => (isRead(node, index) ? value : node));
    } else {
      kept.push(statement);
    }
  }
  return kept;
}

const isRead = (node: Expression, local: number): boolean => node.kind === "local" && node.index === local;

function replaceIn(expression: Expression, local: number, value: Expression): Expression {
  const within = (node: Expression): Expression =>
    isRead(node, local) ? value : mapChildren(node, within, (list) => list);
  return within(expression);
}

/** What never changes and costs nothing, so that it may stand in many places. */
function isPlain(node: Expression): boolean {
  if (node.kind === "field") return isPlain(node.value);
  return node.kind === "literal" || node.kind === "parameter" || node.kind === "capture" || node.kind === "length";
}

/** Whether statements may change the elements of captured arrays. */
function writesMemory(list: List): boolean {
  let found = false;
  visit(list, ({ kind }) => {
    found ||= kind === "store" || kind === "atomic" || kind === "invoke";
  });
  return found;
}

/** Whether a value, computed before the statements, is the same wherever they read the local that holds it. */
function canReplace(local: number, value: Expression, rest: List): boolean {
  if (isPlain(value)) return true;
  const isCopy = value.kind === "local";
  if (!isCopy && reads(rest, local) > 1) return false;
  const nodes: (Expression | Statement)[] = [];
  visit(value, (node) => nodes.push(node));
  const needed = nodes.flatMap((node) => (node.kind === "local" ? [node.index] : []));
  const isValue = nodes.every(({ kind }) => valueKinds.has(kind) || (memoryKinds.has(kind) && !writesMemory(rest)));
  return isValue && isUnchanged(local, needed, isCopy, rest);
}

/** Whether no statement writes what is needed before the last read of the local. */
function isUnchanged(local: number, needed: readonly number[], isCopy: boolean, list: List): boolean {
  for (const [position, statement] of list.entries()) {
    if (reads(list.slice(position), local) === 0) return true;
    const isWritten = needed.some((index) => writes(statement, index) > 0);
    if (reads(statement, local) > 0) {
      // A loop would compute the value again in each turn.
      if (statement.kind === "loop" && (isWritten || !isCopy)) return false;
      if (statement.kind === "if") {
        const { consequent, alternate } = statement;
        if (![consequent, alternate].every((branch) => isUnchanged(local, needed, isCopy, branch))) return false;
      }
    }
    if (isWritten && reads(list.slice(position + 1), local) > 0) return false;
  }
  return true;
}
