/** A branch of an `if`, which is resolved wherever it is to stand. */
import { neverEnds } from "./control-flow";
import type { SyntaxStatement } from "./syntax";

export class Branch {
  private known: boolean | undefined;

  /** @param parts branches, to one of which it always leads. */
  constructor(
    private readonly make: () => SyntaxStatement[],
    private readonly parts: readonly Branch[] = [],
  ) {}

  resolve(): SyntaxStatement[] {
    const statements = this.make();
    this.known = neverEnds(statements);
    return statements;
  }

  /** Whether it jumps away, as far as that is known before it is resolved. */
  get ends(): boolean | undefined {
    if (this.known === undefined && this.parts.length > 0) {
      const ends = this.parts.map((part) => part.ends);
      if (ends.includes(false)) this.known = false;
      else if (!ends.includes(undefined)) this.known = true;
    }
    return this.known;
  }
}

/** The branch without statements. */
export const nothing = new Branch(() => []);
nothing.resolve();
