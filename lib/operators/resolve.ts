/** ESTree to the untyped tree of syntax.ts: resolves names, and refuses what operators cannot have. */
import type * as acorn from "acorn";
import { scalarTypes, type ScalarName } from "../types/scalar";
import { constants, mathFunctions, numberFunctions } from "./math";
import { type ParsedFunction, spanOf } from "./parse";
import { compileErrorAt, type Span } from "./source";
import type {
  ArithmeticOperator,
  CapturedName,
  ComparisonOperator,
  ConversionTarget,
  SyntaxExpression,
  SyntaxFunction,
  SyntaxStatement,
} from "./syntax";
import { isCoverageCounter, withoutArtifacts } from "./tool-artifacts";
import { refusalOf } from "./unsupported";

type Binding =
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "variable"; readonly variable: number; readonly isConstant: boolean; declared: boolean }
  /** The captures object of bind(): its properties are captured values. */
  | { readonly kind: "captures" }
  /** One property of it, taken out by destructuring. */
  | { readonly kind: "captured"; readonly name: string };

type Scope = Map<string, Binding>;

const arithmetic: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>"]);
const comparisons: ReadonlySet<string> = new Set(["===", "!==", "==", "!=", "<", "<=", ">", ">="]);
const conversions: ReadonlyMap<string, ConversionTarget> = new Map<string, ConversionTarget>([
  ...(Object.keys(scalarTypes) as ScalarName[]).map((name) => [name, name] as const),
  ["Number", "number"],
  ["Boolean", "boolean"],
  ["BigInt", "bigint"],
]);
const globalNumbers: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity };

class Resolver {
  private readonly scopes: Scope[] = [new Map<string, Binding>()];
  private readonly captures: CapturedName[] = [];
  private readonly variables: string[] = [];
  private assigned = new Set<number>();

  constructor(
    private readonly parsed: ParsedFunction,
    private readonly argument: string,
    private readonly hasCapturesObject: boolean,
    /** Parameters that the body assigns to: they become variables. */
    private readonly assignedParameters: Set<number>,
  ) {}

  function(): SyntaxFunction {
    const prologue = this.parameters();
    const { body } = this.parsed;
    const statements: SyntaxStatement[] =
      body.type === "BlockStatement"
        ? this.block(body.body)
        : [{ kind: "return", value: this.expression(body), span: this.span(body) }];
    if (!alwaysReturns(statements)) {
      const last = body.type === "BlockStatement" ? { start: body.end - 1, end: body.end } : body;
      this.fail(last, "not every path of the function returns a value", "End it with a `return`.");
    }
    return {
      arity: this.parsed.parameters.length - (this.hasCapturesObject ? 1 : 0),
      captures: this.captures,
      variables: this.variables,
      body: [...prologue, ...statements],
    };
  }

  private parameters(): SyntaxStatement[] {
    const prologue: SyntaxStatement[] = [];
    this.parsed.parameters.forEach((pattern, index) => {
      if (this.hasCapturesObject && index === this.parsed.parameters.length - 1) {
        this.capturesParameter(pattern);
        return;
      }
      if (pattern.type !== "Identifier") {
        const problem =
          pattern.type === "RestElement"
            ? "rest parameters have no meaning here"
            : pattern.type === "AssignmentPattern"
              ? "a default value has no meaning here: the elements are always given"
              : "a parameter that is taken apart: the elements are single values";
        this.fail(pattern, problem, "Name each parameter, as in (a, b) => a + b.");
      }
      if (!this.assignedParameters.has(index)) {
        this.scope.set(pattern.name, { kind: "parameter", index });
        return;
      }
      const variable = this.newVariable(pattern.name);
      this.assigned.add(variable);
      this.scope.set(pattern.name, { kind: "variable", variable, isConstant: false, declared: true });
      const span = this.span(pattern);
      prologue.push({ kind: "declare", variable, value: { kind: "parameter", index, span }, span });
    });
    return prologue;
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
    for (const statement of body) {
      if (statement.type !== "VariableDeclaration" || statement.kind === "var") continue;
      for (const { id } of statement.declarations) {
        if (id.type !== "Identifier") continue;
        const isConstant = statement.kind !== "let";
        scope.set(id.name, { kind: "variable", variable: this.newVariable(id.name), isConstant, declared: false });
      }
    }
    const statements: SyntaxStatement[] = [];
    for (const statement of body) {
      const resolved = this.statement(statement);
      // What follows a return is never run, but is still checked.
      if (!alwaysReturns(statements)) statements.push(...resolved);
    }
    this.scopes.pop();
    return statements;
  }

  private statement(statement: acorn.Statement): SyntaxStatement[] {
    const span = this.span(statement);
    switch (statement.type) {
      case "EmptyStatement":
        return [];
      case "BlockStatement":
        return this.block(statement.body);
      case "ReturnStatement":
        if (!statement.argument) {
          this.fail(statement, "a `return` without a value", "Return what the operator answers.");
        }
        return [{ kind: "return", value: this.expression(statement.argument), span }];
      case "IfStatement":
        return [this.ifStatement(statement)];
      case "VariableDeclaration":
        if (statement.kind === "var") {
          this.fail(statement, "`var` is not block-scoped", "Write `let` or `const`.");
        }
        return statement.declarations.map((declarator) => this.declarator(declarator));
      case "ExpressionStatement":
        if (statement.directive !== undefined || isCoverageCounter(statement.expression)) return [];
        return [this.effect(statement.expression)];
      default:
        return this.refuse(statement);
    }
  }

  private ifStatement(statement: acorn.IfStatement): SyntaxStatement {
    const test = this.expression(statement.test);
    const before = this.assigned;
    this.assigned = new Set(before);
    const consequent = this.block([statement.consequent]);
    const afterConsequent = this.assigned;
    this.assigned = new Set(before);
    const alternate = statement.alternate ? this.block([statement.alternate]) : [];
    const afterAlternate = this.assigned;
    // A branch that returns says nothing about what is assigned afterwards.
    if (alwaysReturns(consequent)) this.assigned = afterAlternate;
    else if (alwaysReturns(alternate)) this.assigned = afterConsequent;
    else this.assigned = new Set([...afterConsequent].filter((variable) => afterAlternate.has(variable)));
    return { kind: "if", test, consequent, alternate, span: this.span(statement) };
  }

  private declarator(declarator: acorn.VariableDeclarator): SyntaxStatement {
    const { id, init } = declarator;
    if (id.type !== "Identifier") {
      this.fail(id, "a declaration that takes a value apart", "Declare one name at a time.");
    }
    const binding = this.scope.get(id.name);
    if (binding?.kind !== "variable") throw new Error(`${id.name} was not declared by its block`);
    const value = init ? this.expression(init) : undefined;
    binding.declared = true;
    if (value !== undefined) this.assigned.add(binding.variable);
    return { kind: "declare", variable: binding.variable, value, span: this.span(declarator) };
  }

  /** An expression that stands as a statement: an assignment, `++` or `--`. */
  private effect(outer: acorn.Expression): SyntaxStatement {
    const expression = withoutArtifacts(outer);
    const span = this.span(expression);
    if (expression.type === "UpdateExpression") {
      const variable = this.assignable(expression.argument);
      const left = this.expression(expression.argument);
      const right: SyntaxExpression = { kind: "number", value: 1, span };
      const operator = expression.operator === "++" ? "+" : "-";
      return { kind: "assign", variable, value: { kind: "binary", operator, left, right, span }, span };
    }
    if (expression.type === "AssignmentExpression") {
      const variable = this.assignable(expression.left);
      const operator = expression.operator.slice(0, -1);
      if (operator === "") {
        const value = this.expression(expression.right);
        this.assigned.add(variable);
        return { kind: "assign", variable, value, span };
      }
      const left = this.expression(expression.left as acorn.Expression);
      const right = this.expression(expression.right);
      if (arithmetic.has(operator)) {
        const value: SyntaxExpression = {
          kind: "binary",
          operator: operator as ArithmeticOperator,
          left,
          right,
          span,
        };
        return { kind: "assign", variable, value, span };
      }
      if (operator === "&&" || operator === "||") {
        return { kind: "assign", variable, value: { kind: "logical", operator, left, right, span }, span };
      }
      this.fail(expression, `\`${expression.operator}\` has no meaning on numbers`, "Use `if`.");
    }
    if (expression.type === "CallExpression" || expression.type === "AwaitExpression") this.refuse(expression);
    if (expression.type === "SequenceExpression" || expression.type === "YieldExpression") this.refuse(expression);
    const { problem, hint } = refusalOf("ExpressionStatement");
    this.fail(expression, problem, hint);
  }

  private assignable(target: acorn.Node): number {
    if (target.type !== "Identifier") {
      this.fail(target, "only local variables can be assigned to", "Return the value instead.");
    }
    const { name } = target as acorn.Identifier;
    const binding = this.lookup(name);
    if (binding?.kind === "parameter") {
      this.assignedParameters.add(binding.index);
      throw new Restart();
    }
    if (binding?.kind !== "variable") {
      this.fail(
        target,
        `\`${name}\` is not a local variable, so it cannot be assigned to`,
        "Return the value instead.",
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
        if (operator === "??") this.fail(node, "`??` has no meaning on numbers", "Use `||` or a conditional.");
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
      default:
        return this.refuse(node);
    }
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
      const value = globalNumbers[node.name];
      if (value !== undefined) return { kind: "number", value, span };
      if (node.name === "undefined") {
        this.fail(node, "`undefined` is not a number", "Write NaN, which is what it becomes in arithmetic.");
      }
      if (node.name === "arguments") this.fail(node, "`arguments` cannot be compiled", "Name the parameters.");
      if (mathObjects.has(node.name) || conversions.has(node.name)) {
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

  /** `Math.PI`, `captures.scale` or `settings.scale`. */
  private member(node: acorn.MemberExpression): SyntaxExpression {
    const names = plainPath(node);
    const [root, property] = names ?? [];
    if (names === undefined || root === undefined || property === undefined) return this.refuse(node);
    const span = this.span(node);
    const binding = this.lookup(root);
    if (binding?.kind === "captures") return this.capture(names.slice(1), span);
    if (binding?.kind === "captured") return this.capture([binding.name, ...names.slice(1)], span);
    if (binding !== undefined) return this.refuse(node);
    if (!mathObjects.has(root)) return this.capture(names, span);
    const value = names.length === 2 ? constants[root]?.[property] : undefined;
    if (value !== undefined) return { kind: "number", value, span };
    return this.fail(
      node,
      `${names.join(".")} is not known on the GPU`,
      mathFunctions.has(property) ? `Call it, as in ${root}.${property}(x).` : "See docs/operators.md for what is.",
    );
  }

  private call(node: acorn.CallExpression): SyntaxExpression {
    const callee = node.callee.type === "Super" ? undefined : withoutArtifacts(node.callee);
    const span = this.span(node);
    if (callee === undefined || node.optional) return this.refuse(node);
    const names = callee.type === "Identifier" ? [callee.name] : plainPath(callee);
    const [root, property] = names ?? [];
    if (names === undefined || root === undefined || this.lookup(root) !== undefined) return this.refuse(node);
    const operands = (): SyntaxExpression[] =>
      node.arguments.map((operand) => {
        if (operand.type === "SpreadElement") {
          this.fail(operand, "spread arguments cannot be compiled", "Write each argument.");
        }
        return this.expression(operand);
      });
    if (names.length === 2 && property !== undefined && mathObjects.has(root)) {
      return this.mathCall(node, root, property, operands);
    }
    // A conversion helper by its own name, or as a member of the module that it was imported from.
    const target = conversions.get(names[names.length - 1] ?? "");
    if (target !== undefined) {
      const [operand, ...more] = operands();
      if (operand === undefined || more.length > 0)
        this.fail(node, `${names.join(".")} takes one value`, "Give it one.");
      return { kind: "conversion", target, operand, span };
    }
    if (root === "isNaN" || root === "isFinite") {
      if (names.length === 1) return this.mathCall(node, "Number", root, operands);
    }
    const { hint } = refusalOf("CallExpression");
    return this.fail(node, `\`${names.join(".")}\` is not a function that is known on the GPU`, hint);
  }

  private mathCall(
    node: acorn.CallExpression,
    object: string,
    name: string,
    operandsOf: () => SyntaxExpression[],
  ): SyntaxExpression {
    const span = this.span(node);
    if (object === "Math" && name === "fround") {
      const [operand, ...more] = operandsOf();
      if (operand === undefined || more.length > 0) this.fail(node, "Math.fround takes one value", "Give it one.");
      return { kind: "conversion", target: "float32", operand, span };
    }
    const entry = name === "square" ? undefined : mathFunctions.get(name);
    if (entry === undefined || numberFunctions.has(name) !== (object === "Number")) {
      this.fail(node, `${object}.${name} is not known on the GPU`, "See docs/operators.md for the functions that are.");
    }
    const operands = operandsOf();
    if (operands.length === 0 && name === "hypot") return { kind: "number", value: 0, span };
    if (operands.length === 0 && (name === "min" || name === "max")) {
      return { kind: "number", value: name === "min" ? Infinity : -Infinity, span };
    }
    if (operands.length < entry.least || operands.length > entry.most) {
      const range =
        entry.least === entry.most ? String(entry.least) : `${String(entry.least)} to ${String(entry.most)}`;
      this.fail(node, `${object}.${name} takes ${range} argument(s), not ${String(operands.length)}`);
    }
    return { kind: "math", name, operands, span };
  }

  private capture(path: readonly string[], span: Span): SyntaxExpression {
    const key = path.join(".");
    let index = this.captures.findIndex((captured) => captured.path.join(".") === key);
    if (index === -1) index = this.captures.push({ path, span }) - 1;
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

const mathObjects: ReadonlySet<string> = new Set(["Math", "Number"]);

/** Thrown to begin again once a parameter turns out to be assigned to. */
class Restart extends Error {}

/** `a.b.c` as its names; undefined for anything computed, optional or private. */
function plainPath(node: acorn.Node): string[] | undefined {
  if (node.type === "Identifier") return [(node as acorn.Identifier).name];
  if (node.type !== "MemberExpression") return undefined;
  const { object, property, computed, optional } = node as acorn.MemberExpression;
  if (optional || property.type === "PrivateIdentifier") return undefined;
  const name = computed
    ? property.type === "Literal" && typeof property.value === "string"
      ? property.value
      : undefined
    : property.type === "Identifier"
      ? property.name
      : undefined;
  const path = plainPath(object);
  return name === undefined || path === undefined ? undefined : [...path, name];
}

function alwaysReturns(statements: readonly SyntaxStatement[]): boolean {
  const last = statements[statements.length - 1];
  if (last === undefined) return false;
  if (last.kind === "return") return true;
  return last.kind === "if" && alwaysReturns(last.consequent) && alwaysReturns(last.alternate);
}

/**
 * Resolves a parsed function.
 *
 * @param hasCapturesObject true for bind(): the last parameter is the captures object.
 * @throws CompileError for constructs outside of the language.
 */
export function resolveFunction(parsed: ParsedFunction, argument: string, hasCapturesObject: boolean): SyntaxFunction {
  const assignedParameters = new Set<number>();
  for (;;) {
    try {
      return new Resolver(parsed, argument, hasCapturesObject, assignedParameters).function();
    } catch (error) {
      if (!(error instanceof Restart)) throw error;
    }
  }
}
