import { inspect } from "node:util";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { DeviceArray } from "./device-array";
import type { ElementSpec } from "../types/element";

/**
 * Two arrays between which a sort moves its elements back and forth, so that it needs no third: faster, and less
 * memory. What both hold is written over.
 *
 * A sort reads {@link current}. When its call returns, `current` is the array that will hold the result, and
 * {@link alternate} the other one. Owns both.
 */
export class DoubleBuffer<N extends ElementSpec = ElementSpec> {
  #current: DeviceArray<N>;
  #alternate: DeviceArray<N>;

  /** What only looks like one (a proxy, or what inherits from one) has no private fields, and is none. @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && #current in value;
  }

  /**
   * @param current - the elements
   * @param alternate - an array of the same type and length, apart from the first
   * @throws TypeError or RangeError for anything else
   */
  constructor(current: DeviceArray<N>, alternate: DeviceArray<N>) {
    for (const [name, array] of Object.entries({ current, alternate })) {
      if (!(array instanceof DeviceArray)) throw new ArgumentTypeError(`DoubleBuffer.${name}`, "a DeviceArray", array);
      array.checkAlive(`DoubleBuffer.${name}`);
    }
    const { elementType } = current.shape;
    if (alternate.shape.elementType !== elementType) {
      const expected = `elements of ${elementType.name}, as the current array has`;
      throw new ArgumentTypeError("DoubleBuffer.alternate", expected, alternate.shape.elementType.name);
    }
    if (alternate.length !== current.length) {
      const expected = `${String(current.length)} elements, as the current array has`;
      throw new ArgumentRangeError("DoubleBuffer.alternate", expected, alternate.length);
    }
    this.#current = current;
    this.#alternate = alternate;
  }

  /** The array that holds the elements, as soon as the work that is queued is done. */
  get current(): DeviceArray<N> {
    return this.#current;
  }

  /** The other array; what it holds means nothing after a sort. */
  get alternate(): DeviceArray<N> {
    return this.#alternate;
  }

  /** @internal */
  swap(): void {
    [this.#current, this.#alternate] = [this.#alternate, this.#current];
  }

  [inspect.custom](): string {
    return `DoubleBuffer(${inspect(this.#current)}, ${inspect(this.#alternate)})`;
  }
}
