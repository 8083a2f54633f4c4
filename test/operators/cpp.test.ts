import { cpp } from "../../lib/operators";
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
  expect(unknown.message).toContain("reduceInto.op: the result type of op is not plain");
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
