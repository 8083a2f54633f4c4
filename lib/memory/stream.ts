import { inspect } from "node:util";
import type { Backend, StreamHandle } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentTypeError, Words } from "../errors";
import { checkOptions } from "../option-names";
import { Event } from "./event";

/** How a stream is made. */
export interface StreamOptions {
  /** A lower number is served first; 0 is normal. */
  priority?: number | undefined;
  /** False for a stream that neither waits for others nor is waited for; see {@link Stream}. */
  ordered?: boolean | undefined;
}

function checkEvent(event: unknown, argument: string): void {
  if (!(event instanceof Event)) throw new ArgumentTypeError(argument, "an Event", event);
}

/**
 * A queue of device work. Work on one stream runs in order, and work on two may run at the same time.
 *
 * Streams order themselves by the arrays that calls use: a call that reads an array waits for the call that wrote it
 * last, and a call that writes one waits for those that have read it since, on whatever streams they are. Reads do not
 * wait for each other. That costs an event (about a microsecond) where the streams differ, and nothing in a program of
 * one stream.
 *
 * `new Stream({ ordered: false })` opts out: calls on it wait for no other stream and none waits for it, so order them
 * by {@link record} and {@link wait} where they use one array. An array that is allocated on it, too, can be used on
 * another stream only behind an event. Arrays are freed after the work on it all the same.
 *
 * A stream belongs to its thread. Dropping it does not cancel what is queued on it.
 */
export class Stream {
  readonly #backend: Backend;
  #handle: StreamHandle | undefined;

  /** What only looks like one (a proxy, or what inherits from one) has no private fields, and is none. @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && #backend in value;
  }

  /**
   * A new stream on the current backend's device.
   *
   * @throws TypeError for a priority that is no integer, `ordered` that is no boolean, or another option
   */
  constructor(options: StreamOptions = {}) {
    checkOptions(options, ["priority", "ordered"], "Stream");
    const { priority = 0, ordered = true } = options;
    if (!Number.isInteger(priority)) throw new ArgumentTypeError("Stream.priority", "an integer", priority);
    if (typeof ordered !== "boolean") throw new ArgumentTypeError("Stream.ordered", "a boolean", ordered);
    this.#backend = currentBackend();
    this.#handle = this.#backend.createStream(priority, ordered);
  }

  /** @internal */
  get backend(): Backend {
    return this.#backend;
  }

  /** @internal */
  handleFor(backend: Backend, argument: string): StreamHandle {
    if (this.#handle === undefined) {
      throw new ArgumentTypeError(argument, "a live stream", new Words("a disposed Stream"), "ERR_DISPOSED");
    }
    if (this.#backend !== backend) {
      throw new ArgumentTypeError(argument, `a stream of backend ${backend.name}`, this, "ERR_BACKEND_MISMATCH");
    }
    return this.#handle;
  }

  #live(operation: string): StreamHandle {
    return this.handleFor(this.#backend, `Stream.${operation}`);
  }

  /** True when all work queued so far is done. */
  query(): boolean {
    return this.#backend.queryStream(this.#live("query"));
  }

  /** Blocks until all work queued so far is done. Throws what that work failed with. */
  synchronize(): void {
    this.#backend.synchronizeStream(this.#live("synchronize"));
  }

  /** Resolves when all work queued so far is done; the event loop stays free. Rejects with what that work failed with. */
  finished(): Promise<void> {
    return this.#backend.synchronizeStreamAsync(this.#live("finished"));
  }

  /** Records an event behind the work queued so far, and returns it. */
  record(event: Event = new Event()): Event {
    checkEvent(event, "Stream.record.event");
    event.recordOn(this.#backend, this.#live("record"));
    return event;
  }

  /** Makes work queued from here on wait for an event. */
  wait(event: Event): void {
    checkEvent(event, "Stream.wait.event");
    this.#backend.streamWaitEvent(this.#live("wait"), event.handleFor(this.#backend, "Stream.wait.event"));
  }

  /** Gives the stream back. Queued work still runs; any other use throws a TypeError with code `ERR_DISPOSED`. */
  dispose(): void {
    if (this.#handle === undefined) return;
    this.#backend.releaseStream(this.#handle);
    this.#handle = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [inspect.custom](): string {
    return `Stream [${this.#handle === undefined ? "disposed" : this.#backend.name}]`;
  }
}

/** The stream that an option names, for work on a backend. */
export function streamOf(stream: Stream | undefined, backend: Backend, argument: string): StreamHandle {
  if (stream === undefined) return backend.defaultStream;
  if (!(stream instanceof Stream)) throw new ArgumentTypeError(argument, "a Stream", stream);
  return stream.handleFor(backend, argument);
}
