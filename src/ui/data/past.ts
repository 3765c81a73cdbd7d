// How things stood at an earlier revision: out of what has changed since, or as the server still knows it.
import type { Failure } from "./kind-table.ts";
import { GONE, isRefusal, type Transport } from "./kind-watch.ts";
import { readRecord } from "./read-record.ts";
import { type Change, KINDS, type Kind } from "./records.ts";

export type PastAnswer =
  /** isAnew: these are all objects; otherwise what differs from the revision that was named. */
  | { readonly state: "found"; readonly isAnew: boolean; readonly changes: readonly Change[] }
  /** Nobody remembers. */
  | { readonly state: "forgotten" }
  | { readonly state: "failed"; readonly message: string };

/** To whom asks when nobody follows the feed, or has left it meanwhile. */
export const NOBODY_FOLLOWS: PastAnswer = { state: "failed", message: "Nobody follows." };

/** As the server still knows it. */
export async function listedAt(transport: Transport, revision: number): Promise<PastAnswer> {
  const lists = await Promise.all(KINDS.map((kind) => listAt(transport, kind, revision)));
  const failure = lists.find((list): list is Failure => "code" in list);
  if (failure === undefined) return { state: "found", isAnew: true, changes: lists.flat() as Change[] };
  return failure.code === GONE ? { state: "forgotten" } : { state: "failed", message: failure.message };
}

/** Kinds that may not be seen, or are not there, had none then either. */
async function listAt(transport: Transport, kind: Kind, revision: number): Promise<Change[] | Failure> {
  const answer = await transport.list(kind, revision);
  if ("code" in answer) return isRefusal(answer) ? [] : answer;
  return answer.flatMap((object) => {
    const record = readRecord(kind, object);
    return record ? [{ kind, uid: record.uid, record, revision: record.revision } as Change] : [];
  });
}
