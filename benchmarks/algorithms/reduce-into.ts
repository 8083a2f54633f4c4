import { type ReduceOptions, makeReduceInto, ops, reduceInto, transformed } from "../../lib";
import {
  type NumberArray,
  type Work,
  benchmark,
  empty,
  filled,
  lengths,
  numberTypes,
  sizeOf,
  wideTypes,
  work,
} from "../benchmark";
import { entropyArray } from "../inputs";

interface State {
  type: (typeof numberTypes)[number];
  elements: number;
}

type Options = ReduceOptions<"float32", "float32", number>;

const random = ({ type, elements }: State): NumberArray =>
  filled(elements, type, (length) => entropyArray(type, length, 1, 1));

function reduction({ type, elements }: State, options: Omit<Options, "output" | "init">): Work {
  const traffic = { read: elements * sizeOf(type), written: sizeOf(type) };
  const output = empty(1, type);
  return work<Options>(traffic, reduceInto, makeReduceInto, { ...options, output, init: 0 });
}

const axes = { type: numberTypes, elements: lengths } as const;

export const reduceIntoBenchmarks = [
  benchmark("sum", axes, (state) => reduction(state, { input: random(state), op: ops.plus })),
  benchmark("custom", axes, (state) => reduction(state, { input: random(state), op: (a, b) => (a > b ? a : b) })),
  benchmark("min", axes, (state) => reduction(state, { input: random(state), op: ops.minimum })),
  benchmark("nondeterministic", { ...axes, type: wideTypes }, (state) =>
    reduction(state, { input: random(state), op: ops.plus, determinism: "not-guaranteed" }),
  ),
  benchmark("squares", axes, (state) =>
    reduction(state, { input: transformed(random(state), (x) => x * x, state.type as "float32"), op: ops.plus }),
  ),
];
