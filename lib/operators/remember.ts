/** Answers about the nodes of a tree, each found once: trees share their parts with those that they were made from. */

/** A function that keeps each answer for as long as what it was asked about lives. */
export function remembered<K extends object, V>(find: (key: K) => V): (key: K) => V {
  const answers = new WeakMap<K, { readonly answer: V }>();
  return (key) => {
    let known = answers.get(key);
    if (known === undefined) {
      known = { answer: find(key) };
      answers.set(key, known);
    }
    return known.answer;
  };
}
