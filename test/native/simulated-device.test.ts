import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { resolve } from "node:path";

import { type DriverArgument, paths, simulatedDevice } from "../helpers/simulated-device";

const success = 0;
const invalidValue = 1;
const outOfMemory = 2;
const notReady = 600;
const launchTimeout = 702;
const mebibyte = 2 ** 20;

/** Calls a driver function that must succeed. */
function run(name: string, ...parameters: DriverArgument[]): void {
  expect([name, simulatedDevice.call(name, ...parameters)]).toEqual([name, success]);
}

/** A handle that a driver function stores through its first argument. */
function create(name: string, ...parameters: number[]): bigint {
  const handle = new BigUint64Array(1);
  run(name, handle, ...parameters);
  return handle[0] ?? 0n;
}

function allocateAsync(bytes: number, stream: bigint): bigint {
  const address = new BigUint64Array(1);
  run("cuMemAllocAsync", address, bytes, stream);
  return address[0] ?? 0n;
}

beforeAll(() => {
  run("cuInit", 0);
  run("cuCtxSetCurrent", create("cuDevicePrimaryCtxRetain", 0));
});

afterAll(() => {
  run("cuDevicePrimaryCtxRelease_v2", 0);
});

beforeEach(() => {
  simulatedDevice.reset();
});

test("building again changes nothing when all is up to date", () => {
  const before = statSync(paths.driver).mtimeMs;
  execFileSync(process.execPath, [resolve(__dirname, "../../scripts/build-simulated-device.mjs")]);
  expect(statSync(paths.driver).mtimeMs).toBe(before);
});

test("the capacity is what the device has, and what lies beyond it is out of memory", () => {
  simulatedDevice.setCapacity(64 * mebibyte);
  const total = new BigUint64Array(1);
  run("cuDeviceTotalMem_v2", total, 0);
  expect(total[0]).toBe(BigInt(64 * mebibyte));

  const before = simulatedDevice.counters().liveBytes;
  const address = new BigUint64Array(1);
  run("cuMemAlloc_v2", address, 48 * mebibyte);
  expect(simulatedDevice.call("cuMemAlloc_v2", new BigUint64Array(1), 32 * mebibyte)).toBe(outOfMemory);
  run("cuMemFree_v2", address[0] ?? 0n);
  expect(simulatedDevice.counters()).toMatchObject({
    liveBytes: before,
    peakBytes: before + 48 * mebibyte,
    violations: 0,
  });
});

test("a copy goes to the device and back, and one outside of an allocation is refused and counted", () => {
  const stream = create("cuStreamCreate", 1);
  const address = allocateAsync(12, stream);
  run("cuMemcpyHtoDAsync_v2", address, new Int32Array([3, 1, 2]), 12, stream);
  const back = new Int32Array(3);
  run("cuMemcpyDtoHAsync_v2", back, address, 12, stream);
  expect([...back]).toEqual([3, 1, 2]);

  expect(simulatedDevice.call("cuMemcpyHtoDAsync_v2", address, new Int32Array(4), 16, stream)).toBe(invalidValue);
  expect(simulatedDevice.counters().violations).toBe(1);
  expect(simulatedDevice.lastViolation()).toContain("16 bytes");
  run("cuMemFreeAsync", address, stream);
  run("cuStreamDestroy_v2", stream);
});

test("a second free of the same memory is refused and counted", () => {
  const address = allocateAsync(1024, 0n);
  run("cuMemFreeAsync", address, 0n);
  expect(simulatedDevice.call("cuMemFreeAsync", address, 0n)).toBe(invalidValue);
  expect(simulatedDevice.call("cuMemFree_v2", address)).toBe(invalidValue);
  expect(simulatedDevice.counters().violations).toBe(2);
});

test("work on a held stream, frees included, runs in order when the stream is released", () => {
  const stream = create("cuStreamCreate", 1);
  const before = simulatedDevice.counters().liveAllocations;
  const address = allocateAsync(4, stream);
  simulatedDevice.holdStream(stream);
  run("cuMemsetD32Async", address, 7, 1, stream);
  run("cuMemFreeAsync", address, stream);
  expect(simulatedDevice.call("cuStreamQuery", stream)).toBe(notReady);
  expect(simulatedDevice.counters()).toMatchObject({ liveAllocations: before + 1, pendingWork: 2 });

  simulatedDevice.releaseStream(stream);
  expect(simulatedDevice.call("cuStreamQuery", stream)).toBe(success);
  expect(simulatedDevice.counters()).toMatchObject({ liveAllocations: before, pendingWork: 0, violations: 0 });
  run("cuStreamDestroy_v2", stream);
});

test("memory that is freed on one stream while another still uses it is a violation", () => {
  const user = create("cuStreamCreate", 1);
  const other = create("cuStreamCreate", 1);
  const address = allocateAsync(4, other);
  simulatedDevice.holdStream(user);
  run("cuMemsetD32Async", address, 7, 1, user);
  run("cuMemFreeAsync", address, other);
  expect(simulatedDevice.counters().violations).toBe(0);
  simulatedDevice.releaseStream(user);
  expect(simulatedDevice.counters().violations).toBe(1);
  expect(simulatedDevice.lastViolation()).toBe("a queued memset ran after its memory was freed");
  run("cuStreamDestroy_v2", user);
  run("cuStreamDestroy_v2", other);
});

test("a stream that waits for an event goes on when the event's stream is released", () => {
  const first = create("cuStreamCreate", 1);
  const second = create("cuStreamCreate", 1);
  const event = create("cuEventCreate", 2);
  simulatedDevice.holdStream(first);
  run("cuEventRecord", event, first);
  run("cuStreamWaitEvent", second, event, 0);
  expect(simulatedDevice.call("cuStreamQuery", second)).toBe(notReady);
  expect(simulatedDevice.call("cuEventQuery", event)).toBe(notReady);
  simulatedDevice.releaseStream(first);
  expect(simulatedDevice.call("cuStreamQuery", second)).toBe(success);
  expect(simulatedDevice.call("cuEventQuery", event)).toBe(success);
  run("cuEventDestroy_v2", event);
  run("cuStreamDestroy_v2", first);
  run("cuStreamDestroy_v2", second);
});

test("waiting for a stream that nobody releases fails instead of hanging", () => {
  simulatedDevice.setWaitLimit(1);
  const stream = create("cuStreamCreate", 1);
  const event = create("cuEventCreate", 2);
  simulatedDevice.holdStream(stream);
  run("cuEventRecord", event, stream);
  expect(simulatedDevice.call("cuStreamSynchronize", stream)).toBe(launchTimeout);
  expect(simulatedDevice.counters().violations).toBe(1);
  simulatedDevice.releaseStream(stream);
  run("cuEventDestroy_v2", event);
  run("cuStreamDestroy_v2", stream);
});

test("the nth next call of a function fails with the chosen result and does nothing", () => {
  const before = simulatedDevice.counters().liveAllocations;
  simulatedDevice.failNext("cuMemAlloc_v2", 2, outOfMemory);
  const address = new BigUint64Array(1);
  run("cuMemAlloc_v2", address, 16);
  expect(simulatedDevice.call("cuMemAlloc_v2", new BigUint64Array(1), 16)).toBe(outOfMemory);
  expect(simulatedDevice.counters().liveAllocations).toBe(before + 1);
  run("cuMemFree_v2", address[0] ?? 0n);
  expect(simulatedDevice.calls("cuMemAlloc_v2")).toBe(2);
  expect(() => simulatedDevice.failNext("cuMemAlocAsync", 1, 2)).toThrow("no function cuMemAlocAsync");
});

test("reset puts settings, counts and injected failures back", () => {
  simulatedDevice.setCapacity(mebibyte);
  simulatedDevice.failNext("cuCtxSynchronize", 1, 999);
  simulatedDevice.holdAll();
  simulatedDevice.reset();
  run("cuCtxSynchronize");
  expect(simulatedDevice.calls("cuCtxSynchronize")).toBe(1);
  const free = new BigUint64Array(1);
  const total = new BigUint64Array(1);
  run("cuMemGetInfo_v2", free, total);
  expect(total[0]).toBe(2n ** 30n);
});
