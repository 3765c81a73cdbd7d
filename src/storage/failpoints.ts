// Places where a test can hold, fail or kill the store. A hook that throws fails the store there as a broken disk would.

/**
 * beforeWrite: a group is staged, nothing of it has reached the engine.
 * duringWrite: the engine has been given the group and is at work.
 * beforePublish: the group is durable, but not yet readable, watched or answered.
 * beforeAnswer: the group is readable and watchers are told, nobody who wrote has been answered. It cannot fail here.
 * beforeCompaction: nothing is forgotten yet. The compacted revision is then written and passes the points of a group.
 * duringCompaction: the compacted revision has moved; some of the records it frees are still there.
 * What frees them is written slice by slice, and each slice passes the points of a group.
 */
export const STORE_FAILPOINTS = [
  "beforeWrite",
  "duringWrite",
  "beforePublish",
  "beforeAnswer",
  "beforeCompaction",
  "duringCompaction",
] as const;

export type StoreFailpoint = (typeof STORE_FAILPOINTS)[number];

/** Called at each failpoint; a promise holds the store there until it settles. */
export type FailpointHook = (point: StoreFailpoint) => void | Promise<void>;

/** What production runs with: nothing fails. */
export const noFailpoints: FailpointHook = () => undefined;
