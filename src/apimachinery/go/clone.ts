// Copies of texts that outlive their request. V8 keeps the whole text in memory for each slice of it, so slices that
// are kept are cloned.

/** strings.Clone: the same text in memory of its own. */
export const cloneText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The text if it is no longer than so many characters; else its beginning, and the number of omitted characters. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const start = cloneText(text.slice(0, charactersMax));
  return `${start}… (${text.length - charactersMax} more characters)`;
}
