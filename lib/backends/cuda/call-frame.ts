import type { ElementType, ElementValue } from "../../types/element";
import { writeElement } from "../../types/value";
import { Frame } from "./native";

/**
 * Writes a call's numbers into the frame that the addon reads (see native.ts for its layout). One a thread; what a
 * call leaves in it are offsets and values, which mean nothing once the call is over.
 */
export class CallFrame {
  readonly view: DataView;
  readonly #u8: Uint8Array;
  readonly #u32: Uint32Array;
  readonly #f64: Float64Array;
  #relocations = 0;

  constructor(buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
    this.#u8 = new Uint8Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#f64 = new Float64Array(buffer);
  }

  begin(scalars: Float64Array, streamSlot: number): void {
    for (let i = 0; i < scalars.length; i++) this.#f64[Frame.scalars / 8 + i] = scalars[i] as number;
    this.#u32[Frame.stream >> 2] = streamSlot;
    this.#relocations = 0;
    this.#u32[Frame.relocationCount >> 2] = 0;
  }

  /** An address: the addon adds the buffer's own to the offset. `position` is a multiple of 8. */
  pointer(position: number, slot: number, byteOffset: number, access: number): void {
    if (this.#relocations === Frame.maxRelocations) {
      throw new RangeError(`A call can use at most ${String(Frame.maxRelocations)} device arrays.`);
    }
    const u32 = this.#u32;
    u32[position >> 2] = byteOffset >>> 0;
    u32[(position >> 2) + 1] = Math.floor(byteOffset / 0x1_0000_0000);
    const entry = (Frame.relocations >> 2) + this.#relocations * 3;
    u32[entry] = position;
    u32[entry + 1] = slot;
    u32[entry + 2] = access;
    u32[Frame.relocationCount >> 2] = ++this.#relocations;
  }

  /** Bytes that were laid out before. */
  bytes(position: number, source: Uint8Array): void {
    this.#u8.set(source, position);
  }

  /** An element's bytes. */
  value(position: number, type: ElementType, value: ElementValue): void {
    writeElement(this.view, position, type, value);
  }

  get resultSlot(): number {
    return this.#u32[Frame.resultSlot >> 2] as number;
  }

  get selector(): number {
    return this.#u32[Frame.selector >> 2] as number;
  }

  get liveBytes(): number {
    return this.#f64[Frame.liveBytes >> 3] as number;
  }

  get requestedBytes(): number {
    return this.#f64[Frame.requestedBytes >> 3] as number;
  }
}
