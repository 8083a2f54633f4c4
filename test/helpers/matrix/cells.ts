/** Every cell of the matrix, and what comes of it: a call with one thing changed, held against plain code. */
import { isDeepStrictEqual } from "node:util";
import { CompileError, type DeviceArray, type Input, caches, reversed, transformed } from "../../../lib";
import {
  type AlgorithmRow,
  type Contents,
  type Roles,
  type Slot,
  algorithmNamed,
  algorithms,
  call,
  scalarRoles,
} from "./algorithms";
import { type Elements, type Value, elementsNamed, listedElements } from "./elements";
import { type Kind, type Sink, arrayOf, blanks, iterators, kindNamed, over } from "./iterators";

/** How two slots share memory. */
export const sharings = ["exactly", "in part", "through transformed", "through reversed"] as const;
export type Sharing = (typeof sharings)[number];

export interface Cell {
  readonly algorithm: string;
  /** How many items, where they are not few. */
  readonly items?: number;
  /** Elements of roles, by name; the algorithm's own where there are none. */
  readonly elements?: Readonly<Record<string, string>>;
  /** Kinds of arguments, by slot; arrays where there are none. */
  readonly kinds?: Readonly<Record<string, string>>;
  readonly shared?: { readonly first: string; readonly second: string; readonly how: Sharing };
  /** Without the operator that structs need. */
  readonly withoutOperator?: true;
}

export type Outcome =
  | { readonly kind: "right" }
  /** A typed error before anything was compiled or written. */
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "wrong"; readonly detail: string };

const fewItems = 12;
/** So many that a GPU works on them in several blocks. */
const manyItems = 20_000;

/** The elements of each role: those asked for, or those that a kind of argument has, or the algorithm's own. */
function rolesOf(algorithm: AlgorithmRow, { kinds = {}, elements }: Cell): Roles {
  const names: Record<string, string> = { ...algorithm.roles };
  for (const { name, role } of algorithm.slots) {
    if (kinds[name] !== undefined) names[role] = kindNamed(kinds[name]).elements;
  }
  Object.assign(names, elements);
  return Object.fromEntries(Object.entries(names).map(([role, name]) => [role, elementsNamed(name)]));
}

/** What is called, and what is known of it beforehand. */
interface Prepared {
  readonly args: Record<string, unknown>;
  /** What inputs hold; of outputs that are captured, what they hold before. */
  readonly contents: Record<string, readonly Value[]>;
  /** The arrays behind outputs, and what they hold once these values were written. */
  readonly holds: Record<string, Sink["holds"]>;
}

function prepare(algorithm: AlgorithmRow, roles: Roles, { items = fewItems, kinds = {}, shared }: Cell): Prepared {
  const prepared: Prepared = { args: {}, contents: {}, holds: {} };
  for (const { name, role, direction, length, numbers, isOptional, isCaptured } of algorithm.slots) {
    if (isOptional && kinds[name] === undefined) continue;
    const elements = roles[role] as Elements;
    const kind = kindNamed(kinds[name] ?? "array");
    // An input may be asked to be what can only be written, and the other way round: that is to be refused.
    const isRead = direction === "input" ? kind.source !== undefined : kind.sink === undefined;
    const source = isRead ? kind.source?.(elements, numbers?.(items) ?? [1, 2]) : undefined;
    const sink = isRead ? undefined : kind.sink?.(elements, length(items));
    prepared.args[name] = source?.argument ?? sink?.argument;
    if (sink && direction === "output") prepared.holds[name] = (written) => sink.holds(written);
    if (source) prepared.contents[name] = source.values;
    else if (isCaptured) prepared.contents[name] = blanks(elements, length(items));
  }
  if (shared !== undefined) share(algorithm, roles, shared, prepared);
  return prepared;
}

/** Puts two slots over one array. */
function share(
  algorithm: AlgorithmRow,
  roles: Roles,
  { first, second, how }: NonNullable<Cell["shared"]>,
  { args, contents, holds }: Prepared,
): void {
  const [one, other] = [slotNamed(algorithm, first), slotNamed(algorithm, second)];
  const elements = roles[one.role] as Elements;
  const shift = how === "in part" ? 1 : 0;
  const length = Math.max(one.length(fewItems), other.length(fewItems) + shift);
  const before = over(blanks(elements, length), contents[first] ?? contents[second] ?? []);
  const array = arrayOf(elements, before) as DeviceArray<"int32">;
  for (const [slot, begin] of [[one, 0], [other, shift]] as const) {
    const end = begin + slot.length(fewItems);
    const values = before.slice(begin, end);
    args[slot.name] = array.subarray(begin, end);
    if (slot.direction === "input") contents[slot.name] = values;
    else {
      holds[slot.name] = (written) => [
        [array, [...before.slice(0, begin), ...over(values, written), ...before.slice(end)]],
      ];
    }
  } // prettier-ignore
  if (how === "through transformed") {
    args[first] = transformed(
      args[first] as Input<"int32">,
      elements.next as unknown as (x: number) => number,
      "int32",
    );
    contents[first] = (contents[first] as readonly Value[]).map(elements.next);
  } else if (how === "through reversed") {
    // Either the input or the output: whichever may be an iterator.
    const name = one.direction === "input" && !one.isArray ? first : second;
    args[name] = reversed(args[name] as DeviceArray);
    if (name === first) contents[first] = (contents[first] as readonly Value[]).toReversed();
  }
}

export function slotNamed(algorithm: AlgorithmRow, name: string): Slot {
  return algorithm.slots.find((slot) => slot.name === name) as Slot;
}

/** Calls, and holds what comes of it against plain code. */
export function outcome(cell: Cell): Outcome {
  const algorithm = algorithmNamed(cell.algorithm);
  const roles = rolesOf(algorithm, cell);
  const { args, contents, holds } = prepare(algorithm, roles, cell);
  const hasStructs = algorithm.slots.some(({ role }) => !(roles[role] as Elements).isScalar);
  const hasOperator = hasStructs && cell.withoutOperator !== true;
  const options: Record<string, unknown> = {
    ...algorithm.options({ roles, args, items: cell.items ?? fewItems, hasOperator }),
  };
  for (const { name, isCaptured } of algorithm.slots) {
    if (name in args && !isCaptured) options[name] = args[name];
  }
  const compiled = compiledSoFar();
  try {
    call(algorithm, options);
  } catch (error) {
    const problem =
      refusalProblem(algorithm, error) ??
      (compiled === compiledSoFar() ? undefined : "refused after something was compiled") ??
      mismatch(holds, {});
    return problem === undefined
      ? { kind: "refused", code: (error as { code: string }).code }
      : { kind: "wrong", detail: problem };
  }
  const detail = mismatch(holds, algorithm.expected(contents, roles));
  return detail === undefined ? { kind: "right" } : { kind: "wrong", detail };
}

/** Grows with whatever is compiled, linked or built. */
function compiledSoFar(): number {
  const { builds, kernelsCompiled, operatorsCompiled, links, loads } = caches.stats();
  return builds + kernelsCompiled + operatorsCompiled + links + loads;
}

/** What is wrong with an error: refusals are typed, have a code, and name the option or a place in the operator. */
export function refusalProblem({ name }: Pick<AlgorithmRow, "name">, error: unknown): string | undefined {
  const { code, argument } = error as { code?: unknown; argument?: unknown };
  const isTyped = error instanceof TypeError || error instanceof RangeError || error instanceof CompileError;
  if (!isTyped || typeof code !== "string") return `an error of no type: ${String(error)}`;
  const named = error instanceof CompileError ? error.message : String(argument);
  return named.includes(`${name}.`) ? undefined : `an error that names no option: ${String(error)}`;
}

/** The first output that does not hold what was written to it in plain code. */
function mismatch(holds: Prepared["holds"], written: Contents): string | undefined {
  for (const [slot, held] of Object.entries(holds)) {
    for (const [array, expected] of held(written[slot] ?? [])) {
      const [seen, right] = [array.toArray(), expected].map(plain) as [unknown[], unknown[]];
      if (isDeepStrictEqual(seen, right)) continue;
      const place = seen.findIndex((value, i) => !isDeepStrictEqual(value, right[i]));
      return `${slot}[${String(place)}] is ${shown(seen[place])} and not ${shown(right[place])}`;
    }
  }
  return undefined;
}

/** Values without the prototypes of their objects. */
const plain = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === "object" ? (JSON.parse(JSON.stringify(value)) as unknown) : value));

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${String(item)}n` : item));

/** A cell in words, as tests name it. */
export function titleOf({ algorithm, items, elements, kinds, shared, withoutOperator }: Cell): string {
  const parts = Object.entries({ ...elements, ...kinds }).map(([where, what]) => `${where}: ${what}`);
  if (shared !== undefined) parts.push(`${shared.second} over ${shared.first} ${shared.how}`);
  if (withoutOperator) parts.push("no operator");
  if (items !== undefined) parts.push(`${String(items)} items`);
  return [algorithm, ...parts].join(", ");
}

/** Slots that are options. */
export const optionsOf = ({ slots }: AlgorithmRow): Slot[] => slots.filter(({ isCaptured }) => !isCaptured);

const cellsOf = (cells: (algorithm: AlgorithmRow) => Omit<Cell, "algorithm">[]): readonly Cell[] =>
  algorithms.flatMap((row) => cells(row).map((cell) => ({ algorithm: row.name, ...cell })));

/** Each role with each type. */
export const elementCells = cellsOf((algorithm) =>
  [...new Set(optionsOf(algorithm).map(({ role }) => role))].flatMap((role) =>
    listedElements.map(({ name }) => ({ elements: { [role]: name } })),
  ),
);

/** Structs where there is no operator to order or compare them. */
export const withoutOperatorCells = cellsOf(({ hasDefaultOperator, slots: [first] }) =>
  hasDefaultOperator
    ? [{ elements: { [(first as Slot).role]: "struct of 12 bytes" }, withoutOperator: true as const }]
    : [],
);

/** Whether a kind can be what a slot is. */
const isOwn = ({ direction }: Slot, kind: Kind): boolean =>
  (direction === "input" ? kind.source : kind.sink) !== undefined;

export const iteratorsOf = (slot: Slot): Kind[] => iterators.filter((kind) => isOwn(slot, kind));

/** Each slot with each iterator of its direction. */
export const iteratorCells = cellsOf((algorithm) =>
  optionsOf(algorithm).flatMap((slot) =>
    iteratorsOf(slot).map(({ name }) => {
      // Before ends in random order only starts in the same order come.
      const isRandom = slot.name === "endOffsets" && name === "shuffled" && !slot.isArray;
      return { kinds: { [slot.name]: name, ...(isRandom ? { startOffsets: name } : {}) } };
    }),
  ),
);

/** Each slot with each iterator that has the other direction alone. */
export const directionCells = cellsOf((algorithm) =>
  optionsOf(algorithm).flatMap((slot) =>
    iterators.filter((kind) => !isOwn(slot, kind)).map(({ name }) => ({ kinds: { [slot.name]: name } })),
  ),
);

/** Each two slots, in each way that they can share memory. */
export const sharingCells = cellsOf((algorithm) => {
  const slots = optionsOf(algorithm);
  return slots.flatMap((one, index) =>
    slots.slice(index + 1).flatMap((other) => {
      // The longer one first, and inputs before outputs.
      const isShorter = one.length(fewItems) < other.length(fewItems);
      const isSwapped = one.direction === other.direction ? isShorter : one.direction === "output";
      const [first, second] = isSwapped ? [other, one] : [one, other];
      return sharingsOf(first, second).map((how) => ({ shared: { first: first.name, second: second.name, how } }));
    }),
  );
});

function sharingsOf(first: Slot, second: Slot): Sharing[] {
  // What is one thing to one input may mean nothing to the other.
  if (first.direction === "input" && second.direction === "input") return first.role === second.role ? ["exactly"] : [];
  const isThrough = first.direction === "input" && !first.isArray;
  return sharings.filter((how) => {
    if (how === "in part") return first.length(fewItems) > 1;
    if (how === "through transformed") return isThrough;
    return how === "exactly" || isThrough || !second.isArray;
  });
}

/**
 * Calls that fill every slot with an iterator at once, so that each slot has had each of its iterators after few of
 * them, beside others each time: of int64, which all but zips can have, and of tuples.
 */
export const combinedCells = cellsOf((algorithm) =>
  ["int64", "tuple"].flatMap((only) => {
    const slots = optionsOf(algorithm).filter(
      ({ isArray, role }) => !isArray && (only === "int64" || !scalarRoles.has(role)),
    );
    const choices = slots.map((slot) =>
      iteratorsOf(slot).filter(({ elements }) => (elements === "tuple") === (only === "tuple")),
    );
    const elements = Object.fromEntries(slots.map(({ role }) => [role, only]));
    return Array.from({ length: Math.max(0, ...choices.map(({ length }) => length)) }, (_, row) => {
      const filled = slots.map(({ name, role }, place) => {
        const kinds = choices[place] as Kind[];
        // Both offsets alike, so that no segment ends before it begins.
        return [name, kinds[(row + (role === "offsets" ? 0 : place)) % kinds.length]?.name as string];
      });
      return { elements, kinds: Object.fromEntries(filled) as Record<string, string> };
    });
  }),
);

/** Many items, of which the order shows. */
export const orderCells = cellsOf(({ ordered }) => [{ items: manyItems, ...(ordered && { elements: ordered }) }]);
