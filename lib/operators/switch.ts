/**
 * `switch` as branches. Where each case ends before the next begins, that is a chain of `if` and `else`; where one runs
 * on into the next, the number of the case that is met decides which parts run. A `break` that is not the end of a part
 * leaves a loop of one turn.
 */
import { jumps, neverEnds } from "./control-flow";
import type { Span } from "./source";
import type { SyntaxExpression, SyntaxStatement } from "./syntax";

/** One `case`, or `default`, which has no test. */
export interface SwitchCase {
  readonly test: SyntaxExpression | undefined;
  readonly body: readonly SyntaxStatement[];
}

/** Cases of which each runs on into the next, up to one that ends. `first` is the place of its first case. */
interface Run {
  readonly first: number;
  readonly cases: readonly SwitchCase[];
}

type List = readonly SyntaxStatement[];

/**
 * The statements that a `switch` becomes.
 *
 * @param value what is compared with the cases; it may stand in many places.
 * @param newVariable makes a variable of the function without a name.
 */
export function branchesOfSwitch(
  value: SyntaxExpression,
  cases: readonly SwitchCase[],
  span: Span,
  newVariable: () => number,
): SyntaxStatement[] {
  const runs = runsOf(cases);
  const isChain = runs.every(({ cases }, place) => {
    const isPlain = cases.slice(0, -1).every(({ body }) => body.length === 0);
    // The cases beside a default come before those below it.
    const hasDefault = cases.some(({ test }) => test === undefined);
    return isPlain && (!hasDefault || cases.length === 1 || place === runs.length - 1);
  });
  const branches = isChain ? chainOf(value, runs, span) : byNumber(value, cases, runs, span, newVariable());
  return jumps(branches, "break") ? oneTurn(branches, span, newVariable) : branches;
}

function runsOf(cases: readonly SwitchCase[]): Run[] {
  const runs: Run[] = [];
  let first = 0;
  cases.forEach(({ body }, place) => {
    // What runs on into nothing ends here.
    const following = cases.slice(place + 1);
    const ending = following.findIndex((each) => neverEnds(each.body));
    const reached = ending === -1 ? following : following.slice(0, ending + 1);
    if (!neverEnds(body) && reached.some((each) => each.body.length > 0)) return;
    runs.push({ first, cases: cases.slice(first, place + 1) });
    first = place + 1;
  });
  return runs;
}

const equals = (value: SyntaxExpression, test: SyntaxExpression): SyntaxExpression => ({
  kind: "compare",
  operator: "===",
  left: value,
  right: test,
  span: test.span,
});

function chainOf(value: SyntaxExpression, runs: readonly Run[], span: Span): SyntaxStatement[] {
  const isDefault = ({ cases }: Run): boolean => cases.some(({ test }) => test === undefined);
  const bodyOf = (run: Run | undefined): SyntaxStatement[] => withoutLastBreak(run?.cases.at(-1)?.body ?? []);
  return runs
    .filter((run) => !isDefault(run))
    .reduceRight<SyntaxStatement[]>(
      (alternate, run) => {
        const test = run.cases
          .flatMap((each) => (each.test === undefined ? [] : [equals(value, each.test)]))
          .reduce((left, right) => ({ kind: "logical", operator: "||", left, right, span: right.span }));
        return [{ kind: "if", test, consequent: bodyOf(run), alternate, span }];
      },
      bodyOf(runs.find(isDefault)),
    );
}

/** The tests come first, as JavaScript has them: what runs may change what they read. */
function byNumber(
  value: SyntaxExpression,
  cases: readonly SwitchCase[],
  runs: readonly Run[],
  span: Span,
  variable: number,
): SyntaxStatement[] {
  const number = (place: number): SyntaxExpression => ({ kind: "number", value: place, span });
  const otherwise = cases.findIndex(({ test }) => test === undefined);
  const met = cases.reduceRight<SyntaxExpression>(
    (alternate, { test }, place) =>
      test === undefined
        ? alternate
        : { kind: "conditional", test: equals(value, test), consequent: number(place), alternate, span },
    number(otherwise === -1 ? cases.length : otherwise),
  );
  const isUpTo = (place: number): SyntaxExpression => ({
    kind: "compare",
    operator: "<=",
    left: { kind: "local", variable, span },
    right: number(place),
    span,
  });
  const branches = runs.reduceRight<SyntaxStatement[] | undefined>((alternate, { first, cases: run }) => {
    const last = first + run.length - 1;
    const parts = run.flatMap(({ body }, place): List => {
      if (first + place === last) return withoutLastBreak(body);
      if (body.length === 0) return [];
      return [{ kind: "if", test: isUpTo(first + place), consequent: body, alternate: [], span }];
    });
    // With a default, one of the cases is met.
    if (alternate === undefined && otherwise !== -1) return parts;
    return [{ kind: "if", test: isUpTo(last), consequent: parts, alternate: alternate ?? [], span }];
  }, undefined);
  const asInteger: SyntaxExpression = { kind: "conversion", target: "int32", operand: met, span };
  return [{ kind: "declare", variable, value: asInteger, span }, ...(branches ?? [])];
}

/** At the end of what runs, `break` says nothing. */
function withoutLastBreak(body: List): SyntaxStatement[] {
  const last = body[body.length - 1];
  if (last?.kind === "break") return body.slice(0, -1);
  if (last?.kind !== "if") return [...body];
  const consequent = withoutLastBreak(last.consequent);
  const alternate = withoutLastBreak(last.alternate);
  return [...body.slice(0, -1), { ...last, consequent, alternate }];
}

/** A loop that is left at the end of its first turn, so that `break` leaves it before; `continue` is for the loop around. */
function oneTurn(branches: List, span: Span, newVariable: () => number): SyntaxStatement[] {
  const around = jumps(branches, "continue") ? newVariable() : undefined;
  const turn = around === undefined ? branches : leavingInstead(branches, around);
  const end: List = neverEnds(turn) ? [] : [{ kind: "break", span }];
  const loop: SyntaxStatement = {
    kind: "loop",
    test: undefined,
    testsAfter: false,
    update: [],
    body: [...turn, ...end],
    span,
  };
  if (around === undefined) return [loop];
  return [
    { kind: "declare", variable: around, value: { kind: "boolean", value: false, span }, span },
    loop,
    {
      kind: "if",
      test: { kind: "local", variable: around, span },
      consequent: [{ kind: "continue", span }],
      alternate: [],
      span,
    },
  ];
}

/** The statements with `continue` as a note in a variable and a `break`. */
function leavingInstead(list: List, variable: number): List {
  return list.flatMap((statement): List => {
    const { span } = statement;
    if (statement.kind === "if") {
      const consequent = leavingInstead(statement.consequent, variable);
      return [{ ...statement, consequent, alternate: leavingInstead(statement.alternate, variable) }];
    }
    if (statement.kind !== "continue") return [statement];
    const value: SyntaxExpression = { kind: "boolean", value: true, span };
    return [
      { kind: "assign", variable, value, span },
      { kind: "break", span },
    ];
  });
}
