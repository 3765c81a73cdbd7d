// A change of everything in etcd, of which one transaction takes only a part: what others write in between is found out, and
// nothing of theirs is written over.
import { inBatches } from "../../meta/lists.ts";
import type { Revision } from "../../meta/revision.ts";
import { StoreError, type TxnOp } from "../store.ts";
import { WriteQueue } from "./write-queue.ts";

/** etcd's own limit of what a transaction does (--max-txn-ops). */
const TXN_OPS_MAX = 128;

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
  /** What became of the revisions that the plan counts on, where one of its commits builds on another. */
  const became = new Map<number, Revision>();
  const parts = commits.flatMap((ops, index) => partsOf(ops, base + index + 1));
  let lost: unknown;
  await inBatches(parts, async ({ ops, planned }) => {
    if (lost !== undefined) return;
    const writePart = async () => {
      const actual = ops.map(
        (op): TxnOp =>
          op.type === "create"
            ? op
            : { ...op, ifModRevision: became.get(op.ifModRevision) ?? op.ifModRevision },
      );
      became.set(planned, await write(actual));
    };
    try {
      await queue.inOrder(ops, writePart);
    } catch (error) {
      lost ??= error;
    }
  });
  if (lost === undefined) return true;
  const isConflict =
    lost instanceof StoreError && (lost.code === "KEY_EXISTS" || lost.code === "REVISION_MISMATCH");
  if (!isConflict || isLast) throw lost;
  return false;
}

interface Part {
  readonly ops: readonly TxnOp[];
  /** The revision that the plan gives it. */
  readonly planned: number;
}

/** As many transactions as etcd needs for a commit. */
function partsOf(ops: readonly TxnOp[], planned: number): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < ops.length; start += TXN_OPS_MAX) {
    parts.push({ ops: ops.slice(start, start + TXN_OPS_MAX), planned });
  }
  return parts;
}
