/** What tools put into a function's source and that means nothing: coverage counters, `(0, module.name)(…)`, `void`. */
import type * as acorn from "acorn";

/** `cov_1a2b3c().s[0]++`, as istanbul (and so `jest --coverage`) writes before statements and inside expressions. */
export function isCoverageCounter(node: acorn.Node): boolean {
  if (node.type !== "UpdateExpression") return false;
  let target: acorn.Node = (node as acorn.UpdateExpression).argument;
  // `.s[0]`, `.f[0]` or `.b[0][1]`.
  while (target.type === "MemberExpression" && (target as acorn.MemberExpression).computed) {
    target = (target as acorn.MemberExpression).object;
  }
  if (target.type !== "MemberExpression") return false;
  const { object, property } = target as acorn.MemberExpression;
  if (property.type !== "Identifier" || !/^[sfb]$/.test(property.name)) return false;
  target = object;
  if (target.type === "CallExpression") target = (target as acorn.CallExpression).callee;
  return target.type === "Identifier" && /^cov_[0-9a-z]+$/i.test((target as acorn.Identifier).name);
}

/** An expression without what stands before a comma and has no effect: counters and literals. */
export function withoutArtifacts(node: acorn.Expression): acorn.Expression {
  if (node.type === "ParenthesizedExpression") return withoutArtifacts(node.expression);
  if (node.type !== "SequenceExpression") return node;
  const rest = node.expressions.filter((part, index) => {
    const isLast = index === node.expressions.length - 1;
    return isLast || !(part.type === "Literal" || isCoverageCounter(part));
  });
  const [only] = rest;
  return rest.length === 1 && only !== undefined ? withoutArtifacts(only) : node;
}

/** Whether an expression stands for no value: `void (x = a)`, and a choice between such. */
export function isVoid(outer: acorn.Expression): boolean {
  const node = withoutArtifacts(outer);
  if (node.type === "ConditionalExpression") return isVoid(node.consequent) && isVoid(node.alternate);
  if (node.type === "SequenceExpression") return isVoid(node.expressions.at(-1) as acorn.Expression);
  return node.type === "UnaryExpression" && node.operator === "void";
}
