// A list split into its items' texts, not decoded.

/** The text of a list without its items, and the texts of the items. */
export interface ItemTexts {
  readonly head: string;
  readonly items: Iterable<string>;
  /** Whether the list is complete or truncated. */
  readonly end: "whole" | "cut";
}
