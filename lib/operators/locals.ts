/** Local variables in one form: declared where they get their value, and gone where a value can stand for them. */
import type { ElementType } from "../types/element";
import type { Declare, Expression, Statement } from "./ir";
import { mapChildren, mapExpressions, mapLists, visit, writtenLocal } from "./rewrite";
import { eachPart, reads, usesIn } from "./uses";

type List = readonly Statement[];

/** Expressions that depend on the elements of captured arrays; others have one value wherever their locals have. */
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

const isBare = (statement: Statement): statement is Declare =>
  statement.kind === "declare" && statement.value === undefined;

/** `let x; …; x = a;` is `…; let x = a;`, and in the innermost block: what `var` and hoisting take apart. */
function declaredLate(list: List): List {
  const bare = list.filter(isBare).reverse();
  return bare.length === 0
    ? list
    : declaredBeforeUse(
        bare,
        list.filter((statement) => !isBare(statement)),
      );
}

/** The list with declarations, each at the first statement that mentions its local. */
function declaredBeforeUse(declarations: readonly Declare[], list: List): List {
  const uses = usesIn(list);
  const declared = new Map<number, Declare[]>();
  for (const declaration of declarations) {
    const { readAt = [], writtenAt = [] } = uses.get(declaration.index) ?? {};
    const first = Math.min(readAt[0] ?? Infinity, writtenAt[0] ?? Infinity);
    declared.set(first, [...(declared.get(first) ?? []), declaration]);
  }
  const isLast = (local: number, place: number): boolean => {
    const { readAt = [], writtenAt = [] } = uses.get(local) ?? {};
    return Math.max(readAt[readAt.length - 1] ?? -1, writtenAt[writtenAt.length - 1] ?? -1) === place;
  };
  return list.flatMap((statement, place) => {
    const here = declared.get(place);
    return here === undefined ? [statement] : declaredAt(here, statement, (local) => isLast(local, place));
  });
}

/** A statement with declarations: as part of it, in an inner list, or before it. */
function declaredAt(declarations: readonly Declare[], statement: Statement, isOnly: (local: number) => boolean): List {
  let whole = statement;
  const before: Declare[] = [];
  const inner = new Map<List, Declare[]>();
  for (const declaration of declarations) {
    const { index } = declaration;
    const list = isOnly(index) ? onlyList(statement, index) : undefined;
    if (statement.kind === "assign" && statement.index === index && reads(statement.value, index) === 0) {
      whole = { kind: "declare", index, value: statement.value };
    } else if (list === undefined) {
      before.push(declaration);
    } else {
      inner.set(list, [...(inner.get(list) ?? []), declaration]);
    }
  }
  const within = (list: List): List => {
    const declared = inner.get(list);
    return declared === undefined ? list : declaredBeforeUse(declared, list);
  };
  return [...before, mapChildren(whole, same, within)];
}

/** The list in a statement that alone mentions a local, where it may be declared. */
function onlyList(statement: Statement, local: number): List | undefined {
  const mentions = (list: List): boolean => usesIn(list).has(local);
  if (statement.kind === "loop") {
    // Reads follow assignments, so no turn reads the value of the one before.
    return reads(statement.test, local) > 0 || mentions(statement.update) ? undefined : statement.body;
  }
  if (statement.kind !== "if" || reads(statement.test, local) > 0) return undefined;
  const { consequent, alternate } = statement;
  if (!mentions(alternate)) return consequent;
  return mentions(consequent) ? undefined : alternate;
}

const same = <T>(value: T): T => value;

/** The local that a statement writes and does nothing else. */
function ownLocal(statement: Statement): number | undefined {
  return statement.kind === "declare" || statement.kind === "assign" ? statement.index : undefined;
}

/** Without locals whose value nothing but their own next value depends on. */
function withoutUnread(body: List): List {
  const read = new Set<number>();
  const collect = (statement: Statement): void => {
    const own = ownLocal(statement);
    const collectReads = (expression: Expression): void =>
      visit(expression, (node) => {
        if (node.kind === "local" && node.index !== own) read.add(node.index);
      });
    eachPart(statement, collectReads, (inner) => inner.forEach(collect));
  };
  body.forEach(collect);
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

/** What stands for a local: its value, and what that depends on. */
interface Replacement {
  readonly value: Expression;
  readonly locals: ReadonlySet<number>;
  readonly readsMemory: boolean;
}

/** Values in place of the locals that hold them, for locals that are written once. */
function withReplaced(list: List, isWrittenOnce: (local: number) => boolean): List {
  const replacements = new Map<number, Replacement>();
  const replace = (node: Expression): Expression =>
    node.kind === "local" ? (replacements.get(node.index)?.value ?? node) : node;
  let lastWrite: number | undefined;
  return list.flatMap((given, place) => {
    const [statement] = (replacements.size === 0 ? [given] : mapExpressions([given], replace)) as [Statement];
    if (given.kind !== "declare" || statement.kind !== "declare") return [statement];
    if (given.value === undefined || statement.value === undefined || !isWrittenOnce(given.index)) return [statement];
    const replacement = { value: statement.value, ...dependencies(given.value, replacements) };
    const isLasting = !replacement.readsMemory || (lastWrite ??= list.findLastIndex(writesMemory)) <= place;
    if (!canReplace(given.index, replacement, isLasting, list, place)) return [statement];
    replacements.set(given.index, replacement);
    return [];
  });
}

/** What a value depends on, once what it reads is replaced. */
function dependencies(
  value: Expression,
  replacements: ReadonlyMap<number, Replacement>,
): Pick<Replacement, "locals" | "readsMemory"> {
  const locals = new Set<number>();
  let readsMemory = false;
  visit(value, (node) => {
    readsMemory ||= memoryKinds.has(node.kind);
    if (node.kind !== "local") return;
    const replacement = replacements.get(node.index);
    if (replacement === undefined) locals.add(node.index);
    for (const local of replacement?.locals ?? []) locals.add(local);
    readsMemory ||= replacement?.readsMemory ?? false;
  });
  return { locals, readsMemory };
}

const isRead = (node: Expression, local: number): boolean => node.kind === "local" && node.index === local;

function replaceIn(expression: Expression, local: number, value: Expression): Expression {
  const within = (node: Expression): Expression => (isRead(node, local) ? value : mapChildren(node, within, same));
  return within(expression);
}

/** What never changes and costs nothing, so that it may stand in many places. */
function isPlain(node: Expression): boolean {
  if (node.kind === "field") return isPlain(node.value);
  return node.kind === "literal" || node.kind === "parameter" || node.kind === "capture" || node.kind === "length";
}

/** Whether a statement may change the elements of captured arrays. */
function writesMemory(statement: Statement): boolean {
  let found = false;
  visit(statement, ({ kind }) => {
    found ||= kind === "store" || kind === "atomic" || kind === "invoke";
  });
  return found;
}

/** Whether a value is the same wherever the statements behind it read the local that holds it. */
function canReplace(
  local: number,
  { value, locals }: Replacement,
  isLasting: boolean,
  list: List,
  place: number,
): boolean {
  if (isPlain(value)) return true;
  const isCopy = value.kind === "local";
  if (!isCopy && (usesIn(list).get(local)?.reads ?? 0) > 1) return false;
  return isLasting && isUnchanged(local, locals, isCopy, list, place);
}

/** Whether no statement behind a place writes what is needed before the last read of the local. */
function isUnchanged(local: number, needed: ReadonlySet<number>, isCopy: boolean, list: List, place: number): boolean {
  const uses = usesIn(list);
  const last = uses.get(local)?.readAt.at(-1);
  const statement = last === undefined ? undefined : list[last];
  if (last === undefined || statement === undefined) return true;
  const isWritten = (from: number, to: number): boolean =>
    [...needed].some((index) => uses.get(index)?.writtenAt.some((at) => at >= from && at <= to));
  if (isWritten(place + 1, last - 1)) return false;
  // A loop would compute the value again in each turn.
  if (statement.kind === "loop") return isCopy && !isWritten(last, last);
  if (statement.kind !== "if") return true;
  return [statement.consequent, statement.alternate].every((branch) => isUnchanged(local, needed, isCopy, branch, -1));
}
