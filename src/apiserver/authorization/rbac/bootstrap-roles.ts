// The ClusterRoles and bindings that every cluster with RBAC has from its start, and how they are kept up to date. Those of
// components that have no part here (scheduler, kubelet's servers, certificates) are left out.

import { cloneJson, isObject } from "../../../meta/json.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { AUTHENTICATED_GROUP, PRIVILEGED_GROUP, RBAC_GROUP, UNAUTHENTICATED_GROUP } from "../access-check.ts";
import { readRules, uncoveredRules } from "./policy-rule.ts";

type Rule = Readonly<Record<string, readonly string[]>>;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const READ = "get list watch";
const WRITE = "create delete deletecollection patch update";
const READ_WRITE = "create delete deletecollection get list patch update watch";
const NETWORKING = "networking.k8s.io";
const REVIEWS = "authorization.k8s.io";
const TOKENS = "authentication.k8s.io";

const on = (group: string, resources: string, verbs: string): Rule => ({
  apiGroups: [group],
  resources: words(resources),
  verbs: words(verbs),
});
const getPaths = (paths: string): Rule => ({ nonResourceURLs: words(paths), verbs: ["get"] });

const SESSIONS = "pods/attach pods/exec pods/portforward pods/proxy";
const VERSION = "/version /version/";

const VIEW: readonly Rule[] = [
  on(
    "",
    `configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers
     replicationcontrollers/scale serviceaccounts services services/status`,
    READ,
  ),
  on(
    "",
    `bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status
     resourcequotas resourcequotas/status`,
    READ,
  ),
  on("", "namespaces", READ),
  on("discovery.k8s.io", "endpointslices", READ),
  on(
    "apps",
    `controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status
     replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status`,
    READ,
  ),
  on("autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", READ),
  on("batch", "cronjobs cronjobs/status jobs jobs/status", READ),
  on("policy", "poddisruptionbudgets poddisruptionbudgets/status", READ),
  on(NETWORKING, "ingresses ingresses/status networkpolicies", READ),
];

const EDIT: readonly Rule[] = [
  on("", `${SESSIONS} secrets services/proxy`, READ),
  on("", "serviceaccounts", "impersonate"),
  on("", `pods ${SESSIONS}`, WRITE),
  on("", "pods/eviction", "create"),
  on(
    "",
    `configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets
     serviceaccounts services services/proxy`,
    WRITE,
  ),
  on("", "serviceaccounts/token", "create"),
  on(
    "apps",
    `daemonsets deployments/rollback deployments deployments/scale replicasets replicasets/scale statefulsets
     statefulsets/scale`,
    WRITE,
  ),
  on("autoscaling", "horizontalpodautoscalers", WRITE),
  on("batch", "cronjobs jobs", WRITE),
  on("policy", "poddisruptionbudgets", WRITE),
  on(NETWORKING, "ingresses networkpolicies", WRITE),
  on("coordination.k8s.io", "leases", READ_WRITE),
];

const ADMIN: readonly Rule[] = [
  on(REVIEWS, "localsubjectaccessreviews", "create"),
  on(RBAC_GROUP, "rolebindings roles", READ_WRITE),
];

const NODE: readonly Rule[] = [
  on(TOKENS, "tokenreviews", "create"),
  on(REVIEWS, "localsubjectaccessreviews subjectaccessreviews", "create"),
  on("", "services", READ),
  on("", "nodes", `create ${READ}`),
  on("", "nodes/status", "patch update"),
  on("", "nodes", "patch update"),
  on("", "events", "create patch update"),
  on("", "pods", READ),
  on("", "pods", "create delete"),
  on("", "pods/status", "patch update"),
  on("", "pods/eviction", "create"),
  on("", "configmaps secrets", READ),
  on("coordination.k8s.io", "leases", "create delete get patch update"),
  on("", "serviceaccounts/token", "create"),
];

interface BootstrapRole {
  readonly name: string;
  readonly rules?: readonly Rule[];
  /** admin, edit and view are made of the roles with the label for them. */
  readonly gathers?: "admin" | "edit" | "view";
  readonly partOf?: "admin" | "edit" | "view";
  /** Given: there is a binding of the same name to these groups. */
  readonly boundTo?: readonly string[];
}

const ROLES: readonly BootstrapRole[] = [
  {
    name: "cluster-admin",
    rules: [on("*", "*", "*"), { nonResourceURLs: ["*"], verbs: ["*"] }],
    boundTo: [PRIVILEGED_GROUP],
  },
  { name: "admin", gathers: "admin" },
  { name: "edit", gathers: "edit", partOf: "admin" },
  { name: "view", gathers: "view", partOf: "edit" },
  { name: "system:aggregate-to-admin", rules: ADMIN, partOf: "admin" },
  { name: "system:aggregate-to-edit", rules: EDIT, partOf: "edit" },
  { name: "system:aggregate-to-view", rules: VIEW, partOf: "view" },
  {
    name: "system:discovery",
    rules: [getPaths(`/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz ${VERSION}`)],
    boundTo: [AUTHENTICATED_GROUP],
  },
  {
    name: "system:basic-user",
    rules: [
      on(REVIEWS, "selfsubjectaccessreviews selfsubjectrulesreviews", "create"),
      on(TOKENS, "selfsubjectreviews", "create"),
    ],
    boundTo: [AUTHENTICATED_GROUP],
  },
  {
    name: "system:public-info-viewer",
    rules: [getPaths(`/healthz /livez /readyz ${VERSION}`)],
    boundTo: [AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP],
  },
  {
    name: "system:monitoring",
    rules: [getPaths("/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*")],
    boundTo: ["system:monitoring"],
  },
  {
    name: "system:auth-delegator",
    rules: [on(TOKENS, "tokenreviews", "create"), on(REVIEWS, "subjectaccessreviews", "create")],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      getPaths(
        `/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/`,
      ),
    ],
    boundTo: ["system:serviceaccounts"],
  },
  { name: "system:node", rules: NODE, boundTo: [] },
];

const DEFAULTS_LABEL = { "kubernetes.io/bootstrapping": "rbac-defaults" };
export const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const aggregateLabel = (to: string) => ({ [`${RBAC_GROUP}/aggregate-to-${to}`]: "true" });
const head = { apiVersion: `${RBAC_GROUP}/v1` };

export const bootstrapClusterRoles = (): readonly KubeObject[] =>
  ROLES.map(({ name, rules, gathers, partOf }) => ({
    ...head,
    kind: "ClusterRole",
    metadata: {
      name,
      labels: { ...DEFAULTS_LABEL, ...(partOf ? aggregateLabel(partOf) : {}) },
      annotations: { [AUTO_UPDATE]: "true" },
    },
    ...(rules ? { rules } : {}),
    ...(gathers
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateLabel(gathers) }] } }
      : {}),
  }));

export const bootstrapClusterRoleBindings = (): readonly KubeObject[] =>
  ROLES.flatMap(({ name, boundTo }) => {
    if (boundTo === undefined) return [];
    const subjects = boundTo.map((group) => ({ apiGroup: RBAC_GROUP, kind: "Group", name: group }));
    return {
      ...head,
      kind: "ClusterRoleBinding",
      metadata: { name, labels: DEFAULTS_LABEL, annotations: { [AUTO_UPDATE]: "true" } },
      roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name },
      ...(subjects.length > 0 ? { subjects } : {}),
    };
  });

/**
 * The stored object with what it lacks of the wanted one; undefined when it lacks nothing. What somebody has added stays,
 * and an object whose autoupdate annotation says "false" is left alone.
 */
export function reconcilePolicyObject(
  stored: Readonly<KubeObject>,
  wanted: Readonly<KubeObject>,
): KubeObject | undefined {
  if (stored.metadata.annotations?.[AUTO_UPDATE] === "false") return undefined;
  const mended: KubeObject = cloneJson(stored);
  const held = readRules(stored["rules"]);
  const known = new Set(listOf(stored["subjects"]).map(subjectName));
  const changes = [
    addMissing(mended, wanted, "rules", (rule) => uncoveredRules(held, readRules([rule])).length > 0),
    addMissing(mended, wanted, "subjects", (subject) => !known.has(subjectName(subject))),
    addMarks(mended, wanted, "labels"),
    addMarks(mended, wanted, "annotations"),
  ];
  return changes.includes(true) ? mended : undefined;
}

function addMissing(
  object: KubeObject,
  wanted: Readonly<KubeObject>,
  member: "rules" | "subjects",
  isMissing: (item: unknown) => boolean,
): boolean {
  const missing = listOf(wanted[member]).filter(isMissing);
  if (missing.length > 0) object[member] = [...listOf(object[member]), ...missing];
  return missing.length > 0;
}

function addMarks(
  object: KubeObject,
  wanted: Readonly<KubeObject>,
  member: "labels" | "annotations",
): boolean {
  const present = object.metadata[member] ?? {};
  const missing = Object.entries(wanted.metadata[member] ?? {}).filter(([key]) => !(key in present));
  if (missing.length > 0) object.metadata[member] = { ...present, ...Object.fromEntries(missing) };
  return missing.length > 0;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const subjectName = (subject: unknown): string =>
  isObject(subject) ? `${subject["kind"]} ${subject["namespace"] ?? ""}/${subject["name"]}` : "";
