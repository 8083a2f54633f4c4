import fc from "fast-check";
import { type StructType, struct } from "../../lib";
import { bytesFromColumns, columnsFromBytes } from "../../lib/types/columns";
import { convertTo, converts, cudaConvert, hostConvert } from "../../lib/types/convert";
import type { ElementType, ElementValue } from "../../lib/types/element";
import { promote } from "../../lib/types/promote";
import { scalarTypes } from "../../lib/types/scalar";
import { cudaDefinitions, tupleType } from "../../lib/types/struct";
import { elementValue, readElement, writeElement } from "../../lib/types/value";
import { structTypes, valuesOf } from "../helpers/structs";

const offsets = (type: StructType): Record<string, number> =>
  Object.fromEntries(type.fields.map((field) => [field.name, field.offset]));

describe("the layout is that of the C++ struct", () => {
  test("struct { float x; long long id; }", () => {
    const type = struct({ x: "float32", id: "int64" });
    expect(offsets(type)).toEqual({ x: 0, id: 8 });
    expect([type.size, type.alignment]).toEqual([16, 8]);
  });

  test("struct { long long id; float x; }: the padding is at the end", () => {
    const type = struct({ id: "int64", x: "float32" });
    expect(offsets(type)).toEqual({ id: 0, x: 8 });
    expect([type.size, type.alignment]).toEqual([16, 8]);
  });

  test("struct { bool a; short b; bool c; int d; bool e; }", () => {
    const type = struct({ a: "bool", b: "int16", c: "bool", d: "int32", e: "bool" });
    expect(offsets(type)).toEqual({ a: 0, b: 2, c: 4, d: 8, e: 12 });
    expect([type.size, type.alignment]).toEqual([16, 4]);
  });

  test("struct { unsigned char r, g, b; } has no padding", () => {
    const type = struct({ r: "uint8", g: "uint8", b: "uint8" });
    expect(offsets(type)).toEqual({ r: 0, g: 1, b: 2 });
    expect([type.size, type.alignment]).toEqual([3, 1]);
  });

  test("struct { char tag; struct { double v; char f; } inner; __half h; }", () => {
    const inner = struct({ v: "float64", f: "int8" });
    const type = struct({ tag: "int8", inner, h: "float16" });
    expect([inner.size, inner.alignment]).toEqual([16, 8]);
    expect(offsets(type)).toEqual({ tag: 0, inner: 8, h: 24 });
    expect([type.size, type.alignment]).toEqual([32, 8]);
  });

  test("struct { char tag; float m[2][3]; short s[3]; }", () => {
    const type = struct({ tag: "int8", m: [["float32", 3], 2], s: ["int16", 3] });
    expect(offsets(type)).toEqual({ tag: 0, m: 4, s: 28 });
    expect([type.size, type.alignment]).toEqual([36, 4]);
    expect(type.fields.map((field) => field.type.name)).toEqual(["int8", "float32[2][3]", "int16[3]"]);
  });

  test("an array of structs keeps the padding of each", () => {
    const type = struct({ p: [struct({ a: "int32", b: "int8" }), 3], q: "int8" });
    expect(offsets(type)).toEqual({ p: 0, q: 24 });
    expect(type.size).toBe(28);
  });
});

describe("equal declarations are one type", () => {
  test("whatever object declared them", () => {
    expect(struct({ x: "float32", p: [struct({ a: "int8" }), 2] })).toBe(
      struct({ x: "float32", p: [struct({ a: "int8" }), 2] }),
    );
  });

  test("other names, another order or other types are another", () => {
    const type = struct({ x: "float32", y: "int32" });
    expect(struct({ x: "float32", z: "int32" })).not.toBe(type);
    expect(struct({ y: "int32", x: "float32" })).not.toBe(type);
    expect(struct({ x: "float32", y: "uint32" })).not.toBe(type);
    expect(struct({ "x: float32, y": "int32" })).not.toBe(type);
  });

  test("types of one layout share the C++ struct, whatever their fields are called", () => {
    const storage = (type: StructType): string => type.cudaStorage;
    expect(storage(struct({ a: "float32", b: "int64" }))).toBe(storage(struct({ c: "float32", d: "int64" })));
    expect(storage(struct({ a: "float32", b: "int64" }))).not.toBe(storage(struct({ a: "int64", b: "float32" })));
    expect(storage(struct({ a: struct({ b: "int32" }) }))).not.toBe(storage(struct({ a: "int32" })));
  });

  test("a type cannot be changed, and its name says what it is", () => {
    const type = struct({ x: "float32", "a b": ["int8", 2] });
    expect(type.name).toBe('struct { x: float32, "a b": int8[2] }');
    expect(Object.isFrozen(type) && Object.isFrozen(type.fields) && Object.isFrozen(type.fields[0])).toBe(true);
  });
});

describe("what cannot be a struct is refused by name", () => {
  test.each<[string, unknown, string, string]>([
    ["no object", "float32", "TypeError", "struct.fields"],
    ["null", null, "TypeError", "struct.fields"],
    ["an array", ["float32"], "TypeError", "struct.fields"],
    ["no field", {}, "RangeError", "struct.fields"],
    ["a type that is none", { x: "float8" }, "TypeError", "struct.fields.x"],
    ["an object that struct() did not make", { x: { kind: "struct", name: "x" } }, "TypeError", "struct.fields.x"],
    ["a copy of a struct type", { x: { ...struct({ a: "int8" }) } }, "TypeError", "struct.fields.x"],
    ["an array without a length", { x: ["float32"] }, "TypeError", "struct.fields.x"],
    ["an array's element that is no type", { x: ["float8", 3] }, "TypeError", "struct.fields.x[0]"],
    ["an array's length that is no number", { x: ["float32", "3"] }, "TypeError", "struct.fields.x[1]"],
    ["an array of none", { x: ["float32", 0] }, "RangeError", "struct.fields.x"],
    ["an array of one and a half", { x: ["float32", 1.5] }, "RangeError", "struct.fields.x"],
    ["a name that JavaScript would move to the front", { x: "int8", 0: "int8" }, "RangeError", "struct.fields.0"],
    ["the name of the prototype", { ["__proto__"]: "int8" }, "RangeError", "struct.fields.__proto__"],
    ["an empty name", { "": "int8" }, "RangeError", "struct.fields."],
    ["an array of more than 64 KiB", { x: ["float32", 16_385] }, "RangeError", "struct.fields.x"],
    ["a struct of more than 64 KiB", { x: ["int8", 65_536], y: "int8" }, "RangeError", "struct.fields"],
  ])("%s", (_, fields, name, argument) => {
    expect(() => struct(fields as never)).toThrow(expect.objectContaining({ name, argument }));
  });

  test("64 KiB are not too many", () => {
    expect(struct({ x: ["int8", 65_536] }).size).toBe(65_536);
  });
});

describe("values", () => {
  const Point = struct({ id: "int64", position: ["float32", 2], color: struct({ r: "uint8", on: "bool" }) });
  const value = { id: 5, position: [1, 0.1], color: { r: 255, on: 1 } };

  test("are taken as the fields' types take them", () => {
    expect(elementValue(value, Point, "v")).toEqual({
      id: 5n,
      position: [1, Math.fround(0.1)],
      color: { r: 255, on: true },
    });
  });

  test("lie at the fields' offsets, little endian", () => {
    const view = new DataView(new ArrayBuffer(Point.size + 8));
    writeElement(view, 8, Point, elementValue(value, Point, "v"));
    expect([...new Uint8Array(view.buffer)]).toEqual([
      ...[0, 0, 0, 0, 0, 0, 0, 0],
      ...[5, 0, 0, 0, 0, 0, 0, 0],
      ...[0, 0, 0x80, 0x3f],
      ...[0xcd, 0xcc, 0xcc, 0x3d],
      ...[255, 1, 0, 0, 0, 0, 0, 0],
    ]);
  });

  test.each<[string, unknown, string, string]>([
    ["no object", 3, "TypeError", "v"],
    ["an array", [1, 2], "TypeError", "v"],
    ["a missing field", { id: 1n, position: [1, 2] }, "TypeError", "v.color"],
    ["a missing field within", { ...value, color: { r: 1 } }, "TypeError", "v.color.on"],
    ["a field too many", { ...value, mass: 1 }, "TypeError", "v.mass"],
    ["a field out of range", { ...value, color: { r: 256, on: true } }, "RangeError", "v.color.r"],
    ["a field of another type", { ...value, position: [1, "2"] }, "TypeError", "v.position[1]"],
    ["no array for an array", { ...value, position: 1 }, "TypeError", "v.position"],
    ["an array of another length", { ...value, position: [1] }, "RangeError", "v.position"],
    // eslint-disable-next-line no-sparse-arrays
    ["an array with a hole", { ...value, position: [1, ,] }, "TypeError", "v.position[1]"],
  ])("%s is refused", (_, wrong, name, argument) => {
    expect(() => elementValue(wrong, Point, "v")).toThrow(expect.objectContaining({ name, argument }));
  });

  test("a field of an object's prototype counts", () => {
    class Color {
      readonly on = true;
      get r(): number {
        return Number(this.on) + 6;
      }
    }
    expect(elementValue({ ...value, color: new Color() }, Point, "v")).toMatchObject({ color: { r: 7, on: true } });
  });

  test("of tuples are arrays", () => {
    const pair = tupleType([scalarTypes.int8, Point]);
    const element = elementValue([3, value], pair, "v");
    const view = new DataView(new ArrayBuffer(pair.size));
    writeElement(view, 0, pair, element);
    expect(readElement(view, 0, pair)).toEqual([
      3,
      { id: 5n, position: [1, Math.fround(0.1)], color: { r: 255, on: true } },
    ]);
    expect(() => elementValue([3], pair, "v")).toThrow(RangeError);
    expect(() => elementValue([3, { ...value, id: "" }], pair, "v")).toThrow(
      expect.objectContaining({ argument: "v[1].id" }),
    );
  });
});

/** A type and some of its values. */
const typeAndValues = structTypes.chain((type) =>
  fc.record({ type: fc.constant(type), values: fc.array(valuesOf(type), { maxLength: 4 }) }),
);

function bytesOfValues(type: StructType, values: readonly ElementValue[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * type.size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    writeElement(view, index * type.size, type, elementValue(value, type, "v"));
  });
  return bytes;
}

/** The column at a path, collected from the objects one by one. */
function collect(values: readonly ElementValue[], path: readonly string[]): unknown[] {
  return path
    .reduce<unknown[]>((all, name) => all.flat(8).map((value) => (value as Record<string, unknown>)[name]), [...values])
    .flat(8);
}

function leafPaths(type: ElementType, path: readonly string[] = []): { path: readonly string[]; type: ElementType }[] {
  if (type.kind === "array") return leafPaths(type.element, path);
  if (type.kind !== "struct") return [{ path, type }];
  return type.fields.flatMap((field) => leafPaths(field.type, [...path, field.name]));
}

describe("for every struct type", () => {
  test("what is written is read again", () => {
    fc.assert(
      fc.property(typeAndValues, ({ type, values }) => {
        const view = new DataView(bytesOfValues(type, values).buffer);
        expect(values.map((_, index) => readElement(view, index * type.size, type))).toEqual(values);
      }),
    );
  });

  test("columns are the objects' fields, and give the same bytes again", () => {
    fc.assert(
      fc.property(typeAndValues, ({ type, values }) => {
        const bytes = bytesOfValues(type, values);
        const columns = columnsFromBytes(bytes, type);
        for (const leaf of leafPaths(type)) {
          const column = leaf.path.reduce<unknown>((all, name) => (all as Record<string, unknown>)[name], columns);
          const { buffer } = column as Uint8Array;
          const view = new DataView(buffer);
          const count = view.byteLength / leaf.type.size;
          const elements = Array.from({ length: count }, (_, i) => readElement(view, i * leaf.type.size, leaf.type));
          if (values.length > 0) expect(elements).toEqual(collect(values, leaf.path));
        }
        expect(bytesFromColumns(columns, type, "c")).toEqual(bytes);
      }),
    );
  });
});

describe("conversion", () => {
  const A = struct({ x: "float64", n: struct({ i: "int64" }), p: ["int32", 2] });
  const B = struct({ p: ["uint8", 2], x: "int32", n: struct({ i: "float32" }) });

  test("goes by name, each field as its type does", () => {
    expect(hostConvert(A, B)({ x: -1.9, n: { i: 7n }, p: [257, -1] })).toEqual({ p: [1, 255], x: -1, n: { i: 7 } });
    expect(hostConvert(B, A)({ p: [1, 255], x: -1, n: { i: 7.5 } })).toEqual({ x: -1, n: { i: 7n }, p: [1, 255] });
  });

  test("of a type to itself gives the very value", () => {
    const value = { x: 1, n: { i: 1n }, p: [1, 2] };
    expect(hostConvert(A, A)(value)).toBe(value);
    expect(cudaConvert(A, A, "value")).toBe("value");
  });

  test("of tuples goes by place", () => {
    const { int32, float64, uint8 } = scalarTypes;
    expect(convertTo(tupleType([uint8, float64]))([257, 1.5])).toEqual([1, 1.5]);
    expect(converts(tupleType([int32, int32]), tupleType([uint8, float64]))).toBe(true);
  });

  test.each<[string, ElementType, ElementType]>([
    ["a scalar and a struct", scalarTypes.int32, struct({ x: "int32" })],
    ["other names", struct({ x: "int32" }), struct({ y: "int32" })],
    ["a field more", struct({ x: "int32" }), struct({ x: "int32", y: "int32" })],
    ["arrays of other lengths", struct({ x: ["int32", 2] }), struct({ x: ["int32", 3] })],
    ["an array and a scalar", struct({ x: ["int32", 1] }), struct({ x: "int32" })],
    ["fields that do not convert", struct({ x: struct({ y: "int8" }) }), struct({ x: struct({ z: "int8" }) })],
    ["tuples of other lengths", tupleType([scalarTypes.int8]), tupleType([scalarTypes.int8, scalarTypes.int8])],
  ])("there is none between %s", (_, from, to) => {
    expect([converts(from, to), converts(to, from)]).toEqual([false, false]);
    expect([promote(from, to), promote(to, from)]).toEqual([undefined, undefined]);
    expect(() => hostConvert(from, to)).toThrow(/does not convert/);
    expect(() => cudaConvert(from, to, "value")).toThrow(/does not convert/);
  });
});

test("what two types promote to is worked out once", () => {
  let looked = 0;
  const counting = (type: StructType): StructType =>
    Object.create(type, {
      fields: {
        get: () => {
          looked++;
          return type.fields;
        },
      },
    }) as StructType;
  const [a, b] = [counting(struct({ once: "int8", w: "int16" })), counting(struct({ w: "int32", once: "uint8" }))];
  const type = promote(a, b);
  expect(type).toBe(struct({ once: "int16", w: "int32" }));
  const before = looked;
  expect(before).toBeGreaterThan(0);
  for (let call = 0; call < 100; call++) expect(promote(a, b)).toBe(type);
  expect(looked).toBe(before);
});

test("promotion is that of each field, in the first type's order", () => {
  const a = struct({ x: "int32", n: struct({ i: "uint8" }), p: ["float16", 2] });
  const b = struct({ p: ["float32", 2], x: "float32", n: struct({ i: "int8" }) });
  expect(promote(a, b)).toBe(struct({ x: "float64", n: struct({ i: "int16" }), p: ["float32", 2] }));
  expect(promote(a, a)).toBe(a);
  expect(promote(tupleType([scalarTypes.int8]), tupleType([scalarTypes.uint8]))).toBe(tupleType([scalarTypes.int16]));
});

test("each definition stands once, and what is nested before what holds it", () => {
  const inner = struct({ a: "int32" });
  const outer = struct({ first: inner, second: inner, third: ["int32", 2] });
  const text = cudaDefinitions([outer, scalarTypes.int32, outer]);
  const defined = [...text.matchAll(/^struct (\w+) \{/gm)].map(([, name]) => name);
  expect(defined).toHaveLength(3);
  expect(defined[0]).toBe((inner as StructType).cudaStorage);
  expect(defined[2]).toBe((outer as StructType).cudaStorage);
});
