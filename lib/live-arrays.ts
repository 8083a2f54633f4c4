/** Live arrays as users see them: in groups that are alike. */

/** Live arrays of one type and length, and of one place where tracing was on. Views are none of their own. */
export interface LiveArrays {
  /** The element type's name. */
  readonly type: string;
  /** Elements in each. */
  readonly length: number;
  /** How many there are. */
  readonly count: number;
  /** Bytes of all of them. */
  readonly bytes: number;
  /** Where they were made, one frame a line; undefined for those that were made while tracing was off. */
  readonly stack: string | undefined;
}

/** Groups in words that a message shows. */
const shown = 5;

/**
 * The largest groups in words, each with its stack below it, and what remains of the totals in a line.
 *
 * @param groups - the most bytes first
 */
export function describeLive(groups: readonly LiveArrays[], totalCount: number, totalBytes: number): string {
  let [count, bytes] = [totalCount, totalBytes];
  const lines = groups.slice(0, shown).map((group) => {
    count -= group.count;
    bytes -= group.bytes;
    const what = `  ${String(group.count)} × ${group.type}[${String(group.length)}], ${String(group.bytes)} bytes`;
    return group.stack === undefined ? what : `${what}, made\n${group.stack.replace(/^/gm, "    ")}`;
  });
  if (count > 0) lines.push(`  and ${String(count)} more, ${String(bytes)} bytes`);
  return lines.join("\n");
}
