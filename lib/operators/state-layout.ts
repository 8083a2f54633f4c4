/** Captured values as a C struct: where each lies, and how they are written. */
import type { ScalarType } from "../types/scalar";
import { writeElement } from "../types/value";
import type { CaptureValues } from "./operator";

export interface StateLayout {
  readonly size: number;
  readonly alignment: number;
  readonly types: readonly ScalarType[];
  readonly offsets: readonly number[];
}

/** Members in order, each aligned to its size. */
export function stateLayout(types: readonly ScalarType[]): StateLayout {
  const offsets: number[] = [];
  let size = 0;
  let alignment = 0;
  for (const type of types) {
    const offset = Math.ceil(size / type.size) * type.size;
    offsets.push(offset);
    size = offset + type.size;
    alignment = Math.max(alignment, type.size);
  }
  return { size: alignment === 0 ? 0 : Math.ceil(size / alignment) * alignment, alignment, types, offsets };
}

/** Writes the captured values, little endian. */
export function writeState(layout: StateLayout, values: CaptureValues, view: DataView, position: number): void {
  const { types, offsets } = layout;
  for (let index = 0; index < types.length; index++) {
    const type = types[index];
    const offset = offsets[index];
    const value = values[index];
    if (type === undefined || offset === undefined || value === undefined)
      throw new Error("a captured value is missing");
    writeElement(view, position + offset, type, value);
  }
}
