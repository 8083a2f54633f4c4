import { inspect } from "node:util";
import type { CallFrame } from "../backends/cuda/call-frame";
import { type ElementSpec, type StructType, type ValueOf } from "../types/element";
import type { ScalarName, ScalarType, ScalarValueOf } from "../types/scalar";
import { cudaDefinitions, elementType } from "../types/struct";
import { elementValue, readElement, writeElement } from "../types/value";
import { type Reader, type Shape, defineShape } from "../builds/shape";
import { MemorylessIterator } from "./memoryless";

/** What it can repeat. */
type Element = ScalarType | StructType;

const shapes = new Map<Element, Shape>();

function constantShape(type: Element): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: type.size,
      stateAlignment: type.alignment,
      cudaInput: (prefix) =>
        cudaDefinitions([type]) +
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
export class ConstantIterator<N extends ElementSpec = ElementSpec> extends MemorylessIterator<N, "input"> {
  readonly value: ValueOf<N>;
  readonly #state: Uint8Array<ArrayBuffer>;

  /** @internal */
  constructor(value: ValueOf<N>, type: Element) {
    super(constantShape(type));
    this.value = value;
    this.#state = new Uint8Array(type.size);
    writeElement(new DataView(this.#state.buffer), 0, type, value);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number): void {
    frame.bytes(position, this.#state);
  }

  /** @internal */
  override hostReader(): Reader {
    const value = readElement(new DataView(this.#state.buffer), 0, this.shape.elementType);
    return () => value;
  }

  [inspect.custom](): string {
    return `constant(${inspect(this.value)}, ${this.shape.elementType.name})`;
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
export function constant<N extends ScalarName>(value: ScalarValueOf<N> | number, type: N): ConstantIterator<N>;
export function constant<S extends StructType>(value: ValueOf<S>, type: S): ConstantIterator<S>;
export function constant(value: unknown, type?: ElementSpec): ConstantIterator {
  const implied = typeof value === "bigint" ? "int64" : typeof value === "boolean" ? "bool" : "float64";
  const element = elementType(type ?? implied, "constant.type");
  const checked = elementValue(value, element, "constant.value") as ValueOf<ElementSpec>;
  return new ConstantIterator<ElementSpec>(checked, element);
}
