/**
 * Device functions that emitted code calls: each does in CUDA C++ exactly what its JavaScript namesake does.
 *
 * No headers are included, so that NVRTC needs a few milliseconds for the whole. Integers wrap through unsigned types,
 * since signed overflow is undefined in C++; `__fmul_rn` and its kin keep the compiler from fusing a * b + c.
 */

const integers = ["int", "unsigned int", "long long", "unsigned long long"] as const;
const floats = ["float", "double"] as const;

function define(result: string, name: string, parameters: string, body: string): string {
  return `__device__ __forceinline__ ${result} ${name}(${parameters}) { ${body} }\n`;
}

const unsignedOf = (type: string): string => (type.endsWith("long long") ? "unsigned long long" : "unsigned int");
const bitsOf = (type: string): number => (type.endsWith("long long") ? 64 : 32);

function integerArithmetic(type: string): string {
  const u = unsignedOf(type);
  const isSigned = !type.startsWith("unsigned");
  const pair = `${type} a, ${type} b`;
  const wrapping = (name: string, operator: string): string =>
    define(type, name, pair, `return (${type})((${u})a ${operator} (${u})b);`);
  // The smallest value divided by -1 wraps, as negation does.
  const overflow = isSigned ? `b == -1 ? (${type})(0 - (${u})a) : ` : "";
  const noRest = isSigned ? "b == 0 || b == -1" : "b == 0";
  return (
    wrapping("add", "+") +
    wrapping("subtract", "-") +
    wrapping("multiply", "*") +
    define(type, "divide", pair, `return b == 0 ? 0 : ${overflow}a / b;`) +
    define(type, "remainder", pair, `return ${noRest} ? 0 : a % b;`) +
    define(type, "negate", `${type} a`, `return (${type})(0 - (${u})a);`) +
    define(type, "min", pair, "return b < a ? b : a;") +
    define(type, "max", pair, "return a < b ? b : a;") +
    define(type, "abs", `${type} a`, isSigned ? "return a < 0 ? negate(a) : a;" : "return a;") +
    define(type, "sign", `${type} a`, isSigned ? "return (a > 0) - (a < 0);" : "return a > 0;") +
    define("bool", "truthy", `${type} a`, "return a != 0;")
  );
}

function integerPower(type: string): string {
  const isSigned = !type.startsWith("unsigned");
  const negative = isSigned ? "if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0; " : "";
  return define(
    type,
    "power",
    `${type} a, ${type} b`,
    `${negative}unsigned long long base = (unsigned long long)a, result = 1; ` +
      `for (unsigned long long n = (unsigned long long)b; n != 0; n >>= 1) { if (n & 1) result *= base; base *= base; } ` +
      `return (${type})result;`,
  );
}

/** 32-bit counts are taken modulo 32; 64-bit ones shift everything out, and the other way where negative. */
function shifts(type: string): string {
  const u = unsignedOf(type);
  if (bitsOf(type) === 32) {
    return (
      define(type, "shift_left", `${type} a, int n`, `return (${type})((${u})a << (n & 31));`) +
      define(type, "shift_right", `${type} a, int n`, "return a >> (n & 31);")
    );
  }
  const left = `(n > 63 ? 0 : (${type})((${u})a << n))`;
  const right = "(a >> (n > 63 ? 63 : n))";
  const rightOut = type.startsWith("unsigned") ? "(n > 63 ? 0 : a >> n)" : right;
  const negated = (text: string): string => text.replace(/\bn\b/g, "m");
  const m = "const long long m = n < -64 ? 64 : -n; ";
  return (
    define(
      type,
      "shift_left",
      `${type} a, long long n`,
      `if (n >= 0) return ${left}; ${m}return ${negated(rightOut)};`,
    ) +
    define(
      type,
      "shift_right",
      `${type} a, long long n`,
      `if (n >= 0) return ${rightOut}; ${m}return ${negated(left)};`,
    )
  );
}

function floatArithmetic(type: "float" | "double"): string {
  const pair = `${type} a, ${type} b`;
  const one = `${type} a`;
  const suffix = type === "float" ? "f" : "";
  const [add, multiply, divide, root] =
    type === "float"
      ? ["__fadd_rn", "__fmul_rn", "__fdiv_rn", "__fsqrt_rn"]
      : ["__dadd_rn", "__dmul_rn", "__ddiv_rn", "__dsqrt_rn"];
  const [toBits, fromBits] =
    type === "float" ? ["__float_as_int", "__int_as_float"] : ["__double_as_longlong", "__longlong_as_double"];
  const literal = (value: string): string => (type === "float" ? `${value}f` : value);
  // Equal operands have equal bits but for the two zeros: -0 is the smaller.
  const extreme = (name: string, first: string, join: string): string =>
    define(
      type,
      name,
      pair,
      `return a != a ? a : b != b ? b : a == b ? ${fromBits}(${toBits}(a) ${join} ${toBits}(b)) : ${first} ? a : b;`,
    );
  const library = ["cbrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos"];
  library.push("atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc");
  return (
    define(type, "add", pair, `return ${add}(a, b);`) +
    define(type, "subtract", pair, `return ${add}(a, -b);`) +
    define(type, "multiply", pair, `return ${multiply}(a, b);`) +
    define(type, "square", one, `return ${multiply}(a, a);`) +
    define(type, "divide", pair, `return ${divide}(a, b);`) +
    define(type, "remainder", pair, `return ::fmod${suffix}(a, b);`) +
    define(type, "negate", one, "return -a;") +
    define(type, "sqrt", one, `return ${root}(a);`) +
    extreme("min", "a < b", "|") +
    extreme("max", "b < a", "&") +
    define(type, "abs", one, `return ::fabs${suffix}(a);`) +
    define(type, "sign", one, `return a > 0 ? ${literal("1.0")} : a < 0 ? ${literal("-1.0")} : a;`) +
    // Halves go up; -0.5 to -0 become -0.
    define(
      type,
      "round",
      one,
      `const ${type} below = ::floor${suffix}(a); ` +
        `return ::copysign${suffix}(a - below >= ${literal("0.5")} ? below + ${literal("1.0")} : below, a);`,
    ) +
    library.map((name) => define(type, name, one, `return ::${name}${suffix}(a);`)).join("") +
    define(type, "atan2", pair, `return ::atan2${suffix}(a, b);`) +
    define(type, "hypot", pair, `return ::hypot${suffix}(a, b);`) +
    // C has 1 for 1 ** NaN and for 1 ** Infinity, JavaScript NaN.
    define(
      type,
      "pow",
      pair,
      `return b != b || (::fabs${suffix}(b) == ${infinity[type]} && ::fabs${suffix}(a) == ${literal("1.0")}) ` +
        `? ${notANumber[type]} : ::pow${suffix}(a, b);`,
    ) +
    define("bool", "is_nan", one, "return a != a;") +
    define("bool", "is_finite", one, `return ::fabs${suffix}(a) < ${infinity[type]};`) +
    define("bool", "is_integer", one, `return is_finite(a) && ::trunc${suffix}(a) == a;`) +
    define(
      "bool",
      "is_safe_integer",
      one,
      `return is_integer(a) && ::fabs${suffix}(a) <= ${type === "float" ? "9007198717870080.0f" : "9007199254740991.0"};`,
    ) +
    define("bool", "truthy", one, "return a == a && a != 0;")
  );
}

/** Infinity and NaN as C++ expressions. */
export const infinity = {
  float: "__int_as_float(0x7f800000)",
  double: "__longlong_as_double(0x7ff0000000000000LL)",
} as const;
export const notANumber = {
  float: "__int_as_float(0x7fc00000)",
  double: "__longlong_as_double(0x7ff8000000000000LL)",
} as const;

/** The low bits of a truncated number, however large; NaN and Infinity give 0. */
const floatToInteger =
  define(
    "long long",
    "to_int64_slow",
    "double a",
    "const unsigned long long bits = (unsigned long long)__double_as_longlong(a); " +
      "const int shift = (int)((bits >> 52) & 0x7ff) - 1075; " +
      "if (shift > 63) return 0; " +
      "const unsigned long long whole = ((bits & 0xfffffffffffffULL) | 0x10000000000000ULL) << shift; " +
      "return (long long)(a < 0 ? 0 - whole : whole);",
  ) +
  define(
    "long long",
    "to_int64",
    "double a",
    "return ::fabs(a) < 9223372036854775808.0 ? __double2ll_rz(a) : to_int64_slow(a);",
  ) +
  define("long long", "to_int64", "float a", "return to_int64((double)a);") +
  define("int", "to_int32", "double a", "return ::fabs(a) < 2147483648.0 ? __double2int_rz(a) : (int)to_int64(a);") +
  define(
    "int",
    "to_int32",
    "float a",
    "return ::fabsf(a) < 2147483648.0f ? __float2int_rz(a) : (int)to_int64((double)a);",
  );

/** 16-bit floats. A double is first cut to a float whose last bit remembers what was lost, so that it rounds once. */
const halfFloats =
  define(
    "float",
    "from_float16",
    "unsigned short bits",
    'float a; asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(bits)); return a;',
  ) +
  define(
    "unsigned short",
    "to_float16",
    "float a",
    'if (a != a) return 0x7e00; unsigned short bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a)); return bits;',
  ) +
  define("float", "from_bfloat16", "unsigned short bits", "return __int_as_float((int)bits << 16);") +
  define(
    "unsigned short",
    "to_bfloat16",
    "float a",
    "if (a != a) return 0x7fc0; const unsigned int bits = (unsigned int)__float_as_int(a); " +
      "return (unsigned short)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);",
  ) +
  define(
    "float",
    "to_odd",
    "double a",
    "const float cut = __double2float_rz(a); " +
      "return (double)cut == a || a != a ? cut : __int_as_float(__float_as_int(cut) | 1);",
  ) +
  define("unsigned short", "to_float16", "double a", "return to_float16(to_odd(a));") +
  define("unsigned short", "to_bfloat16", "double a", "return to_bfloat16(to_odd(a));");

/** How two numbers of unlike types compare, exactly: 1 less, 2 equal, 4 greater, 0 for NaN. */
const mixedComparison =
  define(
    "int",
    "order",
    "long long a, unsigned long long b",
    "return a < 0 || (unsigned long long)a < b ? 1 : (unsigned long long)a == b ? 2 : 4;",
  ) +
  define(
    "int",
    "order",
    "long long a, double b",
    "if (b != b) return 0; if (b >= 9223372036854775808.0) return 1; if (b < -9223372036854775808.0) return 4; " +
      "const long long whole = __double2ll_rz(b); if (a != whole) return a < whole ? 1 : 4; " +
      "const double rest = b - (double)whole; return rest > 0 ? 1 : rest < 0 ? 4 : 2;",
  ) +
  define(
    "int",
    "order",
    "unsigned long long a, double b",
    "if (b != b) return 0; if (b >= 18446744073709551616.0) return 1; if (b < 0) return 4; " +
      "const unsigned long long whole = __double2ull_rz(b); if (a != whole) return a < whole ? 1 : 4; " +
      "return b > (double)whole ? 1 : 2;",
  ) +
  define("int", "reversed", "int order", "return order == 1 ? 4 : order == 4 ? 1 : order;") +
  define("int", "order", "unsigned long long a, long long b", "return reversed(order(b, a));") +
  define("int", "order", "double a, long long b", "return reversed(order(b, a));") +
  define("int", "order", "double a, unsigned long long b", "return reversed(order(b, a));");

/** The integers that a whole number is compared with in place of a float64; NaN is beyond all. */
const bounds =
  define(
    "long long",
    "whole_from",
    "double bound, long long nan",
    "return bound != bound ? nan : __double2ll_ru(bound);",
  ) +
  define(
    "long long",
    "whole_to",
    "double bound, long long nan",
    "return bound != bound ? nan : __double2ll_rd(bound);",
  );

/** Captured arrays, as they lie in the state, and the places in them. A place outside is negative or too large. */
const arrays =
  "struct array { void* data; long long length; };\n" +
  define("long long", "length", "const void* state", "return static_cast<const array*>(state)->length;") +
  define("long long", "place", "int index", "return index;") +
  define("long long", "place", "unsigned int index", "return index;") +
  define("long long", "place", "long long index", "return index;") +
  define("long long", "place", "unsigned long long index", "return index >> 63 ? -1 : (long long)index;") +
  define(
    "long long",
    "place",
    "double index",
    "const long long whole = index >= 0 && index < 9223372036854775808.0 ? __double2ll_rz(index) : -1; " +
      "return (double)whole == index ? whole : -1;",
  ) +
  "template <class T> " +
  define(
    "T*",
    "element",
    "const void* state, long long place",
    "return (unsigned long long)place < (unsigned long long)length(state) " +
      "? static_cast<T*>(static_cast<const array*>(state)->data) + place : nullptr;",
  ) +
  "template <class T> " +
  define(
    "T",
    "load",
    "const void* state, long long place, T missing",
    "const T* at = element<T>(state, place); return at ? *at : missing;",
  ) +
  "template <class T> " +
  define(
    "void",
    "store",
    "const void* state, long long place, T value",
    "if (T* at = element<T>(state, place)) *at = value;",
  );

/** Types that the hardware has an atomic for; the others go through the unsigned type of their size. */
const nativeAtomics: Readonly<Record<string, readonly string[]>> = {
  Add: ["int", "unsigned int", "unsigned long long", "float", "double"],
  Min: ["int", "unsigned int", "long long", "unsigned long long"],
  Max: ["int", "unsigned int", "long long", "unsigned long long"],
  And: ["int", "unsigned int", "unsigned long long"],
  Or: ["int", "unsigned int", "unsigned long long"],
  Xor: ["int", "unsigned int", "unsigned long long"],
  Exch: ["int", "unsigned int", "unsigned long long", "float"],
};

const bitCasts: Readonly<Record<string, { to: string; from: string; bits: string }>> = {
  int: { to: "(unsigned int)", from: "(int)", bits: "unsigned int" },
  "unsigned int": { to: "", from: "", bits: "unsigned int" },
  "long long": { to: "(unsigned long long)", from: "(long long)", bits: "unsigned long long" },
  "unsigned long long": { to: "", from: "", bits: "unsigned long long" },
  float: { to: "__float_as_uint", from: "__uint_as_float", bits: "unsigned int" },
  double: { to: "(unsigned long long)__double_as_longlong", from: "__longlong_as_double", bits: "unsigned long long" },
};

/** Each answers what the element held before; the new value of an element is what its namesake without `atomic_` gives. */
function atomicsOf(type: string): string {
  const { to, from, bits } = bitCasts[type] as { to: string; from: string; bits: string };
  const isFloat = type === "float" || type === "double";
  const onBits = `${bits}* at = reinterpret_cast<${bits}*>(element<${type}>(state, place)); if (!at) return missing; `;
  const atomic = (name: string, operands: string, body: string): string =>
    define(type, `atomic_${name}`, `const void* state, long long place, ${type} missing, ${operands}`, body);
  const change = (name: string, native: string, otherwise: string): string => {
    if (nativeAtomics[native]?.includes(type)) {
      const body = `${type}* at = element<${type}>(state, place); return at ? ::atomic${native}(at, value) : missing;`;
      return atomic(name, `${type} value`, body);
    }
    return atomic(name, `${type} value`, onBits + otherwise);
  };
  /** For what no hardware has: tries until nobody came between. */
  const loop = (next: string): string =>
    `${bits} held = *at, seen; do { seen = held; const ${type} old = ${from}(seen); ` +
    `held = ::atomicCAS(at, seen, ${to}(${next})); } while (held != seen); return ${from}(held);`;
  const throughBits = (native: string): string => `return ${from}(::atomic${native}(at, ${to}(value)));`;
  return (
    change("add", "Add", throughBits("Add")) +
    atomic("sub", `${type} value`, `return atomic_add(state, place, missing, negate(value));`) +
    change("min", "Min", loop("min(old, value)")) +
    change("max", "Max", loop("max(old, value)")) +
    (isFloat
      ? ""
      : change("and", "And", throughBits("And")) +
        change("or", "Or", throughBits("Or")) +
        change("xor", "Xor", throughBits("Xor"))) +
    change("exchange", "Exch", throughBits("Exch")) +
    atomic(
      "compareExchange",
      `${type} expected, ${type} value`,
      `${onBits}return ${from}(::atomicCAS(at, ${to}(expected), ${to}(value)));`,
    )
  );
}

const bits =
  define("int", "imul", "int a, int b", "return multiply(a, b);") +
  define("int", "clz32", "int a", "return __clz(a);") +
  define("bool", "truthy", "bool a", "return a;");

/** The device functions, in namespace cuda_compute. Stands at the head of every translation unit. */
export const cudaPrelude: string =
  "namespace cuda_compute {\n" +
  integers.map(integerArithmetic).join("") +
  integers.map(shifts).join("") +
  integerPower("long long") +
  integerPower("unsigned long long") +
  floats.map(floatArithmetic).join("") +
  floatToInteger +
  halfFloats +
  mixedComparison +
  bits +
  bounds +
  arrays +
  [...integers, ...floats].map(atomicsOf).join("") +
  "}\n";
