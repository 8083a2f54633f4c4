/** The titles of the tests in a file, as jest nests them: read from the source, so that templates stay templates. */
import ts from "typescript";

/** `test(…)`, `test.skip(…)` and `test.each(…)(…)` all call `test`. */
function calledName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) return calledName(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? calledName(callee.tag) : "";
}

/** What declares tests in a file: jest's functions, ours, and the file's own (`const large = … ? describe : describe.skip`). */
function declaringNames(file: ts.SourceFile): Set<string> {
  const names = new Set(["describe", "describeOnBackends", "it", "test"]);
  const visit = (node: ts.Node): void => {
    const isOwn = ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined;
    if (isOwn && /[:?] (?:describe|test)\b/.test(node.initializer.getText(file))) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

/** Every suite and test of a source, as `suite › suite › test`. */
export function testTitles(source: string): string[] {
  const file = ts.createSourceFile("file.ts", source, ts.ScriptTarget.Latest, true);
  const names = declaringNames(file);
  const titles: string[] = [];
  const titleOf = (node: ts.Node): string | undefined => {
    if (!ts.isCallExpression(node) || !names.has(calledName(node.expression))) return undefined;
    const [title, body] = node.arguments;
    const isTitle = title !== undefined && ts.isStringLiteralLike(title) && body !== undefined;
    return isTitle && ts.isFunctionLike(body) ? title.text : undefined;
  };
  const visit = (node: ts.Node, within: readonly string[]): void => {
    const title = titleOf(node);
    const path = title === undefined ? within : [...within, title];
    if (title !== undefined) titles.push(path.join(" › "));
    ts.forEachChild(node, (child) => {
      visit(child, path);
    });
  };
  visit(file, []);
  return titles;
}
