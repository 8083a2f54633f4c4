import { inspect } from "node:util";
import type { Backend, EventHandle, StreamHandle } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentTypeError } from "../errors";
import { checkOptions } from "../option-names";

/** A point in a stream's work: wait for it, or measure the time between two. */
export class Event {
  readonly #backend: Backend;
  readonly #handle: EventHandle;
  #recorded = false;

  /** What only looks like one (a proxy, or what inherits from one) has no private fields, and is none. @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && #backend in value;
  }

  /** `timing: false` makes an event that is cheaper and cannot measure time. */
  constructor(options?: { timing?: boolean }) {
    if (options !== undefined) checkOptions(options, ["timing"], "Event");
    this.#backend = currentBackend();
    this.#handle = this.#backend.createEvent(options?.timing ?? true);
  }

  /** @internal */
  handleFor(backend: Backend, argument: string): EventHandle {
    if (this.#backend !== backend) {
      throw new ArgumentTypeError(argument, `an event of backend ${backend.name}`, this, "ERR_BACKEND_MISMATCH");
    }
    return this.#handle;
  }

  /** @internal */
  recordOn(backend: Backend, stream: StreamHandle): void {
    backend.recordEvent(this.handleFor(backend, "Stream.record.event"), stream);
    this.#recorded = true;
  }

  /** True when the work before it is done (also when it was never recorded). */
  query(): boolean {
    return this.#backend.queryEvent(this.#handle);
  }

  /** Blocks until the work before it is done. */
  synchronize(): void {
    this.#backend.synchronizeEvent(this.#handle);
  }

  /**
   * Milliseconds from an earlier event to this one. Both must have been recorded and be done.
   *
   * @throws TypeError when one of them was not recorded; CudaError when one is not done or has `timing: false`
   */
  millisecondsSince(start: Event): number {
    if (!(start instanceof Event)) throw new ArgumentTypeError("Event.millisecondsSince.start", "an Event", start);
    for (const event of [start, this]) {
      if (!event.#recorded) {
        throw new ArgumentTypeError("Event.millisecondsSince", "events that were recorded", event);
      }
    }
    return this.#backend.elapsedTime(start.handleFor(this.#backend, "Event.millisecondsSince.start"), this.#handle);
  }

  /** How `console.log` shows it, without asking the device. */
  [inspect.custom](): string {
    return `Event [${this.#backend.name}${this.#recorded ? ", recorded" : ""}]`;
  }
}
