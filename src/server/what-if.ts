// Planned changes: a copy of the present state in memory, with its own controllers. Changes are applied to the copy,
// and the difference is reported once all controllers are idle. The present state is not touched. Several plans run
// one after the other on one copy, which is reset in between.

import { ControlledClock } from "../apimachinery/meta/controlled-clock.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { runYielding } from "../apimachinery/scheduling/coroutine.ts";
import { yieldIfDue } from "../apimachinery/scheduling/event-loop.ts";
import { createLog } from "../apiserver/http/log.ts";
import type { Platform } from "../controller/emulated-release.ts";
import { changeInWords, makeChange, type PlannedChange } from "../features/analysis/planned-change.ts";
import { StoreClusters } from "../features/analysis/store-snapshot.ts";
import { stateOf } from "../features/state/state-keeper.ts";
import type { Cluster } from "../ovn/cluster/cluster.ts";
import { compareSteps, type Difference, type Load, loadOf } from "../ovn/compare.ts";
import { type ClusterFacts, DEFAULT_FACTS } from "../ovn/snapshot.ts";
import { openBranchStore } from "../storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type ListPage } from "../storage/store.ts";
import type { ApiCore, CoreOptions } from "./api-core.ts";
import { SimulatedCopy } from "./simulated-copy.ts";

export interface WhatIfOptions {
  /** All current keys. */
  readonly present: ListPage;
  readonly given: CoreOptions;
  readonly facts: Partial<ClusterFacts>;
  readonly platform?: Platform;
  /** Aborts the remaining plans. */
  readonly signal?: AbortSignal;
  /** Called with the idle state and all its keys before any change is applied. */
  readonly onRest?: (before: Cluster, atRest: ListPage) => void;
}

/**
 * Returns the effect of each plan on the present state. Plans are independent of one another. Throws 400 for a
 * change of an unknown kind.
 */
export async function whatIf(
  tries: readonly (readonly PlannedChange[])[],
  options: WhatIfOptions,
): Promise<Difference[]> {
  const { given, present, platform } = options;
  const clock = ControlledClock.frozen(given.clock);
  await using store = await openBranchStore(present, { clock });
  const settings = { ...given.options, inMemory: true, ...(platform === undefined ? {} : { platform }) };
  await using copy = await SimulatedCopy.start(store, {
    ...given,
    options: settings,
    clock,
    log: createLog("silent"),
    observer: undefined,
  });
  const { core } = copy;
  const facts = { ...DEFAULT_FACTS, ...options.facts, held: undefined };
  const clusters = new StoreClusters({ store, registry: core.registry });
  options.onRest?.(clusters.now(facts), store.list(EVERY_KEY));
  const standing = tries.length > 1 ? stateOf(store, clock) : undefined;
  const told: Difference[] = [];
  let load: Load | undefined; // each plan begins with the same load
  for (const changes of tries) {
    options.signal?.throwIfAborted();
    if (standing && told.length > 0) await copy.putBack(standing);
    const before = clusters.now(facts);
    const refused = await carryOut(changes, core);
    await copy.rest();
    load ??= await runYielding(loadOf(before), yieldIfDue);
    told.push(await runYielding(compareSteps(before, clusters.now(facts), refused, load), yieldIfDue));
  }
  return told;
}

/** Applies the changes one after the other. A rejected change is reported, and the others continue. */
async function carryOut(changes: readonly PlannedChange[], core: ApiCore): Promise<Difference["refused"]> {
  const client = core.clientFor("egret-plan");
  const refused: Difference["refused"][number][] = [];
  for (const change of changes) {
    try {
      await makeChange(change, client, core.registry);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused.push({ change: changeInWords(change), reason: error.reason, message: error.message });
    }
  }
  return refused;
}
