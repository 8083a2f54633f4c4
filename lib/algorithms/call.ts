import type { Backend, StreamHandle } from "../backends/backend";
import type { Argument } from "../builds/shape";
import type { OperatorUse } from "../operators/operator";
import type { DeviceArray } from "../memory/device-array";
import type { ElementType, ElementValue } from "../types/element";
import type { DoubleBuffer } from "../memory/double-buffer";

/**
 * The arguments of one call, checked and in the order of the C function. One object serves all calls of a thread and
 * is emptied after each, so that nothing is allocated and nothing is kept.
 */
export class Call {
  backend: Backend | undefined = undefined;
  stream: StreamHandle | undefined = undefined;
  /** Item count first; what follows is the algorithm's. */
  readonly scalars = new Float64Array(8);
  readonly slots: (Argument | undefined)[] = new Array<Argument | undefined>(8).fill(undefined);
  readonly operators: (OperatorUse | undefined)[] = [undefined, undefined];
  /** The initial value; `initType` says as what it is stored. */
  initValue: ElementValue | undefined = undefined;
  initArray: DeviceArray | undefined = undefined;
  initType: ElementType | undefined = undefined;
  /** Values beside the initial one, such as a histogram's levels; all are stored as `valueType`. */
  readonly values: (ElementValue | undefined)[] = [undefined, undefined];
  valueType: ElementType | undefined = undefined;
  /** Keys and values of a sort, where they are double buffers. */
  readonly buffers: (DoubleBuffer | undefined)[] = [undefined, undefined];
  /** Set by a run: which of its two buffers a sort of double buffers left the result in. */
  selector = 0;
  /** What the build depends on, as small integers: the operator first, then the algorithm and its signature. */
  readonly key = new Int32Array(16);
  keyLength = 0;

  get count(): number {
    return this.scalars[0] ?? 0;
  }

  /** Adds a part to the key. */
  depends(part: number): void {
    this.key[this.keyLength++] = part;
  }

  /** Forgets everything that could keep an array alive. */
  clear(): void {
    this.backend = undefined;
    this.stream = undefined;
    for (let i = 0; i < this.slots.length; i++) this.slots[i] = undefined;
    this.operators[0] = undefined;
    this.operators[1] = undefined;
    this.initValue = undefined;
    this.initArray = undefined;
    this.initType = undefined;
    this.values[0] = undefined;
    this.values[1] = undefined;
    this.valueType = undefined;
    this.buffers[0] = undefined;
    this.buffers[1] = undefined;
    this.scalars.fill(0);
    this.keyLength = 0;
  }
}
