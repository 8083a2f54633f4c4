import { DeviceArray, CompileError, reduceInto, setBackend, sum, unaryTransform } from "../lib";

beforeAll(() => {
  setBackend("host");
});

/** The frames of what a function throws. */
function framesOf(call: () => void): { error: Error; frames: string[] } {
  try {
    call();
  } catch (error) {
    const lines = (error as Error).stack?.split("\n") ?? [];
    return { error: error as Error, frames: lines.filter((line) => /^ +at /.test(line)) };
  }
  throw new Error("nothing was thrown");
}

const input = (): DeviceArray<"float64"> => DeviceArray.from([1, 2]);

function wrongOperator(): void {
  unaryTransform({ input: input(), output: input(), op: (x) => Number(String(x)) });
}

function wrongArgument(): void {
  reduceInto({ input: input(), output: 5 as never, op: (a, b) => a + b });
}

describe("the stack of an error", () => {
  test.each([wrongOperator, wrongArgument])("begins with the user's own call: %p", (call) => {
    const { frames } = framesOf(call);
    expect(frames[0]).toContain(call.name);
    expect(frames[0]).toContain("errors.test.ts");
  });

  test("names the class and repeats the message with its code frame", () => {
    const { error } = framesOf(wrongOperator);
    expect(error).toBeInstanceOf(CompileError);
    expect(error.stack?.startsWith(`CompileError: ${error.message}\n    at `)).toBe(true);
    expect(error.message).toContain("^");
  });

  test("is as long as the user's limit, which stays as it was", () => {
    const before = Error.stackTraceLimit;
    try {
      Error.stackTraceLimit = 1;
      expect(framesOf(wrongOperator).frames).toHaveLength(1);
      expect(Error.stackTraceLimit).toBe(1);
      Error.stackTraceLimit = 0;
      expect(framesOf(wrongOperator).frames).toEqual([]);
    } finally {
      Error.stackTraceLimit = before;
    }
  });

  test("of a rejection leads to the caller as well", async () => {
    const error = await sum(5 as never).catch((reason: unknown) => reason as Error);
    expect((error as Error).stack).toContain("errors.test.ts");
  });
});
