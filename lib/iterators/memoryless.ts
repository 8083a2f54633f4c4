import type { Backend } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import { type Argument, type Reader, type Shape, type Writer, OwnArgument } from "../builds/shape";
import { type ElementSpec, type StructType, specOf } from "../types/element";
import type { ScalarType } from "../types/scalar";
import { notReadable, notWritable } from "./readable";
import type { Directed, Direction, direction } from "./types";

/** What iterators without memory share: there is nothing that could be disposed, or overlap. */
export abstract class MemorylessIterator<N extends ElementSpec, D extends Direction>
  extends OwnArgument
  implements Argument, Directed<N, D>
{
  declare readonly [direction]: D;
  readonly type: N;
  readonly length: number;
  /** @internal */
  readonly shape: Shape;
  /** @internal */
  readonly backend: Backend | undefined = undefined;

  /** @internal */
  constructor(shape: Shape, length = Infinity) {
    super();
    this.type = specOf(shape.elementType as ScalarType | StructType) as N;
    this.shape = shape;
    this.length = length;
  }

  /** @internal */
  checkAlive(): void {
    // There is no memory that could have been disposed.
  }

  /** @internal */
  overlaps(): boolean {
    return false;
  }

  /** @internal */
  writesOver(): boolean {
    return false;
  }

  /** @internal */
  abstract writeState(frame: CallFrame, position: number, access: number): void;

  /** @internal */
  hostReader(): Reader {
    return notReadable();
  }

  /** @internal */
  hostWriter(): Writer {
    return notWritable();
  }
}
