// Texts that outlive their request. V8 keeps the whole of a text in memory for each slice of it, so what is kept is cloned.

/** strings.Clone: the same text in memory of its own. */
export const cloneText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The text if it is no longer than so many characters; else its beginning, and how many characters are left out. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const start = cloneText(text.slice(0, charactersMax));
  return `${start}… (${text.length - charactersMax} more characters)`;
}
