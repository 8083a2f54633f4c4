/** Questions about ESTree. */
import type * as acorn from "acorn";
import type { Intrinsic } from "./intrinsics";
import { isCoverageCounter, withoutArtifacts } from "./tool-artifacts";

/** The function that the GPU has by a name, where the name means it. */
export type Known = (path: readonly string[]) => Intrinsic | undefined;

/** Calls back for a node and everything in it, except inner functions and coverage counters. */
export function walk(node: acorn.Node, visit: (node: acorn.Node) => void): void {
  if (isCoverageCounter(node)) return;
  visit(node);
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const { type } = (child ?? {}) as { type?: unknown };
      if (typeof type === "string" && !type.includes("Function")) walk(child as acorn.Node, visit);
    }
  }
}

/** Whether a node, or one in it, passes a test. */
export function contains(node: acorn.Node, test: (node: acorn.Node) => boolean): boolean {
  let found = false;
  walk(node, (each) => {
    found ||= test(each);
  });
  return found;
}

/** The names that a pattern declares. */
export function namesOf(pattern: acorn.Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "Property" ? property.value : property.argument),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    case "MemberExpression":
      return [];
  }
}

/** The name in `a.name` or `a["name"]`. */
export function propertyName({ property, computed }: acorn.MemberExpression): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined;
}

/** True for `a[i]`. */
export function isIndexed(node: acorn.MemberExpression): boolean {
  return node.computed && propertyName(node) === undefined;
}

/** True for an assignment to an element, such as `a[i] = x` and `a[i]++`. */
export function isStore(node: acorn.Expression): boolean {
  const target =
    node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : undefined;
  return target?.type === "MemberExpression" && isIndexed(target) && !isCoverageCounter(node);
}

/** `a.b.c` as its names; undefined for anything computed, optional or private. */
export function plainPath(node: acorn.Node): string[] | undefined {
  if (node.type === "Identifier") return [(node as acorn.Identifier).name];
  if (node.type !== "MemberExpression") return undefined;
  const member = node as acorn.MemberExpression;
  const name = member.optional ? undefined : propertyName(member);
  const path = plainPath(member.object);
  return name === undefined || path === undefined ? undefined : [...path, name];
}

/** Whether an expression assigns, or may, so that it is compiled as statements. */
export function hasEffects(expression: acorn.Expression, known: Known): boolean {
  return contains(expression, (node) => assignedBy(node) !== undefined || mayWrite(node, known));
}

/** Whether an expression assigns to something. */
export function assigns(expression: acorn.Expression): boolean {
  return contains(expression, (node) => assignedBy(node) !== undefined);
}

/** What an assignment, `++` or `--` changes. */
export function assignedBy(node: acorn.Node): acorn.Node | undefined {
  if (node.type === "AssignmentExpression") return (node as acorn.AssignmentExpression).left;
  return node.type === "UpdateExpression" ? (node as acorn.UpdateExpression).argument : undefined;
}

/** True for a call that may write to an array: of an atomic, or of a function that is captured. */
export function mayWrite(node: acorn.Node, known: Known): boolean {
  if (node.type !== "CallExpression") return false;
  const path = plainPath(withoutArtifacts((node as acorn.CallExpression).callee as acorn.Expression));
  const intrinsic = path === undefined ? undefined : known(path);
  return path !== undefined && (intrinsic === undefined || intrinsic.kind === "atomic");
}
