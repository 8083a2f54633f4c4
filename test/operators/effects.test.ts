/** Operators that are called for their effects. */
import { bind, DeviceArray, atomicAdd, cpp, setBackend } from "../../lib";
import { resolveOperator, type SpecializedOperator } from "../../lib/operators";
import { scalarTypes } from "../../lib/types/scalar";

const { int32 } = scalarTypes;
setBackend("host");
const sum = DeviceArray.zeros(1, "int32");

type Effect = SpecializedOperator<undefined>;
const effect = (op: unknown): Effect => resolveOperator(op, 1, "op").operator.specializeEffect([int32], "op");

test("a text has one fingerprint with its result and another without", () => {
  const op = (x: number): number => x + 1;
  const { operator } = resolveOperator(op, 1, "op");
  expect(operator.specializeEffect([int32], "op").fingerprint).not.toBe(
    operator.specialize([int32], int32, "op").fingerprint,
  );
  const source = cpp("__device__ int op(int x) { return x; }");
  expect(effect(source).fingerprint).not.toBe(source.specialize([int32], int32, "op").fingerprint);
});

test("what it does tells two apart, what is computed without effect does not", () => {
  const added = [
    (x: number): void => {
      atomicAdd(sum, 0, x);
    },
    (y: number): void => {
      const value = y;
      atomicAdd(sum, 0, value);
    },
    (x: number): void => {
      atomicAdd(sum, 0, x + 1);
    },
  ].map((op) => effect(op).fingerprint);
  expect(added.map((fingerprint) => fingerprint === added[0])).toEqual([true, true, false]);
});

test("it has no result, in neither language, and is none of CCCL's operators", () => {
  const specialized = effect((x: number) => -x);
  expect(specialized.resultType).toBeUndefined();
  expect(specialized.wellKnown).toBeUndefined();
  expect(specialized.cuda("op")).not.toMatch(/\bout\b/);
  expect([3].map(specialized.host([]))).toEqual([undefined]);
  expect(effect(cpp("__device__ void op(int x) {}")).cuda("op")).not.toMatch(/\bout\b/);
});

test("its answer must have a meaning all the same", () => {
  expect(() => effect((x: { y: number }) => x.y)).toThrow(expect.objectContaining({ code: "ERR_OPERATOR" }));
});

/** Functions for their effects, on elements from -2 to 7. They write to t, of four float64. */
const writers: readonly (readonly [string, string])[] = [
  ["return void", "(x, { t }) => { if (x < 0) return void (t[0] = x); if (x > 5) return t[1] = x, void t[2]++; t[3] += x; }"],
  ["return void 0", "(x, { t }) => { if (x < 0) return void 0; t[3] += x; }"],
  ["return of a choice of void", "(x, { t }) => { if (x > 1) return x < 3 ? void (t[0] = x) : void t[1]++; t[2] -= x; }"],
  ["return void in a switch in a loop", "(x, { t }) => { for (let i = 0; i < 3; i++) switch (x + i) { case 1: return void (t[0] += i); case 3: t[1]++; break; default: if (i > 1) return; continue; } t[2]++; }"],
  ["an arrow function with void", "(x, { t }) => void (t[x & 3] += x)"],
  ["return void of an atomic", "(x, { t }) => { if (x < 2) return void atomicAdd(t, 0, x); t[1] = x; }"],
  ["one value for two elements", "(x, { t }) => { t[0] = t[1] = x * 2; }"],
  ["a value that is stored in a condition", "(x, { t }) => { if ((t[0] = x - 3) > 0) t[1] += t[0]; else t[2] = 1 - x; }"],
  ["what += and -- leave", "(x, { t }) => { let y = t[0] += x; y *= --t[1]; t[2] = y + (t[3] -= y); }"],
  ["++ of an element behind &&", "(x, { t }) => { x > 2 && ++t[0] > 4 && (t[1] = x); }"],
  ["elements that are stored under conditions in a value", "(x, { t }) => { const y = 1 + (x > 3 ? (t[0] = x) : t[1]++) * 2; t[2] += y; }"],
  ["an index that counts", "(x, { t }) => { let i = 0; t[i++] = x; t[i++] = t[i++] = x + 1; t[i] = i; }"],
  ["an element that is its own index", "(x, { t }) => { t[0] = x & 3; t[t[0]] = t[t[0]] + x; }"],
]; // prettier-ignore

test.each(writers)("%s writes what JavaScript writes", (_what, text) => {
  const begin = [5, -2, 0.25, 8];
  const expected = [...begin];
  const table = DeviceArray.from(begin, "float64");
  const javascript = (0, eval)(`((atomicAdd) => (${text}))`) as (
    add: object,
  ) => (x: number, captures: object) => unknown;
  const plain = javascript((t: number[], i: number, x: number) => (t[i]! += x));
  const use = resolveOperator(bind((0, eval)(`(${text})`) as never, { t: table }), 1, "op");
  const host = use.operator.specializeEffect([int32], "op").host(use.values);
  for (let x = -2; x < 8; x++) {
    plain(x, { t: expected });
    expect([x].map(host)).toEqual([undefined]);
    expect([x, ...table.toTypedArray()]).toEqual([x, ...expected]);
  }
});

test("where a result is wanted, a function without one is refused as before", () => {
  const none = (x: number): void => {
    atomicAdd(sum, 0, x);
  };
  const { operator } = resolveOperator(none, 1, "op");
  expect(() => operator.specialize([int32], undefined, "op")).toThrow(/not every path of the function returns a value/);
});
