/** Operators in CUDA C++ and what algorithms give with them: compiled everywhere, run where there is a GPU. */
import { DeviceArray, bind, counting, cpp, reduceInto, select, struct, transformed } from "../../lib";

/** Reduces int32 items by a function of the source. */
function reduced(source: string, items: readonly number[], init: number, name?: string): unknown {
  const output = DeviceArray.empty(1, "int32");
  const op = name === undefined ? cpp(source) : cpp(source, { name });
  reduceInto({ input: DeviceArray.from(Int32Array.from(items)), output, op, init });
  return output.toArray();
}

const Extent = struct({ least: "int32", most: "float64" });

/** What is computed, how, and what comes out. */
export const cppCases: readonly (readonly [title: string, run: () => unknown, expected: unknown])[] = [
  ["a sum", () => reduced("__device__ int op(int a, int b) { return a + b; }", [1, 2, 3], 10), [16]],
  ["a product", () => reduced("__device__ int op(int a, int b) { return a * b; }", [2, 3, 4], 1), [24]],
  ["a minimum", () => reduced("__device__ int op(int a, int b) { return min(a, b); }", [5, -7, 9], 0), [-7]],
  ["a union of bits", () => reduced("__device__ int op(int a, int b) { return a | b; }", [1, 4, 8], 0), [13]],
  [
    "the function that is named, of several",
    () =>
      reduced(
        "__device__ int add(int a, int b) { return a + b; } __device__ int most(int a, int b) { return max(a, b); }",
        [1, 2, 3],
        0,
        "add",
      ),
    [6],
  ],
  [
    "a maximum of float32",
    () => {
      const output = DeviceArray.empty(1, "float32");
      const op = cpp("__device__ float op(float a, float b) { return fmaxf(a, b); }");
      reduceInto({ input: DeviceArray.from(new Float32Array([0.5, 2.5, -3])), output, op, init: -1 });
      return output.toArray();
    },
    [2.5],
  ],
  [
    "structs, the least of one field and the most of another",
    () => {
      const output = DeviceArray.empty(1, Extent);
      const input = DeviceArray.from([{ least: 5, most: 0.5 }, { least: -2, most: 0.25 }], Extent); // prettier-ignore
      const op = cpp("__device__ Result op(Operand0 a, Operand1 b) { return {min(a.least, b.least), fmax(a.most, b.most)}; }"); // prettier-ignore
      reduceInto({ input, output, op, init: { least: 0, most: 0 } });
      return output.toArray();
    },
    [{ least: -2, most: 0.5 }],
  ],
  [
    "the operator of an iterator, with a captured value",
    () => {
      const output = DeviceArray.empty(1, "float64");
      const scale = bind(cpp("__device__ double op(int x, const State& state) { return x * state.scale; }"), {
        scale: 0.5,
      });
      reduceInto({ input: transformed(counting(0), scale, "float64"), output, op: (a, b) => a + b, init: 0, numItems: 5 }); // prettier-ignore
      return output.toArray();
    },
    [5],
  ],
  [
    "a predicate that counts what it rejects",
    () => {
      const rejected = DeviceArray.zeros(1, "int32");
      const output = DeviceArray.zeros(6, "int32");
      const outputCount = DeviceArray.zeros(1, "int32");
      const source =
        "__device__ bool op(int x, const State& state) {\n" +
        "  if (x >= state.least) return true;\n  atomicAdd(&state.rejected[0], 1);\n  return false;\n}";
      select({ input: counting(0), output, outputCount, op: bind(cpp(source), { least: 4, rejected }) });
      return [rejected.toArray(), outputCount.toArray(), output.toArray()];
    },
    [[4], [2], [4, 5, 0, 0, 0, 0]],
  ],
];
