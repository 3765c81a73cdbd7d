// What the controllers of workloads have in common as definitions: they are parts of kube-controller-manager and of a
// living cluster, and what another one was faster with is looked at again at once.
import { nextTurn } from "../../meta/clock.ts";
import { smallest } from "../../meta/lists.ts";
import { isConflict } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { DefinedController, Definition, Requeue, World } from "../kit/definition.ts";

type WorkloadDefinition<N extends string, M> = Omit<Definition<N, M>, "fieldManager" | "ofCluster">;

/** The copy of the world lags by a few turns at most; what conflicts longer is tried again as any failure. */
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

/** The first of several times at which something is to be looked at again. */
export function soonest(...waitsMs: readonly (number | undefined)[]): Requeue | undefined {
  const given = waitsMs.filter((ms) => ms !== undefined);
  return given.length === 0
    ? undefined
    : { requeueAfterMs: Math.max(smallest(given, Number.POSITIVE_INFINITY), 0) };
}
