// What would be: the present state once more, in memory, with the controllers on it; some changes, and what then differs
// once all is at rest. Nothing of the present state is touched.

import { AbsentOwners } from "../control/standing/absent-owners.ts";
import { changeInWords, makeChange, type PlannedChange } from "../control/verdict/planned-change.ts";
import { StoreClusters } from "../control/verdict/store-snapshot.ts";
import type { ControllerManager } from "../controllers/kit/controller-manager.ts";
import { createLog } from "../http/log.ts";
import { nextTurn, pauseForOthers } from "../meta/clock.ts";
import { ControlledClock } from "../meta/controlled-clock.ts";
import { StatusError } from "../meta/status.ts";
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
  const controllers = openControllers(settings, registry, {
    ...{ clientFor, clock, log, authority: undefined },
    absentOwners: new AbsentOwners(store),
  });
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
      await makeChange(change, client, core.registry);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused.push({ change: changeInWords(change), reason: error.reason, message: error.message });
    }
  }
  return refused;
}
