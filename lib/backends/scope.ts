/**
 * Which scope allocations belong to. A scope knows its allocations by number and they know their scope, so that a scope
 * keeps no array: what is dropped inside is freed inside.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Backend } from "./backend";

export class Scope {
  ended = false;
  readonly #slots = new Map<Backend, Set<number>>();

  constructor(readonly parent: Scope | undefined) {}

  /** Takes an allocation in, by its slot. */
  add(backend: Backend, slot: number): void {
    let slots = this.#slots.get(backend);
    if (slots === undefined) {
      slots = new Set();
      this.#slots.set(backend, slots);
    }
    slots.add(slot);
  }

  /** Hands an allocation over to the scope around, where it is this one's. */
  handOver(slot: number, backend: Backend): void {
    const allocation = backend.allocationAt(slot);
    if (allocation?.scope !== this) return;
    allocation.scope = living(this.parent);
    allocation.scope?.add(backend, slot);
  }

  /** The backends that it has allocations of. */
  get backends(): Iterable<Backend> {
    return this.#slots.keys();
  }

  /** Frees what is the scope's own still. A slot may have gone to another allocation since. */
  end(): void {
    this.ended = true;
    for (const [backend, slots] of this.#slots) {
      for (const slot of slots) {
        if (backend.allocationAt(slot)?.scope === this) backend.releaseSlot(slot);
      }
    }
    this.#slots.clear();
  }
}

/** The innermost scope from `scope` outwards that has not ended: asynchronous work can outlive the scope it began in. */
function living(scope: Scope | undefined): Scope | undefined {
  while (scope?.ended) scope = scope.parent;
  return scope;
}

/** Made by the first scope, so that programs without scopes do not pay for it. */
let scopes: AsyncLocalStorage<Scope> | undefined;

/** The scope that an allocation made now belongs to. */
export function currentScope(): Scope | undefined {
  return scopes === undefined ? undefined : living(scopes.getStore());
}

/** Runs a function, and the asynchronous work that it begins, in a scope. */
export function runInScope<T>(scope: Scope, fn: () => T): T {
  scopes ??= new AsyncLocalStorage();
  return scopes.run(scope, fn);
}
