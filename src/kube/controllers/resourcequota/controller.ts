// Maintains the status of ResourceQuotas: limits and usage. Admission counts new objects at their creation
// (kube/admission/resource-quota.ts). This controller finds released usage and objects that existed before the
// quota.
import { NOTHING } from "../../../apimachinery/go/quantity.ts";
import { equalJson, objectAt } from "../../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { core, findObject, isGoing, keyOfObject, keysIn, placeOf } from "../../../controller/api.ts";
import { defineController } from "../../../controller/define-controller.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { namespaceOf } from "../../../controller/nested-map.ts";
import { type Amounts, isSame, onlyNamed, readAmounts, sumOf, writeAmounts } from "../../quota/amounts.ts";
import type { Evaluator } from "../../quota/evaluators.ts";
import { scopesOf } from "../../quota/scopes.ts";
import { CountedResources } from "./counted-resources.ts";

const QUOTAS = core("resourcequotas");
/** The interval of the full recount, independent of events. */
const RESYNC_MS = 5 * 60 * 1000;

export const resourceQuota = defineController({
  name: "resourcequota",
  summary: "what objects use of ResourceQuotas",
  fieldManager: "kube-controller-manager",
  watches: {
    // Admission writes the status; only changes of the spec enqueue the quota.
    quotas: { resource: QUOTAS, on: ["add", "update"], facts: specOf },
  },
  memory: (kit: KitWith<"quotas">) =>
    new CountedResources(kit, (namespace) => {
      const inside = [...kit.quotas.list()].filter((quota) => namespaceOf(quota) === namespace);
      kit.look(inside.map(keyOfObject));
    }),
  start: ({ memory, quotas, look, signal }) => memory.start(signal, () => look(keysIn(quotas))),
  async reconcile(key, { memory, client, quotas, clock }) {
    const known = quotas.get(key);
    if (known === undefined || isGoing(known)) return undefined;
    const place = placeOf(known);
    const counted = memory.follow(Object.keys(objectAt(specOf(known), "hard") ?? {}));
    // The quota is read before the objects are counted. A concurrent create changes the quota, and this write then
    // fails with a conflict.
    const quota = await findObject(client, QUOTAS, place);
    if (quota === undefined) return undefined;
    const listed = await Promise.all(
      counted.map(async (entry) => ({
        evaluator: entry.evaluator,
        objects: (await client.list(entry.resource, { namespace: place.namespace })).items,
      })),
    );
    const status = statusOf(quota, listed, clock.now());
    if (!equalJson(status, objectAt(quota, "status")))
      await client.update(QUOTAS, { ...quota, status }, "status");
    return { requeueAfterMs: RESYNC_MS };
  },
  settle: ({ memory }) => memory.caughtUp(),
});

interface Listed {
  readonly evaluator: Evaluator;
  readonly objects: readonly KubeObject[];
}

/** Usage of resources without an evaluator is kept unchanged. */
function statusOf(quota: KubeObject, listed: readonly Listed[], nowMs: number) {
  const hard = readAmounts(objectAt(specOf(quota), "hard"));
  const before = readAmounts(objectAt(objectAt(quota, "status"), "used"));
  const scopes = scopesOf(quota);
  const now = listed.flatMap(({ evaluator, objects }) => {
    const names = [...hard.keys()].filter((name) => evaluator.isCounted(name));
    const nothing: Amounts = new Map(names.map((name) => [name, NOTHING]));
    const inScope = objects.filter((object) =>
      scopes.every((selector) => evaluator.isInScope(selector, object)),
    );
    return [nothing, ...inScope.map((object) => onlyNamed(evaluator.usageOf(object, nowMs), names))];
  });
  const used = onlyNamed(new Map([...before, ...sumOf(now)]), hard.keys());
  const kept = isSame(used, before) ? before : used;
  return { hard: writeAmounts(hard), used: writeAmounts(kept) };
}
