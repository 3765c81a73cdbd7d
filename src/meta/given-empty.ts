// Which members of a decoded object were given as an empty list or map. Go keeps these apart from what was not given until
// an object is stored: some checks compare them, and messages show [] and {} instead of null. Objects here go without such
// members, so it is noted beside them.
const notes = new WeakMap<object, Set<string>>();

export function noteGivenEmpty(owner: object, key: string): void {
  const known = notes.get(owner);
  if (known === undefined) notes.set(owner, new Set([key]));
  else known.add(key);
}

export const wasGivenEmpty = (owner: object | undefined, key: string): boolean =>
  owner !== undefined && notes.get(owner)?.has(key) === true;

/** What is noted of an object holds of its copy, too. */
export function carryNotes(from: object, to: object): void {
  const known = notes.get(from);
  if (known !== undefined) notes.set(to, known);
}
