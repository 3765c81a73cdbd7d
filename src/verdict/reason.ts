// Why something is not as a person may expect it: a condition that is true, and what can be done.

export interface Reason {
  /** The row of the table in verdict.md that tells it (4.1 for assignment, 4.2 for packets). */
  readonly row: number;
  readonly text: string;
  /** What a person can do; undefined where it is meant to be so. */
  readonly remedy?: string;
  /** Neither a test nor a document of upstream promises it. */
  readonly likely: boolean;
}

export const reason = (row: number, text: string, remedy?: string): Reason => ({
  row,
  text,
  ...(remedy === undefined ? {} : { remedy }),
  likely: false,
});
