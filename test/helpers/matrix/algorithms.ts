/** The sixteen algorithms as the matrix sees them: their slots, how to call them, and what they do in plain code. */
import * as library from "../../../lib";
import { at } from "../sorting";
import type { Elements, Value } from "./elements";

/** What an option is to be filled with. */
export interface Slot {
  readonly name: string;
  readonly direction: "input" | "output";
  /** Slots of one role have elements of one type. */
  readonly role: string;
  readonly length: number;
  /** What an input holds, as far as its kind of argument can. */
  readonly wanted?: readonly number[];
  /** Whether it takes arrays alone, and no iterator. */
  readonly isArray?: boolean;
  /** Left out unless a cell asks for it. */
  readonly isOptional?: boolean;
  /** An array that the operator captures, and not an option. */
  readonly isCaptured?: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;
export type Contents = Readonly<Record<string, readonly Value[]>>;
export type Roles = Readonly<Record<string, Elements>>;

export interface AlgorithmRow {
  readonly name: string;
  readonly slots: readonly Slot[];
  /** The elements of each role where a cell says nothing. */
  readonly roles: Readonly<Record<string, string>>;
  /** Whether scalars need no operator, as there is one by default. */
  readonly hasDefaultOperator?: boolean;
  /** The options beside the slots; `operator` is whether one is given where there is a default. */
  options(roles: Roles, args: Arguments, operator: boolean): object;
  /** What each output holds afterwards, from its first element on. */
  expected(contents: Contents, roles: Roles): Contents;
  /** Whether inputs of these contents have a defined result. */
  isDefined?(contents: Contents, roles: Roles): boolean;
}

const count = 12;
const items = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
const others = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5];
const runs = [1, 1, 4, 4, 4, 3, 2, 2, 6, 6, 1, 9];
/** Sorted as numbers, and as bools, of which odd ones are true. */
const sorted = [0, 2, 2, 4, 4, 4, 6, 6, 7, 9, 9, 11];
const segments = 4;
/** No segment ends before it begins: as numbers, and as bools, too. */
const starts = [0, 2, 2, 2];
const ends = [3, 5, 7, 11];

const input = (name: string, role: string, wanted: readonly number[]): Slot => ({
  name,
  direction: "input",
  role,
  length: wanted.length,
  wanted,
});

const output = (name: string, role: string, length = count): Slot => ({ name, direction: "output", role, length });

/** Contents of a slot. */
const of = (contents: Contents, slot: string): readonly Value[] => contents[slot] as readonly Value[];
/** Elements of a role. */
const as = (roles: Roles, role: string): Elements => roles[role] as Elements;

/** Slots that take no iterator. */
const arrays = (...slots: Slot[]): Slot[] => slots.map((slot) => ({ ...slot, isArray: true }));

/** Roles whose elements are scalars of some kind, whatever the items are. */
export const scalarRoles: ReadonlySet<string> = new Set(["offsets", "counts", "counters", "samples", "indices"]);

const initNumber = 2;

const reduce: AlgorithmRow = {
  name: "reduceInto",
  slots: [input("input", "items", items), output("output", "items", 1)],
  roles: { items: "int32" },
  options: (roles) => ({ op: as(roles, "items").plus, init: as(roles, "items").of(initNumber), numItems: count }),
  expected(contents, roles) {
    const { plus, of: element } = as(roles, "items");
    return { output: [of(contents, "input").reduce(plus, element(initNumber))] };
  },
};

function scan(name: string, isInclusive: boolean): AlgorithmRow {
  return {
    name,
    slots: [
      input("input", "items", items),
      output("output", "items"),
      { ...input("init", "items", [initNumber]), isArray: true, isOptional: true },
    ],
    roles: { items: "int32" },
    options: (roles, args) => ({
      op: as(roles, "items").plus,
      init: args["init"] ?? as(roles, "items").of(initNumber),
      numItems: count,
    }),
    expected(contents, roles) {
      const { plus, of: element } = as(roles, "items");
      let sum = contents["init"]?.[0] ?? element(initNumber);
      const results = of(contents, "input").map((item) => {
        const before = sum;
        sum = plus(sum, item);
        return isInclusive ? sum : before;
      });
      return { output: results };
    },
  };
}

const unary: AlgorithmRow = {
  name: "unaryTransform",
  slots: [input("input", "items", items), output("output", "items")],
  roles: { items: "int32" },
  options: (roles) => ({ op: as(roles, "items").next, numItems: count }),
  expected: (contents, roles) => ({ output: of(contents, "input").map(as(roles, "items").next) }),
};

const binary: AlgorithmRow = {
  name: "binaryTransform",
  slots: [input("input1", "items", items), input("input2", "items", others), output("output", "items")],
  roles: { items: "int32" },
  options: (roles) => ({ op: as(roles, "items").plus, numItems: count }),
  expected(contents, roles) {
    const second = of(contents, "input2");
    return { output: of(contents, "input1").map((item, i) => as(roles, "items").plus(item, second[i] as Value)) };
  },
};

const offsetSlots = [input("startOffsets", "offsets", starts), input("endOffsets", "offsets", ends)];

/** The first and the last place of each segment. */
function bounds(contents: Contents, roles: Roles): [number, number][] {
  const { number } = as(roles, "offsets");
  const last = of(contents, "endOffsets").map(number);
  return of(contents, "startOffsets").map((start, i) => [number(start), last[i] as number]);
}

const segmentedReduce: AlgorithmRow = {
  name: "segmentedReduce",
  slots: [input("input", "items", items), output("output", "items", segments), ...offsetSlots],
  roles: { items: "int32", offsets: "int32" },
  options: (roles) => ({
    op: as(roles, "items").plus,
    init: as(roles, "items").of(initNumber),
    numSegments: segments,
  }),
  expected(contents, roles) {
    const { plus, of: element } = as(roles, "items");
    const results = bounds(contents, roles).map(([first, last]) =>
      of(contents, "input").slice(first, last).reduce(plus, element(initNumber)),
    );
    return { output: results };
  },
  isDefined: (contents, roles) => bounds(contents, roles).every(([first, last]) => first <= last),
};

const sortSlots = [
  input("inputKeys", "keys", items),
  input("inputValues", "values", others),
  ...arrays(output("outputKeys", "keys"), output("outputValues", "values")),
];

/** The places of keys in their order; equal ones keep theirs. */
function placesBy({ less }: Elements, keys: readonly Value[]): number[] {
  const compare = (a: Value, b: Value): number => (less(a, b) ? -1 : less(b, a) ? 1 : 0);
  return [...keys.keys()].sort((a, b) => compare(keys[a] as Value, keys[b] as Value));
}

function sortedBy(keys: readonly Value[], values: readonly Value[], places: readonly number[]): Contents {
  return { outputKeys: at(keys, places), outputValues: at(values, places) };
}

const sortRoles = { keys: "int32", values: "int32" };

const mergeSort: AlgorithmRow = {
  name: "mergeSort",
  slots: sortSlots,
  roles: sortRoles,
  hasDefaultOperator: true,
  options: (roles, _args, operator) => ({ numItems: count, ...(operator ? { op: as(roles, "keys").less } : {}) }),
  expected(contents, roles) {
    const keys = of(contents, "inputKeys");
    return sortedBy(keys, of(contents, "inputValues"), placesBy(as(roles, "keys"), keys));
  },
};

const radixSort: AlgorithmRow = {
  name: "radixSort",
  slots: arrays(...sortSlots),
  roles: sortRoles,
  options: () => ({ numItems: count }),
  expected: (contents, roles) => mergeSort.expected(contents, roles),
};

/** Segments that do not overlap, and every item in one: items in none have no set place. */
const apart = [input("startOffsets", "offsets", [0, 3, 3, 8]), input("endOffsets", "offsets", [3, 3, 8, count])];

const segmentedSort: AlgorithmRow = {
  name: "segmentedSort",
  // Not stable, so values are those of their keys.
  slots: arrays(
    ...sortSlots.map((slot) => (slot.name === "inputValues" ? { ...slot, wanted: items } : slot)),
    ...apart,
  ),
  roles: { ...sortRoles, offsets: "int32" },
  options: () => ({ numItems: count, numSegments: segments }),
  expected(contents, roles) {
    const keys = of(contents, "inputKeys");
    const places = bounds(contents, roles).flatMap(([first, last]) =>
      placesBy(as(roles, "keys"), keys.slice(first, last)).map((place) => first + place),
    );
    return sortedBy(keys, of(contents, "inputValues"), places);
  },
};

const uniqueByKey: AlgorithmRow = {
  name: "uniqueByKey",
  slots: [
    input("inputKeys", "keys", runs),
    input("inputValues", "values", others),
    output("outputKeys", "keys"),
    output("outputValues", "values"),
    ...arrays(output("outputCount", "counts", 1)),
  ],
  roles: { ...sortRoles, counts: "int32" },
  hasDefaultOperator: true,
  options: (roles, _args, operator) => ({ numItems: count, ...(operator ? { op: as(roles, "keys").same } : {}) }),
  expected(contents, roles) {
    const keys = of(contents, "inputKeys");
    const firsts = [...keys.keys()].filter(
      (i) => i === 0 || !as(roles, "keys").same(keys[i - 1] as Value, keys[i] as Value),
    );
    return {
      outputKeys: at(keys, firsts),
      outputValues: at(of(contents, "inputValues"), firsts),
      outputCount: [as(roles, "counts").of(firsts.length)],
    };
  },
};

const select: AlgorithmRow = {
  name: "select",
  slots: [input("input", "items", items), output("output", "items"), ...arrays(output("outputCount", "counts", 1))],
  roles: { items: "int32", counts: "int32" },
  options: (roles) => ({ op: as(roles, "items").isOdd, numItems: count }),
  expected(contents, roles) {
    const selected = of(contents, "input").filter(as(roles, "items").isOdd);
    return { output: selected, outputCount: [as(roles, "counts").of(selected.length)] };
  },
};

const threeWayPartition: AlgorithmRow = {
  name: "threeWayPartition",
  slots: [
    input("input", "items", items),
    output("firstOutput", "items"),
    output("secondOutput", "items"),
    output("unselectedOutput", "items"),
    ...arrays(output("outputCounts", "counts", 2)),
  ],
  roles: { items: "int32", counts: "int32" },
  options: (roles) => ({
    selectFirst: as(roles, "items").isOdd,
    selectSecond: as(roles, "items").isSmall,
    numItems: count,
  }),
  expected(contents, roles) {
    const { isOdd, isSmall } = as(roles, "items");
    const all = of(contents, "input");
    const rest = all.filter((item) => !isOdd(item));
    const [firsts, seconds] = [all.filter((item) => isOdd(item)), rest.filter((item) => isSmall(item))];
    return {
      firstOutput: firsts,
      secondOutput: seconds,
      unselectedOutput: rest.filter((item) => !isSmall(item)),
      outputCounts: [firsts.length, seconds.length].map(as(roles, "counts").of),
    };
  },
};

const bins = 4;
const binWidth = 4;

const histogram: AlgorithmRow = {
  name: "histogramEven",
  slots: [input("samples", "samples", items), ...arrays(output("output", "counters", bins))],
  roles: { samples: "int32", counters: "int32" },
  options: () => ({ lower: 0, upper: bins * binWidth, numItems: count }),
  expected(contents, roles) {
    const numbers = of(contents, "samples").map(as(roles, "samples").number);
    const counts = Array.from({ length: bins }, (_, bin) => numbers.filter((n) => Math.floor(n / binWidth) === bin));
    return { output: counts.map((within) => as(roles, "counters").of(within.length)) };
  },
};

function search(name: string, isUpper: boolean): AlgorithmRow {
  return {
    name,
    slots: [...arrays(input("data", "items", sorted)), input("values", "items", others), output("output", "indices")],
    roles: { items: "int32", indices: "int32" },
    hasDefaultOperator: true,
    options: (roles, _args, operator) => ({
      numItems: count,
      numValues: count,
      ...(operator ? { comp: as(roles, "items").less } : {}),
    }),
    expected(contents, roles) {
      const { less } = as(roles, "items");
      const data = of(contents, "data");
      const places = of(contents, "values").map(
        (value) => data.filter((element) => (isUpper ? !less(value, element) : less(element, value))).length,
      );
      return { output: places.map(as(roles, "indices").of) };
    },
  };
}

const forEach: AlgorithmRow = {
  name: "forEach",
  slots: [input("input", "items", items), { ...output("sum", "sums", 1), isCaptured: true }],
  roles: { items: "int32", sums: "float64" },
  options: (roles, { sum }) => ({
    op: library.bind(as(roles, "items").addTo as never, { sum } as never),
    numItems: count,
  }),
  expected(contents, roles) {
    const { number } = as(roles, "items");
    // The captured array holds a number before, too.
    const before = of(contents, "sum")[0] as number;
    return { sum: [of(contents, "input").reduce<number>((sum, item) => sum + number(item), before)] };
  },
};

export const algorithms: readonly AlgorithmRow[] = [
  reduce,
  scan("inclusiveScan", true),
  scan("exclusiveScan", false),
  unary,
  binary,
  segmentedReduce,
  mergeSort,
  radixSort,
  segmentedSort,
  uniqueByKey,
  select,
  threeWayPartition,
  histogram,
  search("lowerBound", false),
  search("upperBound", true),
  forEach,
];

export function algorithmNamed(name: string): AlgorithmRow {
  const row = algorithms.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no algorithm is named ${name}`);
  return row;
}

/** Calls it with options that the types here know nothing of. */
export function call(algorithm: AlgorithmRow, options: object): void {
  const functions = library as unknown as Record<string, (options: object) => void>;
  (functions[algorithm.name] as (options: object) => void)(options);
}
