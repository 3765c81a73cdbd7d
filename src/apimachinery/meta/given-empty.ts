// Records which members of a decoded object were given as an empty list or map. Go distinguishes these from absent
// members until an object is stored: some checks compare them, and messages show [] and {} instead of null. Objects
// here omit such members, so they are recorded separately.
const notes = new WeakMap<object, Set<string>>();

export function noteGivenEmpty(owner: object, key: string): void {
  const known = notes.get(owner);
  if (known === undefined) notes.set(owner, new Set([key]));
  else known.add(key);
}

export const wasGivenEmpty = (owner: object | undefined, key: string): boolean =>
  owner !== undefined && notes.get(owner)?.has(key) === true;

/** Copies the records of an object to its copy. */
export function carryNotes(from: object, to: object): void {
  const known = notes.get(from);
  if (known !== undefined) notes.set(to, known);
}
