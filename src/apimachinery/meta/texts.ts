// Replacement in texts of several megabytes, without a yield.

/**
 * As replaceAll() with a text. With very many matches replaceAll() concatenates piece by piece and takes four times as
 * long: half a second for a megabyte with a match at every letter.
 */
export const replaceMany = (text: string, from: string, to: string): string =>
  text.includes(from) ? text.split(from).join(to) : text;
