// Texts of megabytes, which are changed in one turn.

/**
 * As replaceAll() with a text. Where there are very many places, that joins piece to piece, and takes four times as long: half
 * a second for a megabyte that is changed at every letter.
 */
export const replaceMany = (text: string, from: string, to: string): string =>
  text.includes(from) ? text.split(from).join(to) : text;

// Texts that outlive their request. A text cut out of a longer one keeps the whole of it in memory (V8's sliced strings), so
// what is kept is copied, and its length is bounded.

/** A copy that shares no memory with the text it was cut out of. */
export const copyOfText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The text if it is no longer than so many characters; else its beginning, and how many characters are left out. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const start = copyOfText(text.slice(0, charactersMax));
  return `${start}… (${text.length - charactersMax} more characters)`;
}
