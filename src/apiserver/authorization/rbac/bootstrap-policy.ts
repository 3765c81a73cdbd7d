// The Roles and bindings that a kube-apiserver with RBAC creates at its start, made of the entries in
// schemas/bootstrap-policy/. An entry is a role and, with boundTo, the binding to it.
import type { JsonObject } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { RBAC_GROUP } from "../access-check.ts";

type UserFacing = "admin" | "edit" | "view";

export interface PolicyEntry {
  readonly name: string;
  /** Present: a Role and a RoleBinding; absent: a ClusterRole and a ClusterRoleBinding. */
  readonly namespace?: string;
  readonly rules?: readonly JsonObject[];
  /** Aggregates the ClusterRoles with this `partOf`. */
  readonly gathers?: UserFacing;
  readonly partOf?: UserFacing;
  /** Subjects: "Group NAME", "User NAME", "ServiceAccount NAMESPACE/NAME". A controller is bound without it. */
  readonly boundTo?: readonly string[];
  /** Default: the name of the role. */
  readonly bindingName?: string;
}

export const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const DEFAULTS_LABEL = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const CONTROLLER = "system:controller:";

const apiVersion = `${RBAC_GROUP}/v1`;
const aggregateLabel = (to: UserFacing) => ({ [`${RBAC_GROUP}/aggregate-to-${to}`]: "true" });

/** The resource of each kind; roles precede their bindings. */
export const POLICY_RESOURCES: ReadonlyMap<string, string> = new Map([
  ["ClusterRole", "clusterroles"],
  ["Role", "roles"],
  ["ClusterRoleBinding", "clusterrolebindings"],
  ["RoleBinding", "rolebindings"],
]);

/** All objects, the roles first. */
export const policyObjects = (entries: readonly PolicyEntry[]): KubeObject[] => [
  ...entries.map(roleOf),
  ...entries.flatMap((entry) => bindingOf(entry) ?? []),
];

function roleOf({ name, namespace, rules, gathers, partOf }: PolicyEntry): KubeObject {
  return {
    apiVersion,
    kind: namespace === undefined ? "ClusterRole" : "Role",
    metadata: metadataOf(name, namespace, partOf === undefined ? {} : aggregateLabel(partOf)),
    ...(rules === undefined ? {} : { rules }),
    ...(gathers === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateLabel(gathers) }] } }),
  };
}

function bindingOf(entry: PolicyEntry): KubeObject | undefined {
  const { name, namespace, bindingName = name } = entry;
  const boundTo = entry.boundTo ?? accountOfController(name);
  if (boundTo === undefined) return undefined;
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  return {
    apiVersion,
    kind: `${kind}Binding`,
    metadata: metadataOf(bindingName, namespace),
    roleRef: { apiGroup: RBAC_GROUP, kind, name },
    ...(boundTo.length > 0 ? { subjects: boundTo.map(subjectOf) } : {}),
  };
}

const accountOfController = (name: string): readonly string[] | undefined =>
  name.startsWith(CONTROLLER) ? [`ServiceAccount kube-system/${name.slice(CONTROLLER.length)}`] : undefined;

function subjectOf(text: string): JsonObject {
  const [kind = "", of = ""] = text.split(" ");
  if (kind !== "ServiceAccount") return { apiGroup: RBAC_GROUP, kind, name: of };
  const [namespace = "", name = ""] = of.split("/");
  return { kind, name, namespace };
}

const metadataOf = (
  name: string,
  namespace: string | undefined,
  labels: Readonly<Record<string, string>> = {},
): KubeObject["metadata"] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { ...DEFAULTS_LABEL, ...labels },
  annotations: { [AUTO_UPDATE]: "true" },
});
