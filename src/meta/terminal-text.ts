// Text of others on a terminal. Control characters would move the cursor, change the title, paste or hide text; those that
// turn the direction of writing show it in another order. They are shown as JSON writes them: \u001b.

/** Controls (C0, DEL, C1); marks, embeddings, overrides and isolates of the direction; line and paragraph separators. */
const UNSAFE_IN_LINE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const UNSAFE = new RegExp(`(?![\\n\\t])${UNSAFE_IN_LINE.source}`, "gu");

const escapeOf = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** The text with its lines and tabs, and without anything that a terminal would obey. */
export const shown = (text: string): string => text.replace(UNSAFE, escapeOf);

/** The same for a text that must stay in its line and its column. */
export const shownInLine = (text: string): string => text.replace(UNSAFE_IN_LINE, escapeOf);
