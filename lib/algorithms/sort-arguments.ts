/** What radix sorts and segmented sorts share: keys and values that are arrays, or double buffers. */
import type { HostRun } from "../backends/host/host-build";
import { type Argument, absent, absentShape } from "../builds/shape";
import type { SlotRequest } from "../builds/build";
import { ArgumentTypeError } from "../errors";
import { DeviceArray, shapeOf } from "../memory/device-array";
import { optionNames } from "../option-names";
import { type ElementSpec, type ElementType, type ElementValue, isScalarType } from "../types/element";
import { type ScalarName, type ScalarType, scalarTypes } from "../types/scalar";
import type { Call } from "./call";
import { addSlot, checkApart, checkLength, deviceArray, setCount } from "./checks";
import { DoubleBuffer } from "../memory/double-buffer";
import { type SortOrder, orderedBits, sortOrders } from "./key-order";

/** Options that name the keys and values of a sort. */
export interface SortedArrays<K extends ElementSpec, V extends ElementSpec> {
  /** The keys; a double buffer stands for `outputKeys` too. */
  inputKeys: DeviceArray<K> | DoubleBuffer<K>;
  /** What belongs to the keys and moves with them, given as the keys are. Leave out both values for keys alone. */
  inputValues?: DeviceArray<V> | DoubleBuffer<V> | undefined;
  /** Where the sorted keys go. */
  outputKeys?: DeviceArray<K> | undefined;
  /** Where the values go. */
  outputValues?: DeviceArray<V> | undefined;
  /** `ascending` by default. */
  order?: SortOrder | undefined;
  /** How many items; by default the length of the keys. */
  numItems?: number | undefined;
}

/** As the algorithms read them: types are checked at run time. */
export type AnySortedArrays = SortedArrays<ElementSpec, ElementSpec>;

/** Slots of the C functions. */
export const SortSlot = { keysIn: 0, keysOut: 1, valuesIn: 2, valuesOut: 3 } as const;

/** The bits of any type of a size, for values that are moved and keys whose order is that of their bits. */
const bitsOfSize: Readonly<Record<number, ScalarName>> = { 1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64" };

/** The type as which values are moved: that of their bits, so that types of one size share a build. */
export function movedType(type: ElementType): ElementType {
  const name = bitsOfSize[type.size];
  return name === undefined ? type : scalarTypes[name];
}

/** Stands for a type of values in keys of builds, where there are none. */
const noValues = -1;

/** The type as which keys are sorted. */
export function keyType(type: ScalarType): ScalarType {
  return type.kind === "bool" ? scalarTypes.uint8 : type;
}

const arrayOf = (value: unknown, name: string): DeviceArray =>
  deviceArray(value, "a DeviceArray (sorts take no iterators)", name);

/** Puts an input and an output of one type into two slots. */
function addPair(call: Call, slot: number, input: unknown, output: unknown, inName: string, outName: string): void {
  if (input instanceof DoubleBuffer) {
    if (output !== undefined) throw new ArgumentTypeError(outName, `nothing, as ${inName} is a DoubleBuffer`, output);
    const buffer = input as DoubleBuffer;
    call.buffers[slot === SortSlot.keysIn ? 0 : 1] = buffer;
    addSlot(call, slot, arrayOf(buffer.current, inName), inName);
    addSlot(call, slot + 1, arrayOf(buffer.alternate, inName), inName);
    checkApart(buffer.alternate, buffer.current, `${inName}.alternate`, `${inName}.current`);
    return;
  }
  const from = arrayOf(input, inName);
  const to = arrayOf(output, outName);
  addSlot(call, slot, from, inName);
  addSlot(call, slot + 1, to, outName);
  const { elementType } = from.shape;
  if (to.shape.elementType !== elementType) {
    throw new ArgumentTypeError(
      outName,
      `elements of ${elementType.name}, as ${inName} has`,
      to.shape.elementType.name,
    );
  }
  checkApart(to, from, outName, inName);
}

const namedOptions = [
  "inputKeys",
  "inputValues",
  "outputKeys",
  "outputValues",
  "order",
  "numItems",
  "numItems (inputKeys)",
] as const;

/** How errors of an algorithm name these options. */
export type SortNames = Readonly<Record<(typeof namedOptions)[number], string>>;

export const sortNames = (algorithm: string): SortNames => optionNames(algorithm, namedOptions);

/**
 * Checks keys, values, count and order, and puts them into the call: four slots, the count, and the parts of the key
 * that follow the algorithm's number. Answers whether the arrays are double buffers.
 */
export function readSortedArrays(options: AnySortedArrays, call: Call, names: SortNames): boolean {
  const { inputKeys, inputValues, outputKeys, outputValues } = options;
  const isBuffered = inputKeys instanceof DoubleBuffer;
  addPair(call, SortSlot.keysIn, inputKeys, outputKeys, names.inputKeys, names.outputKeys);
  if (inputValues === undefined) {
    if (outputValues !== undefined) {
      throw new ArgumentTypeError(names.inputValues, "values on both sides or on none", undefined);
    }
    call.slots[SortSlot.valuesIn] = absent;
    call.slots[SortSlot.valuesOut] = absent;
  } else {
    if (inputValues instanceof DoubleBuffer !== isBuffered) {
      const expected = isBuffered ? "a DoubleBuffer, as the keys are one" : "a DeviceArray, as the keys are one";
      throw new ArgumentTypeError(names.inputValues, expected, inputValues);
    }
    if (!isBuffered && outputValues === undefined) {
      throw new ArgumentTypeError(names.outputValues, "values on both sides or on none", undefined);
    }
    addPair(call, SortSlot.valuesIn, inputValues, outputValues, names.inputValues, names.outputValues);
  }
  const keys = call.slots[SortSlot.keysIn] as Argument;
  setCount(call, options.numItems, keys, undefined, names.numItems);
  checkLength(keys, call.count, names["numItems (inputKeys)"]);
  checkLength(call.slots[SortSlot.keysOut] as Argument, call.count, names.outputKeys);
  checkLength(call.slots[SortSlot.valuesIn] as Argument, call.count, names.inputValues);
  checkLength(call.slots[SortSlot.valuesOut] as Argument, call.count, names.outputValues);
  const values = call.slots[SortSlot.valuesIn] as Argument;
  const valuesOut = call.slots[SortSlot.valuesOut] as Argument;
  const keysOut = call.slots[SortSlot.keysOut] as Argument;
  checkApart(valuesOut, keys, names.outputValues, names.inputKeys);
  checkApart(valuesOut, keysOut, names.outputValues, names.outputKeys);
  checkApart(keysOut, values, names.outputKeys, names.inputValues);
  if (isBuffered) checkApart(values, keys, names.inputValues, names.inputKeys);
  if (!isScalarType(keys.shape.elementType)) {
    const expected = "keys that are scalars (mergeSort takes structs, with an operator)";
    throw new ArgumentTypeError(names.inputKeys, expected, keys.shape.elementType.name);
  }
  call.depends(keys.shape.id);
  call.depends(values === absent ? noValues : movedType(values.shape.elementType).id);
  call.depends(orderOf(options.order, names.order));
  return isBuffered;
}

function orderOf(order: unknown, name: string): number {
  const number = order === undefined ? 0 : typeof order === "string" ? sortOrders[order] : undefined;
  if (number === undefined) throw new ArgumentTypeError(name, '"ascending" or "descending"', order);
  return number;
}

/** The four slots of a call that was read. */
export function sortedSlots(call: Call): SlotRequest[] {
  return call.slots.slice(0, 4).map((argument, slot) => {
    if (argument === undefined) throw new Error("the call was not read");
    if (argument === absent) return { shape: absentShape, as: absentShape.elementType, direction: "both" };
    const { elementType } = argument.shape;
    const as = slot < SortSlot.valuesIn ? keyType(elementType as ScalarType) : movedType(elementType);
    return { shape: shapeOf(as as ScalarType), as, direction: "both" };
  });
}

/** On the host: what sorts of keys and values work on. Keys are bits in their order; items move with all their bits. */
export interface SortRun {
  readonly bits: readonly bigint[];
  /** Writes the key and the value from one place of the inputs to one of the outputs. */
  readonly move: (from: number, to: number) => void;
}

export function startSort(run: HostRun): SortRun {
  const [keysIn, keysOut, valuesIn, valuesOut] = run.arguments.slice(0, 4).map((argument) => {
    return argument instanceof DeviceArray ? argument.reinterpret(movedType(argument.shape.elementType)) : argument;
  }) as [Argument, Argument, Argument, Argument];
  const type = run.arguments[SortSlot.keysIn]?.shape.elementType as ScalarType;
  const readAll = (argument: Argument): ElementValue[] => {
    const read = argument.hostReader();
    return Array.from({ length: run.count }, (_, index) => read(index));
  };
  const keys = readAll(keysIn) as (number | bigint)[];
  const values = readAll(valuesIn);
  const [writeKey, writeValue] = [keysOut.hostWriter(), valuesOut.hostWriter()];
  return {
    bits: keys.map((key) => orderedBits(type, BigInt(key))),
    move(from, to) {
      writeKey(to, keys[from] as ElementValue);
      writeValue(to, values[from] as ElementValue);
    },
  };
}

/** After a run: the buffers' current arrays are those that hold the result. */
export function swapBuffers(call: Call): void {
  if (call.selector !== 1) return;
  call.buffers[0]?.swap();
  call.buffers[1]?.swap();
}
