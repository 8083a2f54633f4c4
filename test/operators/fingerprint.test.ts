import { bind, cpp, float32, fused, int32 } from "../../lib/operators";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

const fingerprint = (text: string, signature = "float32, float32"): string =>
  specialize(functionFrom(`(${text})`), signature).fingerprint;

const reference = "(a, b) => { const d = a - b; if (d > 0) return d * 2; return d; }";

describe("the fingerprint does not see", () => {
  test.each([
    ["names", "(left, right) => { const delta = left - right; if (delta > 0) return delta * 2; return delta; }"],
    ["layout", "(a,b)=>{const d=a-b;if(d>0)return d*2;return d}"],
    ["comments", "(a /* A */, b) => { // first\n const d = a - b; if (d > 0) return d * 2; /* last */ return d; }"],
    ["parentheses and braces", "(a, b) => { const d = ((a) - b); if ((d > 0)) { return (d * 2); } return (d); }"],
    ["how a literal is written", "(a, b) => { const d = a - b; if (d > 0x0) return d * 2.0; return d; }"],
    ["the form of the function", `function f(a, b) { const d = a - b; if (d > 0) return d * 2; return d; }`],
    ["let or const, and directives", "(a, b) => { 'use strict'; let d = a - b; if (d > 0) return d * 2; return d; }"],
    ["dead code", "(a, b) => { const d = a - b; if (d > 0) return d * 2; return d; return 1; }"],
    [
      "coverage counters",
      "(a, b) => { cov_1x2y3().f[0]++; const d = (cov_1x2y3().s[0]++, a - b); cov_1x2y3().s[1]++; " +
        "if (d > 0) { cov_1x2y3().b[0][0]++; return d * 2; } else { cov_1x2y3().b[0][1]++; } return d; }",
    ],
  ])("%s", (_what, text) => {
    expect(fingerprint(text)).toBe(fingerprint(reference));
  });

  test("the way that a helper was imported", () => {
    const direct = fingerprint("(a, b) => int32(a) + b");
    expect(fingerprint("(a, b) => (0, compute_1.int32)(a) + b")).toBe(direct);
    expect(fingerprint("(a, b) => compute.int32(a) + b")).toBe(direct);
  });
});

describe("the fingerprint sees", () => {
  test.each([
    ["a constant", "(a, b) => { const d = a - b; if (d > 0) return d * 3; return d; }"],
    ["the sign of zero", "(a, b) => { const d = a - b; if (d > -0) return d * 2; return d; }"],
    ["an operator", "(a, b) => { const d = a + b; if (d > 0) return d * 2; return d; }"],
    ["a comparison", "(a, b) => { const d = a - b; if (d >= 0) return d * 2; return d; }"],
    ["the order of operands", "(a, b) => { const d = b - a; if (d > 0) return d * 2; return d; }"],
    ["which variable is meant", "(a, b) => { const d = a - b; if (d > 0) return d * 2; return a; }"],
  ])("%s", (_what, text) => {
    expect(fingerprint(text)).not.toBe(fingerprint(reference));
  });

  test("each parameter's type and the result's", () => {
    const signatures = ["float32, float32", "float64, float32", "float32, float64", "int32, int32"];
    signatures.push("float32, float32 -> int32", "float32, float32 -> float64");
    expect(new Set(signatures.map((signature) => fingerprint(reference, signature))).size).toBe(signatures.length);
  });

  test("a capture's type, but not its value", () => {
    const bound = (k: number | bigint | boolean): string =>
      specialize(
        bind((x: number, c: { k: number | bigint | boolean }) => (c.k ? x : 0), { k }),
        "float32",
      ).fingerprint;
    expect(bound(1)).toBe(bound(2));
    expect(new Set([bound(1), bound(1n), bound(true)]).size).toBe(3);
  });

  test("a captured number that stands for a parameter", () => {
    const k = 1;
    const captured = specialize((a: number, _b: number) => a + k, "float64, float64").fingerprint;
    expect(captured).not.toBe(fingerprint("(a, b) => a + b", "float64, float64"));
  });

  test("the source, function and types of operators in C++", () => {
    const source = "__device__ float f(float a) { return a; } __device__ float g(float a) { return -a; }";
    const prints = [
      specialize(cpp(source, { name: "f" }), "float32 -> float32"),
      specialize(cpp(source, { name: "g" }), "float32 -> float32"),
      specialize(cpp(source, { name: "g" }), "float32 -> float64"),
      specialize(cpp(`${source} `, { name: "g" }), "float32 -> float32"),
    ].map((specialized) => specialized.fingerprint);
    expect(new Set(prints).size).toBe(4);
  });
});

test("equal meanings by different conversions keep different fingerprints", () => {
  expect(specialize((x: number) => int32(x), "float32").fingerprint).not.toBe(
    specialize((x: number) => float32(x), "float32").fingerprint,
  );
});

describe("fused operators", () => {
  const op = (a: number, b: number): number => a * b + 1;

  test("are other operators, with plain products and sums of floats", () => {
    const plain = specialize(op, "float32, float32");
    const loose = specialize(fused(op), "float32, float32");
    expect(loose.fingerprint).not.toBe(plain.fingerprint);
    expect(loose.cuda("f")).toContain("((p0 * p1) + 1.0f)");
    expect(plain.cuda("f")).toContain("cuda_compute::add(cuda_compute::multiply(p0, p1), 1.0f)");
    expect(specialize(fused(op), "int32, int32").cuda("f")).toContain(
      "cuda_compute::add(cuda_compute::multiply(p0, p1), 1)",
    );
    expect(loose.use.operator).toBe(specialize(fused(op), "float32, float32").use.operator);
  });

  test("may be bound, and are the same on the host", () => {
    const bound = bind((x: number, { k }: { k: number }) => x * k + 1, { k: 3 });
    expect(evaluate(fused(bound), "float32", 2)).toBe(7);
    expect(specialize(fused(bound), "float32").cuda("f")).toContain("* ");
  });

  test("of CUDA C++ or of no operator are refused", () => {
    expect(thrownBy(() => fused(3 as never)).message).toContain("fused.op");
    expect(thrownBy(() => fused(cpp("__device__ int f(int a) { return a; }") as never)).message).toContain("fused.op");
  });
});
