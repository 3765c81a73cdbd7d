// The store that the options name.

import type { Log } from "../http/log.ts";
import type { Clock } from "../meta/clock.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openLevelEngine } from "../storage/level/level-engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import { type Store, StoreError } from "../storage/store.ts";
import { historyLimits } from "./command-line/time-and-chance.ts";
import { StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

/** Throws StartError. */
export async function openStore(options: ServerOptions, clock: Clock, log: Log): Promise<Store> {
  try {
    const engine = options.inMemory ? createMemoryEngine() : await openLevelEngine(options.dataDir);
    return await openMvccStore(engine, {
      ...{ clock, history: historyLimits(options.retain) },
      onCompacted: (revision) =>
        log.info({ revision }, "compacted: the past before this revision is forgotten"),
      onDropped: ({ from }) => log.info({ range: from }, "a watch was dropped: it left too much unread"),
    });
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}
