/**
 * What builds may know of an array or iterator: its types and code, without its data. Shapes are shared by all
 * arguments of one kind and compare by identity.
 */
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Backend, Storage } from "../backends/backend";
import type { ElementType, ElementValue } from "../types/element";
import { scalarTypes } from "../types/scalar";

/** CUDA C++ text that defines functions whose names begin with a prefix. */
export type CudaFunctions = (prefix: string) => string;

/** LTO-IR that is linked into a build. */
export interface LinkedCode {
  /** Stands for the content. */
  readonly key: string;
  readonly ltoir: Uint8Array;
}

export interface Shape {
  /** A small integer, the key in build tables. */
  readonly id: number;
  /** The type that is read from it or written to it. */
  readonly elementType: ElementType;
  /** True for plain device arrays: the C library takes their address and needs no code. */
  readonly isPointer: boolean;
  /** True when an operator of the user's is part of the code. */
  readonly hasUserCode: boolean;
  readonly stateSize: number;
  readonly stateAlignment: number;
  /**
   * Defines `PREFIX_advance(void* state, unsigned long long count)` and
   * `PREFIX_load(const void* state, void* element)`; undefined for what cannot be read.
   */
  readonly cudaInput: CudaFunctions | undefined;
  /** Defines `PREFIX_advance` and `PREFIX_store(const void* state, const void* element)`; undefined for what cannot be written. */
  readonly cudaOutput: CudaFunctions | undefined;
  /** Device code that is ready, and that those functions call. */
  readonly linked: readonly LinkedCode[];
}

/** Reads the element at an index, on the host. */
export type Reader = (index: number) => ElementValue;
/** Writes the element at an index, on the host. */
export type Writer = (index: number, value: ElementValue) => void;

/** An array or an iterator, as algorithms take them. It owns what it reads. */
export interface Argument {
  /** @internal */
  readonly shape: Shape;
  /** How many elements it has; Infinity for iterators without an end. */
  readonly length: number;
  /** The backend of the arrays in it; undefined where it holds none. @internal */
  readonly backend: Backend | undefined;
  /** Throws when an array in it was disposed; `part` names it within the argument. @internal */
  checkAlive(argument: string, part?: string): void;
  /**
   * True when it reads or writes memory of `storage` from `begin` to `end` (bytes). With `inPlace`, touching exactly
   * that memory, element for element, does not count.
   *
   * @internal
   */
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean;
  /** True when what is written to it overlaps what `input` reads; `inPlace` as above. @internal */
  writesOver(input: Argument, inPlace: boolean): boolean;
  /** Writes its state at a position in the frame. @internal */
  writeState(frame: CallFrame, position: number, access: number): void;
  /** @internal */
  hostReader(): Reader;
  /** @internal */
  hostWriter(): Writer;
}

/**
 * What arrays and iterators extend. It tells them from what merely looks like them (a proxy, an object that inherits
 * from one, one with methods of the same names), which has no private fields.
 */
export abstract class OwnArgument {
  readonly #own = true;

  /** @internal */
  static has(value: unknown): boolean {
    return typeof value === "object" && value !== null && #own in value;
  }
}

/** Stands for an argument that a call does without. */
export const absent: Argument = {
  get shape() {
    return absentShape;
  },
  length: Infinity,
  backend: undefined,
  checkAlive: () => undefined,
  overlaps: () => false,
  writesOver: () => false,
  writeState: () => undefined,
  hostReader: () => () => 0,
  hostWriter: () => () => undefined,
};

/** The next position from `size` on that is a multiple of `alignment`. */
export const alignUp = (size: number, alignment: number): number => Math.ceil(size / alignment) * alignment;

let shapes = 0;

/** Gives a shape its integer. */
export function defineShape(shape: Omit<Shape, "id">): Shape {
  return Object.freeze({ id: shapes++, ...shape });
}

/** The shape of {@link absent}: the C library takes a null address of bytes for «none». */
export const absentShape: Shape = defineShape({
  elementType: scalarTypes.uint8,
  isPointer: true,
  hasUserCode: false,
  linked: [],
  stateSize: 0,
  stateAlignment: 1,
  cudaInput: undefined,
  cudaOutput: undefined,
});
