// Sets the rules of each ClusterRole with an aggregationRule to those of all selected ClusterRoles, by name and without
// duplicates. Former rules are replaced.
import { equalJson, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import { InvalidSelectorError } from "../../apimachinery/meta/label-requirement.ts";
import { type LabelSelector, readLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { byName } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";

const GROUP = "rbac.authorization.k8s.io";
const CLUSTER_ROLES = { group: GROUP, version: "v1", resource: "clusterroles" };

export const clusterRoleAggregation = defineController({
  name: "clusterrole-aggregation",
  summary: "rules of ClusterRoles that gather those of others (admin, edit, view)",
  fieldManager: "clusterrole-aggregation-controller",
  watches: {
    roles: {
      resource: CLUSTER_ROLES,
      // A changed role may affect each aggregating role, also one that selected it until now.
      toKeys: (_, { roles }) =>
        [...roles.list()]
          .filter((role) => selectorsOf(role).length > 0)
          .map(({ metadata }) => metadata.name ?? ""),
    },
  },
  async reconcile(name, { roles, client }) {
    const role = roles.get(name);
    const selectors = role ? selectorsOf(role) : [];
    if (role === undefined || selectors.length === 0) return;
    const rules = gather(roles.list(), selectors, name);
    if (equalJson(rulesOf(role), rules)) return;
    const body = { apiVersion: `${GROUP}/v1`, kind: "ClusterRole", metadata: { name }, rules };
    await client.patch(CLUSTER_ROLES, { namespace: "", name }, { type: "apply", body, force: true });
  },
});

function gather(roles: Iterable<KubeObject>, selectors: readonly LabelSelector[], except: string): unknown[] {
  const rules = new Map<string, unknown>();
  for (const role of [...roles].sort(byName)) {
    if (role.metadata.name === except) continue;
    if (!selectors.some((selector) => selector.matches(role.metadata.labels))) continue;
    for (const rule of rulesOf(role)) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

const rulesOf = (role: KubeObject): readonly unknown[] => (Array.isArray(role["rules"]) ? role["rules"] : []);

/** An invalid selector selects nothing. */
const selectorsOf = (role: KubeObject): readonly LabelSelector[] =>
  objectsAt(objectAt(role, "aggregationRule"), "clusterRoleSelectors")
    .map(readLabelSelector)
    .filter((read): read is LabelSelector => !(read instanceof InvalidSelectorError));
