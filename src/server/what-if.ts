// What would be: the present state once more, in memory, with the controllers on it; some changes, and what then differs
// once all is at rest. Nothing of the present state is touched.

import { type Client, resourceOf } from "../client/client.ts";
import { findResource } from "../control/kinds.ts";
import { StoreClusters } from "../control/verdict/store-snapshot.ts";
import type { PlannedChange } from "../control/verdict/verdicts.ts";
import type { ControllerManager } from "../controllers/kit/controller-manager.ts";
import { createLog } from "../http/log.ts";
import { nextTurn, pauseForOthers } from "../meta/clock.ts";
import { ControlledClock } from "../meta/controlled-clock.ts";
import { isObject, objectAt, objectsAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { badRequest, StatusError } from "../meta/status.ts";
import { inTurns } from "../meta/steps.ts";
import { openBranchStore } from "../storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type ListPage, type Store } from "../storage/store.ts";
import type { Cluster } from "../verdict/cluster/cluster.ts";
import { compareSteps, type Difference } from "../verdict/compare.ts";
import { type ClusterFacts, DEFAULT_FACTS, type Platform } from "../verdict/snapshot.ts";
import { type ApiCore, type CoreOptions, openApiCore } from "./api-core.ts";
import { openControllers } from "./controller-setup.ts";

export interface WhatIfOptions {
  /** All keys as they are. */
  readonly present: ListPage;
  readonly given: CoreOptions;
  readonly facts: Partial<ClusterFacts>;
  readonly platform?: Platform;
  /** Told of the state at rest, and of all its keys, before anything is changed. */
  readonly onRest?: (before: Cluster, atRest: ListPage) => void;
}

/** By then everything that waits for time has come: retries, checks of nodes, an emulated cloud. */
const REST_MS = 30_000;

/** Throws 400 for a change that names nothing there is a kind for. */
export async function whatIf(changes: readonly PlannedChange[], options: WhatIfOptions): Promise<Difference> {
  const { given, present, platform } = options;
  const clock = ControlledClock.frozen(given.clock);
  await using store = await openBranchStore(present, { clock });
  const settings = { ...given.options, inMemory: true, ...(platform === undefined ? {} : { platform }) };
  const log = createLog("silent");
  const core = openApiCore(store, { ...given, options: settings, clock, log });
  const stopping = new AbortController();
  await core.furnish({ isLaid: true });
  const { registry, clientFor } = core;
  const controllers = openControllers(settings, registry, { clientFor, clock, log, authority: undefined });
  try {
    await controllers.start(stopping.signal);
    const rest = () => atRest(store, controllers, core);
    await clock.advance(REST_MS, rest);
    const facts = { ...DEFAULT_FACTS, ...options.facts, held: undefined };
    const clusters = new StoreClusters({ store, registry });
    const before = clusters.now(facts);
    options.onRest?.(before, store.list(EVERY_KEY));
    const refused = await carryOut(changes, core);
    await clock.advance(REST_MS, rest);
    return await inTurns(compareSteps(before, clusters.now(facts), refused), pauseForOthers);
  } finally {
    stopping.abort();
    await Promise.all([controllers.stop(), core.close()]);
    clock.close();
  }
}

/** What controllers have written may give others something to do. */
async function atRest(store: Store, controllers: ControllerManager, core: ApiCore): Promise<void> {
  let before: number;
  do {
    before = store.revision;
    await core.settled();
    await controllers.idle();
    await nextTurn();
  } while (store.revision !== before);
}

/** One after the other; what is refused is told, and the others go on. */
async function carryOut(changes: readonly PlannedChange[], core: ApiCore): Promise<Difference["refused"]> {
  const client = core.clientFor("egret-plan");
  const refused: Difference["refused"][number][] = [];
  for (const change of changes) {
    try {
      await make(change, client, core);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused.push({ change: inWords(change), reason: error.reason, message: error.message });
    }
  }
  return refused;
}

async function make(change: PlannedChange, client: Client, { registry }: ApiCore): Promise<unknown> {
  if ("apply" in change) {
    const { apiVersion = "", kind = "", metadata } = change.apply;
    const view = registry.findByKind(apiVersion, kind);
    if (!view) throw badRequest(`no kind ${kind} of ${apiVersion} is served`);
    const namespace = view.definition.namespaceScoped ? (metadata.namespace ?? "default") : "";
    const body = { ...change.apply, metadata: { ...metadata, ...(namespace === "" ? {} : { namespace }) } };
    return client.patch(
      resourceOf(view),
      { namespace, name: metadata.name ?? "" },
      { type: "apply", force: true, body },
    );
  }
  const reference = "delete" in change ? change.delete : "label" in change ? change.label : change.notReady;
  const [word = "", first = "", second] = reference.split("/");
  const view = findResource(registry, word);
  const key = second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
  const resource = resourceOf(view);
  if ("delete" in change) return client.delete(resource, key);
  if ("label" in change) {
    return client.patch(resource, key, { type: "merge", body: { metadata: { labels: change.labels } } });
  }
  const live = await client.get(resource, key);
  return client.update(resource, { ...live, status: notReady(live) }, "status");
}

function notReady(node: Readonly<KubeObject>): object {
  const status = objectAt(node, "status");
  const others = objectsAt(status, "conditions").filter((one) => isObject(one) && one["type"] !== "Ready");
  return { ...status, conditions: [...others, { type: "Ready", status: "False", reason: "Planned" }] };
}

function inWords(change: PlannedChange): string {
  if ("delete" in change) return `delete ${change.delete}`;
  if ("notReady" in change) return `not ready ${change.notReady}`;
  if ("label" in change) return `label ${change.label}`;
  const { kind = "", metadata } = change.apply;
  return `apply ${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name ?? ""}`;
}
