// A commit that can never be done is a mistake of the caller, not an outcome.
import { inSlices } from "../../meta/lists.ts";
import type { TxnOp } from "../store.ts";

/** Throws TypeError. */
export function assertCommit(ops: readonly TxnOp[]): void {
  assertSome(ops);
  if (ops.some((op) => op.key === "")) throw new TypeError(EMPTY_KEY);
  if (ops.length > 1 && new Set(ops.map((op) => op.key)).size < ops.length) throw new TypeError(KEY_TWICE);
}

/** As assertCommit, in slices where there are many. */
export async function assertCommitInSlices(ops: readonly TxnOp[]): Promise<void> {
  assertSome(ops);
  const keys = new Set<string>();
  await inSlices(ops, ({ key }) => keys.add(key));
  if (keys.has("")) throw new TypeError(EMPTY_KEY);
  if (keys.size < ops.length) throw new TypeError(KEY_TWICE);
}

const EMPTY_KEY = "a key must not be empty";
const KEY_TWICE = "a commit may touch a key only once";

function assertSome(ops: readonly TxnOp[]): void {
  if (ops.length === 0) throw new TypeError("a commit needs at least one operation");
}
