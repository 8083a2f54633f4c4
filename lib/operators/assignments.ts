/** Assignments inside expressions, which minifiers write: `(x = a) * x + 1` is `x = a` and then `x * x + 1`. */
import type * as acorn from "acorn";
import { assignedBy, contains, mayWrite, walk } from "./estree";
import { withoutArtifacts } from "./tool-artifacts";

/** An expression and the assignments, in their order, that can stand before it instead of inside. */
export interface Separated {
  readonly before: readonly acorn.Expression[];
  readonly value: acorn.Expression;
}

/** Follows the order of evaluation, as far as it does not depend on values. */
class Separation {
  readonly before: acorn.Expression[] = [];
  /** What the expression has read so far, by name; an assignment to it must not come before. */
  private readonly read = new Set<string>();

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
      case "LogicalExpression":
        return { ...node, left: this.expression(node.left), right: this.kept(node.right) };
      case "ConditionalExpression": {
        const test = this.expression(node.test);
        return { ...node, test, consequent: this.kept(node.consequent), alternate: this.kept(node.alternate) };
      }
      case "CallExpression": {
        const operands = node.arguments.map((operand) =>
          operand.type === "SpreadElement" ? operand : this.expression(operand),
        );
        // What is called may read what a later call writes.
        this.read.add("()");
        return { ...node, arguments: operands };
      }
      default:
        return this.kept(node);
    }
  }

  /** An assignment's value is then what the variable holds. */
  private assignment(node: acorn.AssignmentExpression | acorn.UpdateExpression): acorn.Expression {
    const target = assignedBy(node);
    const isOldValue = node.type === "UpdateExpression" && !node.prefix;
    if (target?.type !== "Identifier" || isOldValue || !this.canComeFirst(node)) return this.kept(node);
    this.before.push(node);
    return this.kept(target as acorn.Identifier);
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
      if (mayWrite(each)) return this.read.size > 0;
      const target = assignedBy(each);
      return target !== undefined && (target.type !== "Identifier" || this.read.has((target as acorn.Identifier).name));
    });
  }

  /** A part that stays as it is. */
  private kept<N extends acorn.Node>(node: N): N {
    walk(node, (each) => {
      if (each.type === "Identifier") this.read.add((each as acorn.Identifier).name);
    });
    return node;
  }
}

/** Takes out the assignments that an expression makes whatever its values are, where nothing reads the old value. */
export function separated(expression: acorn.Expression): Separated {
  const separation = new Separation();
  const value = separation.expression(expression);
  return { before: separation.before, value };
}
