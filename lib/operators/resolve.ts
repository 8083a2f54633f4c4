/** ESTree to the untyped tree of syntax.ts: resolves names, and refuses what operators cannot have. */
import type * as acorn from "acorn";
import { type Before, separated, separatedCondition } from "./assignments";
import { Branch, nothing } from "./branch";
import { jumps, neverEnds } from "./control-flow";
import {
  assigns,
  contains,
  hasEffects,
  isIndexed,
  isStore,
  type Known,
  namesOf,
  plainPath,
  propertyName,
  walk,
} from "./estree";
import { applyIntrinsic, hasMembers, type Intrinsic, intrinsicOf, wrongCount } from "./intrinsics";
import { constants } from "./math";
import type { OwnNames } from "./own-names";
import { type ParsedFunction, spanOf } from "./parse";
import { compileErrorAt, missingReturn, recursion, type Span } from "./source";
import { branchesOfSwitch } from "./switch";
import type {
  ArithmeticOperator,
  CapturedName,
  ComparisonOperator,
  SyntaxExpression,
  SyntaxFunction,
  SyntaxProperty,
  SyntaxStatement,
} from "./syntax";
import { isCoverageCounter, isVoid, withoutArtifacts } from "./tool-artifacts";
import { refusalOf } from "./unsupported";

type Binding =
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "variable"; readonly variable: number; readonly isConstant: boolean; declared: boolean }
  /** The captures object of bind(): its properties are captured values. */
  | { readonly kind: "captures" }
  /** One property of it, taken out by destructuring. */
  | { readonly kind: "captured"; readonly name: string };

type Scope = Map<string, Binding>;

/** What is known of a function once it was read, and matters from its beginning. */
interface Learned {
  /** Parameters that the body assigns to: they become variables. */
  readonly assignedParameters: Set<number>;
  /** Captures that are used as they are, so that their length is not a capture of its own. */
  readonly wholes: Set<string>;
}

/** What a branch became, with the variables that have values before and after it. */
interface Resolved {
  readonly before: ReadonlySet<number>;
  readonly statements: SyntaxStatement[];
  readonly after: Set<number>;
}

/** A condition as statements, with the variables that have values behind it where it holds and where not. */
interface Steps {
  readonly statements: SyntaxStatement[];
  readonly whenTrue: ReadonlySet<number>;
  readonly whenFalse: ReadonlySet<number>;
}

/** A part of a value that is taken apart, and what it goes to. */
interface Part {
  readonly target: acorn.Node;
  readonly value: SyntaxExpression;
}

const arithmetic: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"]);
const comparisons: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "<", "<=", ">", ">="]);
const globalNumbers: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity };

class Resolver {
  private readonly scopes: Scope[] = [new Map<string, Binding>()];
  private readonly captures: CapturedName[] = [];
  private readonly variables: string[] = [];
  private readonly defaults: (SyntaxExpression | undefined)[] = [];
  /** The function's own name, by which it would call itself. */
  private readonly ownName: string | undefined;
  private readonly hasResult: boolean;
  private assigned = new Set<number>();
  /** Of each loop and `switch` around, the innermost last: which variables have values where a `break` leaves it. */
  private readonly exits: Set<number>[][] = [];

  constructor(
    private readonly parsed: ParsedFunction,
    private readonly argument: string,
    private readonly hasCapturesObject: boolean,
    private readonly ownNames: OwnNames,
    private readonly learned: Learned,
  ) {
    this.ownName = (parsed.node as Partial<acorn.FunctionExpression>).id?.name;
    this.hasResult = returnsValue(parsed.body);
  }

  function(): SyntaxFunction {
    const { body, parameters } = this.parsed;
    const prologue = [...this.parameters(), ...this.hoistedVariables()];
    const statements: SyntaxStatement[] =
      body.type === "BlockStatement" ? this.block(body.body) : this.returned(body, this.span(body));
    const end = this.span(body.type === "BlockStatement" ? { start: body.end - 1, end: body.end } : body);
    this.learnWholes();
    if (this.hasResult && !alwaysReturns(statements)) throw missingReturn(this.parsed.source, end, this.argument);
    return {
      arity: parameters.length - (this.hasCapturesObject ? 1 : 0),
      defaults: this.defaults,
      hasResult: this.hasResult,
      end,
      captures: this.captures,
      variables: this.variables,
      body: [...prologue, ...statements],
    };
  }

  private learnWholes(): void {
    const names = new Set(this.captures.map(({ name }) => name));
    const wholes = [...names].filter((name) => names.has(`${name}.length`));
    if (wholes.length === 0) return;
    for (const name of wholes) this.learned.wholes.add(name);
    throw new Restart();
  }

  private parameters(): SyntaxStatement[] {
    const prologue: SyntaxStatement[] = [];
    this.parsed.parameters.forEach((pattern, index) => {
      if (this.hasCapturesObject && index === this.parsed.parameters.length - 1) {
        this.capturesParameter(pattern);
        return;
      }
      const isOptional = pattern.type === "AssignmentPattern";
      const target = isOptional ? pattern.left : pattern;
      if (target.type === "RestElement") {
        this.fail(target, "rest parameters have no meaning here", "Name each parameter, as in (a, b) => a + b.");
      }
      this.defaults.push(isOptional ? this.defaultValue(pattern.right) : undefined);
      if (target.type !== "Identifier") {
        for (const name of namesOf(target)) this.declareVariable(this.scope, name, false);
        const value: SyntaxExpression = { kind: "parameter", index, span: this.span(target) };
        prologue.push(...this.takeApart(target, value, "declare"));
        return;
      }
      if (!this.learned.assignedParameters.has(index)) {
        this.scope.set(target.name, { kind: "parameter", index });
        return;
      }
      const variable = this.newVariable(target.name);
      this.assigned.add(variable);
      this.scope.set(target.name, { kind: "variable", variable, isConstant: false, declared: true });
      const span = this.span(target);
      prologue.push({ kind: "declare", variable, value: { kind: "parameter", index, span }, span });
    });
    return prologue;
  }

  private defaultValue(node: acorn.Expression): SyntaxExpression {
    const value = this.expression(node);
    const isConstant = !contains(node, ({ type }) => type === "Identifier" || type === "CallExpression");
    if (!isConstant && value.kind !== "number") {
      this.fail(node, "a default value that is not constant", "Write a number, a BigInt or a boolean.");
    }
    return value;
  }

  /** `var` belongs to the whole function, wherever it stands. */
  private hoistedVariables(): SyntaxStatement[] {
    const statements: SyntaxStatement[] = [];
    walk(this.parsed.body, (node) => {
      if (node.type !== "VariableDeclaration" || (node as acorn.VariableDeclaration).kind !== "var") return;
      for (const declarator of (node as acorn.VariableDeclaration).declarations) {
        for (const name of namesOf(declarator.id)) {
          // A parameter of that name is the same variable.
          const { kind } = this.scope.get(name) ?? {};
          if (kind === "parameter" || kind === "variable") continue;
          if (kind !== undefined) this.fail(declarator, `\`${name}\` is a captured value already`, "Use another name.");
          const { variable } = this.declareVariable(this.scope, name, false, true);
          statements.push({ kind: "declare", variable, value: undefined, span: this.span(declarator) });
        }
      }
    });
    return statements;
  }

  private capturesParameter(pattern: acorn.Pattern): void {
    if (pattern.type === "Identifier") {
      this.scope.set(pattern.name, { kind: "captures" });
      return;
    }
    if (pattern.type !== "ObjectPattern") {
      this.fail(pattern, "the last parameter of a bound operator is its captures", "Write it as { scale } or as c.");
    }
    for (const property of pattern.properties) {
      if (
        property.type !== "Property" ||
        property.computed ||
        property.key.type !== "Identifier" ||
        property.value.type !== "Identifier"
      ) {
        this.fail(property, "only plain names can be taken out of the captures", "Write it as { scale, offset }.");
      }
      this.scope.set(property.value.name, { kind: "captured", name: property.key.name });
    }
  }

  private block(body: readonly acorn.Statement[]): SyntaxStatement[] {
    const scope: Scope = new Map();
    this.scopes.push(scope);
    this.declareNames(body, scope);
    const statements = this.list(body);
    this.scopes.pop();
    return statements;
  }

  private list(body: readonly acorn.Statement[]): SyntaxStatement[] {
    const statements: SyntaxStatement[] = [];
    for (const statement of body) {
      if (!neverEnds(statements)) {
        statements.push(...this.statement(statement));
        continue;
      }
      // What follows a jump is never run, but is still checked.
      this.exits.push([]);
      this.statement(statement);
      this.exits.pop();
    }
    return statements;
  }

  /** `break` or `continue`. */
  private jump(kind: "break" | "continue", span: Span): SyntaxStatement {
    if (kind === "break") this.exits.at(-1)?.push(new Set(this.assigned));
    return { kind, span };
  }

  /** Makes the names of `let` and `const` known to their block from its beginning. */
  private declareNames(body: readonly acorn.Statement[], scope: Scope): void {
    for (const statement of body) {
      if (statement.type !== "VariableDeclaration" || statement.kind === "var") continue;
      for (const { id } of statement.declarations) {
        for (const name of namesOf(id)) this.declareVariable(scope, name, statement.kind !== "let");
      }
    }
  }

  private statement(statement: acorn.Statement): SyntaxStatement[] {
    const span = this.span(statement);
    switch (statement.type) {
      case "EmptyStatement":
        return [];
      case "BlockStatement":
        return this.block(statement.body);
      case "ReturnStatement":
        return this.returnStatement(statement);
      case "IfStatement": {
        const { test, consequent, alternate } = statement;
        return this.branch(
          test,
          new Branch(() => this.block([consequent])),
          alternate ? new Branch(() => this.block([alternate])) : nothing,
          span,
        );
      }
      case "VariableDeclaration":
        return statement.declarations.flatMap((declarator) => this.declarator(declarator, statement.kind === "var"));
      case "ExpressionStatement":
        if (statement.directive !== undefined || isCoverageCounter(statement.expression)) return [];
        return this.effect(statement.expression);
      case "WhileStatement":
        return this.loop(statement.test, false, undefined, statement.body, span);
      case "DoWhileStatement":
        return this.loop(statement.test, true, undefined, statement.body, span);
      case "ForStatement":
        return this.forStatement(statement);
      case "BreakStatement":
      case "ContinueStatement":
        if (statement.label) this.fail(statement, "a label cannot be compiled", "Use a variable to leave two loops.");
        return [this.jump(statement.type === "BreakStatement" ? "break" : "continue", span)];
      case "SwitchStatement":
        return this.switchStatement(statement);
      default:
        return this.refuse(statement);
    }
  }

  /** `return void (table[i] = x)` is what minifiers make of an effect and `return`. */
  private returnStatement(statement: acorn.ReturnStatement): SyntaxStatement[] {
    const { argument } = statement;
    const span = this.span(statement);
    if (argument && !isVoid(argument)) return this.returned(argument, span);
    if (this.hasResult) this.fail(statement, "a `return` without a value", "Return what the operator answers.");
    return [...(argument ? this.effect(argument) : []), { kind: "return", value: undefined, span }];
  }

  /** `return value`. Minifiers put statements before a comma, and whole branches into a conditional. */
  private returned(outer: acorn.Expression, span: Span): SyntaxStatement[] {
    // An arrow function whose body is such an assignment is called for its effect.
    if (!this.hasResult) return this.effect(outer);
    const { before, value } = this.lastOfSequence(outer);
    const choice = choiceWithEffects(value, this.known);
    if (choice !== undefined) {
      const { test, consequent, alternate } = choice;
      const whole = this.span(value);
      return [
        ...before,
        ...this.branch(
          test,
          new Branch(() => this.returned(consequent, this.span(consequent))),
          new Branch(() => this.returned(alternate, this.span(alternate))),
          whole,
        ),
      ];
    }
    const { before: steps, value: result } = this.valueInSteps(value);
    before.push(...steps);
    if (result.kind !== "call") return [...before, { kind: "return", value: result, span }];
    // A call that may have effects is a statement of its own.
    const variable = this.newVariable("");
    return [
      ...before,
      { kind: "declare", variable, value: result, span },
      { kind: "return", value: { kind: "local", variable, span }, span },
    ];
  }

  /** A value, and the statements before it. */
  private value(outer: acorn.Expression): { before: SyntaxStatement[]; value: SyntaxExpression } {
    const last = this.lastOfSequence(outer);
    const { before, value } = this.valueInSteps(last.value);
    return { before: [...last.before, ...before], value };
  }

  /** A value with assignments that are made under conditions, if there are any, in statements before it. */
  private valueInSteps(node: acorn.Expression): { before: SyntaxStatement[]; value: SyntaxExpression } {
    if (!hasSteps(node)) return { before: [], value: this.expression(node) };
    const { statements, result, whenTrue, whenFalse } = this.inSteps(node, false);
    this.assigned = inBoth(whenTrue, whenFalse);
    return { before: statements, value: result };
  }

  /**
   * `a = 1, b = 2, c` as the statements before the last comma and the value after it. Of a condition, what is evaluated
   * by the truth of another part stays as it is.
   */
  private lastOfSequence(outer: acorn.Expression): { before: SyntaxStatement[]; value: acorn.Expression } {
    const node = withoutArtifacts(outer);
    if (node.type === "AssignmentExpression" && !isStore(node)) {
      return { before: this.effect(node), value: node.left as acorn.Identifier };
    }
    if (node.type === "UpdateExpression" && node.prefix && !isStore(node))
      return { before: this.effect(node), value: node.argument };
    if (node.type !== "SequenceExpression") {
      const { before, value } = separatedCondition(this.known, node);
      return { before: this.before(before), value };
    }
    const before = node.expressions.slice(0, -1).flatMap((part) => this.effect(part));
    const last = this.lastOfSequence(node.expressions[node.expressions.length - 1] as acorn.Expression);
    return { before: [...before, ...last.before], value: last.value };
  }

  private before(parts: readonly Before[]): SyntaxStatement[] {
    return parts.flatMap((part) => {
      if (part.type !== "VariableDeclaration") return this.effect(part);
      this.declareNames([part], this.scope);
      return this.statement(part);
    });
  }

  private branch(outer: acorn.Expression, consequent: Branch, alternate: Branch, span: Span): SyntaxStatement[] {
    const { before, value } = this.lastOfSequence(outer);
    if (!hasSteps(value)) {
      const test = this.expression(value);
      return [...before, ...this.choice(test, consequent, this.assigned, alternate, this.assigned, span)];
    }
    if (value.type === "UnaryExpression") {
      return [...before, ...this.branch(value.argument, alternate, consequent, span)];
    }
    if (value.type === "LogicalExpression" && isChain(value)) {
      return [...before, ...this.branchOfChain(value, consequent, alternate, span)];
    }
    return [...before, ...this.branchOnTruth(value, consequent, alternate, span)];
  }

  /** A branch on the truth of a condition, which is found in statements before it. */
  private branchOnTruth(value: acorn.Expression, consequent: Branch, alternate: Branch, span: Span): SyntaxStatement[] {
    const { statements, result, whenTrue, whenFalse } = this.inSteps(value, true);
    return [...statements, ...this.choice(result, consequent, whenTrue, alternate, whenFalse, span)];
  }

  /** A branch, with what has values where it begins one way and the other. */
  private choice(
    test: SyntaxExpression,
    consequent: Branch,
    startTrue: ReadonlySet<number>,
    alternate: Branch,
    startFalse: ReadonlySet<number>,
    span: Span,
  ): SyntaxStatement[] {
    this.assigned = new Set(startTrue);
    const whenTrue = consequent.resolve();
    const afterTrue = this.assigned;
    this.assigned = new Set(startFalse);
    const whenFalse = alternate.resolve();
    const afterFalse = this.assigned;
    // A branch that jumps away says nothing about what is assigned afterwards.
    if (neverEnds(whenTrue)) this.assigned = afterFalse;
    else if (neverEnds(whenFalse)) this.assigned = afterTrue;
    else this.assigned = inBoth(afterTrue, afterFalse);
    return [{ kind: "if", test, consequent: whenTrue, alternate: whenFalse, span }];
  }

  /** The steps of an expression with a variable for what it comes to, or for its truth alone. */
  private inSteps(value: acorn.Expression, isTruth: boolean): Steps & { readonly result: SyntaxExpression } {
    const span = this.span(value);
    const variable = this.newVariable("");
    const steps = this.steps(value, variable, isTruth);
    const declared: SyntaxStatement = { kind: "declare", variable, value: undefined, span };
    return { ...steps, statements: [declared, ...steps.statements], result: { kind: "local", variable, span } };
  }

  private steps(outer: acorn.Expression, variable: number, isTruth: boolean): Steps {
    const { before, value } = this.lastOfSequence(outer);
    const span = this.span(value);
    const held: SyntaxExpression = { kind: "local", variable, span };
    const negation: SyntaxExpression = { kind: "unary", operator: "!", operand: held, span };
    if (!hasSteps(value)) {
      const result = this.expression(value);
      const given: SyntaxExpression = isTruth
        ? { kind: "conversion", target: "boolean", operand: result, span }
        : result;
      const statements: SyntaxStatement[] = [...before, { kind: "assign", variable, value: given, span }];
      return { statements, whenTrue: this.assigned, whenFalse: this.assigned };
    }
    if (value.type === "UnaryExpression") {
      const { statements, whenTrue, whenFalse } = this.steps(value.argument, variable, true);
      const negate: SyntaxStatement = { kind: "assign", variable, value: negation, span };
      return { statements: [...before, ...statements, negate], whenTrue: whenFalse, whenFalse: whenTrue };
    }
    /** What an operand comes to that is evaluated where the first one holds, or where not. */
    const next = (start: ReadonlySet<number>, operand: acorn.Expression): Steps => {
      this.assigned = new Set(start);
      return this.steps(operand, variable, isTruth);
    };
    if (value.type === "ConditionalExpression") {
      const test = this.inSteps(value.test, true);
      const one = next(test.whenTrue, value.consequent);
      const other = next(test.whenFalse, value.alternate);
      const chosen = { test: test.result, consequent: one.statements, alternate: other.statements };
      return {
        statements: [...before, ...test.statements, { kind: "if", ...chosen, span }],
        whenTrue: inBoth(one.whenTrue, other.whenTrue),
        whenFalse: inBoth(one.whenFalse, other.whenFalse),
      };
    }
    const isAnd = value.operator === "&&";
    const first = this.steps(value.left, variable, isTruth);
    const { statements, whenTrue, whenFalse } = next(isAnd ? first.whenTrue : first.whenFalse, value.right);
    const chosen = { test: isAnd ? held : negation, consequent: statements, alternate: [] };
    return {
      statements: [...before, ...first.statements, { kind: "if", ...chosen, span }],
      whenTrue: isAnd ? whenTrue : inBoth(first.whenTrue, whenTrue),
      whenFalse: isAnd ? inBoth(first.whenFalse, whenFalse) : whenFalse,
    };
  }

  /** `if (left && (x = a, right))`: the right operand is tested in statements of its own. */
  private branchOfChain(
    value: acorn.LogicalExpression,
    consequent: Branch,
    alternate: Branch,
    span: Span,
  ): SyntaxStatement[] {
    const isAnd = value.operator === "&&";
    // Both operands lead to the first of these, each alone to the second.
    const [both, either] = isAnd ? [consequent, alternate] : [alternate, consequent];
    const nested = (both: Branch): SyntaxStatement[] => {
      const test = (operand: acorn.Expression, next: Branch): SyntaxStatement[] =>
        isAnd ? this.branch(operand, next, nothing, span) : this.branch(operand, nothing, next, span);
      return test(value.left, new Branch(() => test(value.right, both), [both]));
    };
    if (either === nothing) return nested(both);
    if (both.ends === false) return this.branchOnTruth(value, consequent, alternate, span);
    const before = new Set(this.assigned);
    const resolved: Resolved[] = [];
    const first = nested(this.recorded(both, resolved));
    // Where nothing follows the one, the other stands behind it.
    if (both.ends) return [...first, ...either.resolve()];
    this.assigned = before;
    const again = this.reused(both, resolved);
    return isAnd
      ? this.branchOnTruth(value, again, alternate, span)
      : this.branchOnTruth(value, consequent, again, span);
  }

  /** The branch, keeping what it is resolved to. */
  private recorded(branch: Branch, resolved: Resolved[]): Branch {
    const make = (): SyntaxStatement[] => {
      const before = new Set(this.assigned);
      const statements = branch.resolve();
      resolved.push({ before, statements, after: new Set(this.assigned) });
      return statements;
    };
    return new Branch(make, [branch]);
  }

  /** The branch as it was resolved already: again from its source, the work would double with each level of nesting. */
  private reused(branch: Branch, resolved: Resolved[]): Branch {
    const make = (): SyntaxStatement[] => {
      const place = resolved.findIndex(({ before }) => isSameSet(before, this.assigned));
      const [known] = place === -1 ? [] : resolved.splice(place, 1);
      if (known === undefined) return branch.resolve();
      this.assigned = known.after;
      return known.statements;
    };
    return new Branch(make, [branch]);
  }

  private switchStatement(statement: acorn.SwitchStatement): SyntaxStatement[] {
    const span = this.span(statement);
    const { before, value: chosen } = this.value(statement.discriminant);
    const isName = chosen.kind === "parameter" || chosen.kind === "local" || chosen.kind === "capture";
    const variable = isName ? undefined : this.newVariable("");
    const name: SyntaxExpression = variable === undefined ? chosen : { kind: "local", variable, span: chosen.span };
    const first: SyntaxStatement[] =
      variable === undefined ? [] : [{ kind: "declare", variable, value: chosen, span: chosen.span }];
    const scope: Scope = new Map();
    this.scopes.push(scope);
    this.declareNames(
      statement.cases.flatMap(({ consequent }) => consequent),
      scope,
    );
    const tests = statement.cases.map(({ test }) => (test ? this.expression(test) : undefined));
    // Every case may be the first that runs.
    const start = this.assigned;
    const exits = tests.includes(undefined) ? [] : [start];
    this.exits.push(exits);
    const own = new Set([...scope.values()].flatMap((each) => (each.kind === "variable" ? [each.variable] : [])));
    const cases = statement.cases.map(({ consequent }, place) => {
      this.assigned = new Set(start);
      return { test: tests[place], body: declaredBefore(this.list(consequent), own) };
    });
    this.exits.pop();
    this.scopes.pop();
    if (!neverEnds(cases.at(-1)?.body ?? [])) exits.push(this.assigned);
    this.assigned = inAll(exits) ?? start;
    // What one case declares, the next may use.
    const declared = [...own].map((each): SyntaxStatement => {
      return { kind: "declare", variable: each, value: undefined, span };
    });
    const branches = branchesOfSwitch(name, cases, span, () => this.newVariable(""));
    return [...before, ...first, ...declared, ...branches];
  }

  private forStatement(statement: acorn.ForStatement): SyntaxStatement[] {
    const { init } = statement;
    const scope: Scope = new Map();
    this.scopes.push(scope);
    let before: SyntaxStatement[] = [];
    if (init?.type === "VariableDeclaration") {
      this.declareNames([init], scope);
      before = this.statement(init);
    } else if (init) {
      before = this.effect(init);
    }
    const loop = this.loop(statement.test, false, statement.update, statement.body, this.span(statement));
    this.scopes.pop();
    return [...before, ...loop];
  }

  private loop(
    test: acorn.Expression | null | undefined,
    testsAfter: boolean,
    update: acorn.Expression | null | undefined,
    body: acorn.Statement,
    span: Span,
  ): SyntaxStatement[] {
    // The body may not run, or be left early: what it assigns does not count afterwards.
    const before = new Set(this.assigned);
    const exits: Set<number>[] = [];
    this.exits.push(exits);
    const testAssigns = !!test && assigns(test);
    const testBefore = test && !testsAfter && !testAssigns ? this.expression(test) : undefined;
    const first = testAssigns && !testsAfter ? this.leaving(test, span) : [];
    const resolvedBody = this.block([body]);
    const afterBody = this.assigned;
    const continues = jumps(resolvedBody, "continue");
    const isWhole = first.length === 0 && !continues && !jumps(resolvedBody, "break");
    if (!isWhole) this.assigned = new Set(before);
    const resolvedUpdate = update ? this.effect(update) : [];
    if (update && resolvedUpdate.some(({ kind }) => kind !== "assign")) {
      this.fail(update, "only assignments can follow the second `;` of a `for`", "Move the rest to the loop's body.");
    }
    const last = testAssigns && testsAfter ? this.leaving(test, span) : undefined;
    const testAfter = test && testsAfter && last === undefined ? this.expression(test) : undefined;
    this.exits.pop();
    // `continue` would pass over a test at the end: it begins every turn but the first.
    const again = last !== undefined && continues ? this.newVariable("") : undefined;
    const resolvedTest = testBefore ?? testAfter;
    const isEndless = resolvedTest !== undefined && constantTruth(resolvedTest) === true;
    this.assigned = testsAfter && isWhole ? afterBody : before;
    // Nothing but a `break` leads out of it.
    if (resolvedTest === undefined || isEndless) this.assigned = inAll(exits) ?? this.assigned;
    const whole = (turn: SyntaxStatement[]): SyntaxStatement => ({
      kind: "loop",
      test: isEndless ? undefined : resolvedTest,
      testsAfter: testAfter !== undefined && !isEndless,
      update: resolvedUpdate,
      body: turn,
      span,
    });
    if (again === undefined) return [whole([...first, ...resolvedBody, ...(last ?? [])])];
    const truth = (value: boolean): SyntaxExpression => ({ kind: "boolean", value, span });
    const isAgain: SyntaxExpression = { kind: "local", variable: again, span };
    return [
      { kind: "declare", variable: again, value: truth(false), span },
      whole([
        { kind: "if", test: isAgain, consequent: last ?? [], alternate: [], span },
        { kind: "assign", variable: again, value: truth(true), span },
        ...resolvedBody,
      ]),
    ];
  }

  /** A test with effects, as statements of each turn. */
  private leaving(test: acorn.Expression, span: Span): SyntaxStatement[] {
    return this.branch(test, nothing, new Branch(() => [this.jump("break", span)]), span);
  }

  private declareVariable(
    scope: Scope,
    name: string,
    isConstant: boolean,
    declared = false,
  ): Binding & { kind: "variable" } {
    const binding: Binding = { kind: "variable", variable: this.newVariable(name), isConstant, declared };
    scope.set(name, binding);
    return binding;
  }

  private declarator(declarator: acorn.VariableDeclarator, isVar: boolean): SyntaxStatement[] {
    const { id, init } = declarator;
    const span = this.span(declarator);
    const { before, value } = init ? this.value(init) : { before: [], value: undefined };
    if (id.type !== "Identifier") {
      if (value === undefined) throw new Error("a declaration that takes nothing apart");
      return [...before, ...this.takeApart(id, value, isVar ? "assign" : "declare")];
    }
    const binding = this.lookup(id.name);
    if (binding?.kind === "parameter") {
      // `var` of a parameter's name is that parameter.
      this.learned.assignedParameters.add(binding.index);
      throw new Restart();
    }
    if (binding?.kind !== "variable") throw new Error(`${id.name} was not declared by its block`);
    binding.declared = true;
    if (value !== undefined) this.assigned.add(binding.variable);
    const { variable } = binding;
    if (!isVar) return [...before, { kind: "declare", variable, value, span }];
    return value === undefined ? before : [...before, { kind: "assign", variable, value, span }];
  }

  /** `{ x, y: [a, b] } = value` as one statement for each name. */
  private takeApart(pattern: acorn.Node, value: SyntaxExpression, kind: "declare" | "assign"): SyntaxStatement[] {
    const span = this.span(pattern);
    if (pattern.type === "ObjectPattern" || pattern.type === "ArrayPattern") {
      // The value is computed once, before any name changes.
      const isName = value.kind === "parameter" || value.kind === "local" || value.kind === "capture";
      const variable = isName ? undefined : this.newVariable("");
      const whole: SyntaxExpression = variable === undefined ? value : { kind: "local", variable, span };
      const first: SyntaxStatement[] = variable === undefined ? [] : [{ kind: "declare", variable, value, span }];
      const parts =
        pattern.type === "ObjectPattern"
          ? this.propertiesOf(pattern as acorn.ObjectPattern, whole)
          : this.itemsOf(pattern as acorn.ArrayPattern, whole);
      return [...first, ...parts.flatMap((part) => this.takeApart(part.target, part.value, kind))];
    }
    if (pattern.type === "Identifier" && kind === "declare") {
      const binding = this.lookup((pattern as acorn.Identifier).name);
      if (binding?.kind !== "variable") throw new Error("a name that was not declared");
      binding.declared = true;
      this.assigned.add(binding.variable);
      return [{ kind: "declare", variable: binding.variable, value, span }];
    }
    if (pattern.type === "RestElement" || pattern.type === "AssignmentPattern") {
      const what = pattern.type === "RestElement" ? "the rest" : "a default value";
      this.fail(pattern, `${what} has no meaning where a value is taken apart`, "Name each part.");
    }
    const statement = this.place(pattern)(value, span);
    if (statement.kind === "assign") this.assigned.add(statement.variable);
    return [statement];
  }

  private propertiesOf(pattern: acorn.ObjectPattern, value: SyntaxExpression): Part[] {
    return pattern.properties.map((property) => {
      const span = this.span(property);
      if (property.type !== "Property") return { target: property, value };
      const name = this.keyOf(property);
      return { target: property.value, value: { kind: "member", object: value, name, span } };
    });
  }

  private itemsOf(pattern: acorn.ArrayPattern, value: SyntaxExpression): Part[] {
    return pattern.elements.flatMap((target, place): Part[] => {
      if (target === null) return [];
      const span = this.span(target);
      const index: SyntaxExpression = { kind: "number", value: place, span };
      return [{ target, value: { kind: "index", object: value, index, span } }];
    });
  }

  private keyOf(property: acorn.Property | acorn.AssignmentProperty): string {
    const { key, computed } = property;
    if (!computed && key.type === "Identifier") return key.name;
    if (key.type === "Literal" && typeof key.value === "string") return key.value;
    return this.fail(key, "a computed name", "Write the field's name.");
  }

  /** An expression that stands as a statement: assignments, `++`, `--`, and what minifiers make of `if` and `;`. */
  private effect(outer: acorn.Expression): SyntaxStatement[] {
    const expression = withoutArtifacts(outer);
    const span = this.span(expression);
    if (isCoverageCounter(expression)) return [];
    if (expression.type === "UnaryExpression" && expression.operator === "void") {
      return expression.argument.type === "Literal" ? [] : this.effect(expression.argument);
    }
    if (expression.type === "SequenceExpression") return expression.expressions.flatMap((part) => this.effect(part));
    if (
      expression.type === "LogicalExpression" &&
      expression.operator !== "??" &&
      hasEffects(expression.right, this.known)
    ) {
      const then = new Branch(() => this.effect(expression.right));
      return expression.operator === "&&"
        ? this.branch(expression.left, then, nothing, span)
        : this.branch(expression.left, nothing, then, span);
    }
    if (expression.type === "ConditionalExpression" && hasEffects(expression, this.known)) {
      const { test, consequent, alternate } = expression;
      return this.branch(
        test,
        new Branch(() => this.effect(consequent)),
        new Branch(() => this.effect(alternate)),
        span,
      );
    }
    if (expression.type === "UpdateExpression") {
      const { before, target } = this.target(expression.argument);
      const place = this.place(target);
      const left = this.expression(target);
      const right: SyntaxExpression = { kind: "number", value: 1, span };
      const operator = expression.operator === "++" ? "+" : "-";
      return [...before, place({ kind: "binary", operator, left, right, span }, span)];
    }
    if (expression.type === "AssignmentExpression") return this.assignment(expression, span);
    if (expression.type === "CallExpression") {
      const call = this.call(expression);
      if (call.kind === "call") return [{ kind: "invoke", call, span }];
    }
    if (expression.type === "AwaitExpression" || expression.type === "YieldExpression") this.refuse(expression);
    const { problem, hint } = refusalOf("ExpressionStatement");
    this.fail(expression, problem, hint);
  }

  private assignment(expression: acorn.AssignmentExpression, span: Span): SyntaxStatement[] {
    if (expression.left.type === "ObjectPattern" || expression.left.type === "ArrayPattern") {
      const { before, value } = this.value(expression.right);
      return [...before, ...this.takeApart(expression.left, value, "assign")];
    }
    const operator = expression.operator.slice(0, -1);
    if (operator === "" && isStore(expression)) {
      // JavaScript reads the index before the value.
      const left = expression.left as acorn.MemberExpression;
      const { before, values } = separated(
        this.known,
        left.object as acorn.Expression,
        left.property as acorn.Expression,
        expression.right,
      );
      const [object, property, value] = values;
      const target: acorn.MemberExpression = { ...left, object, property };
      const statements = this.before(before);
      return [...statements, this.place(target)(this.expression(value), span)];
    }
    if (operator === "") {
      const place = this.place(expression.left);
      const { before, value } = this.value(expression.right);
      const statement = place(value, span);
      if (statement.kind === "assign") this.assigned.add(statement.variable);
      return [...before, statement];
    }
    const { before: first, target } = this.target(expression.left as acorn.Expression);
    const place = this.place(target);
    const { right: operand, start, end } = expression;
    if (arithmetic.has(operator)) {
      const binary = { type: "BinaryExpression", operator, left: target, right: operand, start, end };
      const { before, value } = this.value(binary as acorn.BinaryExpression);
      return [...first, ...before, place(value, span)];
    }
    if (operator === "&&" || operator === "||") {
      const logical: acorn.LogicalExpression = {
        type: "LogicalExpression",
        operator,
        left: target,
        right: operand,
        start,
        end,
      };
      const { before, value } = this.value(logical);
      return [...first, ...before, place(value, span)];
    }
    this.fail(expression, `\`${expression.operator}\` has no meaning on numbers`, "Use `if`.");
  }

  /** What is read and assigned to, with an index that is computed once. */
  private target(target: acorn.Expression): { before: SyntaxStatement[]; target: acorn.Expression } {
    if (target.type !== "MemberExpression" || !isIndexed(target)) return { before: [], target };
    const { before, values } = separated(
      this.known,
      target.object as acorn.Expression,
      target.property as acorn.Expression,
    );
    const [object, property] = values;
    return { before: this.before(before), target: { ...target, object, property } };
  }

  /** What an assignment to a local variable, or to an element of an array, is. */
  private place(target: acorn.Node): (value: SyntaxExpression, span: Span) => SyntaxStatement {
    const member = target.type === "MemberExpression" ? (target as acorn.MemberExpression) : undefined;
    if (member !== undefined && isIndexed(member)) {
      const object = this.expression(member.object);
      const index = this.expression(member.property);
      return (value, span) => ({ kind: "store", object, index, value, span });
    }
    const variable = this.assignable(target);
    return (value, span) => ({ kind: "assign", variable, value, span });
  }

  private assignable(target: acorn.Node): number {
    if (target.type !== "Identifier") {
      this.fail(
        target,
        "only local variables and elements of captured arrays can be assigned to",
        target.type === "MemberExpression"
          ? "Make a new value, as in p = { ...p, x: 1 }."
          : "Return the value instead.",
      );
    }
    const { name } = target as acorn.Identifier;
    const binding = this.lookup(name);
    if (binding?.kind === "parameter") {
      this.learned.assignedParameters.add(binding.index);
      throw new Restart();
    }
    if (binding?.kind !== "variable") {
      this.fail(
        target,
        `\`${name}\` is not a local variable, so it cannot be assigned to`,
        "Return the value; a transform may also write to a captured device array, as in atomicAdd(count, 0, 1).",
      );
    }
    if (!binding.declared) this.fail(target, `\`${name}\` is used before its declaration`, "Declare it first.");
    if (binding.isConstant) this.fail(target, `\`${name}\` is a constant`, "Declare it with `let`.");
    return binding.variable;
  }

  private expression(outer: acorn.Expression | acorn.PrivateIdentifier | acorn.Super): SyntaxExpression {
    if (outer.type === "PrivateIdentifier" || outer.type === "Super") return this.refuse(outer);
    const node = withoutArtifacts(outer);
    const span = this.span(node);
    switch (node.type) {
      case "Literal":
        return this.literal(node);
      case "Identifier":
        return this.identifier(node);
      case "UnaryExpression": {
        const { operator } = node;
        if (operator === "-" || operator === "+" || operator === "~" || operator === "!") {
          return { kind: "unary", operator, operand: this.expression(node.argument), span };
        }
        return this.fail(node, `\`${operator}\` has no meaning on the GPU`, "Use numbers, BigInts and booleans.");
      }
      case "BinaryExpression": {
        const { operator } = node;
        if (!arithmetic.has(operator) && !comparisons.has(operator)) {
          this.fail(node, `\`${operator}\` has no meaning on numbers`, "Use arithmetic and comparisons.");
        }
        const left = this.expression(node.left);
        const right = this.expression(node.right);
        return arithmetic.has(operator)
          ? { kind: "binary", operator: operator as ArithmeticOperator, left, right, span }
          : { kind: "compare", operator: operator as ComparisonOperator, left, right, span };
      }
      case "LogicalExpression": {
        const { operator } = node;
        if (operator === "??") return this.nullish(node);
        return {
          kind: "logical",
          operator,
          left: this.expression(node.left),
          right: this.expression(node.right),
          span,
        };
      }
      case "ConditionalExpression":
        return {
          kind: "conditional",
          test: this.expression(node.test),
          consequent: this.expression(node.consequent),
          alternate: this.expression(node.alternate),
          span,
        };
      case "CallExpression":
        return this.call(node);
      case "MemberExpression":
        return this.member(node);
      case "ObjectExpression":
        return { kind: "object", properties: node.properties.map((property) => this.property(property)), span };
      case "ArrayExpression":
        return { kind: "array", items: node.elements.map((item) => this.item(node, item)), span };
      default:
        return this.refuse(node);
    }
  }

  /** `table[i] ?? missing`. Nothing else can be undefined. */
  private nullish(node: acorn.LogicalExpression): SyntaxExpression {
    const value = this.expression(node.left);
    if (value.kind !== "index") {
      this.fail(node, "`??` has no meaning on numbers", "Only an element of an array may be missing: table[i] ?? 0.");
    }
    return { ...value, missing: this.expression(node.right), span: this.span(node) };
  }

  private property(property: acorn.Property | acorn.SpreadElement): SyntaxProperty {
    if (property.type === "SpreadElement") return { name: undefined, value: this.expression(property.argument) };
    if (property.kind !== "init" || property.method) {
      this.fail(property, "a function in an object literal", "Structs have values alone.");
    }
    return { name: this.keyOf(property), value: this.expression(property.value) };
  }

  private item(array: acorn.Node, item: acorn.Expression | acorn.SpreadElement | null): SyntaxExpression {
    if (item === null) this.fail(array, "an array literal with a hole", "Write each item.");
    if (item.type === "SpreadElement") this.fail(item, "spread items cannot be compiled", "Write each item.");
    return this.expression(item);
  }

  private literal(node: acorn.Literal): SyntaxExpression {
    const span = this.span(node);
    if (typeof node.value === "number") return { kind: "number", value: node.value, span };
    if (typeof node.value === "bigint") return { kind: "bigint", value: node.value, span };
    if (typeof node.value === "boolean") return { kind: "boolean", value: node.value, span };
    const what = node.regex ? "a regular expression" : node.value === null ? "`null`" : "a string";
    return this.fail(node, `${what} has no place in an operator`, "Use numbers, BigInts and booleans.");
  }

  private identifier(node: acorn.Identifier): SyntaxExpression {
    const span = this.span(node);
    const binding = this.lookup(node.name);
    if (binding === undefined) {
      if (this.isOwn([node.name])) return this.capture([node.name], span);
      const value = Object.hasOwn(globalNumbers, node.name) ? globalNumbers[node.name] : undefined;
      if (value !== undefined) return { kind: "number", value, span };
      if (node.name === "undefined") {
        this.fail(node, "`undefined` is not a number", "Write NaN, which is what it becomes in arithmetic.");
      }
      if (node.name === "arguments") this.fail(node, "`arguments` cannot be compiled", "Name the parameters.");
      if (hasMembers(node.name) || intrinsicOf([node.name]) !== undefined) {
        this.fail(node, `\`${node.name}\` is not a value`, "Call it, as in Math.sqrt(x) or int32(x).");
      }
      return this.capture([node.name], span);
    }
    switch (binding.kind) {
      case "parameter":
        return { kind: "parameter", index: binding.index, span };
      case "captures":
        return this.fail(node, "the captures object is not a value", `Write ${node.name}.name for one of its values.`);
      case "captured":
        return this.capture([binding.name], span);
      case "variable":
        if (!binding.declared) this.fail(node, `\`${node.name}\` is used before its declaration`, "Declare it first.");
        if (!this.assigned.has(binding.variable)) {
          this.fail(node, `\`${node.name}\` is read where it may have no value`, "Give it one where it is declared.");
        }
        return { kind: "local", variable: binding.variable, span };
    }
  }

  /** `Math.PI`, `captures.scale`, `settings.scale`, `table[i]`. */
  private member(node: acorn.MemberExpression): SyntaxExpression {
    const span = this.span(node);
    if (node.optional) this.refuse(node);
    if (isIndexed(node)) {
      return { kind: "index", object: this.expression(node.object), index: this.expression(node.property), span };
    }
    const names = plainPath(node);
    const [root, property] = names ?? [];
    if (root === "arguments") return this.expression(node.object);
    const binding = root === undefined ? undefined : this.lookup(root);
    if (names === undefined || binding?.kind === "parameter" || binding?.kind === "variable") {
      const name = propertyName(node);
      if (name === undefined) this.refuse(node);
      return { kind: "member", object: this.expression(node.object), name, span };
    }
    if (root === undefined || property === undefined) return this.refuse(node);
    if (binding?.kind === "captures") return this.capture(names.slice(1), span);
    if (binding?.kind === "captured") return this.capture([binding.name, ...names.slice(1)], span);
    if (!hasMembers(root) || this.isOwn(names)) return this.capture(names, span);
    const known = constants[root] ?? {};
    const value = names.length === 2 && Object.hasOwn(known, property) ? known[property] : undefined;
    if (value !== undefined) return { kind: "number", value, span };
    return this.fail(
      node,
      `${names.join(".")} is not known on the GPU`,
      intrinsicOf(names) === undefined ? "See docs/operators.md for what is." : `Call it, as in ${names.join(".")}(x).`,
    );
  }

  /** A call of a function that the GPU has, or of one that is captured. */
  private call(node: acorn.CallExpression): SyntaxExpression {
    const callee = node.callee.type === "Super" ? undefined : withoutArtifacts(node.callee);
    const span = this.span(node);
    const names = callee === undefined || node.optional ? undefined : plainPath(callee);
    const [root] = names ?? [];
    if (names === undefined || root === undefined || callee === undefined) {
      // What is called may itself be the trouble: `this.f(a)`, `super.f(a)`.
      if (callee?.type === "MemberExpression") this.expression(callee);
      return this.refuse(node);
    }
    const operands = node.arguments.map((operand) => {
      if (operand.type === "SpreadElement") {
        this.fail(operand, "spread arguments cannot be compiled", "Write each argument.");
      }
      return this.expression(operand);
    });
    const binding = this.lookup(root);
    const intrinsic = this.known(names);
    if (intrinsic !== undefined) return this.intrinsic(node, intrinsic, operands);
    if (binding === undefined && hasMembers(root) && !this.isOwn(names)) {
      this.fail(
        node,
        `${names.join(".")} is not known on the GPU`,
        "See docs/operators.md for the functions that are.",
      );
    }
    if (binding === undefined && names.length === 1 && root === this.ownName) {
      throw recursion(this.parsed.source, span, root, this.argument);
    }
    if (binding?.kind === "variable") {
      this.fail(
        callee,
        `\`${root}\` is a local variable and not a function`,
        "Define functions outside of the operator.",
      );
    }
    return { kind: "call", callee: this.expression(callee), operands, span };
  }

  /** The function that the GPU has by a name, where the name means it here. */
  private readonly known: Known = (path) =>
    this.lookup(path[0] ?? "") === undefined && !this.isOwn(path) ? intrinsicOf(path) : undefined;

  /** Whether a name that the function does not bind inside means something of its own. */
  private isOwn(path: readonly string[]): boolean {
    return path[0] === this.ownName || this.ownNames(path);
  }

  private intrinsic(
    node: acorn.CallExpression,
    intrinsic: Intrinsic,
    operands: readonly SyntaxExpression[],
  ): SyntaxExpression {
    const problem = wrongCount(intrinsic, operands.length);
    if (problem !== undefined) this.fail(node, problem);
    const span = this.span(node);
    if (intrinsic.kind === "atomic") return { kind: "call", callee: intrinsic, operands, span };
    return applyIntrinsic(intrinsic, operands, span);
  }

  private capture(path: readonly string[], span: Span): SyntaxExpression {
    const owner = path.slice(0, -1);
    if (path[path.length - 1] === "length" && this.learned.wholes.has(pathName(owner))) {
      return { kind: "member", object: this.capture(owner, span), name: "length", span };
    }
    const name = pathName(path);
    let index = this.captures.findIndex((captured) => captured.name === name);
    if (index === -1) index = this.captures.push({ name, path, span }) - 1;
    return { kind: "capture", index, span };
  }

  private newVariable(name: string): number {
    return this.variables.push(name) - 1;
  }

  private lookup(name: string): Binding | undefined {
    for (let depth = this.scopes.length - 1; depth >= 0; depth--) {
      const binding = this.scopes[depth]?.get(name);
      if (binding !== undefined) return binding;
    }
    return undefined;
  }

  private get scope(): Scope {
    const scope = this.scopes[this.scopes.length - 1];
    if (scope === undefined) throw new Error("no scope is open");
    return scope;
  }

  private span(node: { start: number; end: number }): Span {
    return spanOf(this.parsed, node);
  }

  private refuse(node: acorn.Node): never {
    const { problem, hint } = refusalOf(node.type);
    this.fail(node, problem, hint);
  }

  private fail(node: { start: number; end: number }, problem: string, hint?: string): never {
    throw compileErrorAt(this.parsed.source, this.span(node), this.argument, problem, hint);
  }
}

/** A path as it is written; no other path has the same name. */
function pathName([root = "", ...properties]: readonly string[]): string {
  const isPlain = (name: string): boolean => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
  return root + properties.map((name) => (isPlain(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join("");
}

function isSameSet<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/** An expression whose parts are evaluated, or not, by the truth of the ones before, and that assigns in them. */
function hasSteps(
  value: acorn.Expression,
): value is acorn.LogicalExpression | acorn.ConditionalExpression | acorn.UnaryExpression {
  const isCondition =
    (value.type === "LogicalExpression" && value.operator !== "??") ||
    value.type === "ConditionalExpression" ||
    (value.type === "UnaryExpression" && value.operator === "!");
  return isCondition && assigns(value);
}

/** `a && (x = b) && c`: operators of one kind, with operands that are no conditions that assign. */
function isChain(value: acorn.LogicalExpression): boolean {
  if (value.operator === "??" || hasSteps(withoutArtifacts(value.right))) return false;
  const left = withoutArtifacts(value.left);
  if (!hasSteps(left)) return true;
  return left.type === "LogicalExpression" && left.operator === value.operator && isChain(left);
}

const inBoth = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> => new Set([...a].filter((each) => b.has(each)));

/** What is in each of the sets; undefined without any. */
function inAll<T>(sets: readonly ReadonlySet<T>[]): Set<T> | undefined {
  const [first, ...rest] = sets;
  return first && rest.reduce<Set<T>>(inBoth, new Set(first));
}

/** The statements of a case, whose declarations stand before the `switch`. */
function declaredBefore(list: readonly SyntaxStatement[], variables: ReadonlySet<number>): SyntaxStatement[] {
  return list.flatMap((statement): SyntaxStatement[] => {
    if (statement.kind !== "declare" || !variables.has(statement.variable)) return [statement];
    return statement.value === undefined ? [] : [{ ...statement, kind: "assign", value: statement.value }];
  });
}

/** Thrown to begin again with what was learned. */
class Restart extends Error {}

/** Whether a function answers something: it has an expression for its body, or a `return` with a value. */
function returnsValue(body: acorn.BlockStatement | acorn.Expression): boolean {
  if (body.type !== "BlockStatement") return !isStore(withoutArtifacts(body)) && !isVoid(body);
  return contains(body, (node) => {
    const { argument } = node as acorn.ReturnStatement;
    return node.type === "ReturnStatement" && !!argument && !isVoid(argument);
  });
}

/** `test ? a : b`, `test && a` or `test || b`, where an operand that may not be evaluated has effects. */
function choiceWithEffects(
  value: acorn.Expression,
  known: Known,
): Pick<acorn.ConditionalExpression, "test" | "consequent" | "alternate"> | undefined {
  if (value.type === "ConditionalExpression" && hasEffects(value, known)) return value;
  if (value.type !== "LogicalExpression" || value.operator === "??" || !assigns(value.right)) return undefined;
  const { operator, left, right } = value;
  // It is evaluated twice.
  if (assigns(left)) return undefined;
  return operator === "&&"
    ? { test: left, consequent: right, alternate: left }
    : { test: left, consequent: left, alternate: right };
}

/** Whether a condition without variables holds: `true`, `1` and what minifiers make of it, `!0`. */
function constantTruth(condition: SyntaxExpression): boolean | undefined {
  if (condition.kind === "boolean" || condition.kind === "number") return Boolean(condition.value);
  if (condition.kind !== "unary" || condition.operator !== "!") return undefined;
  const truth = constantTruth(condition.operand);
  return truth === undefined ? undefined : !truth;
}

function alwaysReturns(statements: readonly SyntaxStatement[]): boolean {
  const last = statements[statements.length - 1];
  if (last === undefined) return false;
  if (last.kind === "return") return true;
  if (last.kind === "loop") return last.test === undefined && !jumps(last.body, "break");
  return last.kind === "if" && alwaysReturns(last.consequent) && alwaysReturns(last.alternate);
}

/**
 * Resolves a parsed function.
 *
 * @param hasCapturesObject true for bind(): the last parameter is the captures object.
 * @param ownNames asked for names that the library knows; without it none is the function's own.
 * @throws CompileError for constructs outside of the language.
 */
export function resolveFunction(
  parsed: ParsedFunction,
  argument: string,
  hasCapturesObject: boolean,
  ownNames: OwnNames = () => false,
): SyntaxFunction {
  const learned: Learned = { assignedParameters: new Set(), wholes: new Set() };
  for (;;) {
    try {
      return new Resolver(parsed, argument, hasCapturesObject, ownNames, learned).function();
    } catch (error) {
      if (!(error instanceof Restart)) throw error;
    }
  }
}
