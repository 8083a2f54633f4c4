/** Memory of the host backend: plain bytes that the JavaScript collector owns. */
import { types } from "node:util";
import { ArgumentTypeError, Words } from "../../errors";
import type { Allocation } from "../allocation";
import type { Backend, Storage } from "../backend";

export class HostStorage implements Storage {
  allocation: string | undefined = undefined;
  readonly #slot: number;
  readonly #allocation: Allocation;
  #bytes: Uint8Array | undefined;

  constructor(
    readonly backend: Backend,
    slot: number,
    allocation: Allocation,
    memory?: SharedArrayBuffer,
  ) {
    this.#slot = slot;
    this.#allocation = allocation;
    this.#bytes = memory === undefined ? new Uint8Array(allocation.byteLength) : new Uint8Array(memory);
  }

  /** The bytes as memory that threads can share: they move there the first time. */
  share(): SharedArrayBuffer {
    const { bytes } = this;
    if (types.isSharedArrayBuffer(bytes.buffer)) return bytes.buffer;
    const memory = new SharedArrayBuffer(bytes.byteLength);
    this.#bytes = new Uint8Array(memory);
    this.#bytes.set(bytes);
    return memory;
  }

  get byteLength(): number {
    return this.#allocation.byteLength;
  }

  get slot(): number {
    return this.#bytes === undefined || this.#allocation.scope?.ended ? -1 : this.#slot;
  }

  get bytes(): Uint8Array {
    if (this.#bytes === undefined || this.slot < 0) {
      // Checked before; a getter of the options can still dispose an array after its turn.
      throw new ArgumentTypeError("DeviceArray", "a live array", new Words("a disposed DeviceArray"), "ERR_DISPOSED");
    }
    return this.#bytes;
  }

  release(): void {
    this.#bytes = undefined;
  }
}

/** A storage that the host backend made. */
export function hostStorage(storage: Storage): HostStorage {
  if (storage instanceof HostStorage) return storage;
  throw new ArgumentTypeError("DeviceArray", "a live array", new Words("a disposed DeviceArray"), "ERR_DISPOSED");
}

/** The bytes behind a storage of the host backend. */
export function hostBytes(storage: Storage): Uint8Array {
  return hostStorage(storage).bytes;
}
