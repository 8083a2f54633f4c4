import { inspect } from "node:util";
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Backend } from "../backends/backend";
import { type ScalarName, type ScalarType, type ValueOf, scalarTypes } from "../types/scalar";
import { elementValue, scalarType, writeElement } from "../types/value";
import { notWritable } from "./readable";
import { type Argument, type Reader, type Shape, type Writer, defineShape } from "../builds/shape";

const shapes = new Map<ScalarType, Shape>();

function constantShape(type: ScalarType): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: type.size,
      stateAlignment: type.size,
      cudaInput: (prefix) =>
        `static __device__ __forceinline__ void ${prefix}_advance(void*, unsigned long long) {}\n` +
        `static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {\n` +
        `  *static_cast<${type.cudaStorage}*>(element) = *static_cast<const ${type.cudaStorage}*>(state);\n}\n`,
      cudaOutput: undefined,
    });
    shapes.set(type, shape);
  }
  return shape;
}

/** Reads one value again and again, without memory. */
export class ConstantIterator<N extends ScalarName = ScalarName> implements Argument {
  readonly type: N;
  readonly value: ValueOf<N>;
  readonly length = Infinity;
  /** @internal */
  readonly shape: Shape;
  /** @internal */
  readonly backend: Backend | undefined = undefined;
  readonly #state: Uint8Array;

  /** @internal */
  constructor(value: ValueOf<N>, type: N) {
    const elementType = scalarTypes[type];
    this.type = type;
    this.value = value;
    this.shape = constantShape(elementType);
    this.#state = new Uint8Array(elementType.size);
    writeElement(new DataView(this.#state.buffer), 0, elementType, value);
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
  writeState(frame: CallFrame, position: number): void {
    frame.bytes(position, this.#state);
  }

  /** @internal */
  hostReader(): Reader {
    return () => this.value;
  }

  [inspect.custom](): string {
    return `constant(${String(this.value)}, ${this.type})`;
  }

  /** @internal */
  hostWriter(): Writer {
    return notWritable("constant");
  }
}

/**
 * An input that is `value` everywhere and needs no memory.
 *
 * @param type - the element type: by default `float64`, `int64` or `bool` for a number, a bigint or a boolean
 * @throws TypeError or RangeError for a value that is not one of the type's
 */
export function constant(value: number): ConstantIterator<"float64">;
export function constant(value: bigint): ConstantIterator<"int64">;
export function constant(value: boolean): ConstantIterator<"bool">;
export function constant<N extends ScalarName>(value: ValueOf<N> | number, type: N): ConstantIterator<N>;
export function constant(value: number | bigint | boolean, type?: ScalarName): ConstantIterator {
  const implied = typeof value === "bigint" ? "int64" : typeof value === "boolean" ? "bool" : "float64";
  const elementType = scalarType(type ?? implied, "constant.type");
  return new ConstantIterator<ScalarName>(elementValue(value, elementType, "constant.value"), elementType.name);
}
