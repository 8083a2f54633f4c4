/** Memory of the host backend: plain bytes that the JavaScript collector owns. */
import { ArgumentTypeError } from "../../errors";
import type { Backend, Storage } from "../backend";

export class HostStorage implements Storage {
  slot = 0;
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  constructor(
    readonly backend: Backend,
    readonly byteLength: number,
  ) {
    this.#bytes = new Uint8Array(byteLength);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes === undefined) {
      // Checked before; a getter of the options can still dispose an array after its turn.
      throw new ArgumentTypeError("DeviceArray", "a live array", "a disposed DeviceArray", "ERR_DISPOSED");
    }
    return this.#bytes;
  }

  release(): void {
    this.#bytes = undefined;
    this.slot = -1;
  }
}

/** A storage that the host backend made. */
export function hostStorage(storage: Storage): HostStorage {
  if (storage instanceof HostStorage) return storage;
  throw new ArgumentTypeError("DeviceArray", "a live array", "a disposed DeviceArray", "ERR_DISPOSED");
}

/** The bytes behind a storage of the host backend. */
export function hostBytes(storage: Storage): Uint8Array<ArrayBuffer> {
  return hostStorage(storage).bytes;
}
