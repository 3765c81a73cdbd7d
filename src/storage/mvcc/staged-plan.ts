// What a plan says, checked and numbered like any group, but in slices: it may concern everything that there is.
import type { Plan, TxnOp } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { assertCommitInSlices } from "./assert-commit.ts";
import { StagedGroup, type StagedOn } from "./staged-group.ts";

/** The state must not change before it is done. Throws what the plan throws, and why an operation may not be done. */
export async function stagePlan(plan: Plan, state: StagedOn): Promise<StagedGroup> {
  const staged = new StagedGroup(state);
  for (const ops of await plan()) await stageCommit(staged, ops);
  return staged;
}

async function stageCommit(staged: StagedGroup, ops: readonly TxnOp[]): Promise<void> {
  await assertCommitInSlices(ops);
  const outcome = await staged.addInSlices(ops);
  if (outcome instanceof StoreError) throw outcome;
}
