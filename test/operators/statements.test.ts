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
  [
    "switch",
    "(n, x) => { let s = x; switch (n) { case 0: s += 1; break; case 7: s *= 2; break; default: s = -1; } return s; }",
  ],
  [
    "switch without a default",
    "(n, x) => { let s = x; switch (n) { case 0: s += 1; break; case 7: s *= 2; } return s; }",
  ],
  [
    "switch that returns",
    "(n, x) => { switch (n) { case 0: return x; case 1: case 7: return -x; default: return n * x; } }",
  ],
  [
    "switch that runs on",
    "(n, x) => { let s = x; switch (n) { case 0: s += 1; case 7: s *= 2; case 1: s -= 3; break; case 12: s = 9; } return s; }",
  ],
  [
    "a default in the middle",
    "(n, x) => { let s = x; switch (n) { case 0: s = 1; break; default: s = 2; break; case 7: s = 3; } return s; }",
  ],
  [
    "a default first, which runs on",
    "(n, x) => { let s = x; switch (n) { default: s += 2; case 7: s *= 3; break; case 1: s = 4; } return s; }",
  ],
  [
    "a default beside cases",
    "(n, x) => { switch (n) { case 0: return x; case 1: default: case 7: return x + 1; case 12: return x + 2; } }",
  ],
  [
    "a case that stands twice",
    "(n, x) => { switch (n) { case 7: default: return x; case 7: return x + 1; case 1: return 5; } }",
  ],
  ["a case that runs on into nothing", "(n, x) => { let s = x; switch (n) { case 0: s += 1; case 7: } return s; }"],
  ["switch without cases", "(n, x) => { switch (n) { } return x; }"],
  ["switch with a default alone", "(n, x) => { switch (n) { default: return x; } }"],
  [
    "switch on a choice of tests",
    "(n, x) => { switch (true) { case n > x: return 1; case n === x: return 0; default: return -1; } }",
  ],
  [
    "cases that depend on values",
    "(n, x) => { switch (n) { case x: return 1; case -x: return 2; case x + 1: return 3; case NaN: return 4; } return 5; }",
  ],
  [
    "cases whose values change meanwhile",
    "(n, x) => { let y = x; switch (n) { case x: y = 7; case y + 1: y += 1; case y + 2: n = 0; } return y * 100 + n; }",
  ],
  [
    "a switch on a value that its cases change",
    "(n, x) => { switch (n) { case 0: n = 7; break; case 7: n = 0; break; case 1: n = 12; case 12: n += 1; } return n + x; }",
  ],
  [
    "a break under a condition",
    "(n, x) => { let s = 0; switch (n) { case 0: case 7: if (x > 0) break; s += 1; if (x < -2) { s += 2; break; } s *= 5; break; default: s = 9; } return s; }",
  ],
  [
    "a break under conditions in a case that runs on",
    "(n, x) => { let s = 0; switch (n) { case 0: if (x > 1) { if (x > 5) break; s = 2; } s += 1; case 7: s += 10; } return s; }",
  ],
  [
    "break and continue of the loop around a switch",
    "(n, x) => { let s = 0; for (let i = 0; i < 9; i++) { switch (i) { case 1: continue; case 3: if (x > 1) break; s += 3; continue; case 5: s += 5; if (n > 1) break; case 6: s *= 2; break; default: s += 1; } s += 100; if (s > 500) break; } return s; }",
  ],
  [
    "continue behind a switch's break in do",
    "(n, x) => { let i = 0, s = 0; do { i++; switch (i) { case 2: if (n > 1) continue; break; case 4: if (x > 1) break; s += 7; continue; } s += i; } while (i < 6); return s; }",
  ],
  [
    "continue behind a switch's break in while",
    "(n, x) => { let i = 0, s = 0; while (i++ < 6) { switch (i) { case 2: if (n > 1) continue; break; case 4: if (x > 1) break; s += 7; continue; } s += i; } return s; }",
  ],
  [
    "a loop inside a switch",
    "(n, x) => { let s = 0; switch (n) { case 7: for (let i = 0; i < 5; i++) { if (i === 3) break; if (i === 1) continue; s += i; } s += 10; break; case 12: s = 3; } return s + x; }",
  ],
  [
    "a switch inside a switch",
    "(n, x) => { let s = 0; switch (n) { case 7: switch (x) { case 7: s = 1; break; case 1: s = 2; default: s += 3; } s += 10; break; case 12: switch (x) { case 0: if (s) break; return 5; } s = 8; } return s; }",
  ],
  [
    "switches inside one another in a loop",
    "(n, x) => { let s = 0; for (let i = 0; i < 6; i++) { switch (i) { case 1: switch (n) { case 1: if (x > 1) break; continue; case 7: if (x < 0) continue; s += 9; } s += 2; if (s > 8) break; s += 1; case 2: s += 20; } s += 100; } return s; }",
  ],
  [
    "names that belong to the whole switch",
    "(n, x) => { switch (n) { case 7: { let t = x; return t; } case 0: let t = 1; const u = t + x; return u * 2; } return x; }",
  ],
  [
    "a name in a case that runs on",
    "(n, x) => { let r = 0; switch (n) { case 7: let t = x; r = t; default: r += 1; } return r; }",
  ],
  [
    "parts that a case takes apart",
    "(n, x) => { switch (n) { case 7: const [p, { q }] = [x, { q: 2 }]; return p * q; default: var z = 3; } return z + x; }",
  ],
  [
    "variables that every case gives values",
    "(n, x) => { let y; switch (n) { case 0: y = 1; break; case 7: if (x > 1) { y = 2; break; } y = 3; break; case 1: return 4; default: y = x; } return y; }",
  ],
  [
    "a switch on an assignment",
    "(n, x) => { let y; switch (y = n - x) { case 0: return 1; case 6: return y + 2; } return y; }",
  ],
  ["a switch on an old value", "(n, x) => { switch (n++) { case 0: return n; case 7: return n + x; } return n * 2; }"],
  [
    "effects in cases",
    "(n, x) => { switch (n) { case 0: x = 1, n = 2; break; case 7: x > 1 && (n = x); break; case 1: n++; --x; } return n * 10 + x; }",
  ],
  [
    "braces around cases",
    "(n, x) => { let s = 0; switch (n) { case 0: { s = 1; break; } case 7: { const s = x; n = s; } break; default: { if (x > 0) { s = 2; break; } else { break; } } } return s + n; }",
  ],
  [
    "a value that only a break leads to",
    "(n, x) => { let y; for (;;) { y = n; if (y > 5) break; n += 2; } return y + x; }",
  ],
  [
    "a value where every break has one",
    "(n, x) => { let y, i = 0; while (true) { if (i > n) { y = i; break; } i += 1; if (i > 9) { y = x; break; } } return y; }",
  ],
  [
    "loops of one turn",
    "(n, x) => { let s = 0; do { if (n > 1) break; s = 1; if (x > 1) { s = 2; break; } s += 5; } while (false); for (;;) { if (x > 0) break; s += 10; break; } while (n > 0) { s += 100; if (x > 2) break; s += 1000; break; } return s; }",
  ],
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
