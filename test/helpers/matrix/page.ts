/** Writes docs/matrix.md from the outcomes of its cells on the current backend. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../child";
import type { Measurements } from "../repeatability";
import { type AlgorithmRow, type Slot, algorithms } from "./algorithms";
import {
  type Cell,
  directionCells,
  elementCells,
  iteratorCells,
  outcome,
  sharingCells,
  sharings,
  slotNamed,
  titleOf,
  withoutOperatorCells,
} from "./cells";
import { listedElements } from "./elements";
import { inputKinds, outputKinds } from "./iterators";
import { orderPromises } from "./order";

export const pagePath = join(root, "docs", "matrix.md");
const measurementsPath = join(root, "docs", "repeatability.json");

/** How the tables name the codes of refusals. */
const shortCodes: Readonly<Record<string, string>> = {
  ERR_INVALID_ARG_TYPE: "TYPE",
  ERR_UNSUPPORTED: "UNSUPPORTED",
  ERR_OVERLAP: "OVERLAP",
};

/** A cell in a word: `yes`, or the code of its refusal. */
function word(cell: Cell): string {
  const result = outcome(cell);
  if (result.kind === "right") return "yes";
  if (result.kind === "wrong") throw new Error(`${titleOf(cell)}: ${result.detail}`);
  const short = shortCodes[result.code];
  if (short === undefined) throw new Error(`${titleOf(cell)}: no short name for ${result.code}`);
  return short;
}

/** A table as prettier formats it. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const padded = rows.map((row) => line(widths.map((width, column) => (row[column] ?? "").padEnd(width))));
  return [padded[0], line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)].join("\n");
}

const inCode = (text: string): string => `\`${text}\``;

function find(cells: readonly Cell[], algorithm: string, matches: (cell: Cell) => boolean): Cell {
  const cell = cells.find((each) => each.algorithm === algorithm && matches(each));
  if (cell === undefined) throw new Error(`no cell of ${algorithm} is there`);
  return cell;
}

/** Slots that are options. */
const optionsOf = ({ slots }: AlgorithmRow): Slot[] => slots.filter(({ isCaptured }) => !isCaptured);

const integerNames = listedElements.map(({ name }) => name).filter((name) => /^u?int\d+$/.test(name));
const otherNames = listedElements.map(({ name }) => name).filter((name) => !integerNames.includes(name));

/** The integers in one word where all fare alike, else those that are taken. */
function integersOf(words: ReadonlyMap<string, string>): string {
  const different = new Set(words.values());
  if (different.size === 1) return [...different].join("");
  const taken = [...words].filter(([, what]) => what === "yes").map(([name]) => name);
  const refused = [...different].filter((what) => what !== "yes");
  return `${taken.join(", ")}; others ${refused.join(", ")}`;
}

function elementTable(): string {
  const rows = algorithms.flatMap((algorithm) => {
    const roles = [...new Set(optionsOf(algorithm).map(({ role }) => role))];
    return roles.map((role) => {
      const of = (name: string): string =>
        word(find(elementCells, algorithm.name, (cell) => cell.elements?.[role] === name));
      const slots = optionsOf(algorithm).filter((slot) => slot.role === role);
      const integers = new Map(integerNames.map((name) => [name, of(name)]));
      return [
        inCode(algorithm.name),
        slots.map(({ name }) => inCode(name)).join(", "),
        integersOf(integers),
        ...otherNames.map(of),
      ];
    });
  });
  return table([["algorithm", "arguments", "int8 … uint64", ...otherNames], ...rows]);
}

function withoutOperator(): string {
  const refused = withoutOperatorCells.map((cell) => {
    const result = outcome(cell);
    if (result.kind !== "refused") throw new Error(`${titleOf(cell)} is not refused`);
    return `${inCode(cell.algorithm)} (${inCode(result.code)})`;
  });
  return refused.join(", ");
}

function iteratorTable(direction: Slot["direction"]): string {
  const kinds = (direction === "input" ? inputKinds : outputKinds).map(({ name }) => name);
  const rows = algorithms.flatMap((algorithm) =>
    optionsOf(algorithm)
      .filter((slot) => slot.direction === direction)
      .map(({ name }) => {
        const of = (kind: string): string =>
          word(find(iteratorCells, algorithm.name, (cell) => Object.entries(cell.kinds ?? {})[0]?.join() === `${name},${kind}`)); // prettier-ignore
        return [inCode(algorithm.name), inCode(name), ...kinds.map(of)];
      }),
  );
  return table([["algorithm", "argument", ...kinds], ...rows]);
}

/** The one code with which all of the wrong direction are refused. */
function directionCode(): string {
  const codes = new Set(
    directionCells.map((cell) => {
      const result = outcome(cell);
      if (result.kind !== "refused") throw new Error(`${titleOf(cell)} is not refused`);
      return result.code;
    }),
  );
  return [...codes].map(inCode).join(", ");
}

const isInput = (cell: Cell, slot: string): boolean =>
  slotNamed(algorithms.find(({ name }) => name === cell.algorithm) as AlgorithmRow, slot).direction === "input";

function sharingTable(): string {
  const pairs = new Map<string, Cell[]>();
  for (const cell of sharingCells) {
    const { first, second } = cell.shared as NonNullable<Cell["shared"]>;
    if (isInput(cell, first) && isInput(cell, second)) {
      if (word(cell) !== "yes") throw new Error(`${titleOf(cell)} is refused`);
      continue;
    }
    const key = [inCode(cell.algorithm), inCode(second), inCode(first)].join();
    pairs.set(key, [...(pairs.get(key) ?? []), cell]);
  }
  const rows = [...pairs].map(([key, cells]) => [
    ...key.split(","),
    ...sharings.map((how) => {
      const cell = cells.find(({ shared }) => shared?.how === how);
      return cell === undefined ? "" : word(cell);
    }),
  ]);
  return table([["algorithm", "argument", "over", ...sharings], ...rows]);
}

function orderTable(): string {
  const rows = orderPromises.map(({ algorithm, promise, check }) => {
    if (check !== undefined) {
      const [seen, expected] = check();
      if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`${algorithm} does not keep its promise`);
    }
    return [inCode(algorithm), promise];
  });
  return table([["algorithm", "order"], ...rows]);
}

const byItself = "nothing is summed in an order that varies";

/** What CUB's documentation says of results of floats, or what follows from what is computed. */
const documented: Readonly<Record<string, string>> = {
  reduceInto: "the same bits on one device with `run-to-run`; not with `not-guaranteed`",
  inclusiveScan: "sums of floats may vary from run to run",
  exclusiveScan: "sums of floats may vary from run to run",
  unaryTransform: byItself,
  binaryTransform: byItself,
  segmentedReduce: "the same bits on one device",
  mergeSort: "determined, as it is stable",
  radixSort: "determined, as it is stable",
  segmentedSort: "keys are determined; values of equal keys are not",
  uniqueByKey: "determined, as items keep their order",
  select: "determined, as items keep their order",
  threeWayPartition: "determined, as items keep their order",
  histogramEven: "determined, as counts are integers",
  lowerBound: byItself,
  upperBound: byItself,
  forEach: "what `op` does: atomic sums of floats vary",
};

function readMeasurements(): Measurements | undefined {
  if (!existsSync(measurementsPath)) return undefined;
  return JSON.parse(readFileSync(measurementsPath, "utf8")) as Measurements;
}

/** The table of repeatability, and what was measured how. */
export function repeatability(measurements: Measurements | undefined): string {
  const rows = algorithms.map(({ name }) => {
    const measured = measurements?.measured.filter(({ algorithm }) => algorithm === name) ?? [];
    const text = measured.map(({ use, patterns }) => `${use}: ${patterns === 1 ? "the same bits" : `${String(patterns)} results`}`);
    return [inCode(name), documented[name] as string, text.length > 0 ? text.join("; ") : "not measured yet"];
  }); // prettier-ignore
  const how =
    measurements === undefined
      ? "Nothing was measured yet, so nothing is claimed beyond what CUB documents."
      : `Measured: ${measurements.runs.toLocaleString("en")} runs over ${measurements.items.toLocaleString("en")} ` +
        `doubles on ${measurements.device}. “The same bits” is claimed for that alone.`;
  return `${how}\n\n${table([["algorithm", "CUB documents", "measured"], ...rows])}`;
}

export function matrixPage(): string {
  return `# What works with what

For each algorithm: the element types and iterators that its arguments may have, which arguments may share memory, what
keeps its order, and what is the same in every run. \`npm run docs:matrix\` writes this page from calls of the library: a
cell is \`yes\` where the result of such a call was exactly that of plain JavaScript. The same calls are tests on every
backend (\`test/conformance/matrix.test.ts\`).

Everything else is refused with a typed error before anything is compiled or written. The tables name its \`code\`:

| here          | \`code\`                 | what it says                                                      |
| ------------- | ---------------------- | ----------------------------------------------------------------- |
| \`TYPE\`        | \`ERR_INVALID_ARG_TYPE\` | the argument cannot be of that type, or be that kind of argument  |
| \`UNSUPPORTED\` | \`ERR_UNSUPPORTED\`      | CCCL's library cannot do it; the message says what to use instead |
| \`OVERLAP\`     | \`ERR_OVERLAP\`          | memory would be read and written in an order that is not set      |

## Element types

Arguments in one row have one type here; where input and output differ, elements convert as a store into the output's
typed array would ([operators.md](operators.md)). \`init\` may also be a value. Large structs are refused where CUB's
kernels have no room for them.

${elementTable()}

Structs and complex numbers have no order and no equality of their own. Without an operator they are refused by
${withoutOperator()}.

## Iterators

“nested” is a \`transformed\`, or \`transformedOutput\`, of \`permuted\` of \`reversed\` of \`strided\`. Tuples, the elements of
\`zipped\`, are refused where an argument has to be of scalars. An input iterator where something is written, or an output
iterator where something is read, is refused everywhere with ${directionCode()}. Radix and segmented sorts take a
\`DoubleBuffer\` beside arrays.

### Inputs

\`permuted\` gathers.

${iteratorTable("input")}

### Outputs

\`permuted\` scatters.

${iteratorTable("output")}

## Memory that arguments share

Two inputs may always share memory. For the others: “exactly” is the same array or, where lengths differ, the same first
element; “in part” begins one element later; “through transformed” is \`transformed(array, …)\` read and the array written,
element for element; “through reversed” is the same array from the other end on one side. An empty cell is a call that
the tables above exclude. Arrays that an operator captures are not checked: an operator must not read, or write, what
other items write.

${sharingTable()}

## Order

${orderTable()}

## The same bits in every run

${repeatability(readMeasurements())}
`;
}
