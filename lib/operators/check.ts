/** The untyped tree and the types of its parameters to the typed program. */
import { type ElementType, isScalarType } from "../types/element";
import { promote } from "../types/promote";
import { type ScalarName, type ScalarType, isBigIntType, scalarTypes } from "../types/scalar";
import {
  anyOf,
  constructArray,
  constructStruct,
  convertElement,
  fieldIndex,
  heldOf,
  isConvertible,
  isScalar,
  join,
  partCount,
  partOf,
  typedOf,
} from "./aggregate";
import { type ArrayCapture, type CaptureType, type FunctionCapture, stateCaptures } from "./capture-types";
import { applyIntrinsic, type Intrinsic, wrongCount } from "./intrinsics";
import type {
  AnyProgram,
  Assign,
  BinaryOperation,
  Comparison,
  Expression,
  FunctionBody,
  Program,
  ScalarExpression,
  Statement,
} from "./ir";
import { type MathFunction, mathFunctions } from "./math";
import { inOrder } from "./numbering";
import {
  commonType,
  computingType,
  convertNode,
  type Held,
  joinScalars,
  literalValue,
  naturals,
  strong,
  truthiness,
  type Typed,
  weakBigInt,
  weakNumber,
} from "./numeric";
import { type CompileError } from "../errors";
import { refusalOf } from "./unsupported";
import { compileErrorAt, missingReturn, recursion, type Source, type Span } from "./source";
import {
  type ArithmeticOperator,
  type ComparisonOperator,
  leastArity,
  type SyntaxCall,
  type SyntaxExpression,
  type SyntaxFunction,
  type SyntaxIndex,
  type SyntaxStatement,
} from "./syntax";

const { bool, int32, uint32, int64, uint64, float64 } = scalarTypes;

const operations: Readonly<Record<ArithmeticOperator, BinaryOperation>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
  "**": "power",
  "&": "bitAnd",
  "|": "bitOr",
  "^": "bitXor",
  "<<": "shiftLeft",
  ">>": "shiftRight",
  ">>>": "shiftRight",
};
const comparisons: Readonly<Record<ComparisonOperator, Comparison>> = {
  "===": "equal",
  "==": "equal",
  "!==": "notEqual",
  "!=": "notEqual",
  "<": "less",
  "<=": "lessEqual",
  ">": "greater",
  ">=": "greaterEqual",
};
const conversionTargets = { number: float64, boolean: bool } as const;

/** What a captured name or a parameter stands for, other than a value: its type and where its state begins. */
interface Reference {
  readonly capture: CaptureType;
  /** The place of its first value among the captures of the whole program. */
  readonly place: number;
}

/** What a function is given for a parameter. */
type Operand = { readonly held: Held; readonly index: number } | Reference;

/** A function's body, and what it answers. */
interface CheckedBody {
  readonly body: FunctionBody;
  readonly result: Held | undefined;
  readonly writes: boolean;
  /** What it calls, in that order. */
  readonly calls: ReadonlySet<CheckedFunction>;
}

/** A function of the program, for operands of given types. */
interface CheckedFunction extends CheckedBody {
  readonly index: number;
}

/** What the functions of one program share. */
class Functions {
  /**
   * By function and types of its operands; undefined while it is being checked. A caller that is checked once more
   * finds what it called before: from anew, the work would double with each level of calls.
   */
  readonly known = new Map<string, CheckedFunction | undefined>();
  readonly written = new Set<number>();
  /** An error about the first place that writes. */
  firstWrite: ((argument: string) => CompileError) | undefined;

  constructor(readonly argument: string) {}
}

/** Atomic operations that the GPU has for integers alone. */
const integerAtomics: ReadonlySet<string> = new Set(["and", "or", "xor"]);

class Checker {
  /** What each variable holds, from this pass and the ones before it. */
  private readonly held = new Map<number, Held>();
  /** What was typed since a variable changed: some rules look at an expression twice. */
  private readonly typed = new Map<SyntaxExpression, Typed>();
  private result: Held | undefined;
  private changes = 0;
  private writes = false;
  /** What this pass calls. */
  private readonly calls = new Set<CheckedFunction>();
  /** What the result converts to, where that is given. */
  private resultType: ElementType | undefined;
  private readonly references: readonly Reference[];
  /** Whether what the function answers is dropped. */
  private drops = false;

  constructor(
    private readonly syntax: SyntaxFunction,
    private readonly source: Source,
    private readonly operands: readonly Operand[],
    captures: readonly CaptureType[],
    place: number,
    private readonly functions: Functions,
  ) {
    let next = place;
    this.references = captures.map((capture) => {
      const reference = { capture, place: next };
      next += stateCaptures([capture]).length;
      return reference;
    });
  }

  check(resultType?: ElementType, drops = false): CheckedBody {
    this.resultType = resultType;
    this.drops = drops;
    let body: Statement[];
    // A variable takes the type of all that is assigned to it, which may depend on variables: repeat until it rests.
    do {
      this.changes = 0;
      this.typed.clear();
      this.calls.clear();
      body = this.statements(this.syntax.body);
    } while (this.changes > 0);
    const { result, writes, calls } = this;
    const type = resultType ?? result?.type;
    const typeOf = (variable: number): ElementType => this.held.get(variable)?.type ?? float64;
    return {
      body: {
        parameters: this.operands.flatMap((operand) => ("held" in operand ? [operand.held.type] : [])),
        locals: this.syntax.variables.map((_, variable) => typeOf(variable)),
        resultType: result === undefined ? undefined : type,
        body: withConversions(body, type, typeOf),
      },
      result,
      writes,
      calls,
    };
  }

  private statements(statements: readonly SyntaxStatement[]): Statement[] {
    return statements.flatMap((statement): Statement[] => {
      switch (statement.kind) {
        case "declare":
        case "assign": {
          const { kind, variable: index } = statement;
          if (statement.value === undefined) return [{ kind: "declare", index, value: undefined }];
          const effect = statement.value.kind === "call" ? this.effect(statement.value, index) : undefined;
          if (effect !== undefined) {
            return kind === "declare" ? [{ kind, index, value: undefined }, effect] : [effect];
          }
          const value = this.expression(statement.value);
          this.hold(index, value, statement.value.span);
          return [{ kind, index, value: value.node }];
        }
        case "if":
          return [
            {
              kind: "if",
              test: truthiness(this.scalar(statement.test)),
              consequent: this.statements(statement.consequent),
              alternate: this.statements(statement.alternate),
            },
          ];
        case "loop": {
          const { testsAfter } = statement;
          const test = (): Expression | undefined =>
            statement.test === undefined ? undefined : truthiness(this.scalar(statement.test));
          const before = testsAfter ? undefined : test();
          const body = this.statements(statement.body);
          const update = this.statements(statement.update) as Assign[];
          return [{ kind: "loop", test: testsAfter ? test() : before, testsAfter, update, body }];
        }
        case "break":
        case "continue":
          return [{ kind: statement.kind }];
        case "return": {
          if (statement.value === undefined) return [{ kind: "return", value: undefined }];
          if (this.drops) {
            // Expressions have no effects; a call that has is a statement of its own, and its answer a local.
            if (statement.value.kind !== "local") this.expression(statement.value);
            return [{ kind: "return", value: undefined }];
          }
          const value = this.expression(statement.value);
          this.returns(value, statement.value.span);
          return [{ kind: "return", value: value.node }];
        }
        case "store": {
          const { element, place } = this.array(statement.object);
          const value = this.expression(statement.value);
          const index = this.index(statement.index);
          this.write(place, statement.span);
          const stored = this.convert(value, element, statement.value.span);
          return [{ kind: "store", array: place, index, value: stored }];
        }
        case "invoke": {
          const effect = this.effect(statement.call, undefined);
          if (effect === undefined) {
            this.fail(statement.span, "a statement without effect", "Return the value, or assign it to a local.");
          }
          return [effect];
        }
      }
    });
  }

  /** A call as a statement, where it writes; its answer goes to a variable. */
  private effect(call: SyntaxCall, variable: number | undefined): Statement | undefined {
    const callee = this.callee(call);
    if (callee.kind === "atomic") return this.atomic(callee, call, variable);
    if (callee.kind !== "function") return undefined;
    const { checked, operands } = this.invocation(call, callee, callee.place);
    if (!checked.writes) return undefined;
    this.writes = true;
    const isDropped = this.drops && checked.result === undefined && this.syntax.variables[variable ?? -1] === "";
    const result = isDropped ? undefined : variable;
    if (result !== undefined) this.hold(result, this.answer(checked, operands, call.span), call.span);
    return { kind: "invoke", function: checked.index, operands, result };
  }

  private atomic(intrinsic: Intrinsic & { kind: "atomic" }, call: SyntaxCall, variable: number | undefined): Statement {
    const { name, operation } = intrinsic;
    const problem = wrongCount(intrinsic, call.operands.length);
    if (problem !== undefined) this.fail(call.span, problem);
    const [object, at, ...values] = call.operands as [SyntaxExpression, SyntaxExpression, ...SyntaxExpression[]];
    const { element, place } = this.array(object);
    const isInteger = element.kind === "int" || element.kind === "uint";
    if (!isScalarType(element) || element.size < 4 || (integerAtomics.has(operation) && !isInteger)) {
      const what = integerAtomics.has(operation) ? "integers" : "numbers";
      this.fail(object.span, `${name} of ${element.name} elements`, `It works on ${what} of 32 and 64 bits.`);
    }
    const operands = values.map((value) => convertNode(this.scalar(value).node, element));
    const index = this.index(at);
    this.write(place, call.span);
    if (variable !== undefined) this.hold(variable, anyOf(element), call.span);
    return { kind: "atomic", operation, type: element, array: place, index, operands, result: variable };
  }

  private write(place: number, span: Span): void {
    this.writes = true;
    const { functions, source } = this;
    functions.written.add(place);
    functions.firstWrite ??= (argument) =>
      compileErrorAt(
        source,
        span,
        argument,
        "this operator may not write to captured arrays: it is not called once for each element",
        "Write in a transform, in forEach, or in the predicate of a selection.",
      );
  }

  /** What a call calls: a known function, or a captured one. */
  private callee(call: SyntaxCall): Intrinsic | (FunctionCapture & { readonly place: number }) {
    if (!("span" in call.callee)) return call.callee;
    const reference = this.reference(call.callee);
    const capture = reference?.capture;
    if (reference === undefined || (capture?.kind !== "function" && capture?.kind !== "intrinsic")) {
      this.fail(call.callee.span, "this is not a function", "Call Math.*, a conversion, or a captured function.");
    }
    return capture.kind === "intrinsic" ? capture.intrinsic : { ...capture, place: reference.place };
  }

  private call(call: SyntaxCall): Typed {
    const callee = this.callee(call);
    if (callee.kind === "atomic") {
      this.fail(call.span, `${callee.name} inside an expression`, "Assign its answer to a variable first.");
    }
    if (callee.kind !== "function") {
      const problem = wrongCount(callee, call.operands.length);
      if (problem !== undefined) this.fail(call.span, problem);
      return this.expression(applyIntrinsic(callee, call.operands, call.span));
    }
    const { checked, operands } = this.invocation(call, callee, callee.place);
    if (checked.writes) {
      this.fail(call.span, "a function that writes, inside an expression", "Assign its answer to a variable first.");
    }
    return this.answer(checked, operands, call.span);
  }

  private answer(checked: CheckedFunction, operands: readonly Expression[], span: Span): Typed {
    const { result, index } = checked;
    if (result === undefined) this.fail(span, "this function answers nothing");
    return typedOf(result, { kind: "call", type: result.type, function: index, operands });
  }

  /** A captured function for the operands of one call: checked once for each types of them. */
  private invocation(
    call: SyntaxCall,
    callee: FunctionCapture,
    place: number,
  ): { checked: CheckedFunction; operands: Expression[] } {
    const { syntax, source } = callee.text;
    const { functions } = this;
    if (call.operands.length > syntax.arity || call.operands.length < leastArity(syntax)) {
      this.fail(
        call.span,
        `this function takes ${String(syntax.arity)} argument(s), not ${String(call.operands.length)}`,
      );
    }
    const operands: Operand[] = [];
    const values: Expression[] = [];
    for (const operand of call.operands) {
      const reference = this.reference(operand);
      if (reference !== undefined && reference.capture.kind !== "value" && reference.capture.kind !== "object") {
        operands.push(reference);
        continue;
      }
      const typed = this.expression(operand);
      operands.push({ held: heldOf(typed), index: values.length });
      values.push(typed.node);
    }
    const key = [callee.key, place, ...operands.map(operandKey)].join(":");
    let checked = functions.known.get(key);
    if (checked === undefined) {
      if (functions.known.has(key)) {
        const { start, end } = call.span;
        throw recursion(this.source, call.span, this.source.text.slice(start, end), functions.argument);
      }
      const index = functions.known.size;
      functions.known.set(key, undefined);
      checked = { index, ...new Checker(syntax, source, operands, callee.captures, place, functions).check() };
      functions.known.set(key, checked);
    }
    this.calls.add(checked);
    return { checked, operands: values };
  }

  /** What a name stands for that is no value by itself, and captured values. */
  private reference(syntax: SyntaxExpression): Reference | undefined {
    if (syntax.kind === "capture") return this.references[syntax.index];
    const operand = syntax.kind === "parameter" ? this.operands[syntax.index] : undefined;
    return operand !== undefined && "capture" in operand ? operand : undefined;
  }

  private array(syntax: SyntaxExpression): ArrayCapture & { readonly place: number } {
    const reference = this.reference(syntax);
    if (reference?.capture.kind !== "array") {
      this.fail(syntax.span, "this is not a device array", "Index a captured DeviceArray.");
    }
    return { ...reference.capture, place: reference.place };
  }

  private index(syntax: SyntaxExpression): Expression {
    const typed = this.scalar(syntax);
    const { type } = typed.node;
    if (type === bool) this.fail(syntax.span, "a boolean as an index", "Write Number(x), or `x ? 1 : 0`.");
    const value = literalValue(typed);
    if (typeof value === "number" && value === (value | 0)) return convertNode(typed.node, int32);
    return convertNode(typed.node, type.kind === "float" ? float64 : computingType(type));
  }

  private hold(variable: number, value: Typed, span: Span): void {
    const before = this.held.get(variable);
    const after = before === undefined ? heldOf(value) : this.joined(before, value, span);
    this.held.set(variable, after);
    if (before !== undefined && isSame(before, after)) return;
    this.changes++;
    this.typed.clear();
  }

  private returns(value: Typed, span: Span): void {
    const { result, resultType } = this;
    this.result = result === undefined ? heldOf(value) : this.joined(result, value, span);
    if (resultType !== undefined) this.convert(value, resultType, span);
  }

  /** What a place holds that held something before. */
  private joined(before: Held, value: Typed, span: Span): Held {
    return join(typedOf(before, anyOf(before.type).node), value) ?? this.mismatch(before.type, value.node.type, span);
  }

  private convert(value: Typed, type: ElementType, span: Span): Expression {
    if (!isConvertible(value.node.type, type)) this.mismatch(type, value.node.type, span);
    return convertElement(value.node, type);
  }

  private mismatch(expected: ElementType, found: ElementType, span: Span): never {
    this.fail(
      span,
      `${found.name} where there is ${expected.name}`,
      "Structs convert where their fields have the same names.",
    );
  }

  /** An expression that is a number, a BigInt or a boolean. */
  private scalar(syntax: SyntaxExpression): Typed<ScalarType> {
    const typed = this.expression(syntax);
    if (isScalar(typed)) return typed;
    return this.fail(syntax.span, `${typed.node.type.name} as a number`, "Use one of its parts, such as p.x or p[0].");
  }

  private expression(syntax: SyntaxExpression): Typed {
    let typed = this.typed.get(syntax);
    if (typed === undefined) {
      typed = this.typeOf(syntax);
      this.typed.set(syntax, typed);
    }
    return typed;
  }

  private typeOf(syntax: SyntaxExpression): Typed {
    switch (syntax.kind) {
      case "number":
        return weakNumber(syntax.value);
      case "bigint": {
        const { value } = syntax;
        if (BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value) {
          this.fail(syntax.span, "this BigInt needs more than 64 bits", "Integers have at most 64 bits on the GPU.");
        }
        return weakBigInt(value);
      }
      case "boolean":
        return strong({ kind: "literal", type: bool, value: syntax.value });
      case "parameter": {
        const operand = this.operands[syntax.index];
        if (operand === undefined) return this.expression(this.syntax.defaults[syntax.index] as SyntaxExpression);
        if (!("held" in operand)) return this.value(operand, syntax.span);
        const { held, index } = operand;
        return typedOf(held, { kind: "parameter", type: held.type, index });
      }
      case "capture":
        return this.value(this.references[syntax.index] as Reference, syntax.span);
      case "call":
        return this.call(syntax);
      case "index":
        return this.indexed(syntax);
      case "member":
        return this.member(syntax);
      case "object":
        return this.object(syntax);
      case "array": {
        const array = constructArray(syntax.items.map((item) => this.expression(item)));
        return array ?? this.fail(syntax.span, "an array literal without items", "Write its items.");
      }
      case "local": {
        const { variable } = syntax;
        const held = this.held.get(variable);
        if (held === undefined) throw new Error("a variable that is read before it is assigned");
        // A local that only ever holds one literal is that literal, as it is once a tool has put it in its place.
        const [value] = held.values?.length === 1 ? held.values : [];
        if (value !== undefined) return typeof value === "bigint" ? weakBigInt(value) : weakNumber(value);
        return typedOf(held, { kind: "local", type: held.type, index: variable });
      }
      case "unary":
        return this.unary(syntax);
      case "binary":
        return this.binary(syntax);
      case "compare":
        return this.compare(syntax);
      case "logical":
        return this.logical(syntax);
      case "conditional": {
        const test = this.scalar(syntax.test);
        const consequent = this.expression(syntax.consequent);
        const alternate = this.expression(syntax.alternate);
        const held = join(consequent, alternate);
        if (held === undefined) this.mismatch(consequent.node.type, alternate.node.type, syntax.alternate.span);
        return typedOf(held, {
          kind: "conditional",
          type: held.type,
          test: truthiness(test),
          consequent: convertElement(consequent.node, held.type),
          alternate: convertElement(alternate.node, held.type),
        });
      }
      case "math":
        return this.math(syntax);
      case "conversion": {
        const operand = this.scalar(syntax.operand);
        return strong(convertNode(operand.node, this.conversionTarget(syntax.target, operand)));
      }
      case "cut":
        return this.cut(syntax);
    }
  }

  /** `table[i]`, or a part of a struct that has no names, or of an array in a struct. */
  private indexed({ object, index, missing, span }: SyntaxIndex): Typed {
    const reference = this.reference(object);
    if (reference !== undefined && reference.capture.kind !== "object") {
      const { element, place } = this.array(object);
      const otherwise = missing && this.otherwise(element, missing);
      return strong({ kind: "element", type: element, array: place, index: this.index(index), missing: otherwise });
    }
    const value = this.expression(object);
    const { type } = value.node;
    if (isScalarType(type)) {
      return this.fail(
        object.span,
        `${type.name} has no parts`,
        "Index a captured DeviceArray, or elements of a zip (transformedOutput takes the zip's type as its third argument).",
      );
    }
    const place = literalValue(this.scalar(index));
    if (typeof place === "number" && Number.isInteger(place) && place >= 0 && place < (partCount(type) ?? 0)) {
      if (type.kind === "array" || type.isTuple) return partOf(value, place);
    }
    if (type.kind === "array") {
      const otherwise = missing && this.otherwise(type.element, missing);
      const at = this.index(index);
      return strong({ kind: "item", type: type.element, value: value.node, index: at, missing: otherwise });
    }
    return this.fail(
      span,
      `${type.name} has no such part`,
      "Name one of its fields, or give the number of one of its parts.",
    );
  }

  /** What stands for an element outside of its array: a value of the element's type. */
  private otherwise(element: ElementType, syntax: SyntaxExpression): Expression {
    const value = this.expression(syntax);
    if (join(anyOf(element), value)?.type !== element) {
      const hint = isScalarType(element) ? `Convert it, as in ${element.name}(x).` : "Give it the same fields.";
      this.fail(syntax.span, `\`??\` of ${element.name} and a value that it cannot hold`, hint);
    }
    return convertElement(value.node, element);
  }

  private member({ object, name, span }: SyntaxExpression & { kind: "member" }): Typed {
    const reference = this.reference(object);
    if (reference?.capture.kind === "array" && name === "length") {
      return { node: { kind: "length", type: float64, array: reference.place }, isWeak: true, values: undefined };
    }
    const value = this.expression(object);
    const { type } = value.node;
    if (isScalarType(type)) {
      const { problem, hint } = refusalOf("MemberExpression");
      return this.fail(span, problem, hint);
    }
    const isNamed = type.kind === "struct" && !type.isTuple;
    if (!isNamed && name === "length") return weakNumber(partCount(type) ?? 0);
    const index = isNamed ? fieldIndex(type, name) : -1;
    if (index === -1) this.fail(span, `${type.name} has no field \`${name}\``, "Name one of its fields.");
    return partOf(value, index);
  }

  /** A later property of a name takes the place of an earlier one, as in JavaScript. */
  private object({ properties, span }: SyntaxExpression & { kind: "object" }): Typed {
    const parts = new Map<string, Typed>();
    for (const { name, value } of properties) {
      const typed = this.expression(value);
      const { type } = typed.node;
      if (name === "__proto__")
        this.fail(value.span, "a field called __proto__", "JavaScript gives it another meaning.");
      if (name !== undefined) parts.set(name, typed);
      else if (type.kind === "struct" && !type.isTuple) {
        type.fields.forEach((field, index) => parts.set(field.name, partOf(typed, index)));
      } else this.fail(value.span, `\`...\` of ${type.name}`, "Spread a struct.");
    }
    if (parts.size === 0) this.fail(span, "an object literal without fields", "Give it the fields of a struct.");
    return constructStruct([...parts.keys()], [...parts.values()]);
  }

  /** A captured number, BigInt or boolean, or an object of them. A number is weak, as a literal of unknown value. */
  private value({ capture, place }: Reference, span: Span): Typed {
    if (capture.kind === "value") {
      const node = { kind: "capture", type: capture.type, index: place } as const;
      const isNatural = capture.name === "natural";
      return { node, isWeak: isNatural || capture.name === "number", values: isNatural ? naturals : undefined };
    }
    if (capture.kind === "object") {
      if (capture.names.includes("__proto__")) this.fail(span, "a field called __proto__", "Give it another name.");
      let next = place;
      const parts = capture.properties.map((property) => {
        const part = this.value({ capture: property, place: next }, span);
        next += stateCaptures([property]).length;
        return part;
      });
      return constructStruct(capture.names, parts);
    }
    return capture.kind === "array"
      ? this.fail(span, "a device array is not a value", "Read one of its elements, as in table[i], or its length.")
      : this.fail(span, "a function is not a value", "Call it.");
  }

  private conversionTarget(
    target: ScalarName | "number" | "boolean" | "bigint",
    operand: Typed<ScalarType>,
  ): ScalarType {
    if (target === "bigint") return operand.node.type === uint64 ? uint64 : int64;
    return target === "number" || target === "boolean" ? conversionTargets[target] : scalarTypes[target];
  }

  /** The low bits of a BigInt: to the top and back, with copies of the highest one where they are signed. */
  private cut({ isSigned, bits, operand }: SyntaxExpression & { kind: "cut" }): Typed<ScalarType> {
    const name = isSigned ? "BigInt.asIntN" : "BigInt.asUintN";
    const value = this.scalar(operand);
    const given = value.node.type;
    if (!isBigIntType(given) && given !== bool) {
      this.fail(operand.span, `${name} of ${nameOf(value)}`, "It takes a BigInt: convert it, as in BigInt(x).");
    }
    const count = this.scalar(bits);
    if (isBigIntType(count.node.type)) {
      this.fail(bits.span, `${name} to a BigInt's number of bits`, "Write a number, as in BigInt.asIntN(8, x).");
    }
    const most = literalValue(count);
    if (typeof most === "number" && !(Math.trunc(most) >= 0 && Math.trunc(most) <= 64)) {
      this.fail(bits.span, `${name} to ${String(most)} bits`, "Integers have at most 64 bits on the GPU.");
    }
    const type = isSigned ? int64 : uint64;
    const place = this.unusedBits(count);
    const top: ScalarExpression = {
      kind: "binary",
      type,
      operation: "shiftLeft",
      left: convertNode(value.node, type),
      right: place,
    };
    return strong({ kind: "binary", type, operation: "shiftRight", left: top, right: place });
  }

  /** How many of 64 bits a count leaves; none where it is larger. */
  private unusedBits(count: Typed<ScalarType>): ScalarExpression {
    const literal = (value: bigint): ScalarExpression => ({ kind: "literal", type: int64, value });
    const kept = literalValue(count);
    if (typeof kept === "number") return literal(64n - BigInt(Math.trunc(kept)));
    const rest: ScalarExpression = {
      kind: "binary",
      type: int64,
      operation: "subtract",
      left: literal(64n),
      right: convertNode(count.node, int64),
    };
    return { kind: "math", type: int64, name: "max", operands: [rest, literal(0n)] };
  }

  private unary(syntax: SyntaxExpression & { kind: "unary" }): Typed<ScalarType> {
    const operand = this.scalar(syntax.operand);
    const value = operand.isWeak ? literalValue(operand) : undefined;
    switch (syntax.operator) {
      case "!":
        return strong({ kind: "not", type: bool, operand: truthiness(operand) });
      case "+":
        if (isBigIntType(operand.node.type)) {
          this.fail(syntax.span, "unary + has no meaning on a 64-bit integer", "Write Number(x), or leave it out.");
        }
        return operand.isWeak ? operand : strong(convertNode(operand.node, computingType(operand.node.type)));
      case "-": {
        if (typeof value === "number") return weakNumber(-value);
        if (typeof value === "bigint" && BigInt.asIntN(64, -value) === -value) return weakBigInt(-value);
        const type = computingType(operand.node.type);
        const node: ScalarExpression = {
          kind: "unary",
          type,
          operation: "negate",
          operand: convertNode(operand.node, type),
        };
        const negated = operand.values?.map((each) => -each);
        return { node, isWeak: operand.isWeak, values: negated };
      }
      case "~": {
        if (typeof value === "number") return weakNumber(~value);
        if (typeof value === "bigint" && BigInt.asIntN(64, ~value) === ~value) return weakBigInt(~value);
        const type = isBigIntType(operand.node.type) ? operand.node.type : int32;
        return strong({ kind: "unary", type, operation: "bitNot", operand: convertNode(operand.node, type) });
      }
    }
  }

  private binary(syntax: SyntaxExpression & { kind: "binary" }): Typed<ScalarType> {
    const { operator, span } = syntax;
    this.chain(syntax.left);
    const left = this.scalar(syntax.left);
    const right = this.scalar(syntax.right);
    const whole = operator === "|" && literalValue(right) === 0 ? this.wholeQuotient(syntax.left) : undefined;
    if (whole !== undefined) return strong(convertNode(whole, int32));
    const folded = this.foldBinary(operator, left, right);
    if (folded !== undefined) return folded;
    switch (operator) {
      case "&":
      case "|":
      case "^":
        return this.bitwise(operator, left, right, span);
      case "<<":
      case ">>":
      case ">>>":
        return this.shift(operator, left, right, span);
      case "**":
        return this.power(left, right);
      default:
        break;
    }
    const common = commonType(left, right);
    // Both weak: the result is as weak as they are.
    const weakType = left.node.type === right.node.type ? left.node.type : float64;
    const isWide = isBigIntType(left.node.type) || isBigIntType(right.node.type);
    const isReal = operator === "/" && !isWide && common?.kind !== "float";
    const type = isReal && common !== undefined ? float64 : (common ?? weakType);
    const node = this.operation(operations[operator], type, left, right);
    return { node, isWeak: common === undefined, values: undefined };
  }

  /** Types a chain of operators, such as a long sum, from its first operands on: it nests as deep as it is long. */
  private chain(syntax: SyntaxExpression): void {
    const chain: SyntaxExpression[] = [];
    for (let each = syntax; each.kind === "binary" && !this.typed.has(each); each = each.left) chain.push(each);
    for (const each of chain.reverse()) this.expression(each);
  }

  private operation(
    operation: BinaryOperation,
    type: ScalarType,
    left: Typed<ScalarType>,
    right: Typed<ScalarType>,
  ): ScalarExpression {
    return {
      kind: "binary",
      type,
      operation,
      left: convertNode(left.node, type),
      right: convertNode(right.node, type),
    };
  }

  /** Two literals are one, so that `2 * Math.PI * x` stays in the type of x. */
  private foldBinary(
    operator: ArithmeticOperator,
    left: Typed<ScalarType>,
    right: Typed<ScalarType>,
  ): Typed<ScalarType> | undefined {
    if (!left.isWeak || !right.isWeak) return undefined;
    const a = literalValue(left);
    const b = literalValue(right);
    if (typeof a === "number" && typeof b === "number") return weakNumber(foldNumbers(operator, a, b));
    if (typeof a !== "bigint" || typeof b !== "bigint") return undefined;
    const value = foldBigInts(operator, a, b);
    return value === undefined || BigInt.asIntN(64, value) !== value ? undefined : weakBigInt(value);
  }

  private power(left: Typed<ScalarType>, right: Typed<ScalarType>): Typed<ScalarType> {
    const common = commonType(left, right) ?? left.node.type;
    if (isBigIntType(common)) return strong(this.operation("power", common, left, right));
    return this.mathCall("pow", [left, right]);
  }

  /** `&`, `|` and `^`: on 32 bits as in JavaScript, or on two 64-bit integers of one type. */
  private bitwise(
    operator: "&" | "|" | "^",
    left: Typed<ScalarType>,
    right: Typed<ScalarType>,
    span: Span,
  ): Typed<ScalarType> {
    const wide = isBigIntType(left.node.type) || isBigIntType(right.node.type);
    if (!wide) return strong(this.operation(operations[operator], int32, left, right));
    const type = commonType(left, right) ?? left.node.type;
    if (!isBigIntType(type)) {
      this.fail(
        span,
        `\`${operator}\` of ${nameOf(left)} and ${nameOf(right)}: there is no integer type for both`,
        "Convert one, as in int64(x) or uint64(x).",
      );
    }
    return strong(this.operation(operations[operator], type, left, right));
  }

  private shift(
    operator: "<<" | ">>" | ">>>",
    left: Typed<ScalarType>,
    right: Typed<ScalarType>,
    span: Span,
  ): Typed<ScalarType> {
    const { type } = left.node;
    const operation = operations[operator];
    if (!isBigIntType(type)) {
      if (isBigIntType(right.node.type) && !(right.isWeak && literalValue(right) !== undefined)) {
        this.fail(span, `\`${operator}\` of ${nameOf(left)} by a 64-bit integer`, "Convert one: int64(x) or int32(n).");
      }
      const as = operator === ">>>" ? uint32 : int32;
      return strong({
        kind: "binary",
        type: as,
        operation,
        left: convertNode(left.node, as),
        right: convertNode(right.node, int32),
      });
    }
    if (operator === ">>>") {
      this.fail(span, "`>>>` has no meaning on a 64-bit integer", "Write uint64(x) >> n.");
    }
    if (right.node.type.kind === "float" && !(right.isWeak && Number.isInteger(literalValue(right)))) {
      this.fail(span, "a 64-bit integer shifts by an integer only", "Write int32(n) for the count.");
    }
    // A count beyond int64 shifts everything out, as the largest int64 does.
    const count = right.node.type === uint64 ? saturated(right.node) : convertNode(right.node, int64);
    return strong({ kind: "binary", type, operation, left: left.node, right: count });
  }

  private compare(syntax: SyntaxExpression & { kind: "compare" }): Typed<ScalarType> {
    const left = this.scalar(syntax.left);
    const right = this.scalar(syntax.right);
    const [a, b] = [left.node.type, right.node.type];
    const strict = syntax.operator === "===" || syntax.operator === "!==";
    if (strict && (a === bool) !== (b === bool)) {
      this.fail(
        syntax.span,
        `\`${syntax.operator}\` of ${nameOf(left)} and ${nameOf(right)} never depends on their values`,
        "Write `==` or `!=`, or convert one with Boolean(x) or Number(x).",
      );
    }
    const operation = comparisons[syntax.operator];
    const isEquality = operation === "equal" || operation === "notEqual";
    const node = (x: Expression, y: Expression): Typed<ScalarType> =>
      strong({ kind: "compare", type: bool, operation, left: x, right: y });
    if (a === bool && b === bool && isEquality) return node(left.node, right.node);
    const common = commonType(left, right) ?? (a === b ? a : float64);
    const isWide = isBigIntType(a) || isBigIntType(b);
    if (!isWide || common.kind !== "float")
      return node(convertNode(left.node, common), convertNode(right.node, common));
    // No type holds both exactly: each side keeps a 64-bit integer or becomes float64, and they are compared as they are.
    const side = (typed: Typed<ScalarType>): Expression => {
      const { type } = typed.node;
      return convertNode(typed.node, type.kind === "float" ? float64 : type === uint64 ? uint64 : int64);
    };
    return node(side(left), side(right));
  }

  private logical(syntax: SyntaxExpression & { kind: "logical" }): Typed<ScalarType> {
    const left = this.scalar(syntax.left);
    const right = this.scalar(syntax.right);
    const { type, isWeak, values } = joinScalars(left, right);
    const node: ScalarExpression = {
      kind: "logical",
      type,
      operation: syntax.operator === "&&" ? "and" : "or",
      left: convertNode(left.node, type),
      right: convertNode(right.node, type),
    };
    return { node, isWeak, values };
  }

  private math(syntax: SyntaxExpression & { kind: "math" }): Typed<ScalarType> {
    const [first] = syntax.operands;
    const whole = syntax.name === "trunc" && first !== undefined ? this.wholeQuotient(first) : undefined;
    if (whole !== undefined) return strong(whole);
    const operands = syntax.operands.map((operand) => this.scalar(operand));
    const rule = mathFunctions.get(syntax.name)?.rule;
    if (rule === "predicate" && operands[0] !== undefined && isBigIntType(operands[0].node.type)) {
      this.fail(syntax.span, `Number.${syntax.name} has no meaning on a 64-bit integer`, "It is always an integer.");
    }
    return this.mathCall(syntax.name, operands);
  }

  /** The integer division that `Math.trunc(a / b)` and `(a / b) | 0` of integers are. */
  private wholeQuotient(syntax: SyntaxExpression): ScalarExpression | undefined {
    if (syntax.kind !== "binary" || syntax.operator !== "/") return undefined;
    const left = this.scalar(syntax.left);
    const right = this.scalar(syntax.right);
    const type = commonType(left, right);
    return type === undefined || type.kind === "float" ? undefined : this.operation("divide", type, left, right);
  }

  private mathCall(name: string, operands: readonly Typed<ScalarType>[]): Typed<ScalarType> {
    const entry = mathFunctions.get(name);
    if (entry === undefined) throw new Error(`no function ${name}`);
    const folded = foldMath(entry, operands);
    if (folded !== undefined) return folded;
    const [first, second] = operands;
    if (first === undefined) throw new Error(`${name} without operands`);
    if (name === "pow" && second !== undefined && second.isWeak && literalValue(second) === 2) {
      return this.mathCall("square", [first]);
    }
    const call = (type: ScalarType, as: ScalarType): ScalarExpression => ({
      kind: "math",
      type,
      name,
      operands: operands.map((operand) => convertNode(operand.node, as)),
    });
    const allWeak = operands.every((operand) => operand.isWeak);
    switch (entry.rule) {
      case "int32":
        return strong(call(int32, int32));
      case "predicate": {
        // As in JavaScript, a boolean is no number at all.
        if (first.node.type === bool) return strong({ kind: "literal", type: bool, value: false });
        const as = computingType(first.node.type);
        if (as.kind === "float") return strong(call(bool, as));
        return strong({ kind: "literal", type: bool, value: name !== "isNaN" });
      }
      case "whole": {
        const as = computingType(first.node.type);
        if (as.kind !== "float" && name !== "abs" && name !== "sign") return strong(convertNode(first.node, as));
        return { node: call(as, as), isWeak: first.isWeak, values: undefined };
      }
      case "common":
      case "float": {
        const type = this.operandType(operands, entry.rule === "float");
        if (operands.length === 1 && entry.rule === "common") {
          return { node: convertNode(first.node, type), isWeak: allWeak, values: first.values };
        }
        return { node: call(type, type), isWeak: allWeak, values: undefined };
      }
    }
  }

  /** One type for all operands; weak ones give way to the rest together. */
  private operandType(operands: readonly Typed<ScalarType>[], mustBeFloat: boolean): ScalarType {
    const [first, ...more] = operands.filter((operand) => !operand.isWeak);
    const weak = operands.filter((operand) => operand.isWeak);
    let type: ScalarType;
    if (first === undefined) {
      type = weak.every((operand) => isBigIntType(operand.node.type)) ? int64 : float64;
    } else {
      type = computingType(more.reduce((held, operand) => promote(held, operand.node.type), first.node.type));
      for (const operand of weak) type = commonType(strong(convertNode(first.node, type)), operand) ?? type;
    }
    return mustBeFloat && type.kind !== "float" ? float64 : type;
  }

  private fail(span: Span, problem: string, hint?: string): never {
    throw compileErrorAt(this.source, span, this.functions.argument, problem, hint);
  }
}

const operandKey = (operand: Operand): string =>
  "held" in operand ? heldKey(operand.held) : `${operand.capture.key}@${String(operand.place)}`;

function heldKey({ type, isWeak, values, parts }: Held): string {
  const weak = isWeak
    ? `(${(values ?? ["?"]).map((value) => (Object.is(value, -0) ? "-0" : String(value))).join()})`
    : "";
  return `${type.name}${weak}${parts === undefined ? "" : `[${parts.map(heldKey).join()}]`}`;
}

const isSame = (a: Held, b: Held): boolean => a.type === b.type && heldKey(a) === heldKey(b);

function saturated(count: Expression): Expression {
  const most = (1n << 63n) - 1n;
  return {
    kind: "convert",
    type: int64,
    value: {
      kind: "math",
      type: uint64,
      name: "min",
      operands: [count, { kind: "literal", type: uint64, value: most }],
    },
  };
}

/** Converts what is stored to the types that the variables and the result turned out to have. */
function withConversions(
  body: readonly Statement[],
  resultType: ElementType | undefined,
  typeOfVariable: (variable: number) => ElementType,
): Statement[] {
  const assignment = (statement: Assign): Assign => ({
    ...statement,
    value: convertElement(statement.value, typeOfVariable(statement.index)),
  });
  return body.map((statement): Statement => {
    switch (statement.kind) {
      case "declare":
        if (statement.value === undefined) return statement;
        return { ...statement, value: convertElement(statement.value, typeOfVariable(statement.index)) };
      case "assign":
        return assignment(statement);
      case "loop":
        return {
          ...statement,
          update: statement.update.map(assignment),
          body: withConversions(statement.body, resultType, typeOfVariable),
        };
      case "break":
      case "continue":
      case "store":
      case "atomic":
      case "invoke":
        return statement;
      case "if":
        return {
          ...statement,
          consequent: withConversions(statement.consequent, resultType, typeOfVariable),
          alternate: withConversions(statement.alternate, resultType, typeOfVariable),
        };
      case "return":
        if (statement.value === undefined || resultType === undefined) return statement;
        return { ...statement, value: convertElement(statement.value, resultType) };
    }
  });
}

function foldNumbers(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
    case "**":
      return a ** b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "<<":
      return a << b;
    case ">>":
      return a >> b;
    case ">>>":
      return a >>> b;
  }
}

/** Undefined where the result may be large, or where JavaScript throws: then it is computed in 64 bits. */
function foldBigInts(operator: ArithmeticOperator, a: bigint, b: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "**":
      return b < 0n || b > 64n ? undefined : a ** b;
    case "<<":
      return b < 0n || b > 64n ? undefined : a << b;
    case ">>":
      return b < 0n || b > 64n ? undefined : a >> b;
    case ">>>":
      return undefined;
  }
}

function foldMath(entry: MathFunction, operands: readonly Typed<ScalarType>[]): Typed<ScalarType> | undefined {
  const values = operands.map((operand) => (operand.isWeak ? literalValue(operand) : undefined));
  if (!values.every((value) => typeof value === "number")) return undefined;
  const value = entry.evaluate(...values);
  return typeof value === "number" ? weakNumber(value) : strong({ kind: "literal", type: bool, value });
}

function nameOf(typed: Typed<ScalarType>): string {
  if (!typed.isWeak) return typed.node.type.name;
  return typed.node.type.kind === "float" ? "a number" : "a BigInt";
}

/** A typed program, and what else callers ask about. */
export interface CheckedProgram<P extends AnyProgram = Program> {
  readonly program: P;
  /** An error about the first place that writes to a captured array; undefined where none does. */
  readonly firstWrite: ((argument: string) => CompileError) | undefined;
}

/**
 * Types a function, and the captured functions that it calls.
 *
 * @param resultType what to convert the result to; undefined for the type that it has by itself.
 * @throws CompileError where the function has no meaning for these types.
 */
export function checkFunction(
  syntax: SyntaxFunction,
  source: Source,
  parameters: readonly ElementType[],
  captures: readonly CaptureType[],
  resultType: ElementType | undefined,
  argument: string,
): CheckedProgram {
  if (!syntax.hasResult) throw missingReturn(source, syntax.end, argument);
  const { program, firstWrite } = checkedProgram(syntax, source, parameters, captures, resultType, false, argument);
  const { resultType: answered } = program;
  if (answered === undefined) throw new Error("a resolved function returns");
  return { program: { ...program, resultType: answered }, firstWrite };
}

/**
 * Types a function that is called for its effects: what it answers, if anything, is dropped.
 *
 * @throws CompileError where the function has no meaning for these types.
 */
export function checkEffect(
  syntax: SyntaxFunction,
  source: Source,
  parameters: readonly ElementType[],
  captures: readonly CaptureType[],
  argument: string,
): CheckedProgram<Program<undefined>> {
  const { program, firstWrite } = checkedProgram(syntax, source, parameters, captures, undefined, true, argument);
  return { program: { ...program, resultType: undefined }, firstWrite };
}

function checkedProgram(
  syntax: SyntaxFunction,
  source: Source,
  parameters: readonly ElementType[],
  captures: readonly CaptureType[],
  resultType: ElementType | undefined,
  drops: boolean,
  argument: string,
): CheckedProgram<AnyProgram> {
  const functions = new Functions(argument);
  const operands = parameters.map((type, index) => ({ held: { type, isWeak: false, values: undefined }, index }));
  const checked = new Checker(syntax, source, operands, captures, 0, functions).check(resultType, drops);
  const { body, functions: bodies } = inOrder(checked.body, checked.calls);
  const program: AnyProgram = {
    ...body,
    captures: stateCaptures(captures),
    written: [...functions.written].sort((a, b) => a - b),
    functions: bodies,
  };
  return { program, firstWrite: functions.firstWrite };
}
