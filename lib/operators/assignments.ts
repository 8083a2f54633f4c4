/**
 * Assignments inside expressions, as minifiers and C programmers write them: `(x = a) * x + 1` is `x = a` and then
 * `x * x + 1`, and `x-- * 2` is `const old = x`, `x--` and then `old * 2`.
 */
import type * as acorn from "acorn";
import { assignedBy, assigns, contains, isIndexed, isStore, type Known, mayWrite, walk } from "./estree";
import { withoutArtifacts } from "./tool-artifacts";

/** What can stand before an expression instead of inside: an assignment, or the declaration of an old value. */
export type Before = acorn.Expression | acorn.VariableDeclaration;

/** In the set of what was read: anything that a call reads, and an element of any array. */
const [aCall, anElement] = ["()", "[]"];

/** Follows the order of evaluation, as far as it does not depend on values. */
class Separation {
  readonly before: Before[] = [];
  /** What the expression has read so far, by name; an assignment to it must not come before. */
  private readonly read = new Set<string>();

  constructor(private readonly known: Known) {}

  /** As {@link expression}, except that what is evaluated by the truth of another part stays where it is. */
  condition(outer: acorn.Expression): acorn.Expression {
    const node = withoutArtifacts(outer);
    if (node.type === "LogicalExpression") {
      return { ...node, left: this.condition(node.left), right: this.kept(node.right) };
    }
    if (node.type === "ConditionalExpression") {
      const { test, consequent, alternate } = node;
      return {
        ...node,
        test: this.condition(test),
        consequent: this.kept(consequent),
        alternate: this.kept(alternate),
      };
    }
    if (node.type === "UnaryExpression" && node.operator === "!") {
      return { ...node, argument: this.condition(node.argument) };
    }
    return this.expression(node);
  }

  expression(outer: acorn.Expression): acorn.Expression {
    const node = withoutArtifacts(outer);
    switch (node.type) {
      case "AssignmentExpression":
      case "UpdateExpression":
        return this.assignment(node);
      case "SequenceExpression":
        return this.sequence(node);
      case "UnaryExpression":
        return { ...node, argument: this.expression(node.argument) };
      case "BinaryExpression":
        if (node.left.type === "PrivateIdentifier") return node;
        return { ...node, left: this.expression(node.left), right: this.expression(node.right) };
      case "LogicalExpression": {
        const { operator, right } = node;
        if (operator !== "??" && assigns(right) && this.canComeFirst(node)) return this.steps(node);
        return { ...node, left: this.expression(node.left), right: this.kept(right) };
      }
      case "ConditionalExpression": {
        const { consequent, alternate } = node;
        if ((assigns(consequent) || assigns(alternate)) && this.canComeFirst(node)) return this.steps(node);
        const test = this.expression(node.test);
        return { ...node, test, consequent: this.kept(consequent), alternate: this.kept(alternate) };
      }
      case "ObjectExpression": {
        const properties = node.properties.map((property) =>
          property.type === "SpreadElement"
            ? { ...property, argument: this.expression(property.argument) }
            : { ...property, value: this.expression(property.value) },
        );
        return { ...node, properties };
      }
      case "ArrayExpression": {
        const elements = node.elements.map((item) =>
          item === null || item.type === "SpreadElement" ? item : this.expression(item),
        );
        return { ...node, elements };
      }
      case "CallExpression": {
        const operands = node.arguments.map((operand) =>
          operand.type === "SpreadElement" ? operand : this.expression(operand),
        );
        // What is called may read what a later call writes.
        this.read.add(aCall);
        return { ...node, arguments: operands };
      }
      case "MemberExpression": {
        if (node.object.type === "Super") return node;
        const object = this.expression(node.object);
        if (!isIndexed(node)) return { ...node, object };
        const property = this.expression(node.property as acorn.Expression);
        this.read.add(anElement);
        return { ...node, object, property };
      }
      default:
        return this.kept(node);
    }
  }

  /** An assignment's value is then what the variable holds, or what it held before. */
  private assignment(node: acorn.AssignmentExpression | acorn.UpdateExpression): acorn.Expression {
    const target = assignedBy(node);
    if (node.type === "UpdateExpression" && !node.prefix) return this.oldValue(node);
    if (isStore(node)) return this.stored(node);
    if (target?.type !== "Identifier" || !this.canComeFirst(node)) return this.kept(node);
    this.before.push(node);
    return this.kept(target as acorn.Identifier);
  }

  /** `x++` and `table[i]++`. Nothing else writes to what is kept of them, so that it may be read later. */
  private oldValue(node: acorn.UpdateExpression): acorn.Expression {
    const { argument: target } = node;
    if ((target.type !== "Identifier" && !isStore(node)) || !this.canComeFirst(node)) return this.kept(node);
    // The index is computed once.
    const argument =
      target.type === "MemberExpression"
        ? { ...target, property: this.expression(target.property as acorn.Expression) }
        : target;
    const id = this.declare("old", argument, node);
    this.before.push({ ...node, argument });
    return id;
  }

  /** `table[i] = x`, `table[i] += x` and `++table[i]` as values: what is stored, before it has the element's type. */
  private stored(node: acorn.AssignmentExpression | acorn.UpdateExpression): acorn.Expression {
    const operator = node.type === "UpdateExpression" ? node.operator[0] : node.operator.slice(0, -1);
    if (/^(&&|\|\||\?\?)$/.test(operator ?? "") || !this.canComeFirst(node)) return this.kept(node);
    const given = assignedBy(node) as acorn.MemberExpression;
    const target = { ...given, property: this.expression(given.property as acorn.Expression) };
    const { start, end } = node;
    const one: acorn.Literal = { type: "Literal", value: 1, raw: "1", start, end };
    let value = node.type === "UpdateExpression" ? one : node.right;
    if (operator !== "") {
      value = {
        type: "BinaryExpression",
        operator: operator as acorn.BinaryOperator,
        left: target,
        right: value,
        start,
        end,
      };
    }
    const right = this.declare("stored", this.expression(value), node);
    this.before.push({ type: "AssignmentExpression", operator: "=", left: target, right, start, end });
    return right;
  }

  /** `test ? (x = a) : b`, whose value is found in statements of its own. */
  private steps(node: acorn.LogicalExpression | acorn.ConditionalExpression): acorn.Expression {
    return this.declare("steps", node, node);
  }

  /** A name for a value that is found before. */
  private declare(kind: string, init: acorn.Expression, { start, end }: acorn.Node): acorn.Identifier {
    const id: acorn.Identifier = { type: "Identifier", name: `${kind}@${String(start)}-${String(end)}`, start, end };
    const declarator: acorn.VariableDeclarator = { type: "VariableDeclarator", id, init, start, end };
    this.before.push({ type: "VariableDeclaration", kind: "const", declarations: [declarator], start, end });
    return id;
  }

  private sequence(node: acorn.SequenceExpression): acorn.Expression {
    const last = node.expressions[node.expressions.length - 1] as acorn.Expression;
    const parts = node.expressions.slice(0, -1);
    if (!parts.every((part) => assignedBy(part) !== undefined && this.canComeFirst(part))) return this.kept(node);
    this.before.push(...parts);
    return this.expression(last);
  }

  private canComeFirst(node: acorn.Node): boolean {
    return !contains(node, (each) => {
      if (mayWrite(each, this.known)) return this.read.size > 0;
      const target = assignedBy(each);
      if (target === undefined) return false;
      if (target.type === "Identifier") return this.read.has((target as acorn.Identifier).name);
      return !isStore(each as acorn.Expression) || this.read.has(anElement) || this.read.has(aCall);
    });
  }

  /** A part that stays as it is. */
  private kept<N extends acorn.Node>(node: N): N {
    walk(node, (each) => {
      if (each.type === "Identifier") this.read.add((each as acorn.Identifier).name);
      if (each.type === "CallExpression") this.read.add(aCall);
      if (each.type === "MemberExpression" && isIndexed(each as acorn.MemberExpression)) this.read.add(anElement);
    });
    return node;
  }
}

/**
 * Takes out the assignments that expressions, evaluated one after the other, make whatever their values are, where
 * nothing before them reads the old value.
 */
export function separated<E extends readonly acorn.Expression[]>(
  known: Known,
  ...expressions: E
): { before: readonly Before[]; values: { [K in keyof E]: acorn.Expression } } {
  const separation = new Separation(known);
  const values = expressions.map((each) => separation.expression(each)) as { [K in keyof E]: acorn.Expression };
  return { before: separation.before, values };
}

/** As {@link separated}, of an expression whose own conditions stay as they are. */
export function separatedCondition(
  known: Known,
  expression: acorn.Expression,
): { before: readonly Before[]; value: acorn.Expression } {
  const separation = new Separation(known);
  const value = separation.condition(expression);
  return { before: separation.before, value };
}
