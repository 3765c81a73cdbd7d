// What is noted of the keys of a JSON text while it is read.

const DUPLICATES_MAX = 100;
/** The keys of an object of so many are kept: to ask V8 for those of 400,000 members takes a tenth of a second. */
const MANY_KEYS = 10_000;

/** How the keys of an object are found. */
export type KeysOf = (object: object) => readonly string[];

const manyKeys = new WeakMap<object, string[]>();

/** The keys in the order of the text. Only for what has been read and is not changed yet, but for members that went. */
export const keysAsRead: KeysOf = (object) => manyKeys.get(object) ?? Object.keys(object);

/** The keys of one text. The reader tells of each object where it begins and where it ends. */
export class KeyNotes {
  readonly #duplicates = new Set<string>();
  readonly #outerCounts: number[] = [];
  #count = 0;

  /** Dotted paths of keys that came twice. */
  get duplicates(): string[] {
    return [...this.#duplicates];
  }

  /** A list or an object begins. */
  open(): void {
    this.#outerCounts.push(this.#count);
    this.#count = 0;
  }

  close(): void {
    this.#count = this.#outerCounts.pop() ?? 0;
  }

  /** The object is about to get a member of this name, which it has not yet. */
  add(object: object, key: string): void {
    if (++this.#count <= MANY_KEYS) return;
    const keys = manyKeys.get(object);
    if (keys === undefined) manyKeys.set(object, [...Object.keys(object), key]);
    else keys.push(key);
  }

  /** A key came twice in the object to which these steps lead. */
  addDuplicate(steps: readonly (string | number)[], key: string): void {
    if (this.#duplicates.size >= DUPLICATES_MAX) return;
    let path = "";
    for (const step of steps) {
      if (typeof step === "number") path += `[${step}]`;
      else path += path === "" ? step : `.${step}`;
    }
    this.#duplicates.add(path === "" ? key : `${path}.${key}`);
  }
}
