import { evaluate, functionFrom, specialize } from "./helpers";
const nest = (count: number, around: (i: string, inner: string) => string, inner: string): string =>
  Array.from({ length: count }).reduceRight<string>((text, _, index) => around(String(index), text), inner);
const chain = (count: number, t: (i: number) => string) => Array.from({ length: count }, (_, i) => t(i)).join("");
const kinds: [string, (n: number) => string][] = [
  ["nested && ||, else", (n) => `let x = a, y = 0; if (${nest(n, (i, inner) => `(x = x + ${i}) > ${i} && ((y = x) > 40 || (${inner}))`, "b > 0")}) y += x; else y = b; return y + x;`],
  ["left nested", (n) => `let x = a, y = 0; if (${nest(n, (i, inner) => `((${inner}) && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40)`, "b > 0")}) y += x; else y = b; return y + x;`],
  ["flat mixed && ||", (n) => `let x = a, y = 0; if (a > 0${chain(n, (i) => ` && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40`)}) y += x; else y = b; return y + x;`],
  ["flat or of ands in parens", (n) => `let x = a, y = 0; if (${chain(n, (i) => `((x = x + ${i}) > ${i} || (y = x + ${i}) > 40) && `)} b) y += x; else y = b; return y + x;`],
  ["as value", (n) => `let x = a, y = 0; return ${nest(n, (i, inner) => `((x = x + ${i}) > ${i} && ((y = x) > 40 || (${inner})))`, "b > 0")} ? x : y;`],
  ["logical value", (n) => `let x = a, y = 0; return a > 0${chain(n, (i) => ` && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40`)};`],
  ["and/or balanced", (n) => `let x = a, y = 0; if (${nest(n, (i, inner) => `((${inner}) || ((x = x + ${i}) > ${i} && (y = x) < 9)) && ((y += ${i}) > 3 || (x -= 1) < 5)`, "b > 0")}) y += x; else y = b; return y + x;`],
  ["not", (n) => `let x = a, y = 0; if (${nest(n, (i, inner) => `!((x = x + ${i}) > ${i} && !((y = x) > 40 || (${inner})))`, "b > 0")}) y += x; else y = b; return y + x;`],
  ["while", (n) => `let x = a, y = 0; while (x < 50 && (${nest(n, (i, inner) => `((${inner}) && (x = x + ${i}) > ${i} || (y = x + ${i}) > 40)`, "b > 0")})) { y += x; x += 1; if (y > 1e6) break; } return y + x;`],
];
test.each(kinds)("%s", (name, make) => {
  const times: string[] = [];
  for (const n of [2, 4, 6, 8, 10, 12]) {
    const op = functionFrom(`((a, b) => { ${make(n)} })`) as any;
    const start = performance.now();
    const s = specialize(op, "float64, float64");
    const size = s.cuda("f").length;
    times.push(`${n}: ${(performance.now() - start).toFixed(0)}ms ${size}`);
    for (const [a, b] of [[0, 0], [3, 2], [-7.5, 1]] as const) expect(evaluate(op, "float64, float64", a, b)).toBe(Number(op(a, b)));
    if (performance.now() - start > 3000) break;
  }
  console.log(name, times.join("; "));
});
