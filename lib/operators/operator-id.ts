let last = 0;

/** The next operator's small integer; never one that was given before. */
export function nextOperatorId(): number {
  return ++last;
}
