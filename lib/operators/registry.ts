/**
 * Which operator a function is. A known function is one WeakMap look-up; a new function object of known text one more.
 *
 * Nothing here holds a function or a captured value strongly. Functions of one text come and go (an inline arrow
 * function is a new object at every call), so not each of them is watched: one living function stands for its text, and
 * when it dies the next that is used takes its place. In between the text counts as unused.
 */
import { type FunctionOperator, FunctionText, type KindForTypes } from "./function-operator";
import { ownNamesOf } from "./own-names";
import { textOf } from "./source";

type AnyFunction = (...elements: never[]) => unknown;

/** Unused texts beyond this many are forgotten, the longest unused first. */
const mostUnused = 512;

/** Function objects of one text that are remembered by themselves. */
const mostObjects = 16;

const functions = new WeakMap<AnyFunction, FunctionText>();
const texts = new Map<string, FunctionText>();
const unused = new Map<string, FunctionText>();
const listeners = new Set<(id: number) => void>();
const keys = new WeakMap<FunctionText, string>();

const deaths = new FinalizationRegistry<FunctionText>((text) => {
  text.isWatched = false;
  const key = keys.get(text);
  if (key === undefined || texts.get(key) !== text) return;
  unused.set(key, text);
  for (const id of text.ids()) for (const listener of listeners) listener(id);
  for (const [oldest] of unused) {
    if (unused.size <= mostUnused) break;
    unused.delete(oldest);
    texts.delete(oldest);
  }
});

/**
 * Calls back with an operator's id when no function of its text is known to live: what was built for it may be evicted.
 * The operator may be used again afterwards.
 *
 * @returns a function that ends the calls.
 */
export function onOperatorUnused(callback: (id: number) => void): () => void {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

/** Tells the listeners that an operator is no longer kept. */
export function operatorUnused(id: number): void {
  for (const listener of listeners) listener(id);
}

/** Registers a living object to stand for its text, where none does. */
export function watch(text: FunctionText, living: object): void {
  text.isWatched = true;
  const key = keys.get(text);
  if (key !== undefined) unused.delete(key);
  deaths.register(living, text);
}

function intern(key: string, make: () => FunctionText): FunctionText {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
    keys.set(text, key);
  }
  return text;
}

/** The text of a function that is an operator by itself. */
export function functionText(operator: AnyFunction, argument: string): FunctionText {
  let text = functions.get(operator);
  if (text === undefined) {
    const source = textOf(operator);
    text = intern(source, () => new FunctionText(source, argument, false, ownNamesOf(operator)));
    // An inline arrow function is a new object at every call: remembering each would cost more than its text's look-up.
    if (text.objects < mostObjects) {
      text.objects++;
      functions.set(operator, text);
    }
  }
  if (!text.isWatched) watch(text, operator);
  return text;
}

/** The text of a function whose last parameter is the captures object; `bound` stands for it. */
export function boundText(operator: AnyFunction, bound: object, argument: string): FunctionText {
  const source = textOf(operator);
  const text = intern(`bind:${source}`, () => new FunctionText(source, argument, true, ownNamesOf(operator)));
  if (!text.isWatched) watch(text, bound);
  return text;
}

/** An operator of the library's own, which is never unused. */
export function permanentOperator(source: string, kindForTypes: KindForTypes): FunctionOperator {
  const { plain } = new FunctionText(source, "ops", false, undefined, kindForTypes);
  if (plain === undefined) throw new Error(`${source} has free variables`);
  return plain;
}

/** How many function texts are known: those in use, and the unused that are still kept. */
export function operatorStatistics(): { texts: number; unused: number } {
  return { texts: texts.size, unused: unused.size };
}
