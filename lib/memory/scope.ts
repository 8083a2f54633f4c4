/** `memory.scope`: ends the arrays that a function made and does not return. */
import { types } from "node:util";
import { DoubleBuffer } from "./double-buffer";
import { CallFrame } from "../backends/cuda/call-frame";
import { Access, Frame } from "../backends/cuda/native";
import { Scope, currentScope, runInScope } from "../backends/scope";
import type { Argument } from "../builds/shape";
import { ArgumentTypeError } from "../errors";
import { isArgument } from "../iterators/readable";
import { BoundOperator } from "../operators/bind";

/** A frame that notes which arrays a call would use: those that an array or iterator holds. */
class SlotFrame extends CallFrame {
  readonly anyBackend = true;
  readonly #slots = new Set<number>();

  constructor() {
    super(new ArrayBuffer(Frame.size));
  }

  override pointer(_position: number, slot: number): void {
    this.#slots.add(slot);
  }

  slotsOf(argument: Argument): number[] {
    this.#slots.clear();
    argument.writeState(this, Frame.state, Access.read);
    return [...this.#slots];
  }
}

let slotFrame: SlotFrame | undefined;

function handOverArgument(scope: Scope, argument: Argument): void {
  slotFrame ??= new SlotFrame();
  // Without a backend there can still be arrays, which an operator captured.
  const backends = argument.backend === undefined ? [...scope.backends] : [argument.backend];
  for (const slot of slotFrame.slotsOf(argument)) {
    for (const backend of backends) scope.handOver(slot, backend);
  }
}

/** Hands every array over that a value holds: itself, in an iterator, or in properties and elements of objects. */
function handOver(scope: Scope, value: unknown): void {
  const pending = [value];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== "object" || part === null || seen.has(part) || ArrayBuffer.isView(part)) continue;
    seen.add(part);
    if (isArgument(part)) handOverArgument(scope, part);
    else if (part instanceof DoubleBuffer) pending.push(part.current, part.alternate);
    else if (part instanceof BoundOperator) pending.push(part.captures);
    else if (part instanceof Map) for (const [key, each] of part) pending.push(key, each);
    else if (Array.isArray(part) || part instanceof Set) for (const each of part) pending.push(each);
    else for (const each of Object.values(part)) pending.push(each);
  }
}

/** Hands over what is returned and ends the rest, whether or not that works. */
function leave(scope: Scope, result: unknown): void {
  try {
    handOver(scope, result);
  } finally {
    scope.end();
  }
}

/** As {@link leave}, of what a promise brings. */
async function settle<T>(scope: Scope, promise: Promise<T>): Promise<T> {
  let result: T | undefined;
  try {
    result = await promise;
    return result;
  } finally {
    leave(scope, result);
  }
}

/**
 * Runs a function, disposes the device arrays that it made, and answers what it returned. Not disposed are the arrays
 * that are returned: the value itself, or what is found in the elements of returned arrays, maps and sets and in the
 * own properties of returned objects, at any depth; of an iterator or a view the array that it reads. What a returned
 * function closes over cannot be seen.
 *
 * Scopes nest: what an inner one returns belongs to the one around it. An `async` function is in the scope until its
 * promise settles. A function that throws returns nothing. Arrays that are dropped inside are freed inside, as
 * everywhere, and work that is queued on an array is done before it is freed.
 *
 * @throws TypeError where `fn` is not a function; whatever `fn` throws
 */
export function scope<T>(fn: () => T): T {
  if (typeof fn !== "function") throw new ArgumentTypeError("memory.scope.fn", "a function", fn);
  const own = new Scope(currentScope());
  let result: T | undefined;
  let pending = false;
  try {
    result = runInScope(own, fn);
    pending = types.isPromise(result);
    return pending ? (settle(own, result as Promise<unknown>) as T) : result;
  } finally {
    if (!pending) leave(own, result);
  }
}
