import { inspect } from "node:util";
import type { Backend, StreamHandle } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentTypeError } from "../errors";
import { Event } from "./event";

/**
 * A queue of device work. Work on one stream runs in order; a call that uses an array last used on another stream
 * waits for that work by itself. Dropping a stream does not cancel what is queued on it.
 */
export class Stream {
  readonly #backend: Backend;
  #handle: StreamHandle | undefined;

  /** A new stream on the current backend's device. A lower `priority` number is served first (0 is normal). */
  constructor(options: { priority?: number } = {}) {
    const priority = options.priority ?? 0;
    if (!Number.isInteger(priority)) throw new ArgumentTypeError("Stream.priority", "an integer", priority);
    this.#backend = currentBackend();
    this.#handle = this.#backend.createStream(priority);
  }

  /** @internal */
  get backend(): Backend {
    return this.#backend;
  }

  /** @internal */
  handleFor(backend: Backend, argument: string): StreamHandle {
    if (this.#handle === undefined) {
      throw new ArgumentTypeError(argument, "a live stream", "a disposed Stream", "ERR_DISPOSED");
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
    event.recordOn(this.#backend, this.#live("record"));
    return event;
  }

  /** Makes work queued from here on wait for an event. */
  wait(event: Event): void {
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
