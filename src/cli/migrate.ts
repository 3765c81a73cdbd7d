// `egret migrate`: copies a store into another one, from a folder to etcd or back, and compares both afterwards. No
// server may use the source meanwhile.

import { systemClock } from "../apimachinery/meta/clock.ts";
import { inBatches, inSlices } from "../apimachinery/meta/lists.ts";
import { createLog } from "../apiserver/http/log.ts";
import { StartError } from "../server/errors.ts";
import { readOptions } from "../server/options/options.ts";
import type { CommandLine } from "../server/options/read-command-line.ts";
import { describePlace, storageBackendOf } from "../server/storage-backend.ts";
import { openStore } from "../server/store.ts";
import { EVERY_KEY, holds, isEmpty, type Store, StoreError } from "../storage/store.ts";
import { warnOfUnreadable } from "./backup-place.ts";
import { usageError } from "./commands.ts";
import { print } from "./output.ts";
import { Progress } from "./terminal.ts";

/** Throws UsageError and StartError. */
export async function migrate({ values, words }: CommandLine): Promise<void> {
  const [from, to] = [values.get("from"), values.get("to")];
  if (typeof from !== "string" || typeof to !== "string" || words.length > 0) {
    throw usageError("say from where and to where", "migrate");
  }
  const log = createLog("silent");
  const optionsOf = (place: string) => readOptions(new Map([...values, ["store", place]]));
  const [source, target] = [optionsOf(from), optionsOf(to)];
  const name = describePlace(storageBackendOf(target));
  await using old = await openStore(source, systemClock, log);
  await using next = await openStore(target, systemClock, log);
  if (!isEmpty(next)) throw new StartError(`${name} holds something already: choose another place`);
  try {
    const count = await copyAll(old, next);
    await compareAll(old, next);
    print(`${name} holds the same ${count} keys; resource versions are new\n`);
    warnOfUnreadable(old);
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** In the order of their last writes. */
async function copyAll(from: Store, to: Store): Promise<number> {
  using progress = new Progress("copied");
  const items = [...from.list(EVERY_KEY).items].sort((a, b) => a.modRevision - b.modRevision);
  let done = 0;
  await inBatches(items, async ({ key, value }) => {
    await to.commit([{ type: "create", key, value }]);
    progress.show(++done, items.length);
  });
  return items.length;
}

/** Throws StartError if the copy differs from the source. */
async function compareAll(from: Store, to: Store): Promise<void> {
  await to.caughtUp();
  const wrong: string[] = [];
  await inSlices(from.list(EVERY_KEY).items, ({ key, value }) => {
    if (!holds(to, key, value)) wrong.push(key);
  });
  if (wrong.length === 0) return;
  throw new StartError(`${wrong.length} keys are not the same there, such as ${wrong[0]}: it is of no use`);
}
