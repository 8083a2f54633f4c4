/** Every cell of the matrix, and what comes of it: a call with one thing changed, held against plain code. */
import { isDeepStrictEqual } from "node:util";
import { CompileError, type DeviceArray, type Input, caches, reversed, transformed } from "../../../lib";
import {
  type AlgorithmRow,
  type Contents,
  type Slot,
  algorithmNamed,
  algorithms,
  call,
  scalarRoles,
} from "./algorithms";
import { type Elements, type Value, elementsNamed, listedElements } from "./elements";
import {
  type InputKind,
  type OutputKind,
  arrayOf,
  blanks,
  inputKind,
  inputKinds,
  outputKind,
  outputKinds,
  over,
} from "./iterators";

/** How two slots share memory. */
export const sharings = ["exactly", "in part", "through transformed", "through reversed"] as const;
export type Sharing = (typeof sharings)[number];

export interface Cell {
  readonly algorithm: string;
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

/** The elements of each role: those asked for, or those that a kind of argument has, or the algorithm's own. */
function rolesOf(algorithm: AlgorithmRow, cell: Cell): Record<string, Elements> {
  const names: Record<string, string> = { ...algorithm.roles };
  for (const slot of algorithm.slots) {
    const kind = cell.kinds?.[slot.name];
    if (kind !== undefined) names[slot.role] = kindNamed(slot, kind).elements;
  }
  Object.assign(names, cell.elements);
  return Object.fromEntries(Object.entries(names).map(([role, name]) => [role, elementsNamed(name)]));
}

/** An input may be asked to be what can only be written, and the other way round: that is a cell, too. */
function kindNamed({ direction }: Slot, name: string): InputKind | OutputKind {
  const [own, other] = direction === "input" ? [inputKinds, outputKinds] : [outputKinds, inputKinds];
  const kind = [...own, ...other].find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no argument is named ${name}`);
  return kind;
}

const isInputKind = (name: string): boolean => name === "array" || inputKinds.some((kind) => kind.name === name);
const isOutputKind = (name: string): boolean => name === "array" || outputKinds.some((kind) => kind.name === name);

/** What is called, and what is known of it beforehand. */
interface Prepared {
  readonly arguments: Record<string, unknown>;
  /** What inputs hold; of outputs that are captured, what they hold before. */
  readonly contents: Record<string, readonly Value[]>;
  /** The arrays behind an output, and what they hold once these values were written to it. */
  readonly holds: Record<string, (written: readonly Value[]) => (readonly [DeviceArray, readonly Value[]])[]>;
}

function prepare(algorithm: AlgorithmRow, roles: Record<string, Elements>, cell: Cell): Prepared {
  const prepared: Prepared = { arguments: {}, contents: {}, holds: {} };
  const { shared } = cell;
  for (const slot of algorithm.slots) {
    const isAskedFor = cell.kinds?.[slot.name] !== undefined || shared?.first === slot.name || shared?.second === slot.name; // prettier-ignore
    if (slot.isOptional && !isAskedFor) continue;
    const elements = roles[slot.role] as Elements;
    const kind = cell.kinds?.[slot.name] ?? "array";
    if (slot.direction === "input") {
      const wanted = slot.wanted ?? [];
      const [argument, values] = isInputKind(kind)
        ? Object.values(inputKind(kind).make(elements, wanted))
        : [outputKind(kind).make(elements, slot.length).argument, wanted.map(elements.of)];
      prepared.arguments[slot.name] = argument;
      prepared.contents[slot.name] = values as readonly Value[];
    } else if (isOutputKind(kind)) {
      const sink = outputKind(kind).make(elements, slot.length);
      prepared.arguments[slot.name] = sink.argument;
      prepared.holds[slot.name] = (written) => sink.holds(written);
      if (slot.isCaptured) prepared.contents[slot.name] = blanks(elements, slot.length);
    } else {
      const wanted = Array.from({ length: slot.length }, (_, i) => i + 1);
      prepared.arguments[slot.name] = inputKind(kind).make(elements, wanted).argument;
      prepared.holds[slot.name] = () => [];
    }
  }
  if (shared !== undefined) share(algorithm, roles, shared, prepared);
  return prepared;
}

/** Puts two slots over one array. */
function share(
  algorithm: AlgorithmRow,
  roles: Record<string, Elements>,
  { first, second, how }: NonNullable<Cell["shared"]>,
  prepared: Prepared,
): void {
  const [one, other] = [slotNamed(algorithm, first), slotNamed(algorithm, second)];
  const elements = roles[one.role] as Elements;
  const shift = how === "in part" ? 1 : 0;
  const length = Math.max(one.length, other.length + shift);
  const before = over(blanks(elements, length), prepared.contents[first] ?? prepared.contents[second] ?? []);
  const array = arrayOf(elements, before) as DeviceArray<"int32">;
  const views = [array.subarray(0, one.length), array.subarray(shift, shift + other.length)] as const;
  [one, other].forEach((slot, index) => {
    const view = views[index] as DeviceArray<"int32">;
    const begin = index * shift;
    const values = before.slice(begin, begin + slot.length);
    prepared.arguments[slot.name] = view;
    if (slot.direction === "input") prepared.contents[slot.name] = values;
    else {
      const end = begin + slot.length;
      prepared.holds[slot.name] = (written) => [
        [array, [...before.slice(0, begin), ...over(values, written), ...before.slice(end)]],
      ];
    }
  });
  if (how === "through transformed") {
    const next = elements.next as unknown as (x: number) => number;
    prepared.arguments[first] = transformed(views[0] as Input<"int32">, next, "int32");
    prepared.contents[first] = (prepared.contents[first] as readonly Value[]).map(elements.next);
  } else if (how === "through reversed") {
    // Either the input or the output: whichever may be an iterator.
    const name = one.direction === "input" && !one.isArray ? first : second;
    prepared.arguments[name] = reversed(name === first ? views[0] : views[1]);
    if (name === first) prepared.contents[first] = [...(prepared.contents[first] as readonly Value[])].reverse();
  }
}

export function slotNamed(algorithm: AlgorithmRow, name: string): Slot {
  return algorithm.slots.find((slot) => slot.name === name) as Slot;
}

/** Calls, and holds what comes of it against plain code. */
export function outcome(cell: Cell): Outcome {
  const algorithm = algorithmNamed(cell.algorithm);
  const roles = rolesOf(algorithm, cell);
  const prepared = prepare(algorithm, roles, cell);
  const { contents, holds } = prepared;
  const needsOperator = algorithm.slots.some(({ role }) => !(roles[role] as Elements).isScalar);
  const options: Record<string, unknown> = {
    ...algorithm.options(roles, prepared.arguments, needsOperator && cell.withoutOperator !== true),
  };
  for (const { name, isCaptured } of algorithm.slots) {
    if (name in prepared.arguments && !isCaptured) options[name] = prepared.arguments[name];
  }
  if (algorithm.isDefined?.(contents, roles) === false) throw new Error(`${titleOf(cell)} has no defined result`);
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
function refusalProblem({ name }: AlgorithmRow, error: unknown): string | undefined {
  const { code, argument } = error as { code?: unknown; argument?: unknown };
  const isTyped = error instanceof TypeError || error instanceof RangeError || error instanceof CompileError;
  if (!isTyped || typeof code !== "string") return `an error of no type: ${String(error)}`;
  const named = error instanceof CompileError ? error.message : String(argument);
  return named.includes(`${name}.`) ? undefined : `an error that names no option: ${String(error)}`;
}

/** The first output that does not hold what was written to it in plain code. */
function mismatch(holds: Prepared["holds"], written: Contents): string | undefined {
  for (const [slot, arrays] of Object.entries(holds)) {
    for (const [array, expected] of arrays(written[slot] ?? [])) {
      const seen = plain(array.toArray());
      if (!isDeepStrictEqual(seen, plain(expected))) {
        return `${slot} holds ${shown(seen)} and not ${shown(plain(expected))}`;
      }
    }
  }
  return undefined;
}

/** Values without the prototypes of their objects. */
const plain = (values: readonly unknown[]): unknown =>
  values.map((value) => (typeof value === "object" ? (JSON.parse(JSON.stringify(value)) as unknown) : value));

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${String(item)}n` : item));

/** A cell in words, as tests name it. */
export function titleOf({ algorithm, elements, kinds, shared, withoutOperator }: Cell): string {
  const parts = Object.entries({ ...elements, ...kinds }).map(([where, what]) => `${where}: ${what}`);
  if (shared !== undefined) parts.push(`${shared.second} over ${shared.first} ${shared.how}`);
  if (withoutOperator) parts.push("no operator");
  return `${algorithm}, ${parts.join(", ")}`;
}

const visible = (algorithm: AlgorithmRow): Slot[] => algorithm.slots.filter(({ isCaptured }) => !isCaptured);

/** Each role with each type. */
export const elementCells: readonly Cell[] = algorithms.flatMap((algorithm) =>
  [...new Set(visible(algorithm).map(({ role }) => role))].flatMap((role) =>
    listedElements.map(({ name }) => ({ algorithm: algorithm.name, elements: { [role]: name } })),
  ),
);

/** Structs where there is no operator to order or compare them. */
export const withoutOperatorCells: readonly Cell[] = algorithms.flatMap(({ name, hasDefaultOperator, slots }) =>
  hasDefaultOperator
    ? [{ algorithm: name, elements: { [(slots[0] as Slot).role]: "struct, 12 bytes" }, withoutOperator: true as const }]
    : [],
);

const ownKinds = ({ direction }: Slot): readonly (InputKind | OutputKind)[] =>
  direction === "input" ? inputKinds : outputKinds;

/** Each slot with each iterator of its direction. */
export const iteratorCells: readonly Cell[] = algorithms.flatMap((algorithm) =>
  visible(algorithm).flatMap((slot) =>
    ownKinds(slot).map(({ name }) => {
      // Beside ends in random order only starts in the same order come before them.
      const isRandom = slot.name === "endOffsets" && name === "shuffled" && !slot.isArray;
      return { algorithm: algorithm.name, kinds: { [slot.name]: name, ...(isRandom ? { startOffsets: name } : {}) } };
    }),
  ),
);

const namesBut = (kinds: readonly { name: string }[], others: readonly { name: string }[]): string[] =>
  kinds.map(({ name }) => name).filter((name) => !others.some((other) => other.name === name));

/** Each slot with each iterator that has the other direction alone. */
export const directionCells: readonly Cell[] = algorithms.flatMap((algorithm) =>
  visible(algorithm).flatMap((slot) =>
    (slot.direction === "input" ? namesBut(outputKinds, inputKinds) : namesBut(inputKinds, outputKinds)).map(
      (name) => ({ algorithm: algorithm.name, kinds: { [slot.name]: name } }),
    ),
  ),
);

/** Each two slots, in each way that they can share memory. */
export const sharingCells: readonly Cell[] = algorithms.flatMap((algorithm) => {
  const slots = visible(algorithm);
  return slots.flatMap((one, index) =>
    slots.slice(index + 1).flatMap((other): Cell[] => {
      // The longer one first, and inputs before outputs.
      const isSwapped = one.direction === other.direction ? one.length < other.length : one.direction === "output";
      const [first, second] = isSwapped ? [other, one] : [one, other];
      return sharingsOf(first, second).map((how) => ({
        algorithm: algorithm.name,
        shared: { first: first.name, second: second.name, how },
      }));
    }),
  );
});

function sharingsOf(first: Slot, second: Slot): Sharing[] {
  // What is one thing to one input may mean nothing to the other.
  if (first.direction === "input" && second.direction === "input") return first.role === second.role ? ["exactly"] : [];
  const isThrough = first.direction === "input" && !first.isArray;
  return sharings.filter((how) => {
    if (how === "in part") return first.length > 1;
    if (how === "through transformed") return isThrough;
    return how === "exactly" || isThrough || !second.isArray;
  });
}

/**
 * Calls that fill every slot with an iterator at once, so that each slot has had each of its iterators after few of
 * them, beside others each time: of int64, which all but zips can have, and of tuples.
 */
export const combinedCells: readonly Cell[] = algorithms.flatMap((algorithm) => {
  const rows = (only: "int64" | "tuple"): Cell[] => {
    const fits = (kind: InputKind | OutputKind): boolean => (kind.only === "tuple") === (only === "tuple");
    const slots = visible(algorithm).filter(
      ({ isArray, role }) => !isArray && (only === "int64" || !scalarRoles.has(role)),
    );
    const choices = slots.map((slot) => ownKinds(slot).filter(fits));
    const elements = Object.fromEntries(slots.map(({ role }) => [role, only]));
    return Array.from({ length: Math.max(0, ...choices.map(({ length }) => length)) }, (_, row) => {
      const filled = slots.map(({ name, role }, place): [string, string] => {
        const kinds = choices[place] as (InputKind | OutputKind)[];
        // Both offsets alike, so that no segment ends before it begins.
        const kind = kinds[(row + (role === "offsets" ? 0 : place)) % kinds.length] as InputKind;
        return [name, kind.name];
      });
      return { algorithm: algorithm.name, elements, kinds: Object.fromEntries(filled) };
    });
  };
  return [...rows("int64"), ...rows("tuple")];
});
