// Escapes untrusted text for a terminal. Control characters would move the cursor, change the title, paste or hide
// text; bidirectional marks would reorder it. They are shown as JSON writes them: \u001b.

/** Controls (C0, DEL, C1); bidirectional marks, embeddings, overrides and isolates; line and paragraph separators. */
const UNSAFE_IN_LINE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const UNSAFE = new RegExp(`(?![\\n\\t])${UNSAFE_IN_LINE.source}`, "gu");

const escapeOf = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** Keeps line breaks and tabs, and escapes all other control characters. */
export const shown = (text: string): string => text.replace(UNSAFE, escapeOf);

/** As shown, for a text that must stay within its line and column. */
export const shownInLine = (text: string): string => text.replace(UNSAFE_IN_LINE, escapeOf);
