/**
 * What an algorithm file defines, and the three forms that it gets from it: the function, `make…` (builds now) and
 * `make…Async` (builds off the event loop).
 */
import type { Backend } from "../backends/backend";
import type { HostRun } from "../backends/host/host-build";
import type { Build, BuildRequest } from "../builds/build";
import { ArgumentTypeError } from "../errors";
import type { Operator } from "../operators";
import { Call } from "./call";

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
   * anything else. `operators` are those of the build, where a made function is called without `op`.
   */
  read(options: Options, call: Call, operators: readonly Operator[] | undefined): void;
  /** Called after a run, for what a call changes in its options' objects. */
  ran?(options: Options, call: Call): void;
  /** What to build for a call that was read. */
  request(call: Call, algorithm: Algorithm): BuildRequest;
  /** Names the options that the parts of the key stand for, in order; the algorithm's own number aside. */
  readonly dependsOn: readonly string[];
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
    definition.read(options as Options, call, operators);
    call.key[1] = id;
  }

  /** The build of a call that was read; made and kept if it is new. */
  function buildOf(call: Call): Build {
    const { builds } = call.backend as Backend;
    let build = builds.find(call.key);
    if (build === undefined) {
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
        if (call.key[part] !== made.key[part]) throw mismatch(part);
      }
      made.build.run(call);
      definition.ran?.(options as unknown as Options, call);
    } finally {
      giveCallBack(call);
    }
  }

  function mismatch(part: number): ArgumentTypeError {
    const name = definition.dependsOn[Math.max(0, part - 1)] ?? "options";
    const expected = "what this function was made for (make another for other types, operators and options)";
    return new ArgumentTypeError(`${publicName}.${name}`, expected, undefined, "ERR_BUILD_MISMATCH");
  }

  return {
    run(options) {
      const call = takeCall();
      try {
        read(options, call, undefined);
        buildOf(call).run(call);
        definition.ran?.(options, call);
      } finally {
        giveCallBack(call);
      }
    },

    make(options) {
      const call = takeCall();
      try {
        read(options, call, undefined);
        const made = { build: buildOf(call), ...signatureOf(call) };
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
        signature = signatureOf(call);
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

/** What is kept of a call that was read, so that later calls can be held against it. */
function signatureOf(call: Call): Omit<Made, "build"> {
  return {
    backend: call.backend as Backend,
    key: keyOf(call),
    operators: call.operators.flatMap((use) => (use ? [use.operator] : [])),
  };
}
