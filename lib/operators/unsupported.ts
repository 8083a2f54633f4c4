/** What to say about each construct that operators cannot have: the problem, and what to write instead. */

export interface Refusal {
  readonly problem: string;
  readonly hint: string;
}

const loopHint = "Count with `for (let i = 0; i < n; i++)`, or use an algorithm over an array.";
const objectHint = "Operators work on numbers, BigInts, booleans, and structs of them: return one of those.";

/** By ESTree node type. */
const refusals: Readonly<Record<string, Refusal>> = {
  ArrowFunctionExpression: { problem: "a function inside an operator", hint: "Write its expression in place." },
  AssignmentExpression: {
    problem: "an assignment inside an expression",
    hint: "Assign in a statement of its own, such as `x = x + 1;`.",
  },
  AwaitExpression: { problem: "`await` cannot run on the GPU", hint: "Await before the call and capture the result." },
  CallExpression: {
    problem: "a call of a function that is not known on the GPU",
    hint: "Use Math.*, Number.isNaN and friends, or a conversion such as int32(x); write other functions in place.",
  },
  ChainExpression: { problem: "`?.` has no meaning on numbers", hint: "Write `.` instead." },
  ClassDeclaration: { problem: "a class inside an operator", hint: "Use local variables instead." },
  ClassExpression: { problem: "a class inside an operator", hint: "Use local variables instead." },
  DebuggerStatement: { problem: "`debugger` cannot run on the GPU", hint: "Remove it." },
  ExpressionStatement: { problem: "a statement without effect", hint: "Return the value, or assign it to a local." },
  ForInStatement: { problem: "a `for…in` loop cannot be compiled", hint: loopHint },
  ForOfStatement: { problem: "a `for…of` loop cannot be compiled", hint: loopHint },
  FunctionDeclaration: { problem: "a function inside an operator", hint: "Write its expression in place." },
  FunctionExpression: { problem: "a function inside an operator", hint: "Write its expression in place." },
  ImportExpression: { problem: "`import()` cannot run on the GPU", hint: "Import outside of the operator." },
  LabeledStatement: { problem: "a label cannot be compiled", hint: "Use `if` and `return`." },
  MemberExpression: {
    problem: "a property that is not known on the GPU",
    hint: "Capture the number itself: `const n = settings.n` before the call, or bind(fn, { n }).",
  },
  MetaProperty: { problem: "`new.target` and `import.meta` have no meaning on the GPU", hint: "Remove it." },
  NewExpression: { problem: "`new` cannot run on the GPU", hint: objectHint },
  SequenceExpression: { problem: "a comma expression", hint: "Write one statement for each part." },
  Super: { problem: "`super` has no meaning on the GPU", hint: "Capture what it holds, or call a function." },
  TaggedTemplateExpression: { problem: "a template string has no place in an operator", hint: "Use numbers." },
  TemplateLiteral: { problem: "a template string has no place in an operator", hint: "Use numbers." },
  ThisExpression: {
    problem: "`this` has no meaning on the GPU",
    hint: "Capture what it holds: `const n = this.n` before the call, or bind(fn, { n }).",
  },
  ThrowStatement: { problem: "an operator cannot throw", hint: "Return a value such as NaN and test it afterwards." },
  TryStatement: { problem: "`try` cannot be compiled", hint: "Nothing in an operator throws; remove it." },
  UpdateExpression: {
    problem: "`++` or `--` inside an expression",
    hint: "Write it as a statement of its own.",
  },
  WithStatement: { problem: "`with` cannot be compiled", hint: "Name the values directly." },
  YieldExpression: { problem: "`yield` cannot run on the GPU", hint: "Return one value." },
};

/** What to say about a node of a type that has no meaning in an operator. */
export function refusalOf(type: string): Refusal {
  return refusals[type] ?? { problem: `${type} cannot be compiled`, hint: "Write it with expressions and `if`." };
}
