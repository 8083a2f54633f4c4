/** What users see of the library's objects in a log or in JSON: a short line, which nothing waits for. */
import { inspect } from "node:util";
import {
  DeviceArray,
  DoubleBuffer,
  Event,
  Stream,
  cacheModified,
  complex64,
  constant,
  counting,
  discard,
  permuted,
  reversed,
  setBackend,
  shuffled,
  strided,
  struct,
  transformed,
  transformedOutput,
  zipped,
} from "../lib";

setBackend("host");

const Point = struct({ x: "float32", id: "int64", at: ["int8", 3] });
const floats = DeviceArray.zeros(3, "float32");
const disposed = DeviceArray.zeros(2, "int8");
disposed.dispose();
const stream = new Stream();
stream.dispose();
const recorded = new Stream().record();
const array = "DeviceArray<float32>(3) [12 bytes, host]";

const shown: [string, unknown, string][] = [
  ["an array", floats, array],
  ["a view", floats.subarray(1), "DeviceArray<float32>(2) [8 bytes, host]"],
  [
    "an array of structs",
    DeviceArray.zeros(2, Point),
    "DeviceArray<struct { x: float32, id: int64, at: int8[3] }>(2) [48 bytes, host]",
  ],
  ["a disposed array", disposed, "DeviceArray<int8>(2) [disposed]"],
  ["a struct type", Point, "struct { x: float32, id: int64, at: int8[3] } [24 bytes]"],
  ["a struct type of the library", complex64, "struct { re: float32, im: float32 } [8 bytes]"],
  ["a fixed-size array type", Point.fields[2]?.type, "int8[3] [3 bytes]"],
  ["constant", constant(1n, "int64"), "constant(1n, int64)"],
  ["counting", counting(5n), "counting(5, int64)"],
  ["shuffled", shuffled(5, 7n), "shuffled(5, 7)"],
  ["discard", discard(Point), "discard(struct { x: float32, id: int64, at: int8[3] })"],
  ["cacheModified", cacheModified(floats), `cacheModified(${array}, stream)`],
  ["transformed", transformed(floats, (x) => x > 1, "bool"), `transformed(${array}, bool)`],
  ["transformedOutput", transformedOutput(floats, (x) => x), `transformedOutput(${array}, float32)`],
  ["zipped", zipped(floats, counting(0)), `zipped(${array}, counting(0, int32))`],
  ["permuted", permuted(floats, counting(0)), `permuted(${array}, counting(0, int32))`],
  ["reversed", reversed(floats), `reversed(${array})`],
  ["strided", strided(floats, 2), `strided(${array})`],
  ["a double buffer", new DoubleBuffer(floats, DeviceArray.zeros(3, "float32")), `DoubleBuffer(${array}, ${array})`],
  ["a stream", new Stream(), "Stream [host]"],
  ["a disposed stream", stream, "Stream [disposed]"],
  ["an event", new Event(), "Event [host]"],
  ["a recorded event", recorded, "Event [host, recorded]"],
];

test.each(shown)("%s is one line in a log", (_, value, line) => {
  expect(inspect(value)).toBe(line);
  expect(inspect({ value })).toContain(line);
});

describe("JSON.stringify", () => {
  const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test("of an array says what it is, without its elements", () => {
    expect(parsed(floats)).toEqual({ type: "float32", length: 3, byteLength: 12, backend: "host", disposed: false });
    expect(parsed(disposed)).toEqual({ type: "int8", length: 2, byteLength: 2, backend: "host", disposed: true });
    expect(parsed(DeviceArray.zeros(1, Point))).toMatchObject({ type: Point.name, byteLength: 24 });
  });
});
