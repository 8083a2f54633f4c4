/** An option in words that say what a build depends on: kinds and types, without lengths and values. */
import { describe } from "../errors";
import { isArgument } from "../iterators/readable";
import { ops } from "../operators";
import { DoubleBuffer } from "../memory/double-buffer";

/** Letters of an operator's text that a message shows. */
const shown = 60;

/** What is passed as an option, such as «a DeviceArray of float32» or the text of a function. */
export function describeOption(value: unknown): string {
  if (value === undefined) return "none";
  if (typeof value === "number" || typeof value === "bigint") return `a ${typeof value}`;
  if (typeof value === "function") {
    const text = Function.prototype.toString.call(value).replace(/\s+/g, " ");
    return `\`${text.length > shown ? `${text.slice(0, shown)}…` : text}\``;
  }
  if (isArgument(value)) return `${describe(value)} of ${value.shape.elementType.name}`;
  if (value instanceof DoubleBuffer) return `a DoubleBuffer of ${value.current.shape.elementType.name}`;
  const [known] = Object.entries(ops).find(([, operator]) => operator === value) ?? [];
  return known === undefined ? describe(value) : `ops.${known}`;
}
