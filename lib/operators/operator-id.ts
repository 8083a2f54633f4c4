let last = 0;

/** The next operator's small integer; never one that was given before. */
export function nextOperatorId(): number {
  return ++last;
}

/** Stands for the operator in the keys of algorithms that have none. */
export const noOperatorId = 0;
