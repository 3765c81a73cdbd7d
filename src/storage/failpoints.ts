// Places where a test can hold, fail or kill the store. A hook that throws fails the store there as a broken disk would.

/**
 * beforeWrite: a group is staged, nothing of it has reached the engine.
 * beforePublish: the group is durable, but not yet readable, watched or answered.
 * duringCompaction: the compacted revision has moved; some of the records it frees are still there.
 */
export type StoreFailpoint = "beforeWrite" | "beforePublish" | "duringCompaction";

/** Called at each failpoint; a promise holds the store there until it settles. */
export type FailpointHook = (point: StoreFailpoint) => void | Promise<void>;

export const noFailpoints: FailpointHook = () => undefined;
