// Tables in which a word of a client is looked up. An object literal answers for `constructor` and `__proto__`, too, which
// every object inherits: a table without a prototype holds what was put into it and nothing else.

/** The same members without a prototype. */
export function lookupTable<V>(members: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.assign(Object.create(null), members);
}
