/**
 * Names that the library knows and a function means otherwise: `const int32 = (x) => …` around it, a `Math` of its own.
 * The closure is asked once for each such name, when a source text is first compiled.
 */
import { readClosure } from "./captures";
import { intrinsicByIdentity, intrinsicOf, isBuiltIn } from "./intrinsics";

/** Whether a free name is the function's own, and not what the library or JavaScript calls so. */
export type OwnNames = (path: readonly string[]) => boolean;

export function ownNamesOf(operator: object): OwnNames {
  const known = new Map<string, boolean>();
  return (path) => {
    const [root = ""] = path;
    const isGlobal = isBuiltIn(root);
    if (!isGlobal && intrinsicOf(path) === undefined) return false;
    const name = isGlobal ? root : path.join(".");
    let isOwn = known.get(name);
    if (isOwn === undefined) {
      isOwn = isGlobal ? isShadowed(operator, root) : isAnother(operator, path);
      known.set(name, isOwn);
    }
    return isOwn;
  };
}

function isShadowed(operator: object, name: string): boolean {
  const value = valueOf(operator, [name], (globalThis as Record<string, unknown>)[name]);
  return !Object.is(value, (globalThis as Record<string, unknown>)[name]);
}

/** What nobody declares can only be meant as the library's. */
function isAnother(operator: object, path: readonly string[]): boolean {
  const value = valueOf(operator, path, undefined);
  return value !== undefined && intrinsicByIdentity(value) !== intrinsicOf(path);
}

/** What a name holds; without an inspector to ask, what it is expected to hold. */
function valueOf(operator: object, path: readonly string[], expected: unknown): unknown {
  try {
    return readClosure(operator, [{ path }])[0];
  } catch {
    return expected;
  }
}
