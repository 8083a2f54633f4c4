/** Writes docs/matrix.md from the outcomes of its cells on the current backend. */
import { join } from "node:path";
import { root } from "../child";
import { repeatedCases } from "../repeatability";
import { type AlgorithmRow, type Slot, algorithmNamed, algorithms } from "./algorithms";
import {
  type Cell,
  directionCells,
  elementCells,
  iteratorCells,
  iteratorsOf,
  optionsOf,
  outcome,
  sharingCells,
  slotNamed,
  titleOf,
  withoutOperatorCells,
} from "./cells";
import { listedElements } from "./elements";
import { iterators } from "./iterators";

export const pagePath = join(root, "docs", "matrix.md");

const inCode = (text: string): string => `\`${text}\``;
const list = (names: readonly string[]): string => names.map(inCode).join(", ");

const andLast = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1) as string}`;

/** What comes of a cell: `undefined` where it is right, or the code of its refusal. */
function refusal(cell: Cell): string | undefined {
  const result = outcome(cell);
  if (result.kind === "wrong") throw new Error(`${titleOf(cell)}: ${result.detail}`);
  return result.kind === "refused" ? result.code : undefined;
}

/** A paragraph in lines of up to 120 characters. */
function paragraph(text: string): string {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) as string;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length > 120) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join("\n");
}

/** A table as prettier formats it. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const padded = rows.map((row) => line(widths.map((width, column) => (row[column] ?? "").padEnd(width))));
  return [padded[0], line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)].join("\n");
}

/** The names that one word stands for where all of them fare alike. */
type Groups = ReadonlyMap<string, readonly string[]>;

/** Names in as few words as the groups have for them. */
function grouped(names: readonly string[], groups: Groups): string[] {
  const rest = new Set(names);
  const words = [...groups].flatMap(([word, members]) => {
    if (!members.every((member) => rest.has(member))) return [];
    for (const member of members) rest.delete(member);
    return [word];
  });
  return [...words, ...rest];
}

/** What is taken and what refused, in as few words as that takes. */
function summary(refusals: ReadonlyMap<string, string | undefined>, groups: Groups): string {
  const words = (code: string | undefined): string[] =>
    grouped(
      [...refusals.keys()].filter((name) => refusals.get(name) === code),
      groups,
    );
  const codes = [...new Set(refusals.values())].filter((code) => code !== undefined);
  const taken = words(undefined);
  if (codes.length === 0) return "all";
  if (taken.length === 0) return `none: ${list(codes)}`;
  const but = codes.map((code) => `${words(code).join(", ")}: ${inCode(code)}`);
  const [code = ""] = codes;
  const isShorter = codes.length === 1 && taken.length <= words(code).length;
  return isShorter ? `${taken.join(", ")}; others: ${inCode(code)}` : `all but ${but.join("; ")}`;
}

const elementNames = listedElements.map(({ name }) => name);
const matching = (pattern: RegExp): string[] => elementNames.filter((name) => pattern.test(name));
const elementGroups: Groups = new Map([
  ["scalars", matching(/int|float|bool/)],
  ["integers", matching(/int/)],
  ["floats", matching(/float/)],
  ["structs", matching(/struct|complex/)],
]);

/** The element types of each role, and the iterators of each slot; slots of a role that fare alike are one row. */
function argumentTable(): string {
  const rows = algorithms.flatMap((algorithm) => {
    const alike = new Map<string, { slots: string[]; taken: string[] }>();
    for (const slot of optionsOf(algorithm)) {
      const taken = [elementsTaken(algorithm, slot), iteratorsTaken(algorithm, slot)];
      const key = [slot.role, ...taken].join();
      const row = alike.get(key) ?? { slots: [], taken };
      row.slots.push(slot.name);
      alike.set(key, row);
    }
    return [...alike.values()].map(({ slots, taken }) => [inCode(algorithm.name), list(slots), ...taken]);
  });
  return table([["algorithm", "arguments", "element types", "iterators"], ...rows]);
}

function elementsTaken({ name }: AlgorithmRow, { role }: Slot): string {
  const cells = elementCells.filter(({ algorithm, elements }) => algorithm === name && elements?.[role] !== undefined);
  return summary(new Map(cells.map((cell) => [cell.elements?.[role] as string, refusal(cell)])), elementGroups);
}

function iteratorsTaken({ name }: AlgorithmRow, slot: Slot): string {
  const cells = iteratorCells.filter(
    ({ algorithm, kinds = {} }) => algorithm === name && Object.keys(kinds)[0] === slot.name,
  );
  const zips = iteratorsOf(slot)
    .map((kind) => kind.name)
    .filter((kind) => kind.startsWith("zipped"));
  return summary(
    new Map(cells.map((cell) => [cell.kinds?.[slot.name] as string, refusal(cell)])),
    new Map([["`zipped`", zips]]),
  );
}

/** Pairs that may share memory, and how. */
function sharingTable(): string {
  const ways = new Map<string, string[]>();
  for (const cell of sharingCells) {
    const { first, second, how } = cell.shared as NonNullable<Cell["shared"]>;
    const isRead = [first, second].every(
      (slot) => slotNamed(algorithmNamed(cell.algorithm), slot).direction === "input",
    );
    const code = refusal(cell);
    if (code !== undefined && (isRead || code !== "ERR_OVERLAP")) throw new Error(`${titleOf(cell)}: ${code}`);
    if (code !== undefined || isRead) continue;
    const pair = [cell.algorithm, second, first].map(inCode).join("|");
    ways.set(pair, [...(ways.get(pair) ?? []), how]);
  }
  const rows = [...ways].map(([pair, hows]) => [...pair.split("|"), hows.join(", ")]);
  return table([["algorithm", "argument", "over", "how"], ...rows]);
}

/** Their one code. */
function codeOf(cells: readonly Cell[]): string {
  const codes = [...new Set(cells.map(refusal))];
  if (codes.length !== 1 || codes[0] === undefined) throw new Error(`not refused alike: ${codes.join(", ")}`);
  return inCode(codes[0]);
}

const structsRefused = (): string =>
  andLast(withoutOperatorCells.map((cell) => `${inCode(cell.algorithm)} (${codeOf([cell])})`));

const orderTable = (): string =>
  table([["algorithm", "order"], ...algorithms.map(({ name, order }) => [inCode(name), order])]);

function repeatabilityTable(): string {
  const rows = repeatedCases.map(({ algorithm, use, isRepeatable, because }) => [
    inCode(algorithm),
    use,
    isRepeatable ? "yes" : "not claimed",
    because,
  ]);
  return table([["algorithm", "of", "same bits", "because"], ...rows]);
}

const structSizes = andLast(matching(/^struct/).map((name) => /\d+/.exec(name)?.[0] as string));

const namesOf = (way: "source" | "sink"): string =>
  andLast(iterators.flatMap(({ name, [way]: make }) => (make && !name.includes("nested") ? [inCode(name)] : [])));

export function matrixPage(): string {
  return `# What works with what

For each algorithm: the element types and iterators that its arguments may have, which arguments may share memory, what
keeps its order, and what is the same in every run. \`npm run docs:matrix\` writes this page from calls of the library:
taken is what came out exactly as in plain JavaScript. The same calls are tests on every backend
(\`test/conformance/matrix.test.ts\`). Everything else is refused with a typed error before anything is compiled or
written. The tables name its \`code\`:

- \`ERR_INVALID_ARG_TYPE\`: the argument cannot be of that type, or be that kind of argument.
- \`ERR_UNSUPPORTED\`: CCCL's library cannot do it; the message says what to use instead.
- \`ERR_OVERLAP\`: memory would be read and written in an order that is not set.

## Arguments

${paragraph(`All arguments take device arrays, and radix and segmented sorts take a \`DoubleBuffer\`. Inputs and outputs
that belong together have one type here; where theirs differ, elements convert as a store into the output's typed array
would ([operators.md](operators.md)). Structs were tried in sizes of ${structSizes} bytes, and as \`complex64\` and
\`complex128\`; large ones are refused where CUB's kernels have no room for them. \`init\` may also be a value.`)}

${paragraph(`Iterators are ${namesOf("source")}; where something is written, ${namesOf("sink")}. They were tried alone and
nested. \`zipped\` has tuples, which are refused where an argument has to be of scalars. An iterator that cannot be read
where something is read, or written where something is written, is refused everywhere with ${codeOf(directionCells)}.`)}

${argumentTable()}

${paragraph(`Structs and complex numbers have no order and no equality of their own: without an operator they are refused
by ${structsRefused()}. \`mergeSort\` takes values that are structs from arrays alone, in the output's type.`)}

## Memory that arguments share

Two inputs may always share memory. An output may share it in these ways alone, any other is refused with \`ERR_OVERLAP\`:

- exactly: the same array or, where lengths differ, from the same first element on;
- in part: from one element later on;
- through transformed: \`transformed(array, …)\` is read and the array written, element for element;
- through reversed: the same array from the other end.

${sharingTable()}

An output may not be an array that the operator captures, either.

## Order

In which order results come, and in which an operator is applied.

${orderTable()}

## The same bits in every run

“Yes” is the same bits whenever a call is made again with the same arguments on the same GPU: because CUB documents it, or
as it follows from what is computed. \`test/large/repeatability.test.ts\` holds it in 50 runs over ten million doubles:
on an H200 each of these gave one bit pattern. Of those that claim nothing, scans of floats and \`atomicAdd\` of floats gave
another one in each of the 50 runs, the reduction that guarantees nothing gave 21, and the segmented sort one.

${repeatabilityTable()}
`;
}
