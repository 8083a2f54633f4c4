/**
 * One program for all the ways to write one function down: by hand, minified, or compiled to an older JavaScript. Then
 * copies of a function have one fingerprint and one build. No result changes by a bit.
 */
import { jumps, neverEnds } from "./control-flow";
import type { AnyProgram, FunctionBody, If, Loop, Statement } from "./ir";
import { renumberedLocals, settledLocals } from "./locals";
import { isSame, mapChildren, mapped } from "./rewrite";
import { and, type Branches, conditional, isNegative, mergedBranches, not, simplified } from "./simplify";

type List = readonly Statement[];

/** The canonical form of a program. */
export function canonical<P extends AnyProgram>(program: P): P {
  return { ...canonicalBody(program), functions: program.functions.map(canonicalBody) };
}

function canonicalBody<F extends FunctionBody>(given: F): F {
  let { body } = given;
  for (;;) {
    const next = settledLocals(statements(body));
    if (isSame(next, body)) break;
    body = next;
  }
  return { ...given, ...renumberedLocals(body, given.locals) };
}

function statements(list: List): List {
  return joined(
    mapped(list, (statement) => mapChildren(statement, simplified, statements)),
    [],
  );
}

/** From the last to the first, since what follows a branch may become part of it. */
function joined(list: List, rest: List): List {
  return list.reduceRight<List>((following, statement) => before(statement, following), rest);
}

function before(statement: Statement, rest: List): List {
  switch (statement.kind) {
    case "return":
    case "break":
    case "continue":
      return [statement];
    case "if":
      return branch(statement, rest);
    case "loop":
      return loop(statement, rest);
    default:
      return [statement, ...rest];
  }
}

function branch({ test, consequent, alternate }: Branches<List>, rest: List): List {
  if (test.kind === "literal") return joined(test.value ? consequent : alternate, rest);
  // What follows a branch that jumps away is the other branch's.
  if (rest.length > 0 && neverEnds(consequent)) {
    return branch({ test, consequent, alternate: joined(alternate, rest) }, []);
  }
  if (rest.length > 0 && neverEnds(alternate)) {
    return branch({ test, consequent: joined(consequent, rest), alternate }, []);
  }
  if (isSame(consequent, alternate)) return joined(consequent, rest);
  if (consequent.length === 0 || (alternate.length > 0 && isNegative(test))) {
    return branch({ test: not(test), consequent: alternate, alternate: consequent }, rest);
  }
  const merged = mergedBranches(test, onlyIf(consequent), onlyIf(alternate), consequent, alternate);
  if (merged !== undefined) return branch(merged, rest);
  const [first] = consequent;
  const [second] = alternate;
  if (consequent.length === 1 && alternate.length === 1 && first !== undefined && second !== undefined) {
    if (
      first.kind === "return" &&
      second.kind === "return" &&
      first.value !== undefined &&
      second.value !== undefined
    ) {
      return [{ kind: "return", value: conditional(test, first.value, second.value) }];
    }
    if (first.kind === "assign" && second.kind === "assign" && first.index === second.index) {
      return [{ ...first, value: conditional(test, first.value, second.value) }, ...rest];
    }
  }
  return [{ kind: "if", test, consequent, alternate }, ...rest];
}

function onlyIf(list: List): If | undefined {
  const [only] = list;
  return list.length === 1 && only?.kind === "if" ? only : undefined;
}

function loop(statement: Loop, rest: List): List {
  const { test, update } = statement;
  const body = withoutLast("continue", statement.body);
  if (test?.kind === "literal" && test.value) {
    return loop({ ...statement, test: undefined, testsAfter: false, body }, rest);
  }
  if (!statement.testsAfter) {
    if (test?.kind === "literal") return rest;
    // A turn that begins by leaving has one more test.
    const first = onlyIf(body);
    const isBreak = ([only]: List): boolean => only?.kind === "break";
    if (first !== undefined && (isBreak(first.consequent) || isBreak(first.alternate))) {
      const [stays, inner] = isBreak(first.alternate)
        ? [first.test, first.consequent]
        : [not(first.test), first.alternate];
      return loop({ ...statement, test: test === undefined ? stays : and(test, stays), body: inner }, rest);
    }
  }
  // A loop of one turn, as `switch` becomes one, is what it runs.
  const isOnce = statement.testsAfter ? test?.kind === "literal" : neverEnds(body);
  if (isOnce && !jumps(body, "continue")) {
    const once = withoutLast("break", body);
    if (!jumps(once, "break")) {
      const always = statement.testsAfter || test === undefined;
      return always ? joined(once, rest) : branch({ test, consequent: once, alternate: [] }, rest);
    }
  }
  // Without a `continue` that hurries to it, the update is the end of the body.
  const whole: Loop = jumps(body, "continue")
    ? { ...statement, body }
    : { ...statement, update: [], body: joined(body, update) };
  return neverEnds([whole]) ? [whole] : [whole, ...rest];
}

/** At the end of a turn, `continue` says nothing; at the end of the last one, `break` says nothing. */
function withoutLast(kind: "break" | "continue", body: List): List {
  const last = body[body.length - 1];
  if (last?.kind === kind) return withoutLast(kind, body.slice(0, -1));
  if (last?.kind !== "if") return body;
  const { test } = last;
  const consequent = withoutLast(kind, last.consequent);
  const alternate = withoutLast(kind, last.alternate);
  return [...body.slice(0, -1), ...branch({ test, consequent, alternate }, [])];
}
