/** The sixteen algorithms as the matrix sees them: their slots, how to call them, and what they do in plain code. */
import * as library from "../../../lib";
import { integers } from "../elements";
import { at } from "../sorting";
import type { Elements, Value } from "./elements";

/** What an option is to be filled with. */
export interface Slot {
  readonly name: string;
  readonly direction: "input" | "output";
  /** Slots of one role have elements of one type. */
  readonly role: string;
  /** How many elements, in a call over so many items. */
  readonly length: (items: number) => number;
  /** What an input holds, as far as its kind of argument can. */
  readonly numbers?: (items: number) => readonly number[];
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

/** How an algorithm is called. */
export interface CallShape {
  readonly roles: Roles;
  readonly items: number;
  /** Whether it has an operator where there is one by default. */
  readonly hasOperator: boolean;
  readonly args: Arguments;
}

export interface AlgorithmRow {
  readonly name: string;
  readonly slots: readonly Slot[];
  /** The elements of each role where a cell says nothing. */
  readonly roles: Readonly<Record<string, string>>;
  /** What is promised of order, as the page says it. */
  readonly order: string;
  /** Elements by which a call over many items shows that order; the ones above where they do. */
  readonly ordered?: Readonly<Record<string, string>>;
  /** Whether scalars need no operator, as there is one by default. */
  readonly hasDefaultOperator?: boolean;
  /** The options beside the slots. */
  options(call: CallShape): object;
  /** What each output holds afterwards, from its first element on. */
  expected(contents: Contents, roles: Roles): Contents;
}

type Numbers = (items: number) => readonly number[];

/** Few enough for their sums to fit into any type. */
const some: Numbers = (items) => integers(items, 1, 9, 3);
const others: Numbers = (items) => integers(items, 1, 9, 4);
const runs: Numbers = (items) => integers(items, 1, 3, 5);
/** Sorted as numbers, and as bools, of which odd ones are true. */
const sorted: Numbers = (items) =>
  Array.from({ length: items }, (_, i) => 2 * Math.floor(i / 3) + (2 * i < items ? 0 : 1));
/** Among those. */
const wanted: Numbers = (items) => integers(items, 0, 12, 6).map((number) => number * Math.floor(items / 12));
/** Offsets of four segments, none of which ends before it begins even where an iterator counts on from the first. */
const starts: Numbers = () => [0, 2, 2, 2];
const ends: Numbers = (items) => [3, 5, 7, items - 1];
/** Segments that do not overlap, an empty one among them, and every item in one: items in none have no set place. */
const limits: Numbers = (items) => [0, 3, 3, 8, items];

const input = (name: string, role: string, numbers: Numbers): Slot => ({
  name,
  direction: "input",
  role,
  length: (items) => numbers(items).length,
  numbers,
});

const output = (name: string, role: string, length?: number): Slot => ({
  name,
  direction: "output",
  role,
  length: (items) => length ?? items,
});

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
  slots: [input("input", "items", some), output("output", "items", 1)],
  roles: { items: "int32" },
  order: "none: `op` must be associative and commutative",
  options: ({ roles, items }) => ({
    op: as(roles, "items").plus,
    init: as(roles, "items").of(initNumber),
    numItems: items,
  }),
  expected(contents, roles) {
    const { plus, of: element } = as(roles, "items");
    return { output: [of(contents, "input").reduce(plus, element(initNumber))] };
  },
};

function scan(name: string, isInclusive: boolean): AlgorithmRow {
  return {
    name,
    slots: [
      input("input", "items", some),
      output("output", "items"),
      { ...input("init", "items", () => [initNumber]), isArray: true, isOptional: true },
    ],
    roles: { items: "int32" },
    order: "from the first item to the last: `op` must be associative, and need not commute",
    ordered: { items: "range" },
    options: ({ roles, items, args }) => ({
      op: as(roles, "items").plus,
      init: args["init"] ?? as(roles, "items").of(initNumber),
      numItems: items,
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
  slots: [input("input", "items", some), output("output", "items")],
  roles: { items: "int32" },
  order: "result i is that of item i",
  options: ({ roles, items }) => ({ op: as(roles, "items").next, numItems: items }),
  expected: (contents, roles) => ({ output: of(contents, "input").map(as(roles, "items").next) }),
};

const binary: AlgorithmRow = {
  name: "binaryTransform",
  slots: [input("input1", "items", some), input("input2", "items", others), output("output", "items")],
  roles: { items: "int32" },
  order: "result i is that of both items i",
  options: ({ roles, items }) => ({ op: as(roles, "items").plus, numItems: items }),
  expected(contents, roles) {
    const second = of(contents, "input2");
    return { output: of(contents, "input1").map((item, i) => as(roles, "items").plus(item, second[i] as Value)) };
  },
};

/** Its segments overlap: what that comes to is set. */
const offsetSlots = [input("startOffsets", "offsets", starts), input("endOffsets", "offsets", ends)];

/** Where each segment begins and ends. */
function segmentsOf(contents: Contents, roles: Roles): [number, number][] {
  const { number } = as(roles, "offsets");
  const last = of(contents, "endOffsets").map(number);
  return of(contents, "startOffsets").map((start, i) => {
    if (number(start) > (last[i] as number)) throw new Error("a segment that ends before it begins has no result");
    return [number(start), last[i] as number];
  });
}

const segmentedReduce: AlgorithmRow = {
  name: "segmentedReduce",
  slots: [input("input", "items", some), output("output", "items", 4), ...offsetSlots],
  roles: { items: "int32", offsets: "int32" },
  order: "none: `op` must be associative and commutative",
  options: ({ roles }) => ({
    op: as(roles, "items").plus,
    init: as(roles, "items").of(initNumber),
    numSegments: 4,
  }),
  expected(contents, roles) {
    const { plus, of: element } = as(roles, "items");
    const results = segmentsOf(contents, roles).map(([first, last]) =>
      of(contents, "input").slice(first, last).reduce(plus, element(initNumber)),
    );
    return { output: results };
  },
};

const sortSlots = [
  input("inputKeys", "keys", some),
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
  order: "stable: what comes neither before nor after another keeps its side of it",
  hasDefaultOperator: true,
  options: ({ roles, items, hasOperator }) => ({
    numItems: items,
    ...(hasOperator ? { op: as(roles, "keys").less } : {}),
  }),
  expected(contents, roles) {
    const keys = of(contents, "inputKeys");
    return sortedBy(keys, of(contents, "inputValues"), placesBy(as(roles, "keys"), keys));
  },
};

const radixSort: AlgorithmRow = {
  name: "radixSort",
  slots: arrays(...sortSlots),
  roles: sortRoles,
  order: "stable, in either order: equal keys keep theirs",
  options: ({ items }) => ({ numItems: items }),
  expected: (contents, roles) => mergeSort.expected(contents, roles),
};

const apart = [
  input("startOffsets", "offsets", (items) => limits(items).slice(0, -1)),
  input("endOffsets", "offsets", (items) => limits(items).slice(1)),
];

const segmentedSort: AlgorithmRow = {
  name: "segmentedSort",
  // Not stable, so values are those of their keys.
  slots: arrays(
    ...sortSlots.map((slot) => (slot.name === "inputValues" ? { ...slot, numbers: some } : slot)),
    ...apart,
  ),
  roles: { ...sortRoles, offsets: "int32" },
  order: "not stable: values of equal keys come in any order",
  options: ({ items }) => ({ numItems: items, numSegments: 4 }),
  expected(contents, roles) {
    const keys = of(contents, "inputKeys");
    const places = segmentsOf(contents, roles).flatMap(([first, last]) =>
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
  order: "runs keep theirs, and the first key and value of each stay",
  hasDefaultOperator: true,
  options: ({ roles, items, hasOperator }) => ({
    numItems: items,
    ...(hasOperator ? { op: as(roles, "keys").same } : {}),
  }),
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
  slots: [input("input", "items", some), output("output", "items"), ...arrays(output("outputCount", "counts", 1))],
  roles: { items: "int32", counts: "int32" },
  order: "selected items keep theirs",
  options: ({ roles, items }) => ({ op: as(roles, "items").isOdd, numItems: items }),
  expected(contents, roles) {
    const selected = of(contents, "input").filter(as(roles, "items").isOdd);
    return { output: selected, outputCount: [as(roles, "counts").of(selected.length)] };
  },
};

const threeWayPartition: AlgorithmRow = {
  name: "threeWayPartition",
  slots: [
    input("input", "items", some),
    output("firstOutput", "items"),
    output("secondOutput", "items"),
    output("unselectedOutput", "items"),
    ...arrays(output("outputCounts", "counts", 2)),
  ],
  roles: { items: "int32", counts: "int32" },
  order: "items keep theirs in each of the three outputs",
  options: ({ roles, items }) => ({
    selectFirst: as(roles, "items").isOdd,
    selectSecond: as(roles, "items").isSmall,
    numItems: items,
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
  slots: [input("samples", "samples", some), ...arrays(output("output", "counters", bins))],
  roles: { samples: "int32", counters: "int32" },
  order: "counts have none",
  options: ({ items }) => ({ lower: 0, upper: bins * binWidth, numItems: items }),
  expected(contents, roles) {
    const numbers = of(contents, "samples").map(as(roles, "samples").number);
    const counts = Array.from({ length: bins }, (_, bin) => numbers.filter((n) => Math.floor(n / binWidth) === bin));
    return { output: counts.map((within) => as(roles, "counters").of(within.length)) };
  },
};

function search(name: string, isUpper: boolean): AlgorithmRow {
  return {
    name,
    slots: [...arrays(input("data", "items", sorted)), input("values", "items", wanted), output("output", "indices")],
    roles: { items: "int32", indices: "int32" },
    order: "result i is that of value i",
    hasDefaultOperator: true,
    options: ({ roles, items, hasOperator }) => ({
      numItems: items,
      numValues: items,
      ...(hasOperator ? { comp: as(roles, "items").less } : {}),
    }),
    expected(contents, roles) {
      const { less } = as(roles, "items");
      const data = of(contents, "data");
      const places = new Map<Value, number>();
      for (const value of new Set(of(contents, "values"))) {
        places.set(value, data.filter((each) => (isUpper ? !less(value, each) : less(each, value))).length);
      }
      return { output: of(contents, "values").map((value) => as(roles, "indices").of(places.get(value) as number)) };
    },
  };
}

const forEach: AlgorithmRow = {
  name: "forEach",
  slots: [input("input", "items", some), { ...output("sum", "sums", 1), isCaptured: true }],
  roles: { items: "int32", sums: "float64" },
  order: "none: `op` is called in any order",
  options: ({ roles, items, args: { sum } }) => ({
    op: library.bind(as(roles, "items").addTo as never, { sum } as never),
    numItems: items,
  }),
  expected(contents, roles) {
    const { number } = as(roles, "items");
    // The captured array holds a number before, too.
    const before = of(contents, "sum")[0] as number;
    return { sum: [of(contents, "input").reduce<number>((sum, item) => sum + number(item), before)] };
  },
};

/** Every algorithm. A further one is one more row. */
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
