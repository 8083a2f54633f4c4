/**
 * What an algorithm file defines, and the three forms that it gets from it: the function, `make…` (builds now) and
 * `make…Async` (builds off the event loop).
 */
import type { Backend } from "../backends/backend";
import type { HostRun } from "../backends/host/host-build";
import type { Build, BuildRequest } from "../builds/build";
import { ArgumentTypeError, Words } from "../errors";
import type { Operator } from "../operators";
import { unknownOption } from "../option-names";
import { Call } from "./call";
import { describeOption } from "./describe-option";

/** The parts of an algorithm that builds and backends use. */
export interface Algorithm {
  /** The C library's name for it. */
  readonly name: string;
  /** A small integer, part of the key in build tables. */
  readonly id: number;
  /**
   * How kernel and operators come together: `linked` to one kernel for all operators, or compiled at once (`whole`),
   * which algorithms without operators are. `whole-if-well-known` where CUB tunes its kernels for operators that it
   * knows, so that those are worth a kernel of their own.
   */
  readonly compiles: "linked" | "whole" | "whole-if-well-known";
  /** The algorithm in plain JavaScript: clear and correct, not fast. Sorts of double buffers answer the selector. */
  host(run: HostRun): number | undefined;
}

/** An algorithm as its file defines it. */
export interface Definition<Options> extends Omit<Algorithm, "id"> {
  /** The name of the exported function; argument names in errors begin with it. */
  readonly publicName: string;
  /**
   * Checks the options and fills the call: slots, operators, initial value, count, stream, and everything that the
   * build depends on through `call.depends` (the operator's number first, then the algorithm's). Must not change
   * anything else, and reads each option once: a getter may answer something else the second time. `operators` are those
   * of the build, where a made function is called without `op`.
   */
  read(options: Options, call: Call, operators: readonly Operator[] | undefined): void;
  /** Called after a run, for what a call changes in its arguments. */
  ran?(call: Call): void;
  /** What to build for a call that was read. */
  request(call: Call, algorithm: Algorithm): BuildRequest;
  /** Names all options. */
  readonly options: readonly (keyof Options & string)[];
  /**
   * Names the options that the parts of the key stand for, in order; the algorithm's own number aside. Several where one
   * part stands for them.
   */
  readonly dependsOn: readonly (keyof Options | readonly (keyof Options)[])[];
}

/** The three forms. */
export interface Forms<Options, CallOptions> {
  run(options: Options): void;
  make(options: Options): (options: CallOptions) => void;
  makeAsync(options: Options): Promise<(options: CallOptions) => void>;
}

let algorithms = 0;

/** The call of this thread; taken while one is on its way, so that a nested one gets its own. */
let idleCall: Call | undefined = new Call();

function takeCall(): Call {
  const call = idleCall ?? new Call();
  idleCall = undefined;
  return call;
}

function giveCallBack(call: Call): void {
  call.clear();
  idleCall = call;
}

/** What a made function holds: types, code and numbers. */
interface Made {
  readonly build: Build;
  readonly backend: Backend;
  readonly key: Int32Array;
  readonly operators: readonly Operator[];
  /** The options that it was made with, in words. */
  readonly words: ReadonlyMap<string, string>;
}

/** Gives an algorithm its forms. */
export function defineAlgorithm<Options extends object, CallOptions extends object = Options>(
  definition: Definition<Options>,
): Forms<Options, CallOptions> {
  const { publicName } = definition;
  const id = algorithms++;
  const algorithm: Algorithm = {
    name: definition.name,
    id,
    compiles: definition.compiles,
    host: (run) => definition.host(run),
  };

  function read(options: unknown, call: Call, operators: readonly Operator[] | undefined): void {
    if (typeof options !== "object" || options === null) {
      throw new ArgumentTypeError(publicName, "an object of options", options);
    }
    try {
      definition.read(options as Options, call, operators);
    } catch (error) {
      if (isMissing(error, options)) refuseUnknown(options);
      throw error;
    }
    call.key[1] = id;
  }

  /** Whether an error says that an option is missing; it may be there under a wrong name. */
  function isMissing(error: unknown, options: object): boolean {
    if (!(error instanceof ArgumentTypeError)) return false;
    const [, option = ""] = /\.(\w+)/.exec(error.argument) ?? [];
    return (options as Record<string, unknown>)[option] === undefined;
  }

  /**
   * Throws where there is an option that the algorithm does not have. To look at the keys of every call would cost half
   * of what all of JavaScript costs on its way; it is done where a call builds something, which its first one does, and
   * where an option is missing. A call whose build is there already passes with options of other names.
   */
  function refuseUnknown(options: object): void {
    const error = unknownOption(options, definition.options, publicName);
    if (error !== undefined) throw error;
  }

  /** The build of a call that was read; made and kept if it is new. */
  function buildOf(call: Call, options: object): Build {
    const { builds } = call.backend as Backend;
    let build = builds.find(call.key);
    if (build === undefined) {
      refuseUnknown(options);
      build = (call.backend as Backend).build(definition.request(call, algorithm));
      builds.insert(keyOf(call), build);
    }
    return build;
  }

  function runMade(made: Made, options: CallOptions): void {
    const call = takeCall();
    try {
      read(options, call, made.operators);
      if (call.backend !== made.backend) {
        const expected = `arrays of backend ${made.backend.name}`;
        throw new ArgumentTypeError(publicName, expected, options, "ERR_BACKEND_MISMATCH");
      }
      for (let part = 0; part < made.key.length; part++) {
        if (call.key[part] !== made.key[part]) throw mismatch(part, made, options);
      }
      made.build.run(call);
      definition.ran?.(call);
    } finally {
      giveCallBack(call);
    }
  }

  /** The options that a part of the key stands for; the second part is the algorithm's own. */
  function optionsOf(part: number): string[] {
    return [definition.dependsOn[Math.max(0, part - 1)] ?? []].flat() as string[];
  }

  /** What is kept of a call that was read, so that later calls can be held against it. */
  function signatureOf(call: Call, options: object): Omit<Made, "build"> {
    const key = keyOf(call);
    const names = Array.from(key, (_, part) => optionsOf(part)).flat();
    return {
      backend: call.backend as Backend,
      key,
      operators: call.operators.flatMap((use) => (use ? [use.operator] : [])),
      words: new Map(names.map((name) => [name, describeOption((options as Record<string, unknown>)[name])])),
    };
  }

  /** The error for a call of a made function whose part of the key is another. */
  function mismatch(part: number, made: Made, options: object): ArgumentTypeError {
    const given = options as Record<string, unknown>;
    const words = (name: string): string => describeOption(given[name]);
    const names = optionsOf(part);
    // Of two operators, one that is not given is that of the build.
    const differs = (name: string): boolean => given[name] !== undefined && words(name) !== made.words.get(name);
    const name = names.find(differs) ?? names[0] ?? "options";
    const before = made.words.get(name) as string;
    const now = words(name);
    return new ArgumentTypeError(
      `${publicName}.${name}`,
      `${before}, which this function was made with (make another for other types, operators and options)`,
      new Words(now === before ? `${now} that differs in its operator, or in the types of what that captures` : now),
      "ERR_BUILD_MISMATCH",
    );
  }

  return {
    run(options) {
      const call = takeCall();
      try {
        read(options, call, undefined);
        buildOf(call, options).run(call);
        definition.ran?.(call);
      } finally {
        giveCallBack(call);
      }
    },

    make(options) {
      const call = takeCall();
      try {
        read(options, call, undefined);
        refuseUnknown(options);
        const made = { build: buildOf(call, options), ...signatureOf(call, options) };
        return (callOptions) => {
          runMade(made, callOptions);
        };
      } finally {
        giveCallBack(call);
      }
    },

    async makeAsync(options) {
      const call = takeCall();
      let signature: Omit<Made, "build">;
      let build: Build | undefined;
      let request: BuildRequest | undefined;
      try {
        read(options, call, undefined);
        refuseUnknown(options);
        signature = signatureOf(call, options);
        build = signature.backend.builds.find(call.key);
        if (build === undefined) request = definition.request(call, algorithm);
      } finally {
        giveCallBack(call);
      }
      if (request !== undefined) {
        build = await signature.backend.buildAsync(request);
        signature.backend.builds.insert(signature.key, build);
      }
      const made = { build: build as Build, ...signature };
      return (callOptions) => {
        runMade(made, callOptions);
      };
    },
  };
}

function keyOf(call: Call): Int32Array {
  return call.key.slice(0, call.keyLength);
}
