/** The addon's own surface: a wrong call does no harm and is told, and a read holds up neither memory nor the caller. */
import { simulatedDevice } from "../helpers/simulated-backend";
import { getBackend } from "../../lib";
import { loadAddon } from "../../lib/backends/cuda/addon";
import { Frame, type NativeBuildSpec, type NativeHandle } from "../../lib/backends/cuda/native";

const MiB = 2 ** 20;
/** Reads beyond this come in pieces. */
const piece = 4 * MiB;

const native = loadAddon();
const frame = new Uint32Array(native.frame);

/** What keeps the allocations of a test, since a slot alone keeps none. */
const held: NativeHandle[] = [];

/** An allocation with the slot that it was given. */
function allocate(bytes: number): { handle: NativeHandle; slot: number } {
  const handle = native.allocate(bytes, 0);
  if (handle === undefined) throw new Error("no room");
  held.push(handle);
  return { handle, slot: frame[Frame.resultSlot / 4] as number };
}

/** Bytes that differ from piece to piece. */
function scattered(length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 2654435761);
  return new Uint8Array(words.buffer, 0, length);
}

function thrownBy(action: () => unknown): { name: string; code?: string; message: string } | undefined {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

beforeAll(() => {
  expect(getBackend().name).toBe("cuda");
});

beforeEach(() => {
  simulatedDevice.reset();
});

afterEach(() => {
  held.length = 0;
  expect(simulatedDevice.lastViolation()).toBe("");
});

describe("an argument that is none", () => {
  const noNumber = "expected a number of bytes";
  test.each<[string, () => unknown, string]>([
    ["a negative size", () => native.allocate(-1, 0), noNumber],
    ["NaN as a size", () => native.allocate(NaN, 0), noNumber],
    ["a fraction as a size", () => native.allocate(1.5, 0), noNumber],
    ["a size beyond every count", () => native.allocate(1e30, 0), noNumber],
    ["a text as a size", () => native.allocate("1" as never, 0), "expected a number"],
    [
      "a negative limit",
      () => {
        native.setMemoryLimit(-1);
      },
      noNumber,
    ],
    ["a missing argument", () => (native.allocate as () => unknown)(), "expected a number"],
    ["a stream that never was", () => native.allocate(1, 999), "This stream is not alive any more."],
    ["no handle", () => native.run({} as NativeHandle), "expected a native handle"],
    ["another kind of handle", () => native.run(allocate(1).handle), "expected another native handle"],
    [
      "error classes that are none",
      () => {
        native.setErrorClasses(1 as never);
      },
      "CudaError must be a class",
    ],
  ])("%s is a TypeError that says so, and nothing is allocated for it", (_, call, message) => {
    const error = thrownBy(call);
    expect(error?.name).toBe("TypeError");
    expect(error?.message).toContain(message);
    native.setMemoryLimit(0);
  });

  test.each([
    ["beyond the end", 0, 17],
    ["from before the start", -1, 1],
    ["of more than any device has", 0, 2 ** 50],
  ])("a read %s is refused before memory is taken for it", (_, offset, length) => {
    const { slot } = allocate(16);
    const error = thrownBy(() => native.readAsync(slot, offset, length, 0));
    expect(error).toMatchObject({ name: "TypeError", code: "ERR_OUT_OF_RANGE" });
    expect(simulatedDevice.calls("cuMemHostAlloc")).toBe(0);
    native.release(slot);
  });
});

describe("a build's specification", () => {
  const value = { size: 4, alignment: 4, type: 9 };
  const slot = { kind: "pointer", value, position: Frame.state, stateSize: 8, stateAlignment: 8 };
  const specification = {
    algorithm: "reduceInto",
    kernelKey: "malformed",
    computeCapability: 90,
    slots: [slot, slot],
    operators: [{ kind: 2, symbol: "", position: Frame.state, stateSize: 0, stateAlignment: 1 }],
    init: { kind: "value", value, position: Frame.state + 16 },
    options: {},
    code: [],
    whole: true,
  };

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["no list of slots", { ...specification, slots: undefined }],
    ["a slot that is a number", { ...specification, slots: [1] }],
    ["a slot of an unknown kind", { ...specification, slots: [{ ...slot, kind: "array" }] }],
    [
      "an address across the frame's end",
      { ...specification, slots: [{ ...slot, position: Frame.size - 4, stateSize: 0 }] },
    ],
    ["a state before the frame's states", { ...specification, slots: [{ ...slot, position: 0 }] }],
    ["an unknown type", { ...specification, slots: [{ ...slot, value: { ...value, type: 14 } }] }],
    ["a type that is no number", { ...specification, slots: [{ ...slot, value: { ...value, type: NaN } }] }],
    ["an unknown operator", { ...specification, operators: [{ ...specification.operators[0], kind: 24 }] }],
    ["an init of an unknown kind", { ...specification, init: { ...specification.init, kind: "zero" } }],
    ["an init beyond the frame", { ...specification, init: { ...specification.init, position: Frame.size } }],
    ["options that are a number", { ...specification, options: 1 }],
    ["code that is a text", { ...specification, code: ["void f() {}"] }],
    ["code of another typed array", { ...specification, code: [{ key: "k", ltoir: new Float64Array(1) }] }],
    ["a text for whole", { ...specification, whole: "yes" }],
  ])("of %s is a TypeError, also off the loop", (_, malformed) => {
    expect(thrownBy(() => native.build(malformed as NativeBuildSpec))?.name).toBe("TypeError");
    expect(thrownBy(() => native.buildAsync(malformed as NativeBuildSpec))?.name).toBe("TypeError");
  });
});

test("a failure is thrown even where no stack is left to make its error", () => {
  const outcomes = new Set<string>();
  let calls = 0;
  // Fails at the end of the stack and then at one frame less each time.
  const dive = (): void => {
    try {
      dive();
    } catch {
      outcomes.add("the stack ends");
    }
    if (++calls > 1_000) return;
    try {
      native.openDevice(7);
      outcomes.add("nothing thrown");
    } catch (error) {
      outcomes.add((error as Error).name);
    }
  };
  dive();
  expect(outcomes).toEqual(new Set(["the stack ends", "RangeError", "CudaError"]));
});

describe("an asynchronous read", () => {
  test.each([0, 1, piece - 1, piece, piece + 1, 3 * piece + 12_345])("of %d bytes gives them all", async (length) => {
    const bytes = scattered(length);
    const { slot } = allocate(length);
    native.copyToDevice(slot, 0, bytes, 0);
    const read = native.readAsync(slot, 0, length, 0);
    native.release(slot);
    expect(Buffer.compare(Buffer.from(await read), bytes)).toBe(0);
  });

  test("of 256 MiB locks no more than a piece", async () => {
    const locked = simulatedDevice.counters().livePinnedBytes;
    const { slot } = allocate(256 * MiB);
    native.fill(slot, 0, new Uint8Array([1, 2, 3, 4]), 64 * MiB, 0);
    simulatedDevice.holdAll();
    const read = native.readAsync(slot, 0, 256 * MiB, 0);
    native.release(slot);
    const lockedMeanwhile = simulatedDevice.counters().livePinnedBytes - locked;
    simulatedDevice.releaseAll();
    const words = new Uint32Array(await read);
    expect([words.length, words[0], words[words.length - 1]]).toEqual([64 * MiB, 0x04030201, 0x04030201]);
    expect(lockedMeanwhile).toBeLessThanOrEqual(piece);
  });

  test("in pieces is of the moment when it was asked for", async () => {
    const bytes = scattered(3 * piece);
    const { slot } = allocate(bytes.length);
    native.copyToDevice(slot, 0, bytes, 0);
    simulatedDevice.holdAll();
    const read = native.readAsync(slot, 0, bytes.length, 0);
    native.fill(slot, 0, new Uint8Array([0]), bytes.length, 0);
    native.release(slot);
    simulatedDevice.releaseAll();
    expect(Buffer.compare(Buffer.from(await read), bytes)).toBe(0);
  });

  test("of more than the process can hold is a RangeError, and locks nothing", () => {
    simulatedDevice.setCapacity(2 ** 41);
    const { slot } = allocate(2 ** 39);
    expect(thrownBy(() => native.readAsync(slot, 0, 2 ** 39, 0))?.name).toBe("RangeError");
    expect(simulatedDevice.calls("cuMemHostAlloc")).toBe(0);
    native.release(slot);
  });

  test.each([
    ["cuMemcpyDtoHAsync_v2", 2],
    ["cuLaunchHostFunc", 1],
    ["cuEventRecord", 1],
  ])("that cannot be queued whole, since %s fails, is a CudaError; the next one works", async (name, nth) => {
    const bytes = scattered(2 * piece);
    const { slot } = allocate(bytes.length);
    native.copyToDevice(slot, 0, bytes, 0);
    simulatedDevice.failNext(name, nth, 999);
    const error = thrownBy(() => native.readAsync(slot, 0, bytes.length, 0));
    expect(error).toMatchObject({ name: "CudaError", code: "CUDA_ERROR_UNKNOWN" });
    expect(Buffer.compare(Buffer.from(await native.readAsync(slot, 0, bytes.length, 0)), bytes)).toBe(0);
    native.release(slot);
  });
});
