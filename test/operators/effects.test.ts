/** Operators that are called for their effects. */
import { DeviceArray, atomicAdd, cpp, setBackend } from "../../lib";
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

test("where a result is wanted, a function without one is refused as before", () => {
  const none = (x: number): void => {
    atomicAdd(sum, 0, x);
  };
  const { operator } = resolveOperator(none, 1, "op");
  expect(() => operator.specialize([int32], undefined, "op")).toThrow(/not every path of the function returns a value/);
});
