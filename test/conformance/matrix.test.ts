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
  outcome,
  sharingCells,
  titleOf,
  withoutOperatorCells,
} from "../helpers/matrix/cells";
import { orderPromises } from "../helpers/matrix/order";

const names = algorithms.map(({ name }) => name);
const isEverythingRun = process.env["CUDA_COMPUTE_TEST_LARGE"] !== undefined;

function outcomeOn(backend: BackendName, cell: Cell): Outcome {
  setBackend(backend);
  return outcome(cell);
}

/** Cells that are wrong, or refused by one backend alone, or with another code. */
function problems(cells: readonly Cell[], backend: BackendName): object[] {
  return cells.flatMap((cell) => {
    const onHost = outcomeOn("host", cell);
    const isHeavy = backend === "cuda" && onHost.kind === "right" && !isEverythingRun;
    const here = isHeavy && !combinedCells.includes(cell) ? onHost : outcomeOn(backend, cell);
    const isFine = here.kind !== "wrong" && JSON.stringify(here) === JSON.stringify(onHost);
    return isFine ? [] : [{ cell: titleOf(cell), onHost, here }];
  });
}

describeOnBackends("matrix", (backend) => {
  const sections: [string, readonly Cell[]][] = [
    ["element types are computed exactly, or refused before anything is compiled", elementCells],
    ["structs without an operator are refused", withoutOperatorCells],
    ["iterators give and take exactly what arrays do, or are refused", iteratorCells],
    ["iterators in every slot at once", combinedCells],
    ["iterators of the other direction are refused", directionCells],
    ["arguments that share memory are computed as if apart, or refused with nothing written", sharingCells],
  ];
  describe.each(sections)("%s", (_title, cells) => {
    const ofAlgorithm = (name: string): Cell[] => cells.filter(({ algorithm }) => algorithm === name);
    test.each(names.filter((name) => ofAlgorithm(name).length > 0))("%s", (name) => {
      expect(problems(ofAlgorithm(name), backend)).toEqual([]);
    });
  });

  test.each([...directionCells, ...withoutOperatorCells].map((cell) => [titleOf(cell), cell] as const))(
    "%s is refused",
    (_title, cell) => {
      expect(outcomeOn(backend, cell).kind).toBe("refused");
    },
  );

  test.each(combinedCells.map((cell) => [titleOf(cell), cell] as const))("%s is taken or too large", (_title, cell) => {
    const { kinds, algorithm } = cell;
    // Tuples of 16 bytes beside keys of 16: the one size that is refused.
    const isLarge = algorithm === "mergeSort" && Object.values(kinds ?? {}).some((kind) => kind.startsWith("zipped"));
    expect(outcomeOn("host", cell).kind).toBe(isLarge ? "refused" : "right");
  });

  const promised = orderPromises.flatMap(({ algorithm, promise, check }) =>
    check === undefined ? [] : [[`${algorithm}: ${promise}`, check] as const],
  );
  test.each(promised)("%s", (_title, check) => {
    setBackend(backend);
    const [seen, expected] = check();
    expect(seen).toEqual(expected);
  });
});

describe("the cells themselves", () => {
  beforeAll(() => {
    setBackend("host");
  });

  test("are of all sixteen algorithms, and say of each what is promised of order", () => {
    expect(names).toHaveLength(16);
    expect(orderPromises.map(({ algorithm }) => algorithm)).toEqual(names);
  });

  test("a result that plain code does not have is wrong", () => {
    const select = algorithmNamed("select");
    const spy = jest.spyOn(select, "expected").mockReturnValue({ output: [1], outputCount: [1] });
    expect(outcome({ algorithm: "select" })).toMatchObject({ kind: "wrong", detail: expect.stringContaining("output") });
    spy.mockRestore();
    expect(outcome({ algorithm: "select" })).toEqual({ kind: "right" });
  });

  test("an error without a code, or one that names no option, is wrong", () => {
    const select = algorithmNamed("select");
    const spy = jest.spyOn(select, "options").mockReturnValue({
      get op(): never {
        throw new TypeError("an own error");
      },
    });
    expect(outcome({ algorithm: "select" })).toMatchObject({ kind: "wrong" });
    spy.mockRestore();
  });

  test("slots are arrays' alone exactly where every iterator is refused", () => {
    for (const { name, slots } of algorithms) {
      for (const { name: slot, isArray } of slots.filter(({ isCaptured }) => !isCaptured)) {
        const own = iteratorCells.filter(({ algorithm, kinds }) => algorithm === name && slot === Object.keys(kinds ?? {})[0]); // prettier-ignore
        const isTaken = own.some((cell) => outcome(cell).kind === "right");
        expect({ name, slot, isTaken }).toEqual({ name, slot, isTaken: isArray !== true });
      }
    }
  });
});
