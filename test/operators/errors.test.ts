import { ArgumentTypeError, CompileError } from "../../lib/errors";
import { cpp, ops, resolveOperator } from "../../lib/operators";
import { FunctionText } from "../../lib/operators/function-operator";
import { functionFrom, specialize, thrownBy } from "./helpers";

/** The characters of the frame's source that it underlines, on the line that it marks. */
function underlined(frame: string): string {
  const lines = frame.split("\n");
  const marker = lines.findIndex((line) => /^\s*\|\s*\^/.test(line));
  const carets = lines[marker] ?? "";
  return (lines[marker - 1] ?? "").slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1);
}

const capture = "ERR_OPERATOR_CAPTURE";

/** The function, what is underlined, a piece of the advice, and the code where it is another than `ERR_OPERATOR`. */
const refused: [text: string, construct: string, advice: string, code?: string][] = [
  ["(a, b) => { for (let i = 0; i < 2; Math.abs(i)) {} return a; }", "Math.abs(i)", "Return the value"],
  ["(a, b) => { let c = a; for (;; c > 0 && (c -= 1)) { if (c) return b; } }", "c > 0 && (c -= 1)", "loop's body"],
  ["(a, b) => { outer: for (;;) { break outer; } }", "outer: for (;;) { break outer; }", "`if`"],
  ["(a, b) => { while (a) { return b; } }", "}", "`return`"],
  ["(a, b) => { for (;;) { if (a) break; return b; } }", "}", "`return`"],
  ["(a, b) => { let c; for (let i = 0; i < 2; i++) c = a; return c; }", "c", "declared"],
  ["(a, b) => { let c; do { if (a) break; c = b; } while (b); return c; }", "c", "declared"],
  ["(a, b) => { for (const x of a) return x; }", "for (const x of a) return x;", "algorithm"],
  ["(a, b) => { for (const x in a) return x; }", "for (const x in a) return x;", "algorithm"],
  ["(a, b) => { switch (a) { case 1: return b; } }", "}", "`return`"],
  ["(a, b) => { switch (a) { case 1: return b; default: if (b) break; return a; } }", "}", "`return`"],
  ["(a, b) => { switch (a) { case 1: let t = b; break; case 2: return t; } return a; }", "t", "no value"],
  ["(a, b) => { switch (a) { case t: let t = b; } return a; }", "t", "Declare it first"],
  ["(a, b) => { let t; switch (a) { case 1: t = b; break; case 2: t = 1; } return t; }", "t", "no value"],
  [
    "(a, b) => { let t; switch (a) { case 1: if (b) break; t = b; break; default: t = 1; } return t; }",
    "t",
    "no value",
  ],
  ["(a, b) => { let t; switch (a) { case 1: t = b; case 2: return t; } return a; }", "t", "no value"],
  ["(a, b) => { switch (a) { case 'x': return b; default: return a; } }", "'x'", "Use numbers"],
  ["(a, b) => { switch (a) { case true: return b; default: return a; } }", "true", "Boolean(x)"],
  ["(a, b) => { switch (a) { case (b = 1): return b; default: return a; } }", "b = 1", "statement of its own"],
  ["(a, b) => { switch (a) { case 1: const t = b; t = 2; } return a; }", "t", "`let`"],
  ["(a, b) => { try { return a; } catch { return b; } }", "try { return a; } catch { return b; }", "remove it"],
  ["(a, b) => { throw a; }", "throw a;", "NaN"],
  ["(a, b) => { debugger; return a; }", "debugger;", "Remove"],
  ["(a, b) => { x: return a; }", "x: return a;", "`if`"],
  ["(a, b) => { if (a) { var c = 1; } return c; }", "c", "declared"],
  ["(a, b) => { function f() {} return a; }", "function f() {}", "in place"],
  ["(a, b) => { class C {} return a; }", "class C {}", "local variables"],
  ["(a, b) => { a + b; return a; }", "a + b", "Return the value"],
  ["(a, b) => { console.log(a); return a; }", "console.log", "Math.*", capture],
  ["(a, b) => { return; }", "}", "`return`"],
  ["(a, b) => { if (a) return; return b; }", "return;", "Return what"],
  ["(a, b) => { if (a) return b; }", "}", "`return`"],
  ["(a, b) => { const c = a; c = b; return c; }", "c", "`let`"],
  ["(a, b) => { let c; return c; }", "c", "declared"],
  ["(a, b) => { let c; if (a) c = 1; return c; }", "c", "declared"],
  ["(a, b) => { const d = c; const c = a; return d; }", "c", "Declare it first"],
  ["(a, b) => { outer = a; return b; }", "outer", "atomicAdd"],
  ["(a, b) => { a.x = b; return b; }", "a.x", "...p, x: 1"],
  ["(a, b) => { let c = a; return c + c++; }", "c++", "statement of its own"],
  ["(a, b) => { let c = a; return 1 + (b && c++); }", "c++", "statement of its own"],
  ["(a, b) => a.x++ + b", "a.x++", "statement of its own"],
  ["(a, b) => { let c = 1; return c + (c = a); }", "c = a", "statement"],
  ["(a, b) => { let c = a; c ??= b; return c; }", "c ??= b", "`if`"],
  ["(a, b) => { const { x } = a; return x; }", "x", "Capture"],
  ["(a, b) => { const [x] = a; return x; }", "a", "captured DeviceArray"],
  ["(a, b) => [a, b] + 1", "[a, b]", "one of its parts"],
  ["(a, b) => -{ a, b }", "{ a, b }", "one of its parts"],
  ["(a, b) => ({ a, b }) ? a : b", "{ a, b }", "one of its parts"],
  ["(a, b) => Math.abs([a])", "[a]", "one of its parts"],
  ["(a, b) => a > b ? { a } : b", "b", "same names"],
  ["(a, b) => { let c = { a }; c = { b }; return c.a; }", "{ b }", "same names"],
  ["(a, b) => ({})", "{}", "the fields of a struct"],
  ["(a, b) => []", "[]", "Write its items"],
  ["(a, b) => [a, , b]", "[a, , b]", "each item"],
  ["(a, b) => [...a, b]", "...a", "each item"],
  ["(a, b) => ({ ...a, b })", "a", "Spread a struct"],
  ["(a, b) => ({ a, b() {} })", "b() {}", "values alone"],
  ["(a, b) => ({ get a() { return b; } })", "get a() { return b; }", "values alone"],
  ["(a, b) => ({ [a]: b })", "a", "field's name"],
  ["(a, b) => ({ a, b }).c", "({ a, b }).c", "one of its fields"],
  ["(a, b) => [a, b + 0.5][b]", "[a, b + 0.5][b]", "number of one of its parts"],
  ["(a, b) => { const { x = 1 } = { x: a }; return x; }", "x = 1", "each part"],
  ["(a, b) => { const [x, ...y] = [a, b]; return x; }", "...y", "each part"],
  ["(a, b) => new Date(a)", "new Date(a)", "structs of them"],
  ["(a, b) => 'x'", "'x'", "Use numbers"],
  ["(a, b) => `x`", "`x`", "Use numbers"],
  ["(a, b) => /x/", "/x/", "Use numbers"],
  ["(a, b) => null", "null", "Use numbers"],
  ["(a, b) => undefined", "undefined", "NaN"],
  ["(a, b) => atomicAdd(a, 0, 1)", "a", "captured DeviceArray"],
  ["(a, b) => { a[0] = b; return b; }", "a", "captured DeviceArray"],
  ["(a, b) => { if (a) atomicAdd(b); return b; }", "atomicAdd(b)", "takes 3"],
  ["function f(a, b) { return a > 0 ? f(a - 1, b) : b; }", "f(a - 1, b)", "loop"],
  ["(a, b) => typeof a", "typeof a", "Use numbers"],
  ["(a, b) => void a", "void a", "Use numbers"],
  ["(a, b) => a in b", "a in b", "arithmetic"],
  ["(a, b) => a instanceof b", "a instanceof b", "arithmetic"],
  ["(a, b) => a ?? b", "a ?? b", "table[i] ?? 0"],
  ["(a, b) => a?.x", "a?.x", "`.`"],
  ["(a, b) => a.x", "a.x", "Capture"],
  ["(a, b) => a[0]", "a", "captured DeviceArray"],
  ["(a, b) => (a, b)", "a", "Return the value"],
  ["(a, b) => (x => x)(a)", "(x => x)(a)", "in place"],
  ["(a, b) => x => x", "x => x", "in place"],
  ["(a, b) => parseInt(a)", "parseInt", "Math.*", capture],
  ["(a, b) => a(b)", "a", "Math.*"],
  ["(a, b) => { const c = a; return c(b); }", "c", "outside of the operator"],
  ["(a, b) => Math.random()", "Math.random()", "docs/operators.md"],
  ["(a, b) => Math.square(a)", "Math.square(a)", "docs/operators.md"],
  ["(a, b) => Math.sumPrecise(a)", "Math.sumPrecise(a)", "docs/operators.md"],
  ["(a, b) => Number.parseFloat(a)", "Number.parseFloat(a)", "docs/operators.md"],
  ["(a, b) => Math.atan2(a)", "Math.atan2(a)", "takes 2"],
  ["(a, b) => Math.sin(a, b)", "Math.sin(a, b)", "takes 1"],
  ["(a, b) => Math.max(...a)", "...a", "each argument"],
  ["(a, b) => Math.sin", "Math.sin", "Call it"],
  ["(a, b) => Math.TAU", "Math.TAU", "docs/operators.md"],
  ["(a, b) => Math", "Math", "Call it"],
  ["(a, b) => int32", "int32", "Call it"],
  ["(a, b) => int32()", "int32()", "takes 1"],
  ["(a, b) => import('x')", "import('x')", "outside"],
  ["(a, b) => a`x`", "a`x`", "Use numbers"],
  ["function (a, b) { return this.x; }", "this", "Capture"],
  ["function (a, b) { return arguments[0]; }", "arguments", "Name the parameters"],
  ["function (a, b) { return new.target; }", "new.target", "Remove"],
  ["(a, ...b) => a", "...b", "Name each parameter"],
  ["(a, b = a) => b", "a", "Write a number"],
  ["(a, b = k) => b", "k", "Write a number"],
  ["(a, { x }) => a", "x", "Capture"],
  ["(a, [x]) => a", "[x]", "captured DeviceArray"],
  ["(a, b) => { let i = 0; for (; i < 2; i++, a) {} return b; }", "a", "Return the value"],
  ["(a, b) => { for (let i = 0; a, i < 2; i++) {} return b; }", "a, i < 2", "one statement for each part"],
  ["(a, b) => (a, b) + 1", "a, b", "one statement for each part"],
  ["(a, b) => { return a, b; }", "a", "Return the value"],
  ["(a, b) => { a: for (;;) { for (;;) { continue a; } } }", "a: for (;;) { for (;;) { continue a; } }", "`if`"],
  ["(a, b) => { for (;;) a += 1; }", "}", "`return`"],
  ["(a, b) => {}", "}", "`return`"],
  ["(a, b) => { try { return a; } finally { b = 1; } }", "try { return a; } finally { b = 1; }", "remove it"],
  ["function (a, b) { with (a) { return b; } }", "with (a) { return b; }", "Name the values"],
  ["(a, b) => { 1; return a; }", "1", "Return the value"],
  ["(a, b) => { Math.abs(a); return a; }", "Math.abs(a)", "Return the value"],
  ["(a, b) => { const c = 1; c++; return c; }", "c", "`let`"],
  ["(a, b) => { const c = 1; return c += a; }", "c", "`let`"],
  ["(a, b) => { c = a; let c; return c; }", "c", "Declare it first"],
  ["(a, b) => { let c = c + 1; return c; }", "c", "Declare it first"],
  ["(a, b) => { { let c = a; } return c; }", "c", "Operators capture", capture],
  ["(a, b) => { for (let x = a; ; ) { let y; if (x > y) return x; } }", "y", "declared"],
  ["function f(a, b) { f = a; return b; }", "f", "Return the value"],
  ["(a, b) => { Math.x = a; return b; }", "Math.x", "Make a new value"],
  ["(a, b) => { globalThis.x = a; return b; }", "globalThis.x", "Make a new value"],
  ["(a, b) => 1 + (b > 0 ? (a = 1) : a)", "a = 1", "statement of its own"],
  ["(a, b) => 1 + (b && (a = 1))", "a = 1", "statement of its own"],
  ["(a, b) => ++a + --a", "--a", "statement of its own"],
  ["(a, b) => { do { if (a++ > 9) continue; } while ((b -= 1) > 0); return a; }", "b -= 1", "statement of its own"],
  ["(a, b) => { do { a++; if (a > 9) continue; } while ((b -= 1) > 0); return a; }", "b -= 1", "statement of its own"],
  ["(a, b) => { let c = a; c = a ?? b; return c; }", "a ?? b", "table[i] ?? 0"],
  ["(a, b) => a + 'x'", "'x'", "Use numbers"],
  ["(a, b) => a == null", "null", "Use numbers"],
  ["(a, b) => `${a}`", "`${a}`", "Use numbers"],
  ["(a, b) => void 0", "void 0", "Use numbers"],
  ["(a, b) => delete a.x", "delete a.x", "Use numbers"],
  ["(a, b) => typeof a === 'number'", "typeof a", "Use numbers"],
  ["(a, b) => a === true", "a === true", "Boolean(x)"],
  ["(a, b) => a?.[0]", "a?.[0]", "`.`"],
  ["(a, b) => Math?.abs(a)", "Math?.abs(a)", "`.`"],
  ["(a, b) => a.toFixed(2)", "a.toFixed", "a captured function"],
  ["(a, b) => { const f = function (x) { return x; }; return f(a); }", "function (x) { return x; }", "in place"],
  ["(a, b) => { const f = async (x) => x; return a; }", "async (x) => x", "in place"],
  [
    "(a, b) => { for (var i = 0; i < 2; i++) (function (i) { a += i; })(i); return a; }",
    "(function (i) { a += i; })(i)",
    "in place",
  ],
  ["(a, b) => class {}", "class {}", "local variables"],
  ["(a, b) => [a, b].map((x) => x)[0]", "[a, b].map((x) => x)", "in place"],
  ["(a, b) => String(a)", "String", "Math.*", capture],
  ["(a, b) => Symbol()", "Symbol", "Math.*", capture],
  ["(a, b) => Date.now()", "Date.now", "Math.*", capture],
  ["(a, b) => BigInt.asIntN(8, a)", "a", "BigInt(x)"],
  ["(a, b) => BigInt.parse(a)", "BigInt.parse(a)", "docs/operators.md"],
  ["(a, b) => { Atomics.add(a, 0, b); return a; }", "Atomics.add", "Math.*", capture],
  ["(a, b) => globalThis.x", "globalThis.x", "Operators capture", capture],
  ["(a, b) => Math['random']()", "Math['random']()", "docs/operators.md"],
  ["(a, b) => Math.PI()", "Math.PI()", "docs/operators.md"],
  ["(a, b) => Number.MAX", "Number.MAX", "docs/operators.md"],
  ["(a, b) => Number()", "Number()", "takes 1"],
  ["(a, b) => isNaN(a, b)", "isNaN(a, b)", "takes 1"],
  ["function (a, b) { return arguments.length; }", "arguments", "Name the parameters"],
  ["({ f(a, b) { return this.g(a); } }).f", "this", "Capture"],
  ["({ f(a, b) { return super.x; } }).f", "super", "Capture"],
  ["({ f(a, b) { return super.g(a); } }).f", "super", "Capture"],
  ["(class { #x = 1; f(a, b) { return a + this.#x; } }).prototype.f", "this.#x", "Capture"],
  ["(class { #x = 1; f(a, b) { return #x in a; } }).prototype.f", "#x in a", "arithmetic"],
  ["(function () { return (a, b) => new.target; })()", "n", "can only be used in functions"],
];

describe("a construct outside of the language is refused, underlined, with advice", () => {
  test.each(refused)("%s", (text, construct, advice, code = "ERR_OPERATOR") => {
    const error = thrownBy(() => specialize(functionFrom(`(${text})`), "int32, int32"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.code).toBe(code);
    expect(underlined(error.frame ?? "")).toBe(construct);
    expect(error.message).toMatch(/^reduceInto\.op: /);
    expect(error.message).toContain(advice);
  });

  test("import.meta, which only functions of modules have", () => {
    const error = thrownBy(() => new FunctionText("(a, b) => import.meta.x", "reduceInto.op", false));
    expect(error.code).toBe("ERR_OPERATOR");
    expect(underlined(error.frame ?? "")).toBe("import.meta");
    expect(error.message).toContain("Remove");
  });
});

test("what a script takes for a comment and a module for operators is refused, as the text is that of either", () => {
  for (const text of ["(a, b) => a <!--b\n", "(a, b) => {\n  return a <!--b; }", "(a, b) => a\n--> b"]) {
    const error = thrownBy(() => new FunctionText(text, "reduceInto.op", false));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain("operators in a module");
    expect(error.frame).toContain(text.includes("<") ? "a <!--b" : "--> b");
  }
  for (const text of ["(a, b) => { /* <!-- */ return a; // -->\n }", "(a, b) => a < !(--b)", "(a, b) => a-- > b"]) {
    expect(new FunctionText(text, "reduceInto.op", false).syntax.arity).toBe(2);
  }
});

describe("an expression without a meaning for its types is refused", () => {
  test.each([
    ["(a, b) => a & b", "int64, uint64", "a & b", "int64(x)"],
    ["(a, b) => a | b", "int64, float64", "a | b", "int64(x)"],
    ["(a, b) => a >>> b", "int64, int32", "a >>> b", "uint64(x) >> n"],
    ["(a, b) => a << b", "int32, int64", "a << b", "int32(n)"],
    ["(a, b) => a << b", "int64, float32", "a << b", "int32(n)"],
    ["(a, b) => +a", "int64, int64", "+a", "Number(x)"],
    ["(a, b) => a === b", "bool, int32", "a === b", "=="],
    ["(a, b) => a + 36893488147419103232n", "int64, int64", "36893488147419103232n", "64 bits"],
    ["(a, b) => Number.isInteger(a)", "int64, int64", "Number.isInteger(a)", "always"],
    ["(a, b) => a ^ b", "uint64, int32", "a ^ b", "uint64(x)"],
    ["(a, b) => a & 1.5", "int64, int64", "a & 1.5", "int64(x)"],
    ["(a, b) => b >> 2.5", "int64, int64", "b >> 2.5", "int32(n)"],
    ["(a, b) => 1n << b", "uint64, float64", "1n << b", "int32(n)"],
    ["(a, b) => a !== b", "int64, bool", "a !== b", "=="],
    ["(a, b) => -18446744073709551616n", "int64, int64", "18446744073709551616n", "64 bits"],
  ])("%s on %s", (text, signature, construct, advice) => {
    const error = thrownBy(() => specialize(functionFrom(`(${text})`), signature));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.code).toBe("ERR_OPERATOR");
    expect(underlined(error.frame ?? "")).toBe(construct);
    expect(error.message).toContain(advice);
  });
});

describe("a form of function that cannot be compiled is named, and underlined as a whole", () => {
  const getter = "Object.getOwnPropertyDescriptor({ get f() { return 1; } }, 'f').get";
  const setter = "Object.getOwnPropertyDescriptor({ set f(a) {} }, 'f').set";
  const native = "function () { [native code] }";
  test.each([
    ["native", "Math.max", "function max() { [native code] }", "a native or bound function", "bind()"],
    ["bound", "((a, b) => a + b).bind(null)", native, "a native or bound function", "bind()"],
    ["proxy", "new Proxy((a, b) => a + b, {})", native, "a native or bound function", "bind()"],
    ["class", "(class A { m(a, b) {} })", "class A { m(a, b) {} }", "a class is not an operator", "Pass a function"],
    ["async", "(async (a, b) => a)", "async (a, b) => a", "an async function", "Remove `async`"],
    ["await", "(async (a, b) => await a)", "async (a, b) => await a", "an async function", "`await`"],
    ["for await", "(async (a) => { for await (const x of a) return x; })", "async (a) => { for await (const x of a) return x; }", "an async function", "`await`"],
    ["async method", "({ async f(a, b) { return a; } }).f", "async f(a, b) { return a; }", "an async function", "Remove `async`"],
    ["generator", "(function* (a, b) { yield a; })", "function* (a, b) { yield a; }", "a generator", "Return one value"],
    ["generator method", "({ *f(a, b) { yield a; } }).f", "*f(a, b) { yield a; }", "a generator", "Return one value"],
    ["async generator", "(async function* (a, b) { yield a; })", "async function* (a, b) { yield a; }", "an async function", "Remove `async`"],
    ["getter", getter, "get f() { return 1; }", "an accessor is not an operator", "Pass a function or a method"],
    ["setter", setter, "set f(a) {}", "an accessor is not an operator", "Pass a function or a method"],
  ])("%s", (_form, text, whole, problem, advice) => {
    const error = thrownBy(() => resolveOperator(functionFrom(text), 2, "reduceInto.op"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.code).toBe("ERR_OPERATOR");
    expect(underlined(error.frame ?? "")).toBe(whole);
    expect(error.message).toContain(`reduceInto.op: ${problem}`);
    expect(error.message).toContain(advice);
  }); // prettier-ignore
});

describe("every form of function that has a source is accepted", () => {
  test.each([
    ["arrow function", "((a, b) => a + b)"],
    ["function expression", "(function (a, b) { return a + b; })"],
    ["named function expression", "(function sum(a, b) { return a + b; })"],
    ["method", "({ sum(a, b) { return a + b; } }).sum"],
    ["method named by an expression", "({ ['s' + 1](a, b) { return a + b; } }).s1"],
    ["method named by a string", "({ 'the sum'(a, b) { return a + b; } })['the sum']"],
    ["method named get", "({ get(a, b) { return a + b; } }).get"],
    ["static method", "(class { static sum(a, b) { return a + b; } }).sum"],
    ["class method", "(class { sum(a, b) { return a + b; } }).prototype.sum"],
    ["comments everywhere", "(/* 1 */ (a, /* 2 */ b) => /* 3 */ a + b // 4\n)"],
    ["parentheses", "((a, b) => (((a) + ((b)))))"],
  ])("%s", (_form, text) => {
    const op = specialize(functionFrom(text), "int32, int32");
    expect(op.host([])(3, 4)).toBe(7);
  });
});

test("the message names line and column within the function", () => {
  const op = functionFrom("((a, b) => {\n  const c = a;\n  return c + unknown.name + Math.random();\n})");
  expect(thrownBy(() => resolveOperator(op, 2, "inclusiveScan.op")).message).toContain(
    "Math.random is not known on the GPU (line 3, column 29 of the function)",
  );
});

describe("the number of parameters must be that of the elements", () => {
  test.each([
    ["too few", (a: number) => a, 2],
    ["too many", (a: number, _b: number, _c: number) => a, 2],
    ["a named operator", ops.plus, 1],
    ["an operator in C++", cpp("__device__ float op(float a) { return a; }"), 2],
  ])("%s", (_what, op, arity) => {
    const error = thrownBy(() => resolveOperator(op, arity, "reduceInto.op"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain(`reduceInto.op: an operator of ${String(arity)} element`);
  });
});

test.each([[undefined], [null], ["plus"], [2], [{}], [[]]])("%p is not an operator", (op) => {
  const error = thrownBy(() => resolveOperator(op, 2, "reduceInto.op"));
  expect(error).toBeInstanceOf(ArgumentTypeError);
  expect(error.message).toMatch(/^reduceInto\.op: expected a function/);
});
