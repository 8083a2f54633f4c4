/** Algorithms with two operators keep their builds under one number for both. */
import type { Operator } from "./operator";
import { nextOperatorId } from "./operator-id";
import { onOperatorUnused, operatorUnused } from "./registry";

/** By the first operator's number, then the second's. */
const pairs = new Map<number, Map<number, number>>();

/** The number that stands for two operators; it is unused as soon as one of them is. */
export function operatorPairId(first: Operator, second: Operator): number {
  let seconds = pairs.get(first.id);
  if (seconds === undefined) {
    seconds = new Map();
    pairs.set(first.id, seconds);
  }
  let pair = seconds.get(second.id);
  if (pair === undefined) {
    pair = nextOperatorId();
    seconds.set(second.id, pair);
  }
  return pair;
}

onOperatorUnused((id) => {
  const dropped = [...(pairs.get(id)?.values() ?? [])];
  pairs.delete(id);
  for (const [first, seconds] of pairs) {
    const pair = seconds.get(id);
    if (pair === undefined) continue;
    dropped.push(pair);
    seconds.delete(id);
    if (seconds.size === 0) pairs.delete(first);
  }
  for (const pair of dropped) operatorUnused(pair);
});
