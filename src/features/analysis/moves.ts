// The moves of an EgressIP's addresses between nodes, with their reasons, within the store's retained revisions.
import { type Revision, toRevision } from "../../apimachinery/meta/revision.ts";
import { decodeLean } from "../../apiserver/registry/codec/versions.ts";
import { objectKey } from "../../apiserver/registry/definition/view.ts";
import { type Move, movesBetween } from "../../ovn/explain/moves.ts";
import type { ClusterFacts } from "../../ovn/snapshot.ts";
import type { HistoryKeeper } from "../history/history-keeper.ts";
import { clusterAt, type StoreSnapshotDeps } from "./store-snapshot.ts";

export interface MoveInTime extends Move {
  /** RFC 3339. */
  readonly time: string;
}

export interface MovesDeps extends StoreSnapshotDeps {
  readonly history: Pick<HistoryKeeper, "of">;
  readonly facts: Partial<ClusterFacts>;
}

const EGRESS_IPS = { group: "k8s.ovn.org", resource: "egressips" } as const;

interface Span {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** A revision; absent: the newest. */
  readonly until?: number | undefined;
}

/** Oldest first. Throws 404. */
export async function movesOf(deps: MovesDeps, name: string, { since, until }: Span): Promise<MoveInTime[]> {
  const { store, registry } = deps;
  const view = registry.findStorage(EGRESS_IPS.group, EGRESS_IPS.resource);
  if (!view) return [];
  const key = objectKey(view.definition, "", name);
  const at = (revision: Revision) => {
    const kv = store.get(key, revision);
    return kv && decodeLean(view, kv);
  };
  const { revisions } = await deps.history.of({ ...EGRESS_IPS, name });
  return revisions.flatMap(({ resourceVersion, time = "" }) => {
    const revision = toRevision(Number(resourceVersion));
    const before = toRevision(revision - 1);
    if (until !== undefined && revision > until) return [];
    if (Date.parse(time) < since || before < store.compactedRevision) return [];
    const after = at(revision);
    if (!after) return [];
    return movesBetween(clusterAt(deps, deps.facts, before), at(before), after).map((move) => ({
      time,
      ...move,
    }));
  });
}
