/** Operators that are written where they are used are new functions at every call, and one build: that of their meaning. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { DeviceArray, bind, caches, memory, unaryTransform } from "../../lib";
import { loadAddon } from "../../lib/backends/cuda/addon";
import { operatorStatistics } from "../../lib/operators";

type Numbers = Record<number, number> & { length: number };

let input: DeviceArray<"float32">;
let output: DeviceArray<"float32">;
const transform = (op: unknown): void => {
  unaryTransform({ input, output, op: op as (x: number) => number });
};
const table = (length: number): Numbers => DeviceArray.zeros(length, "float32");

beforeAll(() => {
  input = DeviceArray.zeros(8, "float32");
  output = DeviceArray.zeros(8, "float32");
});

afterEach(() => {
  collect();
  expect(memory.stats().liveArrays).toBe(2);
  expect(simulatedDevice.lastViolation()).toBe("");
});

interface Work {
  /** As the addon counts. */
  operatorsCompiled: number;
  links: number;
  loads: number;
  /** Modules that the driver loaded. */
  modules: number;
  launches: number;
  /** Builds that calls of this thread find, and function texts that are known. */
  builds: number;
  texts: number;
}

function soFar(): Work {
  const { operatorsCompiled, links, loads } = loadAddon().buildStatistics();
  const { totalLibraries: modules, launches } = simulatedDevice.counters();
  const { builds } = caches.stats();
  return {
    operatorsCompiled,
    links,
    loads,
    modules,
    launches,
    builds,
    texts: operatorStatistics().texts,
  };
}

/** What was done during some calls. */
function workOf(action: () => void): Work {
  const before = soFar();
  action();
  const after = soFar();
  const names = Object.keys(before) as (keyof Work)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Work;
}

const one: Omit<Work, "launches"> = {
  operatorsCompiled: 1,
  links: 1,
  loads: 1,
  modules: 1,
  builds: 1,
  texts: 1,
};

/** Calls of which number `i` has the operator that is made of `i`: each is launched, and all are one build. */
function expectOneBuild(calls: number, operator: (i: number) => unknown, texts = 1): void {
  const { kernelsCompiled } = loadAddon().buildStatistics();
  const work = workOf(() => {
    for (let i = 0; i < calls; i++) transform(operator(i));
  });
  expect(work).toEqual({ ...one, texts, launches: calls });
  // Shared by all operators whose captured values take as many bytes.
  expect(loadAddon().buildStatistics().kernelsCompiled - kernelsCompiled).toBeLessThanOrEqual(1);
}

describe("thousands of inline functions are one build", () => {
  test("without captures", () => {
    expectOneBuild(10_000, () => (x: number) => x * 3 + 1);
  });

  test("that capture a number of another value each time", () => {
    expectOneBuild(10_000, (i) => (x: number) => x * i + 2);
  });

  test("that are bound to a number of another value each time", () => {
    expectOneBuild(10_000, (i) => bind((x: number, { k }: { k: number }) => x * k + 3, { k: i }));
  });

  test("that capture an array of another length each time", () => {
    expectOneBuild(2_000, (i) => {
      const weights = table(i % 100);
      return (x: number) => x * weights[x]! + weights.length;
    });
  });

  test("that are bound to an array of another length each time", () => {
    expectOneBuild(10_000, (i) =>
      bind((x: number, { weights }: { weights: Numbers }) => weights[x]! - weights.length * 2, {
        weights: table(i % 100),
      }),
    );
  });

  test("that capture an object with another number, and call a function that is new each time", () => {
    const operator = (i: number): unknown => {
      const settings = { scale: i, shift: 4 };
      const shifted = (x: number): number => x - settings.shift;
      return (x: number) => shifted(x) * settings.scale;
    };
    expectOneBuild(1_000, operator, 2);
  });
});

test("a thousand texts of one meaning, as tools rename and lay them out, are one compilation and one link", () => {
  const work = workOf(() => {
    for (let i = 0; i < 1000; i++) {
      const text = `(x${String(i)}) => {${" ".repeat(i % 7)} const y = x${String(i)} - 5; return y * y; }`;
      transform((0, eval)(text));
    }
  });
  expect(work).toMatchObject({ operatorsCompiled: 1, links: 1, loads: 1, modules: 1, launches: 1000, texts: 1000 });
});

test("a function that is collected between its calls is the same build again", async () => {
  const before = soFar();
  for (let i = 0; i < 20; i++) {
    transform((x: number) => x * 6 + i);
    collect();
    await new Promise((done) => setImmediate(done));
  }
  const after = soFar();
  expect([after.links - before.links, after.modules - before.modules]).toEqual([1, 1]);
});

describe("what changes the code is another build", () => {
  test("a capture of another type, once each", () => {
    const kinds: (number | bigint | boolean)[] = [1, 1n, true];
    const work = workOf(() => {
      for (let i = 0; i < 30; i++) {
        const k = kinds[i % 3];
        transform((x: number) => (k ? x : 7));
      }
    });
    expect(work).toMatchObject({ operatorsCompiled: 3, links: 3, launches: 30, texts: 1 });
  });

  test("a captured function of another meaning, once each", () => {
    const functions = [(x: number): number => x + 8, (x: number): number => x - 8];
    const work = workOf(() => {
      for (let i = 0; i < 30; i++) {
        const step = functions[i % 2]!;
        transform((x: number) => step(x) * 8);
      }
    });
    expect(work).toMatchObject({ operatorsCompiled: 2, links: 2, launches: 30 });
  });

  test("a constant in the text, where a captured number is none", () => {
    const work = workOf(() => {
      for (let i = 0; i < 4; i++) transform((0, eval)(`(x) => x * 9 + ${String(i % 2)}.5`));
    });
    expect(work).toMatchObject({ operatorsCompiled: 2, links: 2, launches: 4, texts: 2 });
  });
});
