/** A hash of what a program means. */
import { createHash } from "node:crypto";
import { type ElementType, isScalarType } from "../types/element";
import type { AnyProgram } from "./ir";

/** Types by name, fields in one order, and the values that JSON has no text for. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${String(value)}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "object" && value !== null && "cudaStorage" in value) {
    const type = value as ElementType;
    // Structs of one layout mean the same, whatever their fields are called.
    return isScalarType(type) ? type.name : type.cudaStorage;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return value;
}

/** SHA-256 of a canonical text, in hexadecimal. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The fingerprint of a program, whose float operations may be fused or not: equal for equal meanings, whatever the source was called or looked like. */
export function fingerprint(program: AnyProgram, fuses: boolean): string {
  return hashText(JSON.stringify({ program, fuses }, plain));
}
