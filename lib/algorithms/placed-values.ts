/**
 * Values that the library moves by their places. It is given 0, 1, 2, … for them, and where it writes a place, the value
 * there is written: for types that it cannot move itself.
 */
import { Access } from "../backends/cuda/native";
import { type Argument, type Shape, absent, defineShape } from "../builds/shape";
import { counting } from "../iterators/counting";
import { cudaConvert, hostConvert } from "../types/convert";
import { scalarTypes } from "../types/scalar";
import { cudaDefinitions } from "../types/struct";
import type { Call } from "./call";

/** The slots of the values themselves, behind the library's own. */
export const Placed = { input: 5, output: 6 } as const;

/** What the library reads as values. */
export const places: Argument = counting(0n, "uint64");

/** Where the input's state lies behind the output's. */
const inputOffset = (input: Shape, output: Shape): number => {
  const alignment = Math.max(8, input.stateAlignment);
  return Math.ceil(output.stateSize / alignment) * alignment;
};

/** The shape of what the library writes values to: takes a place, and writes the value there. */
export function placedShape(input: Shape, output: Shape): Shape {
  const { elementType: from, cudaInput } = input;
  const { elementType: to, cudaOutput } = output;
  if (cudaInput === undefined || cudaOutput === undefined) throw new Error("values that cannot be moved");
  const offset = inputOffset(input, output);
  const alignment = Math.max(8, input.stateAlignment, output.stateAlignment);
  return defineShape({
    elementType: scalarTypes.uint64,
    isPointer: false,
    hasUserCode: input.hasUserCode || output.hasUserCode,
    linked: [...input.linked, ...output.linked],
    stateSize: Math.ceil((offset + input.stateSize) / alignment) * alignment,
    stateAlignment: alignment,
    cudaInput: undefined,
    cudaOutput: (prefix) =>
      cudaDefinitions([from, to]) +
      cudaInput(`${prefix}_from`) +
      cudaOutput(`${prefix}_to`) +
      `struct alignas(${String(Math.max(8, input.stateAlignment))}) ${prefix}_state { ` +
      `unsigned char bytes[${String(Math.max(1, input.stateSize))}]; };\n` +
      `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
      `  ${prefix}_to_advance(state, count);\n}\n` +
      `static __device__ __forceinline__ void ${prefix}_store(const void* state, const void* place) {\n` +
      `  ${prefix}_state from = *reinterpret_cast<const ${prefix}_state*>(` +
      `static_cast<const char*>(state) + ${String(offset)});\n` +
      `  ${prefix}_from_advance(&from, *static_cast<const unsigned long long*>(place));\n` +
      `  ${from.cudaStorage} value;\n  ${prefix}_from_load(&from, &value);\n` +
      `  const ${to.cudaStorage} converted = ${cudaConvert(from, to, "value")};\n` +
      `  ${prefix}_to_store(state, &converted);\n}\n`,
  });
}

const outputs = new WeakMap<Call, Argument>();

/** What the library writes values to, made once for a call object: it reads the call's slots as the work starts. */
export function placedOutput(call: Call): Argument {
  let output = outputs.get(call);
  if (output === undefined) {
    const values = (slot: number): Argument => call.slots[slot] as Argument;
    output = {
      ...absent,
      writeState(frame, position) {
        const [from, to] = [values(Placed.input), values(Placed.output)];
        to.writeState(frame, position, Access.write);
        from.writeState(frame, position + inputOffset(from.shape, to.shape), Access.read);
      },
      hostWriter() {
        const [from, to] = [values(Placed.input), values(Placed.output)];
        const read = from.hostReader();
        const write = to.hostWriter();
        const convert = hostConvert(from.shape.elementType, to.shape.elementType);
        return (index, place) => {
          write(index, convert(read(Number(place))));
        };
      },
    };
    outputs.set(call, output);
  }
  return output;
}
