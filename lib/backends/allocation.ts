/** What is remembered of an allocation: numbers and text, and never the array or anything that could keep it alive. */
import type { LiveArrays } from "../live-arrays";
import type { ElementType } from "../types/element";
import { userFrames } from "../user-frames";
import { type Scope, currentScope } from "./scope";

export interface Allocation {
  readonly type: ElementType;
  readonly byteLength: number;
  /** Where it was made; undefined for those that were made while tracing was off. */
  readonly stack: string | undefined;
  /** The scope that it ends with; undefined outside of all scopes. */
  scope: Scope | undefined;
}

let tracing = false;

/** Whether allocations from here on remember where they were made. Answers what held before. */
export function setTracing(on: boolean): boolean {
  const before = tracing;
  tracing = on;
  return before;
}

/** Frames that are kept of a stack. */
const depth = 10;

/** Called for every allocation, so it costs no more than an object of four fields while nothing is traced. */
export function describeAllocation(type: ElementType, byteLength: number): Allocation {
  return {
    type,
    byteLength,
    stack: tracing
      ? userFrames(depth)
          .map((frame) => frame.trim())
          .join("\n")
      : undefined,
    scope: currentScope(),
  };
}

/** Groups allocations that are alike, the most bytes first, and by type where that is the same. */
export function groupAllocations(allocations: Iterable<Allocation>): LiveArrays[] {
  const groups = new Map<string, { -readonly [K in keyof LiveArrays]: LiveArrays[K] }>();
  for (const { type, byteLength, stack } of allocations) {
    const key = `${type.name} ${String(byteLength)} ${stack ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { type: type.name, length: byteLength / type.size, count: 1, bytes: byteLength, stack });
    } else {
      group.count += 1;
      group.bytes += byteLength;
    }
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes || a.type.localeCompare(b.type));
}
