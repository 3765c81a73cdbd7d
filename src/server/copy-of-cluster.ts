// A copy of another cluster for plans: its objects are restored with uid and status into an in-memory store of this
// process.

import { systemClock } from "../apimachinery/meta/clock.ts";
import { Chance } from "../apimachinery/meta/ids.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { toRevision } from "../apimachinery/meta/revision.ts";
import { createLog } from "../apiserver/http/log.ts";
import { RawValue } from "../apiserver/registry/codec/object-codec.ts";
import type { Platform } from "../controller/emulated-release.ts";
import type { VerdictsDeps } from "../features/analysis/verdicts.ts";
import { type Standing, standingObjects } from "../features/import/in-a-copy.ts";
import type { Cluster } from "../ovn/cluster/cluster.ts";
import type { ClusterFacts } from "../ovn/snapshot.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type KeyValue, type ListPage } from "../storage/store.ts";
import { type CoreOptions, openApiCore } from "./api-core.ts";
import { DEFAULT_OPTIONS } from "./options/options.ts";
import { seedNewStore } from "./store.ts";
import { whatIf } from "./what-if.ts";

export interface CopyOptions {
  readonly facts: ClusterFacts;
  readonly platform: Platform;
  /** Called with the copy once its controllers are idle, before any change is applied. */
  readonly onRest?: (before: Cluster) => void;
}

/** Plans changes on a copy of these objects. The copy is made once. */
export async function planOnCopy(
  objects: Iterable<KubeObject>,
  { facts, platform, onRest }: CopyOptions,
): Promise<VerdictsDeps["whatIf"]> {
  const { product: profile, clusterSubnets, serviceSubnets: serviceClusterIpRange } = facts;
  const options = {
    ...DEFAULT_OPTIONS,
    inMemory: true,
    profile,
    platform,
    clusterSubnets,
    serviceClusterIpRange,
  };
  const given: CoreOptions = {
    ...{ options, credentials: undefined, keyBytes: () => undefined },
    ...{ clock: systemClock, ids: new Chance().ids, log: createLog("silent") },
    post: () => Promise.reject(new Error("nobody outside is asked by a copy")),
  };
  let present = await stateWith(objects, given);
  return (tries, asked) =>
    whatIf(tries, {
      ...{ present, given, facts, platform, ...asked },
      onRest: (before, atRest) => {
        // Later plans for the same platform reuse the idle copy.
        if ((asked.platform ?? platform) === platform) present = atRest;
        onRest?.(before);
      },
    });
}

/** The keys of a bootstrapped store with these objects. */
async function stateWith(objects: Iterable<KubeObject>, given: CoreOptions): Promise<ListPage> {
  await using store = await openMvccStore(createMemoryEngine(), { clock: given.clock });
  const isLaid = await seedNewStore(store, given.options, given);
  const core = openApiCore(store, given);
  try {
    await core.bootstrap({ isLaid });
    await core.settled();
    const user = { name: "system:egret", groups: ["system:masters"] };
    const { clock, ids } = given;
    const context = { user, fieldManager: "egret", dryRun: false, clock, ids, warn: () => {} };
    const standing = await standingObjects(objects, { registry: core.registry, store, context });
    if (standing.claims.length > 0) await store.transform(() => [standing.claims]);
    return laidOver(store.list(EVERY_KEY), standing);
  } finally {
    await core.close();
  }
}

/** Overlays the objects on the keys by name. Their bytes are not encoded, because few of them are ever read. */
function laidOver({ items, revision: before }: ListPage, { objects }: Standing): ListPage {
  const revision = toRevision(before + 1);
  const byKey = new Map<string, KeyValue>(items.map((kv) => [kv.key, kv]));
  for (const [key, form] of objects) byKey.set(key, new RawValue(key, form, revision));
  const sorted = [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { items: sorted, revision, remaining: 0 };
}
