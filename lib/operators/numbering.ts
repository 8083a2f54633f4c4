/** The order of a program's functions, which its calls refer to by number. */
import type { FunctionBody, Statement } from "./ir";
import { mapExpressions, mapLists, mapped } from "./rewrite";

/** A function by the number that its callers have for it, and what it calls in the order of its text. */
export interface Numbered {
  readonly index: number;
  readonly body: FunctionBody;
  readonly calls: Iterable<Numbered>;
}

/** A body and the functions that it needs, each behind those that it calls, with their final numbers. */
export function inOrder(
  body: FunctionBody,
  calls: Iterable<Numbered>,
): { body: FunctionBody; functions: FunctionBody[] } {
  const numbers = new Map<number, number>();
  const functions: FunctionBody[] = [];
  const add = (each: Numbered): void => {
    if (numbers.has(each.index)) return;
    for (const inner of each.calls) add(inner);
    numbers.set(each.index, functions.push(withNumbers(each.body, numbers)) - 1);
  };
  for (const each of calls) add(each);
  return { body: withNumbers(body, numbers), functions };
}

function withNumbers(given: FunctionBody, numbers: ReadonlyMap<number, number>): FunctionBody {
  if (numbers.size === 0) return given;
  const numbered = <N extends { readonly function: number }>(node: N): N => {
    const index = numbers.get(node.function);
    if (index === undefined) throw new Error("a call of a function that is not part of the program");
    return index === node.function ? node : { ...node, function: index };
  };
  const statement = (node: Statement): Statement => (node.kind === "invoke" ? numbered(node) : node);
  const body = mapLists(given.body, (list) => mapped(list, statement));
  return { ...given, body: mapExpressions(body, (node) => (node.kind === "call" ? numbered(node) : node)) };
}
