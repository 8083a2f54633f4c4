/** Operators that are written in JavaScript: one object for each text, and one operator for each types of captures. */
import { type CompileError } from "../errors";
import type { ScalarType, ScalarValue } from "../types/scalar";
import { canonical } from "./canonical";
import { type CaptureType, captureStorage, checkFunction } from "./check";
import { emitCuda } from "./emit-cuda";
import { compileForHost, type HostFactory } from "./emit-javascript";
import { fingerprint } from "./fingerprint";
import type { Program } from "./ir";
import { nextOperatorId } from "./operator-id";
import { type CaptureValues, noValues, type Operator, type OperatorUse, type SpecializedOperator } from "./operator";
import { parseFunction } from "./parse";
import { recognise } from "./recognise";
import { resolveFunction } from "./resolve";
import { compileErrorAt, type Source } from "./source";
import { type StateLayout, stateLayout, writeState } from "./state-layout";
import type { SyntaxFunction } from "./syntax";

/** CCCL's own operator, for the types where a named operator (`ops.minimum`) asks for it and no rule finds it. */
export type KindForTypes = (parameters: readonly ScalarType[], result: ScalarType) => number | undefined;

class SpecializedFunction implements SpecializedOperator {
  readonly fingerprint: string;
  readonly parameters: readonly ScalarType[];
  readonly resultType: ScalarType;
  readonly stateSize: number;
  readonly stateAlignment: number;
  private readonly layout: StateLayout;
  private hostFactory: HostFactory | undefined;

  constructor(
    private readonly program: Program,
    readonly wellKnown: number | undefined,
  ) {
    this.fingerprint = fingerprint(program);
    this.parameters = program.parameters;
    this.resultType = program.resultType;
    this.layout = stateLayout(program.captures);
    this.stateSize = this.layout.size;
    this.stateAlignment = this.layout.alignment;
  }

  writeState(values: CaptureValues, view: DataView, position: number): void {
    writeState(this.layout, values, view, position);
  }

  cuda(name: string): string {
    return emitCuda(this.program, name);
  }

  host(values: CaptureValues): (...elements: ScalarValue[]) => ScalarValue {
    this.hostFactory ??= compileForHost(this.program);
    return this.hostFactory(values);
  }
}

/** An operator of one text with captures of given types. */
export class FunctionOperator implements Operator {
  readonly id = nextOperatorId();
  readonly operator: Operator = this;
  readonly values = noValues;
  readonly captureNames: readonly string[];
  private readonly specialized = new Map<string, SpecializedFunction>();

  constructor(
    private readonly source: Source,
    private readonly syntax: SyntaxFunction,
    readonly captureTypes: readonly CaptureType[],
    private readonly kindForTypes?: KindForTypes,
  ) {
    this.captureNames = syntax.captures.map(({ path }) => path.join("."));
  }

  get arity(): number {
    return this.syntax.arity;
  }

  specialize(parameters: readonly ScalarType[], result: ScalarType | undefined, argument: string): SpecializedOperator {
    const key = `${parameters.map((type) => type.name).join()}:${result?.name ?? ""}`;
    let specialized = this.specialized.get(key);
    if (specialized === undefined) {
      const typed = checkFunction(this.syntax, this.source, parameters, this.captureTypes, result, argument);
      const program = canonical(typed);
      const wellKnown = recognise(program) ?? this.kindForTypes?.(parameters, program.resultType);
      specialized = new SpecializedFunction(program, wellKnown);
      this.specialized.set(key, specialized);
    }
    return specialized;
  }
}

/** One function text. Holds no function and no captured value. */
export class FunctionText {
  readonly source: Source;
  readonly syntax: SyntaxFunction;
  /** The operator, where the text has no free variables. */
  readonly plain: FunctionOperator | undefined;
  /** True while a living function (or bound operator) of this text is registered to tell of its end. */
  isWatched = false;
  private readonly operators = new Map<string, FunctionOperator>();
  private last: FunctionOperator | undefined;

  constructor(text: string, argument: string, hasCapturesObject: boolean, kindForTypes?: KindForTypes) {
    this.source = { text };
    this.syntax = resolveFunction(parseFunction(this.source, argument), argument, hasCapturesObject);
    if (this.syntax.captures.length === 0) {
      this.plain = new FunctionOperator(this.source, this.syntax, [], kindForTypes);
    }
  }

  /** The operator for captured values, which are checked here. */
  use(captured: readonly unknown[], argument: string): OperatorUse {
    const values: ScalarValue[] = [];
    let fits = this.last !== undefined;
    for (let index = 0; index < captured.length; index++) {
      const value = captured[index];
      const type = typeof value;
      if (type !== "number" && type !== "boolean" && type !== "bigint") throw this.captureError(index, value, argument);
      if (type === "bigint" && BigInt.asIntN(64, value as bigint) !== value)
        throw this.captureError(index, value, argument);
      if (this.last?.captureTypes[index] !== type) fits = false;
      values.push(value as ScalarValue);
    }
    const operator = fits && this.last !== undefined ? this.last : this.operatorFor(values);
    this.last = operator;
    return { operator, values };
  }

  /** Ids of all operators of this text. */
  ids(): number[] {
    const operators = this.plain === undefined ? [...this.operators.values()] : [this.plain];
    return operators.map((operator) => operator.id);
  }

  private operatorFor(values: readonly ScalarValue[]): FunctionOperator {
    const types = values.map((value) => typeof value as CaptureType);
    const key = types.join();
    let operator = this.operators.get(key);
    if (operator === undefined) {
      operator = new FunctionOperator(this.source, this.syntax, types);
      this.operators.set(key, operator);
    }
    return operator;
  }

  /** An error that names the captured variable and its place. */
  captureError(index: number, value: unknown, argument: string): CompileError {
    const captured = this.syntax.captures[index];
    if (captured === undefined) throw new Error("no such capture");
    const name = captured.path.join(".");
    const what = value === undefined ? "has no value" : `is ${describeCapture(value)}`;
    const hint = `Operators capture ${Object.keys(captureStorage).join("s, ")}s; BigInts of at most 64 bits.`;
    const problem = `the captured \`${name}\` ${what}`;
    return compileErrorAt(this.source, captured.span, argument, problem, hint, "ERR_OPERATOR_CAPTURE");
  }
}

function describeCapture(value: unknown): string {
  if (typeof value === "bigint") return "a BigInt that int64 cannot hold";
  if (value === null) return "null";
  if (typeof value === "object") {
    const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
    return name === undefined || name === "Object" ? "an object" : `an object of ${name}`;
  }
  return `a ${typeof value}`;
}
