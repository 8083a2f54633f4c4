/** Operators that are written in JavaScript: one object for each text, and one operator for each types of captures. */
import type { ElementType, ElementValue } from "../types/element";
import { canonical } from "./canonical";
import { type CaptureType, keyOf } from "./capture-types";
import { checkEffect, checkFunction, type CheckedProgram } from "./check";
import { emitCuda } from "./emit-cuda";
import { compileForHost, type HostFactory } from "./emit-javascript";
import { fingerprint } from "./fingerprint";
import type { Program } from "./ir";
import { nextOperatorId } from "./operator-id";
import {
  type CaptureValues,
  type HostResult,
  noValues,
  type Operator,
  type SpecializedOperator,
  type StateFrame,
} from "./operator";
import type { OwnNames } from "./own-names";
import { parseFunction } from "./parse";
import { recognise } from "./recognise";
import { resolveFunction } from "./resolve";
import { type Source, withinDepth } from "./source";
import { hostValues, type StateLayout, stateLayout, writeState } from "./state-layout";
import { leastArity, type SyntaxFunction } from "./syntax";

/** CCCL's own operator, for the types where a named operator (`ops.minimum`) asks for it and no rule finds it. */
export type KindForTypes = (parameters: readonly ElementType[], result: ElementType) => number | undefined;

class SpecializedFunction<Result extends ElementType | undefined> implements SpecializedOperator<Result> {
  readonly fingerprint: string;
  readonly parameters: readonly ElementType[];
  readonly resultType: Result;
  readonly linked = [];
  readonly stateSize: number;
  readonly stateAlignment: number;
  private readonly layout: StateLayout;
  private hostFactory: HostFactory | undefined;

  constructor(
    private readonly program: Program<Result>,
    private readonly firstWrite: CheckedProgram["firstWrite"],
    readonly wellKnown: number | undefined,
    private readonly fuses: boolean,
    private readonly withinDepth: <T>(action: () => T) => T,
  ) {
    this.fingerprint = fingerprint(program, fuses);
    this.parameters = program.parameters;
    this.resultType = program.resultType;
    this.layout = stateLayout(program);
    this.stateSize = this.layout.size;
    this.stateAlignment = this.layout.alignment;
  }

  refuseWrites(argument: string): void {
    if (this.firstWrite !== undefined) throw this.firstWrite(argument);
  }

  writeState(values: CaptureValues, frame: StateFrame, position: number): void {
    writeState(this.layout, values, frame, position);
  }

  cuda(name: string): string {
    return this.withinDepth(() => emitCuda(this.program, name, this.fuses));
  }

  host(values: CaptureValues): (...elements: ElementValue[]) => HostResult<Result> {
    this.hostFactory ??= this.withinDepth(() => compileForHost(this.program));
    return this.hostFactory(hostValues(this.layout, values)) as (...elements: ElementValue[]) => HostResult<Result>;
  }
}

/** An operator of one text with captures of given types. */
export class FunctionOperator implements Operator {
  readonly id = nextOperatorId();
  readonly operator: Operator = this;
  readonly values = noValues;
  readonly captureNames: readonly string[];
  readonly arity: number;
  readonly leastArity: number;
  private readonly specialized = new Map<string, SpecializedFunction<ElementType>>();
  private readonly effects = new Map<string, SpecializedFunction<undefined>>();
  private twin: FunctionOperator | undefined;

  constructor(
    private readonly source: Source,
    private readonly syntax: SyntaxFunction,
    readonly captureTypes: readonly CaptureType[],
    private readonly kindForTypes?: KindForTypes,
    private readonly fuses = false,
  ) {
    this.captureNames = syntax.captures.map(({ name }) => name);
    this.arity = syntax.arity;
    this.leastArity = leastArity(syntax);
  }

  /** The operator whose products and sums of floats may be fused. */
  get fused(): FunctionOperator {
    this.twin ??= new FunctionOperator(this.source, this.syntax, this.captureTypes, this.kindForTypes, true);
    return this.twin;
  }

  /** Its own id, and the fusing one's where there is one. */
  ids(): number[] {
    return this.twin === undefined ? [this.id] : [this.id, this.twin.id];
  }

  /** Answers for functions too long or too deep, which only emission may find out. */
  private depthGuard(argument: string): <T>(action: () => T) => T {
    return (action) => withinDepth(this.source, argument, action);
  }

  specialize(
    parameters: readonly ElementType[],
    result: ElementType | undefined,
    argument: string,
  ): SpecializedOperator {
    const key = `${parameters.map((type) => type.name).join()}:${result?.name ?? ""}`;
    let specialized = this.specialized.get(key);
    if (specialized === undefined) {
      const guard = this.depthGuard(argument);
      specialized = guard(() => {
        const checked = checkFunction(this.syntax, this.source, parameters, this.captureTypes, result, argument);
        const program = canonical(checked.program);
        const wellKnown = recognise(program) ?? this.kindForTypes?.(parameters, program.resultType);
        return new SpecializedFunction(program, checked.firstWrite, wellKnown, this.fuses, guard);
      });
      this.specialized.set(key, specialized);
    }
    return specialized;
  }

  specializeEffect(parameters: readonly ElementType[], argument: string): SpecializedOperator<undefined> {
    const key = parameters.map((type) => type.name).join();
    let specialized = this.effects.get(key);
    if (specialized === undefined) {
      const guard = this.depthGuard(argument);
      specialized = guard(() => {
        const checked = checkEffect(this.syntax, this.source, parameters, this.captureTypes, argument);
        return new SpecializedFunction(canonical(checked.program), checked.firstWrite, undefined, this.fuses, guard);
      });
      this.effects.set(key, specialized);
    }
    return specialized;
  }
}

let texts = 0;

/** One function text. Holds no function and no captured value. */
export class FunctionText {
  readonly source: Source;
  readonly syntax: SyntaxFunction;
  /** The operator, where the text has no free variables. */
  readonly plain: FunctionOperator | undefined;
  readonly leastArity: number;
  /** How many functions of this text were remembered by themselves. */
  objects = 0;
  /** True while a living function (or bound operator) of this text is registered to tell of its end. */
  isWatched = false;
  /** A small integer, part of the key of operators that call it. */
  readonly id = ++texts;
  /** The operator that was used last. */
  last: FunctionOperator | undefined;
  private readonly operators = new Map<string, FunctionOperator>();

  constructor(
    text: string,
    argument: string,
    hasCapturesObject: boolean,
    ownNames?: OwnNames,
    kindForTypes?: KindForTypes,
  ) {
    this.source = { text };
    this.syntax = withinDepth(this.source, argument, () =>
      resolveFunction(parseFunction(this.source, argument), argument, hasCapturesObject, ownNames),
    );
    this.leastArity = leastArity(this.syntax);
    if (this.syntax.captures.length === 0) {
      this.plain = new FunctionOperator(this.source, this.syntax, [], kindForTypes);
    }
  }

  /** Ids of all operators of this text. */
  ids(): number[] {
    const operators = this.plain === undefined ? [...this.operators.values()] : [this.plain];
    return operators.flatMap((operator) => operator.ids());
  }

  /** The operator of this text with captures of given types. */
  operatorFor(types: readonly CaptureType[]): FunctionOperator {
    const key = keyOf(types);
    let operator = this.operators.get(key);
    if (operator === undefined) {
      operator = new FunctionOperator(this.source, this.syntax, types);
      this.operators.set(key, operator);
    }
    this.last = operator;
    return operator;
  }
}
