/** Statements: loops, jumps, declarations, and what minifiers make of them. JavaScript itself says what is right. */
import { evaluate, functionFrom, naturalType } from "./helpers";

/** Each function on pairs of float64: the operator must answer what JavaScript answers. */
const functions: [string, string][] = [
  ["for", "(n, x) => { let s = 0; for (let i = 0; i < n; i++) s += x * i; return s; }"],
  ["for without a test", "(n, x) => { for (let i = 0; ; i++) { if (i * x >= n || i > 50) return i; } }"],
  [
    "for with two counters",
    "(n, x) => { let s = 0; for (let i = 0, j = n; i < j; i++, j--) s += j - i + x; return s; }",
  ],
  ["for over a variable from outside", "(n, x) => { let i = 3, s = x; for (; i < n; i += 2) s += i; return s * i; }"],
  ["while", "(n, x) => { let steps = 0; while (n > 1 && steps < 99) { n = n / 2 - x; steps++; } return steps + n; }"],
  ["while (true)", "(n, x) => { let i = 0; while (true) { i += 1; if (i > n) break; } return i + x; }"],
  ["do", "(n, x) => { let i = 0; do { i += 1 + x * x; } while (i < n); return i; }"],
  ["a do that always assigns", "(n, x) => { let last; do { last = n; n--; } while (n > x + 20); return last; }"],
  [
    "continue in for",
    "(n, x) => { let s = x; for (let i = 0; i < n; i++) { if (i % 3 === 1) continue; s += i; } return s; }",
  ],
  [
    "continue in while",
    "(n, x) => { let s = x, i = 0; while (i < n) { i++; if (i & 1) continue; s += i; } return s; }",
  ],
  [
    "continue in do",
    "(n, x) => { let s = x, i = 0; do { i++; if (i & 1) continue; s += i; } while (i < n); return s; }",
  ],
  [
    "break out of the inner of two loops",
    "(n, x) => { let s = x; for (let i = 0; i < n; i++) { for (let j = 0; ; j++) { if (j >= i) break; s += j; } } return s; }",
  ],
  [
    "a variable that is new in each turn",
    "(n, x) => { let s = 0; for (let i = 0; i < n; i++) { let t = x; t += i; s += t; } return s; }",
  ],
  ["var in a block", "(n, x) => { for (var i = 0; i < n; i++) { var last = i * x; } var last = i; return last; }"],
  ["var of a parameter's name", "(n, x) => { var n = n + 1; return n * x; }"],
  ["chained assignment", "(n, x) => { let a, b; a = b = n + 1; return a * x + b; }"],
  ["a comma in return", "(n, x) => { let a = n; return a += 1, a *= 2, a - x; }"],
  ["an arrow that is a sequence", "(n, x) => (n = n * 2, x = x + n, x - 1)"],
  ["a condition that assigns first", "(n, x) => { let a; if (a = n * 2, a > x) return a; return x; }"],
  ["&& as if", "(n, x) => { n > x && (n = x); return n; }"],
  ["|| as if", "(n, x) => { n > x || (n = x); return n; }"],
  ["?: as if", "(n, x) => { n > x ? n -= x : x += 1; return n * x; }"],
  ["return of branches that assign", "(n, x) => n > x ? (n += 1, n * 2) : (x -= 1, x * 3)"],
  ["return of an assignment", "(n, x) => { let a; return a = n - x; }"],
  ["an assignment that is an operand", "(n, x) => { let a = n; return (a -= x) / 4 + a; }"],
  ["assignments that are operands", "(n, x) => { let a, b; return (a = n + 1) * x - (b = a * 2) / (a + b); }"],
  ["an assignment in an assignment's value", "(n, x) => { let a, b = 3; b -= 1 + (a = n * x); return a + b; }"],
  ["an assignment that is an argument", "(n, x) => { let a; return Math.max(a = n - x, 2) + a; }"],
  ["an assignment in a test", "(n, x) => { let a; if ((a = n - x) > 0) return a; return -a * 2; }"],
  ["an assignment under not", "(n, x) => { let a = x; if (!((a += n) > 3)) return a; return -a; }"],
  ["an assignment behind &&", "(n, x) => { let a = 0; if (n > 0 && (a = n - x) > 0) return a; return a * 2 + 1; }"],
  ["an assignment behind ||", "(n, x) => { let a = 0; if (n > 2 || (a = n - x) > 0) a += 5; else a -= x; return a; }"],
  [
    "an assignment behind &&, with what follows both",
    "(n, x) => { let a = 0, s = 1; if (n > 0 && (a = n - x) > 0) s += a; else s -= 2; return s * 3 + a; }",
  ],
  ["&& as a value, with an assignment", "(n, x) => { let a = 1; return n && (a = x + n, a * 2); }"],
  ["|| as a value, with an assignment", "(n, x) => { let a = 1; return n - 1 || (a += x, a * 2); }"],
  ["an assignment in a loop's test", "(n, x) => { let a = n, i = 0; while ((a -= 2) > x) i++; return a * 10 + i; }"],
  [
    "++ in a loop's test",
    "(n, x) => { let i = 0, s = x; for (; ++i < n; ) { if (i === 3) continue; s += i; } return s; }",
  ],
  ["++ before", "(n, x) => { let a = n; let b = ++a; return a * x + b; }"],
  ["-- behind a name, whose old value is taken", "(n, x) => { let a = n; let b = a--; return a * x + b; }"],
  ["the old value before the new one", "(n, x) => { let a = n; return a++ * 10 + a + x; }"],
  ["old values of one name, one after the other", "(n, x) => { let a = n; return a++ - a++ * 3 + a * x; }"],
  ["an old value, and then an assignment to the same name", "(n, x) => { let a = n; return a-- * 10 + (a = x) + a; }"],
  ["the old value of a parameter", "(n, x) => { const old = n++; return old * n - x--; }"],
  ["an old value as an argument", "(n, x) => Math.max(n++, x) + n"],
  ["an old value in a condition", "(n, x) => { if (n-- > x) return n; return -n; }"],
  ["an old value behind &&", "(n, x) => { let i = 2; if (n > 0 && i-- > x) return i; return i * 10; }"],
  ["an old value that is assigned to its own name", "(n, x) => { n = n++; return n + x; }"],
  ["an old value in the test of while", "(n, x) => { let i = 9, s = x; while (i-- > n) s += i; return s * 100 + i; }"],
  [
    "an old value in the test of while, with continue",
    "(n, x) => { let i = 9, s = x; while (i-- > n) { if (i === 4) continue; s += i; } return s * 100 + i; }",
  ],
  [
    "an old value in the test of do",
    "(n, x) => { let i = 9, s = x; do { s += i; } while (i-- > n); return s * 100 + i; }",
  ],
  ["an old value in the test of for", "(n, x) => { let s = x; for (let i = 6; i-- > n; ) s += i * 2; return s; }"],
  ["an old value in an index", "(n, x) => { let i = 0; const p = [n, x]; return p[i++] * 10 + p[i++] + i; }"],
  [
    "an assignment in the test of do",
    "(n, x) => { let i = 0; do { i += 2; } while ((n -= 1.5) > x); return n * 10 + i; }",
  ],
  [
    "an assignment in the test of do, with a break",
    "(n, x) => { let i = 0; do { if (i > 5) break; i += 2; } while (n -= 1, n > x); return n * 10 + i; }",
  ],
  ["while (1)", "(n, x) => { let i = 0; while (1) { i += 1; if (i > n) return i + x; } }"],
  ["for (; !0;)", "(n, x) => { let i = 0; for (; !0; ) { i += 1; if (i > n) return i + x; } }"],
  ["code after a jump", "(n, x) => { for (let i = 0; i < n; i++) { break; x = 5; } return x; }"],
];
const numbers = [0, 1, -1, 2.5, 7, 12, -3.25];
const pairs = numbers.flatMap((n) => numbers.map((x) => [n, x] as const));

test.each(functions)("%s means what it means in JavaScript", (_, text) => {
  const javascript = functionFrom(text) as (n: number, x: number) => number;
  for (const [n, x] of pairs) {
    expect([n, x, evaluate(javascript, "float64, float64 -> float64", n, x)]).toEqual([n, x, javascript(n, x)]);
  }
});

test("a variable has the type of all that is assigned to it, in later turns of the loop too", () => {
  const sum = "(n, x) => { let s = 0; for (let i = 0; i < n; i++) s += x; return s; }";
  expect(naturalType(functionFrom(sum), "int32, float32")).toBe("float32");
  expect(naturalType(functionFrom(sum), "int32, int64")).toBe("int64");
  const late = "(n, x) => { let s = n; for (;;) { let t = s; s = x; if (t > 2) return t; } }";
  expect(naturalType(functionFrom(late), "int32, float32")).toBe("float64");
});
