/**
 * Reads the variables that a closure captured, through an inspector session inside this process. A call costs a
 * fraction of a millisecond to a few, so it is made only for functions with free variables; bind() avoids it.
 */
import type * as inspector from "node:inspector";
import type { CapturedName } from "./syntax";

type Name = Pick<CapturedName, "path">;

/** Carries objects between here and the session by identity. */
interface Holder {
  value: unknown;
}

/** Loaded at the first reading: a Node that is built without its inspector has no such module, but has bind(). */
function inspectorModule(): typeof inspector {
  const module = process.getBuiltinModule("node:inspector") as typeof inspector | undefined;
  if (module === undefined) throw new Error("this Node is built without its inspector");
  return module;
}

const holderKey = Symbol.for("cuda-compute.capture-holder");
const holderExpression =
  'process.getBuiltinModule("node:inspector").Session[Symbol.for("cuda-compute.capture-holder")]';
/** Remote objects of one reading; released after it, so that nothing is kept alive. */
const group = "cuda-compute-captures";

type RemoteObject = inspector.Runtime.RemoteObject;
type Scope = Map<string, RemoteObject | undefined>;

function primitive(remote: RemoteObject): unknown {
  const { type, unserializableValue } = remote;
  if (unserializableValue === undefined) return remote.value as unknown;
  return type === "bigint" ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue);
}

class ScopeReader {
  private readonly session: inspector.Session;
  private readonly holder: Holder = { value: undefined };
  private readonly holderId: string;

  constructor() {
    const { Session } = inspectorModule();
    this.session = new Session();
    this.session.connect();
    // The session evaluates in the main context, which may not be this one (jest runs tests in contexts of their own);
    // built-in modules are shared by all.
    const shared = Session as unknown as Record<symbol, unknown>;
    shared[holderKey] = this.holder;
    try {
      const { result } = this.post("Runtime.evaluate", { expression: holderExpression }) as {
        result: RemoteObject;
      };
      if (result.objectId === undefined) throw new Error("the inspector did not find the main context");
      this.holderId = result.objectId;
    } finally {
      Reflect.deleteProperty(shared, holderKey);
    }
  }

  /** Values of the captured names; `undefined` for one that does not exist. */
  read(operator: object, captures: readonly Name[]): unknown[] {
    try {
      const scopes = this.scopesOf(operator);
      return captures.map(({ path: [root, ...properties] }) => {
        if (root === undefined) throw new Error("a capture without a name");
        return properties.reduce(propertyOf, this.variable(scopes, root));
      });
    } finally {
      this.holder.value = undefined;
      this.post("Runtime.releaseObjectGroup", { objectGroup: group });
    }
  }

  private variable(scopes: Scope[], name: string): unknown {
    for (const scope of scopes) {
      if (!scope.has(name)) continue;
      const remote = scope.get(name);
      if (remote === undefined) return undefined;
      return remote.objectId === undefined ? primitive(remote) : this.objectOf(remote.objectId);
    }
    return propertyOf(globalThis, name);
  }

  /** Variables of each scope around a function, the innermost first; the global one is left to globalThis. */
  private scopesOf(operator: object): Scope[] {
    this.holder.value = operator;
    const { result } = this.callOnHolder("function () { return this.value; }", []);
    const scopes = this.properties(result.objectId).internalProperties?.find(({ name }) => name === "[[Scopes]]");
    return (this.properties(scopes?.value?.objectId).result ?? [])
      .filter(({ value }) => value?.objectId !== undefined && value.description !== "Global")
      .map(({ value }) => {
        const variables = this.properties(value?.objectId).result ?? [];
        return new Map(variables.map((variable) => [variable.name, variable.value]));
      });
  }

  /** The object itself, not a copy. */
  private objectOf(objectId: string): unknown {
    this.callOnHolder("function (object) { this.value = object; }", [{ objectId }]);
    return this.holder.value;
  }

  private callOnHolder(functionDeclaration: string, args: { objectId: string }[]): { result: RemoteObject } {
    return this.post("Runtime.callFunctionOn", {
      objectId: this.holderId,
      functionDeclaration,
      arguments: args,
      objectGroup: group,
    }) as { result: RemoteObject };
  }

  private properties(objectId: string | undefined): Partial<inspector.Runtime.GetPropertiesReturnType> {
    if (objectId === undefined) return {};
    return this.post("Runtime.getProperties", {
      objectId,
      ownProperties: true,
    }) as inspector.Runtime.GetPropertiesReturnType;
  }

  /** Sessions within a thread answer before `post` returns. */
  private post(method: string, parameters: object): unknown {
    const answers: { error: Error | null; result: unknown }[] = [];
    this.session.post(method, parameters, (error, result) => answers.push({ error, result }));
    const [answer] = answers;
    if (answer === undefined) throw new Error(`the inspector did not answer ${method}`);
    if (answer.error !== null) throw answer.error;
    return answer.result;
  }
}

function propertyOf(owner: unknown, name: string): unknown {
  return owner === null || owner === undefined ? undefined : (owner as Record<string, unknown>)[name];
}

let reader: ScopeReader | undefined;

/** What the named variables of a closure hold now. */
export function readClosure(operator: object, captures: readonly Name[]): unknown[] {
  reader ??= new ScopeReader();
  return reader.read(operator, captures);
}
