/** Explicit captures: an operator and the object that its values are read from at every call. */
import { ArgumentTypeError } from "../errors";
import { useWith } from "./capture-values";
import { CppOperator } from "./cpp";
import type { FunctionText } from "./function-operator";
import type { OperatorUse } from "./operator";
import { boundText } from "./registry";

/** An operator with explicit captures, made by `bind`. */
export class BoundOperator {
  private readonly text: FunctionText | CppOperator;

  /** @internal */
  constructor(
    operator: ((...elements: never[]) => unknown) | CppOperator,
    readonly captures: object,
  ) {
    this.text = operator instanceof CppOperator ? operator : boundText(operator, this, "bind.op");
  }

  /** The operator with the values that the captures object holds now. @internal */
  use(argument: string): OperatorUse {
    const { text } = this;
    if (text instanceof CppOperator) return text.useWith(this.captures, argument);
    if (text.plain !== undefined) return text.plain;
    const values = text.syntax.captures.map(({ path }) =>
      path.reduce<unknown>(
        (owner, name) => (owner === null || owner === undefined ? undefined : (owner as Record<string, unknown>)[name]),
        this.captures,
      ),
    );
    return useWith(text, values, argument);
  }
}

/**
 * Refuses a function of two parameters where two elements come before the captures: its second one would be taken for
 * an element, and the captures could be anything.
 */
type TakesThree<F> = F extends (...parameters: infer P) => unknown ? (3 extends P["length"] ? unknown : never) : never;

/**
 * Binds an operator to its captures without reading its closure.
 *
 * The operator's last parameter is the captures object, taken apart or not:
 * `bind((x, { scale }) => x * scale, { scale: 2 })`, `bind((x, c) => x * c.scale, settings)`. The values are read from
 * the object at every call: a changed value needs no compilation, a changed type does.
 *
 * @param operator a function of the elements and the captures.
 * @param captures numbers, BigInts, booleans, device arrays, functions and objects of them by name. It is kept, not
 *   copied.
 * @throws ArgumentTypeError for anything but a function and an object; CompileError when the function cannot be compiled.
 */
// The elements' types are parameters only to give an unannotated one the type number.
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters */
export function bind<C extends object, X = number>(
  operator: (x: X, captures: C) => unknown,
  captures: C,
): BoundOperator;
export function bind<
  C extends object,
  X = number,
  Y = X,
  F extends (...parameters: never[]) => unknown = (x: X, y: Y, captures: C) => unknown,
>(operator: F & ((x: X, y: Y, captures: C) => unknown) & TakesThree<F>, captures: C): BoundOperator;
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */
export function bind(operator: CppOperator, captures: object): BoundOperator;
export function bind(operator: ((...elements: never[]) => unknown) | CppOperator, captures: object): BoundOperator {
  const given: unknown = captures;
  if (typeof operator !== "function" && !(operator instanceof CppOperator && operator.takesState)) {
    throw new ArgumentTypeError("bind.op", "a function, or an operator of cpp() that takes a State", operator);
  }
  if (typeof given !== "object" || given === null) {
    throw new ArgumentTypeError("bind.captures", "an object with the captured values", captures);
  }
  return new BoundOperator(operator, captures);
}
