/**
 * What works with what, cell by cell: docs/matrix.md as tests. On backend cuda every accepted cell is a compilation, so
 * there each slot has each of its iterators in calls that have one in every slot, and refusals alone are held cell by
 * cell; CUDA_COMPUTE_TEST_LARGE runs the rest.
 */
import { type BackendName, setBackend } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { algorithmNamed, algorithms } from "../helpers/matrix/algorithms";
import {
  type Cell,
  type Outcome,
  combinedCells,
  directionCells,
  elementCells,
  iteratorCells,
  optionsOf,
  orderCells,
  outcome,
  refusalProblem,
  sharingCells,
  titleOf,
  withoutOperatorCells,
} from "../helpers/matrix/cells";

const names = algorithms.map(({ name }) => name);
const isEverythingRun = process.env["CUDA_COMPUTE_TEST_LARGE"] !== undefined;

function outcomeOn(backend: BackendName, cell: Cell): Outcome {
  setBackend(backend);
  return outcome(cell);
}

describeOnBackends("matrix", (backend) => {
  /** Cells that are wrong, or are refused by one backend alone, or with another code. */
  function problems(cells: readonly Cell[], isAlwaysRun: boolean): object[] {
    return cells.flatMap((cell) => {
      const onHost = outcomeOn("host", cell);
      const isRun = backend === "host" || onHost.kind !== "right" || isAlwaysRun || isEverythingRun;
      const here = isRun && backend !== "host" ? outcomeOn(backend, cell) : onHost;
      const isFine = here.kind !== "wrong" && JSON.stringify(here) === JSON.stringify(onHost);
      return isFine ? [] : [{ cell: titleOf(cell), onHost, here }];
    });
  }

  const sections: [string, readonly Cell[], { isAlwaysRun: boolean }][] = [
    ["element types are computed exactly, or refused before anything is compiled", elementCells, { isAlwaysRun: false }],
    ["iterators give and take exactly what arrays do, or are refused", iteratorCells, { isAlwaysRun: false }],
    ["iterators in every slot at once", combinedCells, { isAlwaysRun: true }],
    ["arguments that share memory are computed as if apart, or refused with nothing written", sharingCells, { isAlwaysRun: false }],
    ["many items come in the order that is promised", orderCells, { isAlwaysRun: true }],
  ]; // prettier-ignore
  describe.each(sections)("%s", (_title, cells, { isAlwaysRun }) => {
    const ofAlgorithm = (name: string): Cell[] => cells.filter(({ algorithm }) => algorithm === name);
    test.each(names.filter((name) => ofAlgorithm(name).length > 0))("%s", (name) => {
      expect(problems(ofAlgorithm(name), isAlwaysRun)).toEqual([]);
    });
  });

  const refused: [string, readonly Cell[]][] = [
    ["iterators of the other direction are refused", directionCells],
    ["structs without an operator are refused", withoutOperatorCells],
  ];
  test.each(refused)("%s", (_title, cells) => {
    expect(cells.filter((cell) => outcomeOn(backend, cell).kind !== "refused").map(titleOf)).toEqual([]);
  });
});

describe("the cells themselves", () => {
  beforeAll(() => {
    setBackend("host");
  });

  test("are of all sixteen algorithms", () => {
    expect(names).toHaveLength(16);
    expect(new Set(orderCells.map(({ algorithm }) => algorithm))).toEqual(new Set(names));
  });

  test("with iterators in every slot are taken, but for structs where mergeSort has no room or no way for them", () => {
    const refused = combinedCells.filter((cell) => outcome(cell).kind !== "right");
    expect(new Set(refused.map(({ algorithm, elements }) => `${algorithm} of ${Object.values(elements ?? {}).join()}`))).toEqual(
      new Set(["mergeSort of tuple,tuple"]),
    ); // prettier-ignore
  });

  test("are wrong where a result is not that of plain code", () => {
    const spy = jest.spyOn(algorithmNamed("select"), "expected").mockReturnValue({ output: [1], outputCount: [1] });
    expect(outcome({ algorithm: "select" })).toMatchObject({
      kind: "wrong",
      detail: expect.stringContaining("output"),
    });
    spy.mockRestore();
    expect(outcome({ algorithm: "select" })).toEqual({ kind: "right" });
  });

  test("are wrong where an error has no code, or names no option", () => {
    const withCode = (error: Error, more: object): Error => Object.assign(error, { code: "ERR_X", ...more });
    const select = { name: "select" };
    expect(refusalProblem(select, withCode(new TypeError("no"), { argument: "select.input" }))).toBeUndefined();
    expect(refusalProblem(select, withCode(new TypeError("no"), { argument: "scan.input" }))).toMatch(/no option/);
    expect(refusalProblem(select, new TypeError("no"))).toMatch(/no type/);
    expect(refusalProblem(select, withCode(new Error("no"), { argument: "select.input" }))).toMatch(/no type/);
  });

  test("say that slots are arrays' alone exactly where every iterator is refused", () => {
    for (const algorithm of algorithms) {
      for (const { name: slot, isArray } of optionsOf(algorithm)) {
        const own = iteratorCells.filter((cell) => cell.algorithm === algorithm.name && Object.keys(cell.kinds ?? {})[0] === slot); // prettier-ignore
        const isTaken = own.some((cell) => outcome(cell).kind === "right");
        expect({ algorithm: algorithm.name, slot, isTaken }).toEqual({ algorithm: algorithm.name, slot, isTaken: isArray !== true }); // prettier-ignore
      }
    }
  });
});
