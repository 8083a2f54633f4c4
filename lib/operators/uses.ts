/** Where statements read and write their locals. */
import type { Expression, Statement } from "./ir";
import { remembered } from "./remember";
import { mapChildren, visit, writtenLocal } from "./rewrite";

type List = readonly Statement[];

/** What a list does with one local. The places are those of its statements, ascending; inner statements count there. */
export interface Uses {
  /** How often it is read. */
  reads: number;
  readonly readAt: number[];
  readonly writtenAt: number[];
}

/** Calls back for the expressions of a statement itself, and for the lists of statements in it. */
export function eachPart(
  statement: Statement,
  expression: (child: Expression) => void,
  statements: (list: List) => void,
): void {
  mapChildren(
    statement,
    (child) => (expression(child), child),
    (list) => (statements(list), list),
  );
}

/** The uses of each local that a list reads or writes. */
export const usesIn = remembered((list: List): ReadonlyMap<number, Uses> => {
  const known = new Map<number, Uses>();
  const usesOf = (local: number): Uses => {
    let uses = known.get(local);
    if (uses === undefined) {
      uses = { reads: 0, readAt: [], writtenAt: [] };
      known.set(local, uses);
    }
    return uses;
  };
  const read = (local: number, count: number, place: number): void => {
    const uses = usesOf(local);
    uses.reads += count;
    addPlace(uses.readAt, place);
  };
  for (const [place, statement] of list.entries()) {
    const written = writtenLocal(statement);
    if (written !== undefined) addPlace(usesOf(written).writtenAt, place);
    eachPart(
      statement,
      (child) => {
        visit(child, (node) => {
          if (node.kind === "local") read(node.index, 1, place);
        });
      },
      (inner) => {
        for (const [local, { reads, writtenAt }] of usesIn(inner)) {
          if (reads > 0) read(local, reads, place);
          if (writtenAt.length > 0) addPlace(usesOf(local).writtenAt, place);
        }
      },
    );
  }
  return known;
});

function addPlace(places: number[], place: number): void {
  if (places[places.length - 1] !== place) places.push(place);
}

/** How often an expression reads a local. */
export function reads(expression: Expression | undefined, local: number): number {
  let count = 0;
  visit(expression, (node) => {
    if (node.kind === "local" && node.index === local) count++;
  });
  return count;
}
