// A reason for an unexpected state: a condition that is true, and its remedy.

export interface Reason {
  /** Row of src/ovn/rules.md: R140 for assignment, R141 for packets; 0 for reasons without a row. */
  readonly row: number;
  readonly text: string;
  /** Remedy for the user; undefined if the state is intended. */
  readonly remedy?: string;
  /** Neither a test nor a document of upstream states it. */
  readonly likely: boolean;
}

export const reason = (row: number, text: string, remedy?: string): Reason => ({
  row,
  text,
  ...(remedy === undefined ? {} : { remedy }),
  likely: false,
});
