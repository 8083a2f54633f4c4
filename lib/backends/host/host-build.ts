/** Runs an algorithm's plain JavaScript form. */
import type { Call } from "../../algorithms/call";
import type { Build, BuildRequest, SlotRequest } from "../../builds/build";
import type { Argument, Reader, Writer } from "../../builds/shape";
import { hostConvert } from "../../types/convert";
import type { ElementValue } from "../../types/element";

/** An operator of a call on the host, its captured values bound. What one without a result answers is not looked at. */
export type HostOperator = (...values: ElementValue[]) => ElementValue;

/** What an algorithm's host form works on. Readers and writers convert where types differ. */
export interface HostRun {
  /** What was built: types, for what depends on them. */
  readonly request: BuildRequest;
  readonly count: number;
  readonly scalars: Float64Array;
  /** By slot; present for inputs and for what is both. */
  readonly read: readonly Reader[];
  /** By slot; present for outputs and for what is both. */
  readonly write: readonly Writer[];
  readonly operators: readonly HostOperator[];
  /** The initial value in its type; undefined where there is none. */
  readonly init: ElementValue | undefined;
  /** Values beside it, such as a histogram's levels. */
  readonly values: readonly (ElementValue | undefined)[];
  /** By slot. */
  readonly arguments: readonly Argument[];
}

const wrongDirection = (): never => {
  throw new Error("a slot was used in the wrong direction");
};

function convertingReader(slot: SlotRequest, argument: Argument): Reader {
  const read = argument.hostReader();
  if (slot.shape.elementType === slot.as) return read;
  const convert = hostConvert(slot.shape.elementType, slot.as);
  return (index) => convert(read(index));
}

function convertingWriter(slot: SlotRequest, argument: Argument): Writer {
  const write = argument.hostWriter();
  if (slot.shape.elementType === slot.as) return write;
  const convert = hostConvert(slot.as, slot.shape.elementType);
  return (index, value) => {
    write(index, convert(value));
  };
}

function initialValue(call: Call): ElementValue | undefined {
  return call.initArray === undefined ? call.initValue : call.initArray.hostReader()(0);
}

/** A build of the host backend: nothing to compile but the operators' JavaScript. */
export class HostBuild implements Build {
  readonly #request: BuildRequest;

  constructor(request: BuildRequest) {
    this.#request = request;
  }

  run(call: Call): void {
    const { algorithm, slots, operators } = this.#request;
    const bound = slots.map((slot, index) => ({ slot, argument: call.slots[index] as Argument }));
    const selector = algorithm.host({
      request: this.#request,
      count: call.count,
      scalars: call.scalars,
      read: bound.map(({ slot, argument }) =>
        slot.direction === "output" ? wrongDirection : convertingReader(slot, argument),
      ),
      write: bound.map(({ slot, argument }) =>
        slot.direction === "input" ? wrongDirection : convertingWriter(slot, argument),
      ),
      operators: operators.map((operator, index) => operator.host(call.operators[index]?.values ?? []) as HostOperator),
      init: initialValue(call),
      values: call.values,
      arguments: bound.map(({ argument }) => argument),
    });
    call.selector = selector ?? 0;
  }
}
