/** The titles of the tests in a file, as jest nests them: read from the source, so that templates stay templates. */
import ts from "typescript";

/** `test(…)`, `test.skip(…)` and `test.each(…)(…)` all call `test`; a suite of ours calls `describeOnBackends`. */
function calledName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) return calledName(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? calledName(callee.tag) : "";
}

/** Tests and suites by names of a file's own too (`const large = condition ? describe : describe.skip`). */
function titleOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || calledName(node.expression) === "expect") return undefined;
  const [title, body] = node.arguments;
  const isBody = body !== undefined && (ts.isArrowFunction(body) || ts.isFunctionExpression(body));
  if (!isBody || title === undefined || !ts.isStringLiteralLike(title)) return undefined;
  return title.text;
}

/** Every suite and test of a source, as `suite › suite › test`. */
export function testTitles(source: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, within: readonly string[]): void => {
    const title = titleOf(node);
    const path = title === undefined ? within : [...within, title];
    if (title !== undefined) titles.push(path.join(" › "));
    ts.forEachChild(node, (child) => {
      visit(child, path);
    });
  };
  visit(ts.createSourceFile("file.ts", source, ts.ScriptTarget.Latest), []);
  return titles;
}
