import { collectGarbage } from "../../lib/backends/collector";
import {
  onOperatorUnused,
  type OperatorUse,
  operatorPairId,
  operatorStatistics,
  resolveOperator,
} from "../../lib/operators";
import { functionFrom } from "./helpers";

const resolve = (op: unknown): OperatorUse => resolveOperator(op, 1, "unaryTransform.op");

/** Collects, and gives the callbacks of finalization their turn. */
async function afterCollection(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 50 && !condition(); turn++) {
    collectGarbage("full");
    await new Promise((done) => setTimeout(done, 5));
  }
}

test("an inline arrow function is one operator however often it is made", () => {
  const operators = new Set<unknown>();
  for (let i = 0; i < 10_000; i++) operators.add(resolve((x: number) => x + 1234).operator);
  expect(operators.size).toBe(1);
});

test("equal texts are one operator, others are not, and ids tell them apart", () => {
  const one = resolve(functionFrom("(x) => x + 1"));
  const same = resolve(functionFrom("(x) => x + 1"));
  const other = resolve(functionFrom("(x) => x + 2"));
  expect(same).toBe(one);
  expect(other.operator.id).not.toBe(one.operator.id);
});

test("specializations are made once", () => {
  const { operator } = resolve((x: number) => x * 3);
  expect(resolve((x: number) => x * 3).operator).toBe(operator);
});

test("the end of the last function of a text is told, with the operator's id", async () => {
  const told: number[] = [];
  const stop = onOperatorUnused((id) => told.push(id));
  const { id } = (() => resolve(functionFrom("(x) => x * 5678")).operator)();
  await afterCollection(() => told.includes(id));
  stop();
  expect(told).toContain(id);
});

test("a text that is used again keeps its operator and is watched again", async () => {
  const told: number[] = [];
  const stop = onOperatorUnused((id) => told.push(id));
  const make = (): OperatorUse => resolve(functionFrom("(x) => x * 9012"));
  const { id } = make().operator;
  await afterCollection(() => told.length > 0);
  expect(make().operator.id).toBe(id);
  const before = told.filter((each) => each === id).length;
  await afterCollection(() => told.filter((each) => each === id).length > before);
  stop();
  expect(told.filter((each) => each === id)).toHaveLength(before + 1);
});

test("unused texts are bounded", async () => {
  for (let i = 0; i < 2000; i++) resolve(functionFrom(`(x) => x + 77${String(i)}`));
  await afterCollection(() => operatorStatistics().texts < 1000);
  expect(operatorStatistics().unused).toBeLessThanOrEqual(512);
  expect(operatorStatistics().texts).toBeLessThan(1000);
});

test("neither a function nor what it captured is kept", async () => {
  let functions = 0;
  let captured = 0;
  const registry = new FinalizationRegistry<string>((what) => (what === "function" ? functions++ : captured++));
  (() => {
    for (let i = 0; i < 20; i++) {
      const settings = { scale: i };
      const op = (x: number): number => x * settings.scale;
      registry.register(op, "function");
      registry.register(settings, "captured");
      expect(resolve(op).values).toEqual([i]);
    }
  })();
  await afterCollection(() => functions === 20 && captured === 20);
  expect([functions, captured]).toEqual([20, 20]);
});

test("two operators together have one number, and a new one after either is gone", async () => {
  const told: number[] = [];
  const stop = onOperatorUnused((id) => told.push(id));
  const kept = resolve(functionFrom("(x) => x * 31337")).operator;
  const held = functionFrom("(x) => x * 31337");
  const pair = ((): number => {
    const { operator } = resolve(functionFrom("(x) => x * 41414"));
    expect(operatorPairId(kept, operator)).toBe(operatorPairId(kept, operator));
    expect(operatorPairId(operator, kept)).not.toBe(operatorPairId(kept, operator));
    return operatorPairId(kept, operator);
  })();
  await afterCollection(() => told.includes(pair));
  stop();
  expect(told).toContain(pair);
  expect(operatorPairId(kept, resolve(functionFrom("(x) => x * 41414")).operator)).not.toBe(pair);
  expect(held).toBeInstanceOf(Function);
});
