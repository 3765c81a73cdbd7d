// The common definition of workload controllers. They are parts of kube-controller-manager and of the simulated
// cluster. After a conflict the key is requeued at once.
import { smallest } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { nextTurn } from "../../apimachinery/scheduling/event-loop.ts";
import { isConflict } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { DefinedController, Definition, Requeue, World } from "../../controller/definition.ts";
import type { Children } from "./children.ts";

type WorkloadDefinition<N extends string, M> = Omit<Definition<N, M>, "fieldManager" | "ofCluster">;

/**
 * The informer cache lags by a few event loop turns at most. Further conflicts are retried with backoff as any failure.
 */
const CONFLICTS_MAX = 5;

export function defineWorkload<N extends string, M = undefined>(
  definition: WorkloadDefinition<N, M>,
): DefinedController<M> {
  const reconcile = async (key: string, world: World<N, NoInfer<M>>): Promise<Requeue | undefined> => {
    for (let tries = 1; ; tries++) {
      try {
        return (await definition.reconcile(key, world)) ?? undefined;
      } catch (error) {
        if (!isConflict(error) || tries >= CONFLICTS_MAX) throw error;
        await nextTurn();
      }
    }
  };
  return defineController<N, M>({
    ...definition,
    fieldManager: "kube-controller-manager",
    ofCluster: true,
    reconcile,
  });
}

/** Requeues after the shortest of several delays. */
export function soonest(...waitsMs: readonly (number | undefined)[]): Requeue | undefined {
  const given = waitsMs.filter((ms) => ms !== undefined);
  return given.length === 0
    ? undefined
    : { requeueAfterMs: Math.max(smallest(given, Number.POSITIVE_INFINITY), 0) };
}

/** The number of children that are processed in about one event loop turn. */
const CHILDREN_PER_TURN = 100;
const TURNS_MAX = 50;

/**
 * Batches changes of an owner with many children by yielding some event loop turns. Each single change would otherwise
 * cause a pass over all of them.
 */
export async function gathering(owner: KubeObject | undefined, children: Children): Promise<void> {
  const turns = owner === undefined ? 0 : Math.min(children.count(owner) / CHILDREN_PER_TURN, TURNS_MAX);
  for (let turn = 1; turn <= turns; turn++) await nextTurn();
}
