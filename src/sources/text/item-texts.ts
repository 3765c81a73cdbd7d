// A list, taken apart without being read.

/** The text of a list without its items, and of each of them. */
export interface ItemTexts {
  readonly head: string;
  readonly items: Iterable<string>;
  /** Whether the list ends, or the text does before. */
  readonly end: "whole" | "cut";
}
