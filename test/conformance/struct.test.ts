import {
  DeviceArray,
  type StructType,
  binaryTransform,
  constant,
  counting,
  exclusiveScan,
  inclusiveScan,
  makeReduceInto,
  reduceInto,
  struct,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { onBoth } from "../helpers/structs";

const Point = struct({ id: "int64", position: ["float32", 2], color: struct({ r: "uint8", on: "bool" }) });
const points = [
  { id: 1n, position: [0.5, -2], color: { r: 255, on: true } },
  { id: -(2n ** 63n), position: [2 ** 100, Infinity], color: { r: 0, on: false } },
  { id: 2n ** 63n - 1n, position: [-0, 3], color: { r: 7, on: true } },
];

describeOnBackends("DeviceArray of structs", () => {
  test("objects come back as they went", async () => {
    const array = DeviceArray.from(points, Point);
    expect(array.type).toBe(Point);
    expect([array.length, array.byteLength]).toEqual([3, 72]);
    expect(array.toArray()).toEqual(points);
    const bytes = await array.read();
    expect(bytes).toEqual(array.toTypedArray());
    expect(DeviceArray.from(bytes, Point).toArray()).toEqual(points);
  });

  test("bytes are those of the C++ structs, and padding is zero", () => {
    const Pair = struct({ a: "int8", b: "uint32" });
    const expected = new Uint8Array([255, 0, 0, 0, 1, 2, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    const objects = DeviceArray.from([{ a: -1, b: 513 }, { a: 3, b: 4 }], Pair); // prettier-ignore
    expect(objects.toTypedArray()).toEqual(expected);
    const columns = DeviceArray.fromColumns({ a: new Int8Array([-1, 3]), b: new Uint32Array([513, 4]) }, Pair);
    expect(columns.toTypedArray()).toEqual(expected);
  });

  test("columns are a typed array for each field", () => {
    const columns = {
      id: new BigInt64Array([1n, -(2n ** 63n), 2n ** 63n - 1n]),
      position: new Float32Array([0.5, -2, 2 ** 100, Infinity, -0, 3]),
      color: { r: new Uint8Array([255, 0, 7]), on: new Uint8Array([1, 0, 1]) },
    };
    expect(DeviceArray.from(points, Point).toColumns()).toEqual(columns);
    const array = DeviceArray.fromColumns(columns, Point);
    expect(array.toArray()).toEqual(points);
  });

  test("columns may be parts of larger buffers, and any byte of a bool column that is not 0 is true", () => {
    const Flag = struct({ on: "bool", v: "int16" });
    const on = new Uint8Array([9, 0, 2]).subarray(1);
    const v = new Int16Array([9, 5, -6]).subarray(1);
    const array = DeviceArray.fromColumns({ on, v }, Flag);
    expect(array.toArray()).toEqual([{ on: false, v: 5 }, { on: true, v: -6 }]); // prettier-ignore
    expect(array.toTypedArray()[4]).toBe(1);
    expect(DeviceArray.from(new Uint8Array([7, 0, 1, 0]), Flag).toTypedArray()).toEqual(new Uint8Array([1, 0, 1, 0]));
  });

  test("the bits of NaNs in columns are kept", () => {
    const bits = new Uint32Array([0x7f800001, 0xffc12345]);
    const array = DeviceArray.fromColumns({ a: new Int8Array(2), x: new Float32Array(bits.buffer) }, struct({ a: "int8", x: "float32" })); // prettier-ignore
    expect(new Uint32Array(array.toColumns().x.buffer)).toEqual(bits);
  });

  describe("what cannot be uploaded is refused by name", () => {
    const id = new BigInt64Array(2);
    const position = new Float32Array(4);
    const color = { r: new Uint8Array(2), on: new Uint8Array(2) };
    const from = (source: unknown): unknown => DeviceArray.from(source as never, Point);
    const fromColumns = (columns: unknown): unknown => DeviceArray.fromColumns(columns as never, Point);
    const source = "DeviceArray.from.source";
    const columns = "DeviceArray.fromColumns.columns";
    test.each<[string, () => unknown, string, string]>([
      [
        "a field's array of another length",
        () => from([points[0], { ...points[1], position: [1] }]),
        "RangeError",
        `${source}[1].position`,
      ],
      ["an unknown field", () => from([{ ...points[0], mass: 1 }]), "TypeError", `${source}[0].mass`],
      ["bytes that are no whole elements", () => from(new Uint8Array(25)), "RangeError", source],
      ["a typed array that is not of bytes", () => from(new Float32Array(6)), "TypeError", source],
      ["no columns", () => fromColumns(id), "TypeError", columns],
      ["a missing column", () => fromColumns({ id, position }), "TypeError", `${columns}.color`],
      [
        "a missing column within",
        () => fromColumns({ id, position, color: { r: color.r } }),
        "TypeError",
        `${columns}.color.on`,
      ],
      ["an unknown column", () => fromColumns({ id, position, color, mass: id }), "TypeError", `${columns}.mass`],
      [
        "a column of another type",
        () => fromColumns({ id, position: new Float64Array(4), color }),
        "TypeError",
        `${columns}.position`,
      ],
      [
        "a column of another length",
        () => fromColumns({ id, position: new Float32Array(3), color }),
        "RangeError",
        `${columns}.position`,
      ],
      [
        "columns of scalars",
        () => DeviceArray.fromColumns(id as never, "int64" as never),
        "TypeError",
        "DeviceArray.fromColumns.type",
      ],
    ])("%s", (_, action, name, argument) => {
      expect(action).toThrow(expect.objectContaining({ name, argument }));
    });

    test("columns of an array of scalars", () => {
      expect(() => DeviceArray.zeros(1, "int8").toColumns()).toThrow(TypeError);
    });
  });

  describe("zeros, full and fill", () => {
    const types: [string, StructType][] = [
      ["3 bytes", struct({ a: "uint8", b: "uint8", c: "uint8" })],
      ["4 bytes", struct({ a: "uint8", b: "uint8", c: "uint16" })],
      ["8 bytes", struct({ a: "uint32", b: "uint16", c: "uint8" })],
      ["24 bytes", struct({ a: "int64", b: "int64", c: "int8" })],
    ];
    test.each(types)("of %s", (_, type) => {
      const as = (value: number): unknown => (type.size === 24 ? BigInt(value) : value);
      const zero = { a: as(0), b: as(0), c: 0 } as never;
      const five = { a: as(5), b: as(6), c: 7 } as never;
      const array: DeviceArray = DeviceArray.zeros(11, type);
      expect(array.toArray()).toEqual(Array(11).fill(zero));
      array.subarray(2, 9).fill(five);
      expect(array.toArray()).toEqual([zero, zero, ...Array<never>(7).fill(five), zero, zero]);
      for (const length of [0, 1, 2, 3, 1000]) {
        expect(DeviceArray.full(length, five, type).toArray()).toEqual(Array(length).fill(five));
      }
    });
  });

  test("copyFrom takes arrays of the type and bytes, and no other", () => {
    const array = DeviceArray.zeros(3, Point).copyFrom(DeviceArray.from(points, Point));
    expect(array.toArray()).toEqual(points);
    array.subarray(0, 1).copyFrom(array.subarray(2).toTypedArray());
    expect(array.toArray()[0]).toEqual(points[2]);
    const Other = struct({ ...{ id: "int64", position: ["float32", 2] }, colour: struct({ r: "uint8", on: "bool" }) });
    expect(() => array.copyFrom(DeviceArray.zeros(3, Other) as never)).toThrow(TypeError);
    expect(() => array.copyFrom(new Uint8Array(48))).toThrow(RangeError);
    expect(() => array.copyFrom(new Float32Array(18) as never)).toThrow(TypeError);
  });

  test("toArray gives the values of scalars too", () => {
    expect(DeviceArray.from([1.5, -0], "float16").toArray()).toEqual([1.5, -0]);
    expect(DeviceArray.from([1n, -1n]).toArray()).toEqual([1n, -1n]);
    expect(DeviceArray.from([true, false]).toArray()).toEqual([true, false]);
    expect(DeviceArray.empty(0, Point).toArray()).toEqual([]);
    expect(DeviceArray.from([7, 8, 9], "uint8").subarray(1).toArray()).toEqual([8, 9]);
  });
});

// Operators are in C++ for the device and in JavaScript for the host.
const Best = struct({ v: "float64", i: "int64" });
type Best = { v: number; i: bigint }; // eslint-disable-line @typescript-eslint/consistent-type-definitions
const larger = onBoth(
  "__device__ Result op(Operand0 a, Operand1 b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }",
  (a: Best, b: Best) => (b.v > a.v || (b.v === a.v && b.i < a.i) ? b : a),
);
const sum = onBoth(
  "__device__ Result op(Operand0 a, Operand1 b) { return {a.v + b.v, a.i + b.i}; }",
  (a: Best, b: Best) => ({ v: a.v + b.v, i: a.i + b.i }),
);

const many: Best[] = Array.from({ length: 5_000 }, (_, i) => ({ v: (i * 7919) % 5_003, i: BigInt(i) }));
const largest = many.reduce((a, b) => (b.v > a.v ? b : a));

describeOnBackends("algorithms on structs", () => {
  test("reduceInto finds the largest and its place", () => {
    const output = DeviceArray.empty(1, Best);
    reduceInto({ input: DeviceArray.from(many, Best), output, op: larger, init: { v: -1, i: -1n } });
    expect(output.toArray()).toEqual([largest]);
  });

  test("reduceInto without init, and through makeReduceInto with another one", () => {
    const input = DeviceArray.from(many, Best);
    const output = DeviceArray.zeros(1, Best);
    reduceInto({ input, output, op: larger });
    expect(output.toArray()).toEqual([largest]);
    const reduce = makeReduceInto({ input, output, op: larger, init: { v: 0, i: 0n } });
    reduce({ input, output, init: { v: 1e9, i: 3n } });
    expect(output.toArray()).toEqual([{ v: 1e9, i: 3n }]);
  });

  test("scans keep running totals of each field", () => {
    const input = DeviceArray.from(many, Best);
    const output = DeviceArray.empty(many.length, Best);
    const totals: Best[] = [];
    many.reduce(
      (total, { v, i }) => {
        totals.push(total);
        return { v: total.v + v, i: total.i + i };
      },
      { v: 10, i: 20n },
    );
    exclusiveScan({ input, output, op: sum, init: { v: 10, i: 20n } });
    expect(output.toArray()).toEqual(totals);
    inclusiveScan({ input, output, op: sum });
    expect(output.toArray().slice(0, 3)).toEqual([
      many[0],
      { v: many[0]!.v + many[1]!.v, i: 1n },
      { v: many[0]!.v + many[1]!.v + many[2]!.v, i: 3n },
    ]);
  });

  test("a scan starts from a struct in a device array", () => {
    const output = DeviceArray.empty(2, Best);
    const init = DeviceArray.from([{ v: 100, i: 200n }], Best);
    exclusiveScan({ input: DeviceArray.from(many.slice(0, 2), Best), output, op: sum, init });
    expect(output.toArray()).toEqual([{ v: 100, i: 200n }, { v: 100, i: 200n }]); // prettier-ignore
  });

  test("fields convert by name where input, output and accumulator differ", () => {
    const Narrow = struct({ i: "int8", v: "float32" });
    const Cut = struct({ i: "uint8", v: "int32" });
    const input = DeviceArray.from([{ i: 100, v: 1.5 }, { i: 100, v: 2.25 }, { i: 100, v: 3 }], Narrow); // prettier-ignore
    const wide = DeviceArray.empty(1, Best);
    const add = onBoth(
      "__device__ Result op(Operand0 a, Operand1 b) { Result r; r.i = a.i + b.i; r.v = a.v + b.v; return r; }",
      (a: Best, b: Best) => ({ i: a.i + b.i, v: a.v + b.v }),
    );
    reduceInto({ input, output: wide, op: add, init: { v: 0.5, i: 0n } });
    expect(wide.toArray()).toEqual([{ v: 7.25, i: 300n }]);
    const cut = DeviceArray.empty(1, Cut);
    const init = DeviceArray.from([{ v: 0.5, i: 0n }], Best);
    inclusiveScan({ input, output: cut, op: add, init, numItems: 1 });
    expect(cut.toArray()).toEqual([{ i: 100, v: 2 }]);
  });

  test("transforms make structs of scalars, and scalars of structs", () => {
    const values = DeviceArray.from([1, 2, 3], "float32");
    const Sphere = struct({ radius: "float32", box: struct({ size: ["float32", 3], tag: "uint8" }) });
    const spheres = DeviceArray.empty(3, Sphere);
    const make = onBoth(
      "__device__ Result op(float r) { Result s; s.radius = r; s.box.tag = 7;\n" +
        "for (int i = 0; i < 3; ++i) s.box.size[i] = r * (i + 1); return s; }",
      (r: number) => ({ radius: r, box: { size: [r, r * 2, r * 3], tag: 7 } }),
    );
    unaryTransform({ input: values, output: spheres, op: make });
    expect(spheres.toArray()).toEqual([1, 2, 3].map((r) => ({ radius: r, box: { size: [r, r * 2, r * 3], tag: 7 } })));
    const scaled = DeviceArray.empty(3, "float32");
    const scale = onBoth(
      "__device__ float op(Operand0 s, float k) { return s.box.size[2] * k; }",
      (s: { box: { size: number[] } }, k: number) => s.box.size[2]! * k,
    );
    binaryTransform({ input1: spheres, input2: values, output: scaled, op: scale });
    expect(scaled.toArray()).toEqual([3, 12, 27]);
  });

  describe("nested structs", () => {
    const Inner = struct({ a: "int32", b: "float32" });
    const Middle = struct({ inner: Inner, c: "int64" });
    const Outer = struct({ middle: Middle, inner: Inner, d: "float64" });
    const outer = (i: number) => ({
      middle: { inner: { a: i, b: i / 2 }, c: BigInt(i) },
      inner: { a: -i, b: 0 },
      d: i / 4,
    });
    const items = Array.from({ length: 500 }, (_, i) => outer(i));
    const total = items.reduce((sum, { d }) => sum + d * 4, 0);

    test("three levels deep are summed, field by field, from an init of plain objects", () => {
      const output = DeviceArray.empty(1, Outer);
      reduceInto({
        input: DeviceArray.from(items, Outer),
        output,
        op: (x, y) => ({
          middle: {
            inner: { a: x.middle.inner.a + y.middle.inner.a, b: x.middle.inner.b + y.middle.inner.b },
            c: x.middle.c + y.middle.c,
          },
          inner: { a: x.inner.a + y.inner.a, b: x.inner.b + y.inner.b },
          d: x.d + y.d,
        }),
        init: outer(0),
      });
      expect(output.toArray()).toEqual([outer(total)]);
    });

    test("an operator passes parts of its operands on whole", () => {
      const output = DeviceArray.empty(1, Outer);
      const input = DeviceArray.from(items, Outer);
      const op = (x: ReturnType<typeof outer>, y: ReturnType<typeof outer>): ReturnType<typeof outer> => ({
        middle: x.middle.c > y.middle.c ? x.middle : y.middle,
        inner: x.inner.a < y.inner.a ? x.inner : y.inner,
        d: Math.max(x.d, y.d),
      });
      reduceInto({ input, output, op, init: outer(0) });
      expect(output.toArray()).toEqual([outer(499)]);
    });

    test("are declared in place, and are items of tuples", () => {
      const InPlace = struct({ position: struct({ x: "float32", y: "float32" }), mass: "float32" });
      const bodies = [1, 2, 3].map((x) => ({ position: { x, y: -x }, mass: x * 10 }));
      const output = DeviceArray.empty(3, InPlace);
      const input = zipped(DeviceArray.from(bodies, InPlace), counting(0));
      const op = ([body, i]: [(typeof bodies)[number], number]): (typeof bodies)[number] => ({
        position: { x: body.position.y, y: body.position.x },
        mass: body.mass + i,
      });
      unaryTransform({ input, output, op });
      expect(output.toArray()).toEqual([1, 2, 3].map((x, i) => ({ position: { x: -x, y: x }, mass: x * 10 + i })));
    });

    test("the order of fields is part of the type: equal names in another order convert by name", () => {
      const Turned = struct({ b: "float32", a: "int32" });
      const output = DeviceArray.empty(1, Turned);
      unaryTransform({ input: DeviceArray.from([{ a: 1, b: 2.5 }], Inner), output, op: (x) => x });
      expect(output.toArray()).toEqual([{ b: 2.5, a: 1 }]);
      expect(Turned).not.toBe(Inner);
    });
  });

  test("a constant struct is an input without memory", () => {
    const output = DeviceArray.empty(1, Best);
    reduceInto({ input: constant({ v: 0.5, i: 2n }, Best), output, op: sum, init: { v: 1, i: 0n }, numItems: 1000 });
    expect(output.toArray()).toEqual([{ v: 501, i: 2000n }]);
  });

  test("transformed iterators take structs apart and put them together", () => {
    const input = DeviceArray.from(many.slice(0, 100), Best);
    const flip = onBoth("__device__ Operand0 op(Operand0 a) { a.v = -a.v; return a; }", (a: Best) => ({
      ...a,
      v: -a.v,
    }));
    const field = onBoth("__device__ long long op(Operand0 a) { return a.i; }", (a: Best) => a.i);
    const output = DeviceArray.empty(1, Best);
    reduceInto({
      input: transformed(input, flip, Best),
      output: transformedOutput(output, flip, Best),
      op: sum,
      init: { v: 0, i: 0n },
    });
    const total = many.slice(0, 100).reduce((all, { v }) => all + v, 0);
    expect(output.toArray()).toEqual([{ v: total, i: 4950n }]);
    const numbers = DeviceArray.empty(1, "int64");
    const plus = onBoth("__device__ long long op(long long a, long long b) { return a + b; }", (a: bigint, b: bigint) => a + b); // prettier-ignore
    reduceInto({ input: transformed(input, field, "int64"), output: numbers, op: plus, init: 0n });
    expect(numbers.toArray()).toEqual([4950n]);
  });

  test("structs of odd sizes and alignments reach the kernel whole", () => {
    const Bytes = struct({ a: "uint8", b: "uint8", c: "uint8" });
    const data = Array.from({ length: 1_000 }, (_, i) => ({ a: i % 3, b: i % 5, c: i % 7 }));
    const most = onBoth(
      "__device__ Result op(Operand0 a, Operand1 b) {\n" +
        "return {a.a > b.a ? a.a : b.a, a.b > b.b ? a.b : b.b, a.c > b.c ? a.c : b.c}; }",
      (a: { a: number; b: number; c: number }, b: typeof a) => ({
        a: Math.max(a.a, b.a),
        b: Math.max(a.b, b.b),
        c: Math.max(a.c, b.c),
      }),
    );
    const output = DeviceArray.empty(1, Bytes);
    reduceInto({ input: DeviceArray.from(data, Bytes), output, op: most, init: { a: 0, b: 0, c: 0 } });
    expect(output.toArray()).toEqual([{ a: 2, b: 4, c: 6 }]);
  });
});

describeOnBackends("what structs cannot do is refused by name", () => {
  const input = (): DeviceArray<typeof Best> => DeviceArray.from(many.slice(0, 2), Best);
  const refused = (type: string, argument: string): Error => expect.objectContaining({ name: type, argument }) as Error;

  test("a struct reduced into numbers", () => {
    const action = (): void =>
      reduceInto({ input: input(), output: DeviceArray.empty(1, "float64"), op: larger, init: 0 as never });
    expect(action).toThrow(refused("TypeError", "reduceInto.output"));
    expect(action).toThrow(/reduceInto\.input \(struct \{ v: float64, i: int64 \}\).*"float64"/);
  });

  test("an init of another type", () => {
    const output = DeviceArray.empty(2, Best);
    expect(() => reduceInto({ input: input(), output, op: larger, init: 0 as never })).toThrow(
      refused("TypeError", "reduceInto.init"),
    );
    expect(() => reduceInto({ input: input(), output, op: larger, init: { v: 1 } as never })).toThrow(
      refused("TypeError", "reduceInto.init.i"),
    );
    expect(() => reduceInto({ input: input(), output, op: larger, init: new Float64Array(1) as never })).toThrow(
      refused("TypeError", "reduceInto.init"),
    );
    expect(() =>
      inclusiveScan({ input: input(), output, op: larger, init: DeviceArray.zeros(1, Point) as never }),
    ).toThrow(refused("TypeError", "inclusiveScan.init"));
  });

  test("a constant without a type", () => {
    expect(() => constant({ v: 1, i: 1n } as never)).toThrow(refused("TypeError", "constant.value"));
  });

  test("a type that struct() did not make", () => {
    const copy = { ...Best } as StructType;
    expect(() => DeviceArray.zeros(1, copy)).toThrow(refused("TypeError", "DeviceArray.type"));
  });
});
