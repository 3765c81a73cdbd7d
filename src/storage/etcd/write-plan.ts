// A change of everything in etcd, of which one transaction takes only a part: what others write in between is found out, and
// nothing of theirs is written over.
import { inBatches } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { StoreError, type TxnOp } from "../store.ts";
import { WriteQueue } from "./write-queue.ts";

/** etcd's own limit of what a transaction does (--max-txn-ops). */
const TXN_OPS_MAX = 128;
/** A third of what etcd takes in one request (--max-request-bytes): a value may grow in etcd's form, under encryption too. */
const TXN_BYTES_MAX = 512 * 1024;
/** What others ask of etcd meanwhile waits behind these. */
const TXNS_AT_ONCE = 4;

export interface PlanWriting {
  /** Of the state from which the plan was made. */
  readonly base: Revision;
  /** The plan is not made again: what was in the way is thrown. */
  readonly isLast: boolean;
  write(ops: readonly TxnOp[]): Promise<Revision>;
}

/**
 * Writes the commits of a plan, each as a transaction or as many as etcd needs for it. False when somebody else has written
 * in between, and the plan is to be made once more.
 */
export async function writePlan(
  commits: readonly (readonly TxnOp[])[],
  { base, isLast, write }: PlanWriting,
): Promise<boolean> {
  const queue = new WriteQueue();
  /** At which revision a key was written, for a later commit that counts on the one it was to have. */
  const became = new Map<string, Revision>();
  let lost: unknown;
  const writePart = async (ops: readonly TxnOp[]): Promise<void> => {
    if (lost !== undefined) return;
    const actual = ops.map((op): TxnOp => {
      if (op.type === "create" || op.ifModRevision <= base) return op;
      return { ...op, ifModRevision: became.get(op.key) ?? op.ifModRevision };
    });
    const revision = await write(actual);
    for (const { key } of ops) became.set(key, revision);
  };
  const inOrder = (ops: readonly TxnOp[]) =>
    queue
      .inOrder(ops, () => writePart(ops))
      .catch((error) => {
        lost ??= error;
      });
  await inBatches(commits.flatMap(partsOf), inOrder, TXNS_AT_ONCE);
  if (lost === undefined) return true;
  const isConflict =
    lost instanceof StoreError && (lost.code === "KEY_EXISTS" || lost.code === "REVISION_MISMATCH");
  if (!isConflict || isLast) throw lost;
  return false;
}

/** As many transactions as etcd needs for a commit. A value that is too large for any is alone in one, and refused there. */
function partsOf(ops: readonly TxnOp[]): (readonly TxnOp[])[] {
  const parts: (readonly TxnOp[])[] = [];
  let [start, bytes] = [0, 0];
  for (const [index, op] of ops.entries()) {
    const added = bytesOf(op);
    if (index > start && (index - start === TXN_OPS_MAX || bytes + added > TXN_BYTES_MAX)) {
      parts.push(ops.slice(start, index));
      [start, bytes] = [index, 0];
    }
    bytes += added;
  }
  if (start < ops.length) parts.push(ops.slice(start));
  return parts;
}

/** A key is sent twice: it is compared, too. */
const bytesOf = (op: TxnOp): number => 2 * op.key.length + (op.type === "delete" ? 0 : op.value.byteLength);
