/** Iterators that apply an operator to what is read from, or written to, another array or iterator. */
import { inspect } from "node:util";
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Backend, Storage } from "../backends/backend";
import { ArgumentTypeError } from "../errors";
import {
  type CppOperator,
  type SpecializedOperator,
  type OperatorUse,
  resolveOperator,
  specializePure,
} from "../operators";
import { type ElementSpec, type ElementType, type StructType, type ValueOf, specOf } from "../types/element";
import type { ScalarName, ScalarType } from "../types/scalar";
import { cudaDefinitions, elementType } from "../types/struct";
import {
  type Argument,
  type Reader,
  type Shape,
  type Writer,
  alignUp,
  defineShape,
  OwnArgument,
} from "../builds/shape";
import { notReadable, notWritable, readable, writable } from "./readable";
import type { Directed, Direction, Input, Output, UnaryOperator, direction } from "./types";

type ShapeCache = WeakMap<SpecializedOperator, Map<number, Shape>>;

function cachedShape(cache: ShapeCache, operator: SpecializedOperator, child: Shape, make: () => Shape): Shape {
  let byChild = cache.get(operator);
  if (byChild === undefined) {
    byChild = new Map();
    cache.set(operator, byChild);
  }
  let shape = byChild.get(child.id);
  if (shape === undefined) {
    shape = make();
    byChild.set(child.id, shape);
  }
  return shape;
}

/** The child's state, then the operator's. */
function stateLayout(operator: SpecializedOperator, child: Shape): { offset: number; size: number; alignment: number } {
  const offset = alignUp(child.stateSize, Math.max(1, operator.stateAlignment));
  const alignment = Math.max(child.stateAlignment, operator.stateAlignment, 1);
  return { offset, alignment, size: alignUp(offset + operator.stateSize, alignment) };
}

const advanceChild = (prefix: string): string =>
  `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
  `  ${prefix}_child_advance(state, count);\n}\n`;

const operatorState = (offset: number): string => `static_cast<const char*>(state) + ${String(offset)}`;

const inputShapes: ShapeCache = new WeakMap();

function inputShape(operator: SpecializedOperator, child: Shape): Shape {
  const { cudaInput } = child;
  return cachedShape(inputShapes, operator, child, () => {
    const { offset, size, alignment } = stateLayout(operator, child);
    return defineShape({
      elementType: operator.resultType,
      isPointer: false,
      hasUserCode: true,
      linked: [...child.linked, ...operator.linked],
      stateSize: size,
      stateAlignment: alignment,
      cudaInput: (prefix) =>
        cudaDefinitions([child.elementType]) +
        (cudaInput?.(`${prefix}_child`) ?? "") +
        operator.cuda(`${prefix}_operator`) +
        advanceChild(prefix) +
        `static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {\n` +
        `  ${child.elementType.cudaStorage} value;\n  ${prefix}_child_load(state, &value);\n` +
        `  ${prefix}_operator(${operatorState(offset)}, &value, element);\n}\n`,
      cudaOutput: undefined,
    });
  });
}

const outputShapes: ShapeCache = new WeakMap();

function outputShape(operator: SpecializedOperator, child: Shape): Shape {
  const { cudaOutput } = child;
  return cachedShape(outputShapes, operator, child, () => {
    const { offset, size, alignment } = stateLayout(operator, child);
    return defineShape({
      elementType: operator.parameters[0] as ElementType,
      isPointer: false,
      hasUserCode: true,
      linked: [...child.linked, ...operator.linked],
      stateSize: size,
      stateAlignment: alignment,
      cudaInput: undefined,
      cudaOutput: (prefix) =>
        cudaDefinitions([child.elementType]) +
        (cudaOutput?.(`${prefix}_child`) ?? "") +
        operator.cuda(`${prefix}_operator`) +
        advanceChild(prefix) +
        `static __device__ __forceinline__ void ${prefix}_store(const void* state, const void* element) {\n` +
        `  ${child.elementType.cudaStorage} value;\n` +
        `  ${prefix}_operator(${operatorState(offset)}, element, &value);\n` +
        `  ${prefix}_child_store(state, &value);\n}\n`,
    });
  });
}

/** What the two directions share: a child and an operator, whose captured values are read at every call. */
abstract class OperatorIterator<N extends ElementSpec, D extends Direction>
  extends OwnArgument
  implements Argument, Directed<N, D>
{
  declare readonly [direction]: D;
  readonly type: N;
  /** @internal */
  readonly shape: Shape;
  readonly #child: Argument;
  readonly #op: unknown;
  readonly #use: OperatorUse;
  readonly #specialized: SpecializedOperator;
  readonly #stateOffset: number;
  readonly #name: string;

  /** @internal */
  constructor(
    name: string,
    child: Argument,
    op: unknown,
    use: OperatorUse,
    specialized: SpecializedOperator,
    shape: Shape,
  ) {
    super();
    this.type = specOf(shape.elementType as ScalarType | StructType) as N;
    this.shape = shape;
    this.#name = name;
    this.#child = child;
    this.#op = op;
    this.#use = use;
    this.#specialized = specialized;
    this.#stateOffset = stateLayout(specialized, child.shape).offset;
  }

  get length(): number {
    return this.#child.length;
  }

  /** @internal */
  get backend(): Backend | undefined {
    return this.#child.backend;
  }

  /** @internal */
  checkAlive(argument: string, part?: string): void {
    this.#child.checkAlive(argument, part);
  }

  /** @internal */
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean {
    return this.#child.overlaps(storage, begin, end, inPlace);
  }

  /** @internal */
  writesOver(input: Argument, inPlace: boolean): boolean {
    return this.#child.writesOver(input, inPlace);
  }

  [inspect.custom](): string {
    return `${this.#name}(${inspect(this.#child)}, ${this.shape.elementType.name})`;
  }

  /** The operator with what its free variables hold now; captured functions are none of its state, but count too. */
  #current(): OperatorUse {
    if (this.#use.operator.captureNames.length === 0) return this.#use;
    const use = resolveOperator(this.#op, 1, `${this.#name}.op`);
    if (use.operator !== this.#use.operator) {
      throw new ArgumentTypeError(`${this.#name}.op`, "captured values of the types they had at first", this.#op);
    }
    return use;
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    this.#child.writeState(frame, position, access);
    const { values } = this.#current();
    if (values.length > 0) this.#specialized.writeState(values, frame, position + this.#stateOffset);
  }

  /** @internal */
  hostReader(): Reader {
    const read = this.#child.hostReader();
    const apply = this.#specialized.host(this.#current().values);
    return (index) => apply(read(index));
  }

  /** @internal */
  hostWriter(): Writer {
    const write = this.#child.hostWriter();
    const apply = this.#specialized.host(this.#current().values);
    return (index, value) => {
      write(index, apply(value));
    };
  }
}

/** Reads `op(x)` for each x of an array or iterator. Owns what it reads. */
export class TransformedIterator<N extends ElementSpec = ElementSpec> extends OperatorIterator<N, "input"> {
  /** @internal */
  override hostWriter(): Writer {
    return notWritable();
  }
}

/** Writes `op(x)` to an array or iterator for each x written to it. Owns what it writes to. */
export class TransformedOutputIterator<N extends ElementSpec = ElementSpec> extends OperatorIterator<N, "output"> {
  /** @internal */
  override hostReader(): Reader {
    return notReadable();
  }
}

/**
 * An input that reads `op(x)` for each x of `input`, computed on the fly.
 *
 * Values that the operator captures are read at every call, not here.
 *
 * @param type - the element type; by default the type that the operator computes
 * @throws TypeError for an input that cannot be read; CompileError for an operator outside the language
 */
export function transformed<I extends ElementSpec, N extends ElementSpec>(
  input: Input<I>,
  op: UnaryOperator<ValueOf<I>, ValueOf<N>>,
  type: N,
): TransformedIterator<N>;
export function transformed<I extends ElementSpec>(
  input: Input<I>,
  // What CUDA C++ answers, no type here can tell.
  op: Exclude<UnaryOperator<ValueOf<I>, number | bigint | boolean>, CppOperator>,
): TransformedIterator<ScalarName>;
export function transformed<I extends ElementSpec>(
  input: Input<I>,
  op: UnaryOperator<ValueOf<I>, ValueOf<ElementSpec>>,
): TransformedIterator;
export function transformed(input: unknown, op: unknown, type?: ElementSpec): TransformedIterator {
  const child = readable(input, "transformed.input");
  const result = type === undefined ? undefined : elementType(type, "transformed.type");
  const use = resolveOperator(op, 1, "transformed.op");
  const specialized = specializePure(use.operator, [child.shape.elementType], result, "transformed.op");
  return new TransformedIterator("transformed", child, op, use, specialized, inputShape(specialized, child.shape));
}

/**
 * An output that writes `op(x)` to `output` for each x written to it.
 *
 * Values that the operator captures are read at every call, not here.
 *
 * @param type - the type of x; by default the output's own
 * @throws TypeError for an output that cannot be written; CompileError for an operator outside the language
 */
export function transformedOutput<O extends ElementSpec, N extends ElementSpec = O>(
  output: Output<O>,
  op: UnaryOperator<ValueOf<N>, ValueOf<O>>,
  type?: N,
): TransformedOutputIterator<N>;
export function transformedOutput(output: unknown, op: unknown, type?: ElementSpec): TransformedOutputIterator {
  const child = writable(output, "transformedOutput.output");
  const stored = child.shape.elementType;
  const parameter = type === undefined ? stored : elementType(type, "transformedOutput.type");
  const use = resolveOperator(op, 1, "transformedOutput.op");
  const specialized = specializePure(use.operator, [parameter], stored, "transformedOutput.op");
  const shape = outputShape(specialized, child.shape);
  return new TransformedOutputIterator("transformedOutput", child, op, use, specialized, shape);
}
