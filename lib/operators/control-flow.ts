/** Where statements lead: of the untyped tree and of the typed program, whose control flow has one shape. */

/** A statement, as far as control flow goes; of kinds that are not listed, the next one follows. */
type Flow =
  | { readonly kind: "if"; readonly consequent: readonly Flow[]; readonly alternate: readonly Flow[] }
  | { readonly kind: "loop"; readonly test: unknown; readonly body: readonly Flow[] }
  | { readonly kind: "return" | "break" | "continue" | "declare" | "assign" | "store" | "atomic" | "invoke" };

/** True when the end of the statements is never reached: they return, jump, or loop for ever. */
export function neverEnds(statements: readonly Flow[]): boolean {
  const last = statements[statements.length - 1];
  switch (last?.kind) {
    case "return":
    case "break":
    case "continue":
      return true;
    case "if":
      return neverEnds(last.consequent) && neverEnds(last.alternate);
    case "loop":
      return last.test === undefined && !jumps(last.body, "break");
    default:
      return false;
  }
}

/** Whether a jump leaves the loop, or the turn, whose body this is. */
export function jumps(body: readonly Flow[], kind: "break" | "continue"): boolean {
  return body.some((statement) => {
    if (statement.kind === "if") return jumps(statement.consequent, kind) || jumps(statement.alternate, kind);
    return statement.kind === kind;
  });
}
