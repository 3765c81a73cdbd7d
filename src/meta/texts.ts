// Texts of megabytes: changed in one turn, and cut before they are kept.
import { cloneText } from "../go/clone.ts";

/**
 * As replaceAll() with a text. Where there are very many places, that joins piece to piece, and takes four times as long: half
 * a second for a megabyte that is changed at every letter.
 */
export const replaceMany = (text: string, from: string, to: string): string =>
  text.includes(from) ? text.split(from).join(to) : text;

/** For a text that outlives its request: the text if it is no longer than so many characters; else its beginning, and how many characters are left out. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const start = cloneText(text.slice(0, charactersMax));
  return `${start}… (${text.length - charactersMax} more characters)`;
}
