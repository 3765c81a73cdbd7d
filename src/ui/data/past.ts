// The state at an earlier revision: computed from recent changes, or listed from the server.
import type { Failure } from "./kind-table.ts";
import { GONE, isRefusal, type Transport } from "./kind-watch.ts";
import { readRecord } from "./read-record.ts";
import { type Change, KINDS, type Kind } from "./records.ts";

export type PastAnswer =
  /** isAnew: the complete list of objects. Otherwise: the differences from the revision of the request. */
  | { readonly state: "found"; readonly isAnew: boolean; readonly changes: readonly Change[] }
  /** Compacted: neither the ring nor the server has the revision. */
  | { readonly state: "forgotten" }
  | { readonly state: "failed"; readonly message: string };

/** Answer while no view follows the feed, or after the follower has left. */
export const NOBODY_FOLLOWS: PastAnswer = { state: "failed", message: "Nobody follows." };

/** Lists all kinds at a revision. */
export async function listedAt(transport: Transport, revision: number): Promise<PastAnswer> {
  const lists = await Promise.all(KINDS.map((kind) => listAt(transport, kind, revision)));
  const failure = lists.find((list): list is Failure => "code" in list);
  if (failure === undefined) return { state: "found", isAnew: true, changes: lists.flat() as Change[] };
  return failure.code === GONE ? { state: "forgotten" } : { state: "failed", message: failure.message };
}

/** Kinds that are forbidden or not served count as empty. */
async function listAt(transport: Transport, kind: Kind, revision: number): Promise<Change[] | Failure> {
  const answer = await transport.list(kind, revision);
  if ("code" in answer) return isRefusal(answer) ? [] : answer;
  return answer.flatMap((object) => {
    const record = readRecord(kind, object);
    return record ? [{ kind, uid: record.uid, record, revision: record.revision } as Change] : [];
  });
}
