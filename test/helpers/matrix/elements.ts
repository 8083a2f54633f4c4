/** Kinds of elements, with the operators that the matrix calls algorithms with: the same functions are its plain code. */
import {
  type Complex,
  type DeviceArray,
  type ElementSpec,
  type ScalarName,
  atomicAdd,
  complex,
  complex128,
  complex64,
  constant,
  counting,
  struct,
  zipped,
} from "../../../lib";
import { allTypes, isBigInt } from "../elements";

/** An element as users write it. */
export type Value = number | bigint | boolean | object;

interface Captures {
  readonly sum: DeviceArray<"float64">;
}

/** What the library compiles, and plain code calls. */
interface Operators<V> {
  /** Associative, and commutative but for ranges. */
  readonly plus: (a: V, b: V) => V;
  readonly next: (a: V) => V;
  readonly less: (a: V, b: V) => boolean;
  readonly same: (a: V, b: V) => boolean;
  readonly isOdd: (a: V) => boolean;
  readonly isSmall: (a: V) => boolean;
  /** Adds the number that an element stands for. */
  readonly addTo: (a: V, captures: Captures) => void;
}

export interface Elements extends Operators<Value> {
  readonly name: string;
  readonly type: ElementSpec;
  /** Whether it has an order and an equality of its own. */
  readonly isScalar: boolean;
  /** The element that stands for a small whole number. */
  readonly of: (number: number) => Value;
  /** The number that an element stands for. */
  readonly number: (value: Value) => number;
}

function kind<V extends Value>(
  name: string,
  type: ElementSpec,
  of: (number: number) => V,
  number: (value: V) => number,
  operators: Operators<V>,
): Elements {
  return { name, type, isScalar: typeof type === "string", of, number, ...operators } as unknown as Elements;
}

const numbers: Operators<number> = {
  plus: (a, b) => a + b,
  next: (a) => a + 1,
  less: (a, b) => a < b,
  same: (a, b) => a === b,
  isOdd: (a) => a % 2 === 1,
  isSmall: (a) => a < 5,
  addTo: (a, { sum }) => {
    atomicAdd(sum, 0, a);
  },
};

const bigints: Operators<bigint> = {
  plus: (a, b) => a + b,
  next: (a) => a + 1n,
  less: (a, b) => a < b,
  same: (a, b) => a === b,
  isOdd: (a) => a % 2n === 1n,
  isSmall: (a) => a < 5n,
  addTo: (a, { sum }) => {
    atomicAdd(sum, 0, Number(a));
  },
};

const bools: Operators<boolean> = {
  plus: (a, b) => a || b,
  next: (a) => !a,
  less: (a, b) => !a && b,
  same: (a, b) => a === b,
  isOdd: (a) => a,
  isSmall: (a) => !a,
  addTo: (a, { sum }) => {
    atomicAdd(sum, 0, a ? 1 : 0);
  },
};

function scalar(type: ScalarName): Elements {
  if (type === "bool") return kind(type, type, (n) => n % 2 !== 0, Number, bools);
  return isBigInt(type) ? kind(type, type, BigInt, Number, bigints) : kind(type, type, (n) => n, Number, numbers);
}

interface Keyed {
  readonly key: number;
}

/** Of structs that are ordered by one field. */
const keyed: Pick<Operators<Keyed>, "less" | "same" | "isOdd" | "isSmall" | "addTo"> = {
  less: (a, b) => a.key < b.key,
  same: (a, b) => a.key === b.key,
  isOdd: (a) => a.key % 2 === 1,
  isSmall: (a) => a.key < 5,
  addTo: (a, { sum }) => {
    atomicAdd(sum, 0, a.key);
  },
};

interface Mixed extends Keyed {
  readonly weight: number;
  readonly tag: number;
}

const mixed = kind<Mixed>(
  "struct of 12 bytes",
  struct({ key: "int32", weight: "float32", tag: "uint8" }),
  (key) => ({ key, weight: key / 2, tag: 2 * key }),
  (value) => value.key,
  {
    plus: (a, b) => ({ key: a.key + b.key, weight: a.weight + b.weight, tag: a.tag + b.tag }),
    next: (a) => ({ key: a.key + 1, weight: a.weight, tag: a.tag }),
    ...keyed,
  },
);

interface Sized extends Keyed {
  readonly rest: readonly number[];
}

/** A struct of so many bytes, all of which belong to its value. */
function sized(bytes: number, key: "uint8" | "int32", keyBytes: number): Elements {
  const rest = bytes - keyBytes;
  return kind<Sized>(
    `struct of ${String(bytes)} bytes`,
    struct({ key, rest: ["uint8", rest] }),
    (number) => ({ key: number, rest: Array.from({ length: rest }, (_, i) => (number + i) % 256) }),
    (value) => value.key,
    {
      plus: (a, b) => (a.key < b.key ? b : a),
      next: (a) => ({ key: a.key + 1, rest: a.rest }),
      ...keyed,
    },
  );
}

interface Range extends Keyed {
  readonly last: number;
}

/** Two join to one from the first's begin to the second's end: their plus does not commute. */
const range = kind<Range>(
  "range",
  struct({ key: "int32", last: "int32" }),
  (key) => ({ key, last: key }),
  (value) => value.key,
  {
    plus: (a, b) => ({ key: a.key, last: b.last }),
    next: (a) => ({ key: a.key + 1, last: a.last }),
    ...keyed,
  },
);

const complexOperators: Operators<Complex> = {
  plus: complex.add,
  next: (a) => ({ re: a.re + 1, im: a.im }),
  less: (a, b) => a.re < b.re,
  same: complex.equals,
  isOdd: (a) => a.re % 2 === 1,
  isSmall: (a) => a.re < 5,
  addTo: (a, { sum }) => {
    atomicAdd(sum, 0, a.re);
  },
};

const complexOf = (number: number): Complex => ({ re: number, im: -number });
const realOf = (value: Complex): number => value.re;

const pair = kind<readonly [number, number]>(
  "tuple",
  zipped(counting(0), constant(0)).type,
  (number) => [number, number / 2],
  ([number]) => number,
  {
    plus: ([a, b], [c, d]) => [a + c, b + d],
    next: ([a, b]) => [a + 1, b],
    less: ([a], [c]) => a < c,
    same: ([a, b], [c, d]) => a === c && b === d,
    isOdd: ([a]) => a % 2 === 1,
    isSmall: ([a]) => a < 5,
    addTo: ([a], { sum }) => {
      atomicAdd(sum, 0, a);
    },
  },
);

/** What arguments are tried with, in the order in which the page names them. */
export const listedElements: readonly Elements[] = [
  ...allTypes.map(scalar),
  sized(2, "uint8", 1),
  sized(3, "uint8", 1),
  mixed,
  sized(200, "int32", 4),
  sized(400, "int32", 4),
  kind("complex64", complex64, complexOf, realOf, complexOperators),
  kind("complex128", complex128, complexOf, realOf, complexOperators),
];

const byName = new Map([...listedElements, pair, range].map((elements) => [elements.name, elements]));

export function elementsNamed(name: string): Elements {
  const elements = byName.get(name);
  if (elements === undefined) throw new Error(`no elements are named ${name}`);
  return elements;
}
