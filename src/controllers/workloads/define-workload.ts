// What the controllers of workloads have in common as definitions: they are parts of kube-controller-manager and of a
// living cluster, and what another one was faster with is looked at again at once.
import { smallest } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { nextTurn } from "../../meta/turns.ts";
import { isConflict } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { DefinedController, Definition, Requeue, World } from "../kit/definition.ts";
import type { Children } from "./children.ts";

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

/** So many children are looked at in the time that a turn takes. */
const CHILDREN_PER_TURN = 100;
const TURNS_MAX = 50;

/**
 * Waits some turns for further changes where an owner has many children: these change one by one, and with each of them all
 * would be looked at.
 */
export async function gathering(owner: KubeObject | undefined, children: Children): Promise<void> {
  const turns = owner === undefined ? 0 : Math.min(children.count(owner) / CHILDREN_PER_TURN, TURNS_MAX);
  for (let turn = 1; turn <= turns; turn++) await nextTurn();
}
