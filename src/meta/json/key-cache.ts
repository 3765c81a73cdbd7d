// Keys repeat from object to object: a known key is found by its text in place, without cutting a new string out of the
// input (which would also keep the whole input alive).

const SIZE = 2048;
/** Up to this length V8 copies what is cut out of a text; longer parts refer to the whole. */
const COPIED_LENGTH_MAX = 12;
const keys: string[] = new Array<string>(SIZE).fill("");

/** The part of the text, which has this hash. */
export function cachedKey(text: string, start: number, end: number, hash: number): string {
  const slot = (hash >>> 0) % SIZE;
  const known = keys[slot] ?? "";
  if (known.length === end - start && text.startsWith(known, start)) return known;
  const part = text.slice(start, end);
  const fresh = part.length <= COPIED_LENGTH_MAX ? part : Buffer.from(part).toString();
  keys[slot] = fresh;
  return fresh;
}
