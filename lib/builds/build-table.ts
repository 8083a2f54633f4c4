import type { Build } from "./build";

type Level = Map<number, Level | Build>;

/** Operators that no function stands for any more may keep this many builds. */
const evictableBound = 256;

/**
 * Finds the build of a call from small integers alone, without a string: the operator's number first, then whatever
 * the algorithm counts as part of its signature. Holds builds and numbers, never an array or a function.
 *
 * Builds of an operator stay while a function of that meaning is alive. After that they are evictable, and the
 * operators that were dropped first lose theirs as soon as more than `evictableBound` builds are held that way.
 */
export class BuildTable {
  readonly #byOperator = new Map<number, { root: Level; count: number }>();
  /** Operators without a living function, in the order they were dropped. */
  readonly #unused = new Map<number, number>();
  #evictable = 0;

  /** The build under `key`; its first number is the operator's. */
  find(key: Int32Array): Build | undefined {
    const operator = key[0] as number;
    const entry = this.#byOperator.get(operator);
    if (entry === undefined) return undefined;
    if (this.#unused.size > 0) this.#markUsed(operator);
    let level = entry.root;
    for (let i = 1; ; i++) {
      const next = level.get(key[i] as number);
      if (next === undefined) return undefined;
      if (!(next instanceof Map)) return next;
      level = next;
    }
  }

  /** Keeps a build. All keys that begin with one algorithm's number must be of one length. */
  insert(key: Int32Array, build: Build): void {
    const operator = key[0] as number;
    let entry = this.#byOperator.get(operator);
    if (entry === undefined) {
      entry = { root: new Map(), count: 0 };
      this.#byOperator.set(operator, entry);
    }
    let level = entry.root;
    for (const part of key.subarray(1, -1)) {
      let next = level.get(part);
      if (next === undefined) {
        next = new Map() as Level;
        level.set(part, next);
      }
      level = next as Level;
    }
    const last = key[key.length - 1] as number;
    if (!level.has(last)) entry.count++;
    level.set(last, build);
  }

  /** Called when the last function of an operator's meaning is gone: its builds become evictable. */
  markUnused(operator: number): void {
    const entry = this.#byOperator.get(operator);
    if (entry === undefined) return;
    this.#evictable += entry.count - (this.#unused.get(operator) ?? 0);
    this.#unused.delete(operator);
    this.#unused.set(operator, entry.count);
    for (const [oldest, count] of this.#unused) {
      if (this.#evictable <= evictableBound) break;
      this.#unused.delete(oldest);
      this.#byOperator.delete(oldest);
      this.#evictable -= count;
    }
  }

  /** A function of that meaning is there again. */
  #markUsed(operator: number): void {
    const count = this.#unused.get(operator);
    if (count === undefined) return;
    this.#unused.delete(operator);
    this.#evictable -= count;
  }

  /** How many builds are held. */
  get size(): number {
    let size = 0;
    for (const entry of this.#byOperator.values()) size += entry.count;
    return size;
  }

  clear(): void {
    this.#byOperator.clear();
    this.#unused.clear();
    this.#evictable = 0;
  }
}
