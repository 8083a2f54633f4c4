import { type Shape, absent } from "../builds/shape";
import { ArgumentTypeError } from "../errors";
import type { BinaryOperator, Input } from "../iterators/types";
import { readable } from "../iterators/readable";
import type { DeviceArray } from "../memory/device-array";
import type { Stream } from "../memory/stream";
import { permanentOperator } from "../operators/registry";
import { type ElementSpec, type ElementType, type ElementValue, type ValueOf, isScalarType } from "../types/element";
import { defineAlgorithm } from "./algorithm";
import {
  addSlot,
  checkAliasing,
  checkApart,
  checkBothValues,
  checkCaptures,
  checkLength,
  checkOutputType,
  checkSize,
  deviceArray,
  operatorOf,
  setCount,
  setStream,
} from "./checks";
import { specializeOrder } from "./element-order";
import type { Convertible } from "./types";

/** Options of {@link mergeSort}. */
export interface MergeSortOptions<
  K extends ElementSpec,
  KO extends ElementSpec,
  V extends ElementSpec,
  VO extends ElementSpec,
> {
  /** What is sorted. */
  inputKeys: Input<K>;
  /** What belongs to the keys and moves with them, one for each. Leave out both values for keys alone. */
  inputValues?: Input<V> | undefined;
  /** Where the sorted keys go; their type is the one that is sorted in. */
  outputKeys: DeviceArray<KO>;
  /** Where the values go. */
  outputValues?: DeviceArray<VO> | undefined;
  /**
   * Whether the first key comes before the second: a strict weak order, so false for equal keys. By default `a < b`
   * with NaN behind everything else.
   */
  op?: BinaryOperator<ValueOf<KO>, ValueOf<KO>, boolean> | undefined;
  /** How many items; by default the length of the keys, or of the output keys where those have no end. */
  numItems?: number | undefined;
  stream?: Stream | undefined;
}

type AnyOptions = MergeSortOptions<ElementSpec, ElementSpec, ElementSpec, ElementSpec>;

/**
 * Bytes that an item's key and value may each have. CUB sorts tiles of 256 threads, of as many items each as 68 bytes
 * of keys hold (17 at most), in 48 KiB of shared memory. For larger items its kernel falls back to smaller tiles, of
 * which the library's launch knows nothing.
 */
function largestPart(keySize: number): number {
  const tile = 256 * Math.min(17, Math.max(1, Math.floor(68 / keySize)));
  return Math.floor(48_000 / (tile + tile / 32 + 1));
}

/** Ascending, and NaN, of whatever sign, at the end. */
const ascending = permanentOperator("(a, b) => a < b || (b !== b && a === a)", () => undefined);

const array = "a DeviceArray (the library's sort takes no iterators for outputs)";

/** Refuses values that are structs and come from an iterator, or convert: the library's kernel does not build for them. */
function checkStructValues({ isPointer, elementType }: Shape, valueType: ElementType): void {
  if (isScalarType(valueType) || (isPointer && elementType === valueType)) return;
  const expected =
    `values of ${valueType.name} in an array, as the output's are (unaryTransform writes others there, and values may ` +
    "be sorted in place)";
  const received = isPointer ? elementType.name : `an iterator of ${elementType.name}`;
  throw new ArgumentTypeError("mergeSort.inputValues", expected, received, "ERR_UNSUPPORTED");
}

const forms = defineAlgorithm<AnyOptions>({
  name: "merge_sort",
  publicName: "mergeSort",
  compiles: "linked",
  options: ["inputKeys", "inputValues", "outputKeys", "outputValues", "op", "numItems", "stream"],
  dependsOn: ["op", "inputKeys", "inputValues", "outputKeys", "outputValues"],

  read(options, call, operators) {
    const { inputValues, outputValues, op: given } = options;
    checkBothValues(inputValues, outputValues, "mergeSort.inputValues", "mergeSort.outputValues");
    const keys = readable(options.inputKeys, "mergeSort.inputKeys");
    const keysOut = deviceArray(options.outputKeys, array, "mergeSort.outputKeys");
    const values = inputValues === undefined ? absent : readable(inputValues, "mergeSort.inputValues");
    const valuesOut = outputValues === undefined ? absent : deviceArray(outputValues, array, "mergeSort.outputValues");
    const { elementType } = keysOut.shape;
    if (given === undefined && operators === undefined && !isScalarType(elementType)) {
      throw new ArgumentTypeError("mergeSort.op", `an order, as keys of ${elementType.name} have none`, undefined);
    }
    const op = given ?? (operators === undefined ? ascending : undefined);
    call.operators[0] = operatorOf(op, 2, operators?.[0], "mergeSort.op");
    addSlot(call, 0, keys, "mergeSort.inputKeys");
    addSlot(call, 1, values, "mergeSort.inputValues");
    addSlot(call, 2, keysOut, "mergeSort.outputKeys");
    addSlot(call, 3, valuesOut, "mergeSort.outputValues");
    setStream(call, options.stream, "mergeSort.stream");
    setCount(call, options.numItems, keys, keysOut, "mergeSort.numItems");
    checkLength(keys, call.count, "mergeSort.numItems (inputKeys)");
    checkLength(values, call.count, "mergeSort.inputValues");
    checkLength(keysOut, call.count, "mergeSort.outputKeys");
    checkLength(valuesOut, call.count, "mergeSort.outputValues");
    checkAliasing(keys, keysOut, "mergeSort.outputKeys");
    checkAliasing(values, valuesOut, "mergeSort.outputValues");
    checkApart(keysOut, values, "mergeSort.outputKeys", "mergeSort.inputValues");
    checkApart(valuesOut, keys, "mergeSort.outputValues", "mergeSort.inputKeys");
    checkApart(valuesOut, keysOut, "mergeSort.outputValues", "mergeSort.outputKeys");
    checkCaptures(call, keysOut, "mergeSort.outputKeys");
    checkCaptures(call, valuesOut, "mergeSort.outputValues");
    call.depends(call.operators[0].operator.id);
    call.depends(0);
    call.depends(keys.shape.id);
    call.depends(values.shape.id);
    call.depends(keysOut.shape.id);
    call.depends(valuesOut.shape.id);
  },

  request(call, algorithm) {
    const [keys, values, keysOut, valuesOut] = call.slots;
    const [use] = call.operators;
    if (!keys || !values || !keysOut || !valuesOut || !use) throw new Error("the call was not read");
    const { elementType: keyType } = keysOut.shape;
    const { elementType: valueType } = valuesOut.shape;
    checkSize(keyType, largestPart(keyType.size), "mergeSort.outputKeys");
    if (valueType.size > largestPart(keyType.size)) {
      const most = String(largestPart(keyType.size));
      const expected =
        `values of at most ${most} bytes beside such keys (for larger ones sort counting(0) with the keys, and read ` +
        "permuted(values, indices))";
      throw new ArgumentTypeError("mergeSort.outputValues", expected, valueType.name, "ERR_UNSUPPORTED");
    }
    checkOutputType(keys.shape.elementType, keyType, "mergeSort.outputKeys");
    if (values !== absent) {
      checkOutputType(values.shape.elementType, valueType, "mergeSort.outputValues");
      checkStructValues(values.shape, valueType);
    }
    return {
      algorithm,
      slots: [
        { shape: keys.shape, as: keyType, direction: "input" },
        { shape: values.shape, as: valueType, direction: values === absent ? "both" : "input" },
        { shape: keysOut.shape, as: keyType, direction: "output" },
        { shape: valuesOut.shape, as: valueType, direction: values === absent ? "both" : "output" },
      ],
      operators: [specializeOrder(use, keyType, "mergeSort.op")],
      options: {},
    };
  },

  host({ count, read, write, operators }) {
    const [keysIn, valuesIn] = read;
    const [, , keysOut, valuesOut] = write;
    const [isBefore] = operators;
    if (!keysIn || !valuesIn || !keysOut || !valuesOut || !isBefore) throw new Error("an argument is missing");
    const items = Array.from({ length: count }, (_, i): [ElementValue, ElementValue] => [keysIn(i), valuesIn(i)]);
    items.sort(([a], [b]) => (isBefore(a, b) === true ? -1 : isBefore(b, a) === true ? 1 : 0));
    items.forEach(([key, value], i) => {
      keysOut(i, key);
      valuesOut(i, value);
    });
    return undefined;
  },
});

/**
 * Sorts keys by an order of your own, and values with them. Stable: what comes neither before nor after another keeps
 * its side of it.
 *
 * Keys and values are of any type, structs too (values of up to 10 bytes beside keys of 4 bytes or fewer, of 22 beside
 * keys of 8, and of more beside larger ones; keys of up to 181), and convert to the outputs' types as they are read, as
 * a store into their typed arrays would; values that are structs do not convert, and come from an array. The operator
 * sees keys of the output's type. One that is true of equal keys, or that answers a number, is no order: it is refused
 * where that shows before it runs, and the result is undefined elsewhere. The outputs may be exactly the inputs, and
 * share no other memory. Enqueued on the stream; the result is the same in each run. Implements CUB's DeviceMergeSort.
 *
 * @throws TypeError or RangeError naming the option at fault, CompileError for the operator, OutOfDeviceMemoryError
 */
export function mergeSort<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: MergeSortOptions<K, KO, V, VO>): void {
  forms.run(options);
}

/**
 * Builds a sort for the types of these options now. The function it returns keeps no array, and takes `op` again only
 * where it captures values.
 */
export function makeMergeSort<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: MergeSortOptions<K, KO, V, VO>): (options: MergeSortOptions<K, KO, V, VO>) => void {
  return forms.make(options);
}

/** {@link makeMergeSort}, compiling off the event loop. */
export function makeMergeSortAsync<
  K extends ElementSpec,
  KO extends Convertible<K>,
  V extends ElementSpec = "uint8",
  VO extends Convertible<V> = Convertible<V>,
>(options: MergeSortOptions<K, KO, V, VO>): Promise<(options: MergeSortOptions<K, KO, V, VO>) => void> {
  return forms.makeAsync(options);
}
