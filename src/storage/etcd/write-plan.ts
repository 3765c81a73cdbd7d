// Transformation of the whole store in etcd, where one transaction takes only a part of it. Writes of other processes
// in between are detected and never overwritten.
import { inBatches } from "../../apimachinery/meta/lists.ts";
import type { Revision } from "../../apimachinery/meta/revision.ts";
import { StoreError, type TxnOp } from "../store.ts";
import { WriteQueue } from "./write-queue.ts";

/** etcd's own limit of operations per transaction (--max-txn-ops). */
const TXN_OPS_MAX = 128;
/** A third of etcd's request limit (--max-request-bytes): a value may grow in the storage format, and by encryption. */
const TXN_BYTES_MAX = 512 * 1024;
/** Requests of other clients wait in etcd behind these. */
const TXNS_AT_ONCE = 4;

export interface PlanWriting {
  /** The revision of the state from which the plan was computed. */
  readonly base: Revision;
  /** The last attempt: a conflict is thrown. */
  readonly isLast: boolean;
  write(ops: readonly TxnOp[]): Promise<Revision>;
}

/**
 * Writes the commits of a plan, each as one transaction or as many as etcd needs. Returns false on a conflict with
 * another writer: the plan must be computed again.
 */
export async function writePlan(
  commits: readonly (readonly TxnOp[])[],
  { base, isLast, write }: PlanWriting,
): Promise<boolean> {
  const queue = new WriteQueue();
  /** The new mod revision of a written key, for later commits of the plan that expect the planned one. */
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

/**
 * Splits a commit into as many transactions as etcd needs. A value that exceeds the limit is alone in one, which etcd
 * rejects.
 */
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

/** A key is sent twice: the comparison contains it, too. */
const bytesOf = (op: TxnOp): number => 2 * op.key.length + (op.type === "delete" ? 0 : op.value.byteLength);
