/** Names of options: as errors speak of them, and those that a function does not have. */
import { ArgumentTypeError } from "./errors";

/** How many letters must be put in, left out or changed to make one word of another; case aside. */
function distance(from: string, to: string): number {
  const [a, b] = [from.toLowerCase(), to.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** The known name that a word was meant for, as far as that can be told. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3));
  const [best] = known
    .map((name) => ({ name, away: distance(word, name) }))
    .filter(({ away }) => away <= far)
    .sort((a, b) => a.away - b.away);
  return best?.name;
}

/** Whether an object is a literal's, not an array or a class's: those were arguments by place, not options. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * The error for the first option that the function `name` does not have, which most often is a typing error and would be
 * ignored without a word; undefined where it has all of them. Names the
 * option that was meant where one is close.
 */
export function unknownOption(options: object, known: readonly string[], name: string): ArgumentTypeError | undefined {
  const stranger = Object.keys(options).find((key) => !known.includes(key));
  if (stranger === undefined) return undefined;
  if (!isPlain(options) && !known.some((option) => option in options)) {
    return new ArgumentTypeError(name, `an object of options (${known.join(", ")})`, options);
  }
  const meant = nearest(stranger, known);
  const hint = meant === undefined ? `which has ${known.join(", ")}` : `did you mean \`${meant}\`?`;
  const value = (options as Record<string, unknown>)[stranger];
  return new ArgumentTypeError(`${name}.${stranger}`, `an option of ${name} (${hint})`, value, "ERR_UNKNOWN_OPTION");
}

/**
 * Refuses what is no object of options, or has others than are known. It looks at all keys, so it is not for what is
 * called often. `argument` names the object itself, where it is not what the options are of.
 */
export function checkOptions(options: unknown, known: readonly string[], name: string, argument = name): void {
  if (typeof options !== "object" || options === null) {
    throw new ArgumentTypeError(argument, "an object of options", options);
  }
  const unknown = unknownOption(options, known, name);
  if (unknown !== undefined) throw unknown;
}

/**
 * Options as errors name them, such as `reduceInto.input`. Made once for each function: to put them together at every
 * call would allocate as many texts as there are checks.
 */
export function optionNames<const Option extends string>(
  name: string,
  options: readonly Option[],
): Readonly<Record<Option, string>> {
  return Object.fromEntries(options.map((option) => [option, `${name}.${option}`])) as Record<Option, string>;
}
