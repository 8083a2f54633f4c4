/** Typed arrays as the bytes that the device has. */
import { ArgumentTypeError } from "../errors";
import type { ScalarType } from "./scalar";
import type { AnyTypedArray } from "./typed-array";

/** The bytes under a typed array. */
export function bytesOf(array: AnyTypedArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
}

/** A transferred buffer has no bytes, and its arrays say that they are empty: that must not pass for an upload. */
function isDetached(array: AnyTypedArray): boolean {
  try {
    bytesOf(array);
    return false;
  } catch {
    return true;
  }
}

/** Bytes to upload for a typed array: as they are, but for bools, of which memory holds 0 and 1 alone. */
export function uploadBytes(array: AnyTypedArray, type: ScalarType, argument: string): Uint8Array<ArrayBuffer> {
  checkAttached(array, argument);
  const bytes = bytesOf(array);
  return type.kind === "bool" ? bytes.map((byte) => (byte === 0 ? 0 : 1)) : bytes;
}

/** Refuses a typed array whose buffer was transferred. */
export function checkAttached(array: AnyTypedArray, argument: string): void {
  if (isDetached(array)) throw new ArgumentTypeError(argument, "a typed array that still has its buffer", array);
}
