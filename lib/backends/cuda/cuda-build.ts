/** A build of the cuda backend: from a request to what the addon compiles, and from a call to what it runs. */
import { createHash } from "node:crypto";
import type { Call } from "../../algorithms/call";
import type { AnyOperator, Build, BuildRequest, SlotRequest } from "../../builds/build";
import { isPointerSlot, operatorSymbol, slotSymbols, translationUnit } from "../../builds/translation-unit";
import { type Argument, type LinkedCode, absentShape } from "../../builds/shape";
import type { OperatorUse } from "../../operators/operator";
import { type ElementType, type ElementValue, isScalarType } from "../../types/element";
import type { CudaBackend } from "./cuda-backend";
import {
  Access,
  Frame,
  type NativeBuildSpec,
  type NativeCode,
  type NativeHandle,
  type NativeOperator,
  type NativeSlot,
  type NativeTypeInfo,
  RunStatus,
} from "./native";

/** `cccl_op_kind_t` of operators with code. */
const STATELESS = 0;
const STATEFUL = 1;

/** `cccl_type_enum` of everything that is not a scalar: bytes of a size and an alignment. */
const STORAGE = 11;

function typeInfo(type: ElementType): NativeTypeInfo {
  const { size, alignment } = type;
  return { size, alignment, type: isScalarType(type) ? type.id : STORAGE };
}

/** Hands out places in the frame's state area. */
class Layout {
  #next: number = Frame.state;

  take(size: number): number {
    const position = this.#next;
    this.#next += Math.ceil(size / 16) * 16;
    if (this.#next > Frame.size) throw new RangeError("A call's iterators, operators and initial value are too large.");
    return position;
  }
}

function nativeSlot(slot: SlotRequest, index: number, layout: Layout): NativeSlot {
  if (slot.shape === absentShape) {
    return { kind: "absent", value: typeInfo(slot.as), position: Frame.state, stateSize: 0, stateAlignment: 1 };
  }
  const pointer = isPointerSlot(slot);
  const { stateSize, stateAlignment } = slot.shape;
  return {
    kind: pointer ? "pointer" : "iterator",
    value: typeInfo(slot.as),
    position: layout.take(stateSize),
    stateSize,
    stateAlignment,
    ...(pointer ? {} : slotSymbols(index)),
  };
}

function nativeOperator(operator: AnyOperator, index: number, whole: boolean, layout: Layout): NativeOperator {
  const { stateSize, stateAlignment, wellKnown } = operator;
  if (whole && wellKnown !== undefined) {
    return { kind: wellKnown, symbol: "", position: Frame.state, stateSize: 0, stateAlignment: 1 };
  }
  return {
    kind: stateSize > 0 ? STATEFUL : STATELESS,
    symbol: operatorSymbol(index),
    position: stateSize > 0 ? layout.take(stateSize) : Frame.state,
    stateSize,
    stateAlignment,
  };
}

/**
 * Whether the library compiles kernel and operators at once. It must for its own operators, which it tunes for; with
 * code of the user's in an iterator that would cost a whole compilation for each new function, so those are linked.
 */
function compilesWhole({ algorithm, operators, slots }: BuildRequest): boolean {
  if (algorithm.compiles !== "whole-if-well-known") return algorithm.compiles === "whole";
  return operators.every(({ wellKnown }) => wellKnown !== undefined) && !slots.some(({ shape }) => shape.hasUserCode);
}

/** The ready code of a request's operators and iterators, each once. */
function linkedCode({ slots, operators }: BuildRequest): LinkedCode[] {
  const all = [...slots.flatMap(({ shape }) => shape.linked), ...operators.flatMap(({ linked }) => linked)];
  return all.filter(({ key }, index) => all.findIndex((other) => other.key === key) === index);
}

/** What the addon compiles for a request: types and code. */
export function nativeSpec(request: BuildRequest, computeCapability: number): NativeBuildSpec {
  const layout = new Layout();
  const whole = compilesWhole(request);
  const slots = request.slots.map((slot, index) => nativeSlot(slot, index, layout));
  const operators = request.operators.map((operator, index) => nativeOperator(operator, index, whole, layout));
  const source = translationUnit(request, (operator) => !whole || operator.wellKnown === undefined);
  const signature: Omit<NativeBuildSpec, "kernelKey" | "code"> = {
    algorithm: request.algorithm.name,
    computeCapability,
    slots,
    operators,
    values: (request.values ?? []).map((type) => ({ value: typeInfo(type), position: layout.take(type.size) })),
    options: { ...request.options },
    whole,
  };
  if (request.init !== undefined) {
    const { kind, type } = request.init;
    signature.init = { kind, value: typeInfo(type), position: layout.take(kind === "future" ? 8 : type.size) };
  }
  const code: NativeCode[] = [...linkedCode(request)];
  if (source !== "") code.push({ key: createHash("sha256").update(source).digest("hex"), source });
  return { ...signature, kernelKey: JSON.stringify(signature), code };
}

const accesses = { input: Access.read, output: Access.write, both: Access.both } as const;

interface StatefulOperator {
  readonly operator: AnyOperator;
  readonly index: number;
  readonly position: number;
}

export class CudaBuild implements Build {
  /** @internal */
  readonly handle: NativeHandle;
  readonly #backend: CudaBackend;
  readonly #slots: readonly { position: number; access: number }[];
  readonly #operators: readonly StatefulOperator[];
  readonly #initPosition: number;
  readonly #valuePositions: readonly number[];

  constructor(backend: CudaBackend, request: BuildRequest, spec: NativeBuildSpec, handle: NativeHandle) {
    this.handle = handle;
    this.#backend = backend;
    this.#slots = spec.slots.map(({ position }, index) => ({
      position,
      access: accesses[(request.slots[index] as SlotRequest).direction],
    }));
    this.#operators = request.operators
      .map((operator, index) => ({ operator, index, position: spec.operators[index]?.position ?? 0 }))
      .filter(({ operator }) => operator.stateSize > 0);
    this.#initPosition = spec.init?.position ?? 0;
    this.#valuePositions = spec.values.map(({ position }) => position);
  }

  /** The way to the launch: numbers into the frame, then one native call. */
  run(call: Call): void {
    if (this.#attempt(call) === RunStatus.outOfMemory) this.#runAgain(call);
    call.selector = this.#backend.frame.selector;
  }

  /** Apart from {@link run}, which then makes no closure. */
  #runAgain(call: Call): void {
    this.#backend.runAgain(() => this.#attempt(call));
  }

  #attempt(call: Call): number {
    this.#write(call);
    return this.#backend.native.run(this.handle);
  }

  #write(call: Call): void {
    const { frame } = this.#backend;
    frame.begin(call.scalars, call.stream?.slot ?? 0);
    for (let i = 0; i < this.#slots.length; i++) {
      const { position, access } = this.#slots[i] as { position: number; access: number };
      (call.slots[i] as Argument).writeState(frame, position, access);
    }
    for (const { operator, index, position } of this.#operators) {
      operator.writeState((call.operators[index] as OperatorUse).values, frame, position);
    }
    if (call.initArray !== undefined) {
      call.initArray.writeState(frame, this.#initPosition, Access.read);
    } else if (call.initValue !== undefined) {
      frame.value(this.#initPosition, call.initType as ElementType, call.initValue);
    }
    for (let i = 0; i < this.#valuePositions.length; i++) {
      frame.value(this.#valuePositions[i] as number, call.valueType as ElementType, call.values[i] as ElementValue);
    }
  }
}
