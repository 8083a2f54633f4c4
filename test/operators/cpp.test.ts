import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DeviceArray } from "../../lib";
import { bind, cpp, ltoir, resolveOperator } from "../../lib/operators";
import { specialize, thrownBy } from "./helpers";

test("name and arity are those of the last function that the source defines", () => {
  const operator = cpp(`
    // __device__ float ignored(float a) { return a; }
    template <class T> __device__ T helper(T a) { return a; }
    __device__ __forceinline__ float scaled(float a, float b) { return helper(a) * b; }`);
  expect(operator.arity).toBe(2);
  expect(specialize(operator, "float32, float32").cuda("f")).toContain("f_source::scaled(");
});

test("name and arity can be given", () => {
  const source = "__device__ int one(int a) { return a; } __device__ int two(int a, int b) { return a + b; }";
  expect(cpp(source, { name: "one" }).arity).toBe(1);
  expect(cpp("DEFINE_OPERATOR(op)", { name: "op", arity: 2 }).arity).toBe(2);
});

test("equal sources are one operator", () => {
  const make = (): unknown => cpp("__device__ float op(float a) { return a + 1; }");
  expect(make()).toBe(make());
});

test("the result type is the one that is spelled out, or the one that is asked for", () => {
  expect(specialize(cpp("__device__ double op(float a) { return a; }"), "float32").resultType.name).toBe("float64");
  expect(specialize(cpp("__device__ long long op(int a) { return a; }"), "int32").resultType.name).toBe("int64");
  expect(specialize(cpp("__device__ auto op(int a) { return a; }"), "int32 -> int8").resultType.name).toBe("int8");
  const unknown = thrownBy(() => specialize(cpp("__device__ auto op(int a) { return a; }"), "int32"));
  expect(unknown.message).toContain("reduceInto.op: the result type of the function is not plain");
});

test("16-bit floats are CUDA's own types", () => {
  const text = specialize(cpp("__device__ float op(__half a, __nv_bfloat16 b) { return a; }"), "float16, bfloat16 -> float16").cuda("f"); // prettier-ignore
  expect(text).toContain("#include <cuda_fp16.h>");
  expect(text).toContain("#include <cuda_bf16.h>");
  expect(text).toContain("*static_cast<const __half*>(operand0), *static_cast<const __nv_bfloat16*>(operand1)");
  expect(text).toContain("*static_cast<__half*>(out) = static_cast<__half>(");
});

test("includes go to the head and lines keep their numbers", () => {
  const text = specialize(cpp("#include <cuda/std/cmath>\n__device__ float op(float a) { return a; }"), "float32").cuda("f"); // prettier-ignore
  const lines = text.split("\n");
  expect(lines.indexOf("#include <cuda/std/cmath>")).toBeLessThan(lines.indexOf("namespace f_source {"));
  expect(lines[lines.indexOf('#line 1 "operator.cu"') + 2]).toBe("__device__ float op(float a) { return a; }");
});

test("the host backend cannot run it, and the error says so", () => {
  const error = thrownBy(() => specialize(cpp("__device__ float op(float a) { return a; }"), "float32").host([]));
  expect(error.code).toBe("ERR_OPERATOR_NEEDS_CUDA");
  expect(error.message).toMatch(/^reduceInto\.op: .*cuda backend/);
});

test.each([
  ["not a text", 5, {}, /cpp\.source: expected CUDA C\+\+ text/],
  ["no function", "int x;", {}, /cpp\.source: .*name and arity/],
  ["a name that C++ has not", "__device__ int f(int a) { return a; }", { name: "a b" }, /cpp\.name/],
  ["three elements", "__device__ int f(int a) { return a; }", { arity: 3 }, /cpp\.arity: expected 1 or 2/],
])("%s is refused", (_what, source, options, message) => {
  expect(thrownBy(() => cpp(source as string, options)).message).toMatch(message);
});

describe("captured values of an operator in CUDA C++", () => {
  const op = cpp("__device__ float op(float x, const State& state) { return x * state.scale + state.table[0]; }");
  const table = DeviceArray.from(new Int16Array([1, 2]));

  test("are members of State, in the order of the object and in C++'s layout", () => {
    const bound = specialize(bind(op, { flag: true, scale: 2, table, whole: 1n }), "float32");
    expect(op.arity).toBe(1);
    expect([bound.stateSize, bound.stateAlignment]).toEqual([40, 8]);
    const text = bound.cuda("f");
    expect(text).toContain(
      "struct State {\n  bool flag;\n  double scale;\n  DeviceSpan<short> table;\n  long long whole;\n};",
    );
    expect(text).toContain("sizeof(State) == 40");
    expect(text).toContain(
      "f_source::op(*static_cast<const float*>(operand0), *static_cast<const f_source::State*>(state))",
    );
  });

  test("are read at every call; their types decide which operator it is", () => {
    const captures: { scale: number | bigint; table: DeviceArray } = { scale: 2, table };
    const bound = bind(op, captures);
    const first = resolveOperator(bound, 1, "op");
    captures.scale = 3;
    const second = resolveOperator(bound, 1, "op");
    expect(second.operator).toBe(first.operator);
    expect([first.values[0], second.values[0]]).toEqual([2, 3]);
    captures.scale = 3n;
    expect(resolveOperator(bound, 1, "op").operator).not.toBe(first.operator);
  });

  test.each<[string, object, RegExp]>([
    ["a string", { scale: "2" }, /`scale` is a string/],
    ["a typed array", { table: new Float32Array(1) }, /`table` is an object of Float32Array.*DeviceArray\.from/],
    ["a name that C++ has not", { "a-b": 1 }, /`a-b` is no name/],
  ])("%s is refused", (_what, captures, message) => {
    const error = thrownBy(() => resolveOperator(bind(op, captures), 1, "reduceInto.op"));
    expect(error.code).toBe("ERR_OPERATOR_CAPTURE");
    expect(error.message).toMatch(message);
  });

  test("are needed where the function takes a State, and refused where it does not", () => {
    expect(thrownBy(() => specialize(op, "float32")).message).toContain("bind(cpp(");
    expect(thrownBy(() => bind(cpp("__device__ int f(int a) { return a; }"), { k: 1 })).message).toContain("State");
  });
});

describe("LTO-IR", () => {
  const code = readFileSync(join(__dirname, "fixtures/scaled-difference.ltoir"));
  const options = { name: "scaled_difference", parameters: ["float32", "float32"], result: "float32" } as const;

  test("is an operator with the types that are named, linked once", () => {
    const op = ltoir(code, options);
    expect(op).toBe(ltoir(new Uint8Array(code), options));
    expect(op.arity).toBe(2);
    const specialized = specialize(op, "int8, float64");
    expect(specialized.resultType.name).toBe("float32");
    expect(specialized.linked).toHaveLength(1);
    expect(specialized.cuda("f")).toContain('extern "C" __device__ float scaled_difference(float, float);');
  });

  test.each<[string, unknown, object, RegExp]>([
    ["a text", "code", {}, /ltoir\.code/],
    ["nothing", new Uint8Array(0), {}, /ltoir\.code/],
    ["no symbol", code, { name: "a b" }, /ltoir\.name/],
    ["three parameters", code, { parameters: ["int8", "int8", "int8"] }, /ltoir\.parameters/],
    ["an unknown type", code, { parameters: ["int9"] }, /ltoir\.parameters\[0\]/],
    ["no result", code, { result: undefined }, /ltoir\.result/],
  ])("%s is refused", (_what, given, other, message) => {
    expect(thrownBy(() => ltoir(given as Uint8Array, { ...options, ...other })).message).toMatch(message);
  });
});
