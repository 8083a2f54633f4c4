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
  /** Whether CUB tunes its kernels for well-known operators, so that those are worth a kernel of their own. */
  readonly tunedForOperators: boolean;
  /** The algorithm in plain JavaScript: clear and correct, not fast. */
  host(run: HostRun): void;
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
/** The call of this thread; taken while a call is on its way, so that a nested one gets its own. */
let idleCall: Call | undefined = new Call();

function withCall<T>(use: (call: Call) => T): T {
  const call = idleCall ?? new Call();
  idleCall = undefined;
  try {
    return use(call);
  } finally {
    call.clear();
    idleCall = call;
  }
}

/** Gives an algorithm its forms. */
export function defineAlgorithm<Options extends object, CallOptions extends object = Options>(
  definition: Definition<Options>,
): Forms<Options, CallOptions> {
  const id = algorithms++;
  const algorithm: Algorithm = {
    name: definition.name,
    id,
    tunedForOperators: definition.tunedForOperators,
    host: (run) => {
      definition.host(run);
    },
  };

  function read(options: unknown, call: Call, operators: readonly Operator[] | undefined): void {
    if (typeof options !== "object" || options === null) {
      throw new ArgumentTypeError(definition.publicName, "an object of options", options);
    }
    definition.read(options as Options, call, operators);
    call.key[1] = id;
  }

  const keyOf = (call: Call): Int32Array => call.key.slice(0, call.keyLength);

  /** The hot path: one closure for all calls, so that none allocates. */
  const runRead = (call: Call): void => {
    const backend = call.backend as Backend;
    let build = backend.builds.find(call.key);
    if (build === undefined) {
      build = backend.build(definition.request(call, algorithm));
      backend.builds.insert(keyOf(call), build);
    }
    build.run(call);
  };

  /** The call with a build of its own: types and operators are held, arguments are not. */
  function made(build: Build, backend: Backend, key: Int32Array, operators: readonly Operator[]) {
    return (options: CallOptions): void => {
      const call = idleCall ?? new Call();
      idleCall = undefined;
      try {
        read(options, call, operators);
        if (call.backend !== backend) {
          throw new ArgumentTypeError(
            definition.publicName,
            `arrays of backend ${backend.name}`,
            options,
            "ERR_BACKEND_MISMATCH",
          );
        }
        for (let part = 0; part < key.length; part++) {
          if (call.key[part] !== key[part]) throw mismatch(part);
        }
        build.run(call);
      } finally {
        call.clear();
        idleCall = call;
      }
    };
  }

  function mismatch(part: number): ArgumentTypeError {
    const name = definition.dependsOn[part === 0 ? 0 : part - 1] ?? "options";
    return new ArgumentTypeError(
      `${definition.publicName}.${name}`,
      "what this function was made for (make another for other types, operators and options)",
      undefined,
      "ERR_BUILD_MISMATCH",
    );
  }

  const usedOperators = (call: Call): Operator[] => call.operators.flatMap((use) => (use ? [use.operator] : []));

  return {
    run(options) {
      const call = idleCall ?? new Call();
      idleCall = undefined;
      try {
        read(options, call, undefined);
        runRead(call);
      } finally {
        call.clear();
        idleCall = call;
      }
    },

    make(options) {
      return withCall((call) => {
        read(options, call, undefined);
        const backend = call.backend as Backend;
        let build = backend.builds.find(call.key);
        if (build === undefined) {
          build = backend.build(definition.request(call, algorithm));
          backend.builds.insert(keyOf(call), build);
        }
        return made(build, backend, keyOf(call), usedOperators(call));
      });
    },

    async makeAsync(options) {
      const { backend, key, operators, found, request } = withCall((call) => {
        read(options, call, undefined);
        const backend = call.backend as Backend;
        const found = backend.builds.find(call.key);
        return {
          backend,
          key: keyOf(call),
          operators: usedOperators(call),
          found,
          request: found === undefined ? definition.request(call, algorithm) : undefined,
        };
      });
      const build = found ?? (await backend.buildAsync(request as BuildRequest));
      if (found === undefined) backend.builds.insert(key, build);
      return made(build, backend, key, operators);
    },
  };
}
