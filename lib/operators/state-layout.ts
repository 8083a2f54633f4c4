/** Captured values as a C struct: where each lies, and how they are written. */
import { Access } from "../backends/cuda/native";
import type { Argument, Reader, Writer } from "../builds/shape";
import { ArgumentTypeError } from "../errors";
import type { ScalarValue } from "../types/scalar";
import { writeElement } from "../types/value";
import type { StateCapture } from "./capture-types";
import type { Program } from "./ir";
import type { CaptureValues, StateFrame } from "./operator";

export interface StateLayout {
  readonly size: number;
  readonly alignment: number;
  readonly captures: readonly StateCapture[];
  readonly offsets: readonly number[];
  /** How each array is used, by its place among the captures. */
  readonly access: readonly number[];
}

/** Members in order, each aligned as in C++. An array is its address and its length, of 8 bytes each. */
export function stateLayout({ captures, written }: Pick<Program, "captures" | "written">): StateLayout {
  const offsets: number[] = [];
  let size = 0;
  let alignment = 0;
  for (const capture of captures) {
    const unit = capture.kind === "array" ? 8 : capture.type.size;
    const offset = Math.ceil(size / unit) * unit;
    offsets.push(offset);
    size = offset + (capture.kind === "array" ? 16 : unit);
    alignment = Math.max(alignment, unit);
  }
  const access = captures.map((_, index) => (written.includes(index) ? Access.read | Access.write : Access.read));
  return { size: alignment === 0 ? 0 : Math.ceil(size / alignment) * alignment, alignment, captures, offsets, access };
}

/** Writes the captured values, little endian. */
export function writeState(layout: StateLayout, values: CaptureValues, frame: StateFrame, position: number): void {
  const { captures, offsets, access } = layout;
  for (let index = 0; index < captures.length; index++) {
    const capture = captures[index] as StateCapture;
    const at = position + (offsets[index] as number);
    if (capture.kind === "value") {
      writeElement(frame.view, at, capture.type, values[index] as ScalarValue);
      continue;
    }
    const array = values[index] as Argument;
    if (frame.anyBackend !== true) checkBackend(array, "cuda");
    array.writeState(frame as Parameters<Argument["writeState"]>[0], at, access[index] as number);
    frame.view.setUint32(at + 8, array.length >>> 0, true);
    frame.view.setUint32(at + 12, Math.floor(array.length / 0x1_0000_0000), true);
  }
}

/** A captured array as emitted functions of the host use it. */
export interface HostArray {
  readonly length: number;
  readonly read: Reader;
  readonly write: Writer;
}

/** The captured values as the host's function takes them. */
export function hostValues(layout: StateLayout, values: CaptureValues): readonly (ScalarValue | HostArray)[] {
  return layout.captures.map((capture, index) => {
    if (capture.kind === "value") return values[index] as ScalarValue;
    const array = values[index] as Argument;
    checkBackend(array, "host");
    return { length: array.length, read: array.hostReader(), write: array.hostWriter() };
  });
}

/** Refuses a captured array of another backend than the one that the call runs on. */
function checkBackend(array: Argument, backend: "cuda" | "host"): void {
  if (array.backend?.name === backend) return;
  const expected = `captured arrays of backend ${backend}, as the call's are`;
  throw new ArgumentTypeError("op", expected, array, "ERR_BACKEND_MISMATCH");
}
