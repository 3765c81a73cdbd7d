// FlowSchemas and PriorityLevelConfigurations that a cluster is bootstrapped with, as upstream. Without the mandatory
// ones some requests would match no flow schema.
import { cloneJson, type JsonObject } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";

export const FLOW_CONTROL_GROUP = "flowcontrol.apiserver.k8s.io";
/** "true": the server keeps the spec at its bootstrap value. */
const AUTO_UPDATED = "apf.kubernetes.io/autoupdate-spec";

export interface BootstrapObject {
  readonly name: string;
  readonly spec: JsonObject;
  readonly mandatory: boolean;
}

const MANDATORY = new Set(["exempt", "catch-all"]);
const bootstrapObject = (name: string, spec: JsonObject): BootstrapObject => ({
  name,
  spec,
  mandatory: MANDATORY.has(name),
});

interface Queuing {
  readonly queues: number;
  readonly handSize: number;
}

/** A level with this many shares of all seats; excess requests are queued, or rejected where there are no queues. */
function level(name: string, shares: number, lendablePercent: number, queuing?: Queuing): BootstrapObject {
  const limitResponse = queuing
    ? { type: "Queue", queuing: { ...queuing, queueLengthLimit: 50 } }
    : { type: "Reject" };
  const limited = { nominalConcurrencyShares: shares, limitResponse, lendablePercent };
  return bootstrapObject(name, { type: "Limited", limited });
}

export const BOOTSTRAP_LEVELS: readonly BootstrapObject[] = [
  level("system", 30, 33, { queues: 64, handSize: 6 }),
  level("node-high", 40, 25, { queues: 64, handSize: 6 }),
  level("leader-election", 10, 0, { queues: 16, handSize: 4 }),
  level("workload-high", 40, 50, { queues: 128, handSize: 6 }),
  level("workload-low", 100, 90, { queues: 128, handSize: 6 }),
  level("global-default", 20, 50, { queues: 128, handSize: 6 }),
  bootstrapObject("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  level("catch-all", 5, 0),
];

const users = (...names: string[]): JsonObject[] => names.map((name) => ({ kind: "User", user: { name } }));
const groups = (...names: string[]): JsonObject[] =>
  names.map((name) => ({ kind: "Group", group: { name } }));
const systemAccounts = (...names: string[]): JsonObject[] =>
  names.map((name) => ({ kind: "ServiceAccount", serviceAccount: { name, namespace: "kube-system" } }));

const requests = (
  verbs: string[],
  group: string,
  resources: string[],
  scope?: { readonly clusterScope: true },
) => ({ verbs, apiGroups: [group], resources, ...scope, namespaces: ["*"] });

const EVERYTHING = {
  resourceRules: [requests(["*"], "*", ["*"], { clusterScope: true })],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const ELECTION = ["get", "create", "update"];
const LEASES = { resourceRules: [requests(ELECTION, "coordination.k8s.io", ["leases"])] };
const MANAGER = "system:kube-controller-manager";
const SCHEDULER = "system:kube-scheduler";
const EVERYBODY = groups("system:unauthenticated", "system:authenticated");

interface Flow {
  readonly level: string;
  readonly precedence: number;
  /** Flow distinguisher of the schema; left out: all requests are one flow. */
  readonly by?: "User" | "Namespace";
  readonly subjects: readonly JsonObject[];
  readonly rules?: JsonObject;
}

const schema = (
  name: string,
  { level: priority, precedence, by, subjects, rules = EVERYTHING }: Flow,
): BootstrapObject =>
  bootstrapObject(name, {
    priorityLevelConfiguration: { name: priority },
    matchingPrecedence: precedence,
    ...(by ? { distinguisherMethod: { type: `By${by}` } } : {}),
    rules: [{ subjects, ...rules }],
  });

export const BOOTSTRAP_SCHEMAS: readonly BootstrapObject[] = [
  schema("system-nodes", { level: "system", precedence: 500, by: "User", subjects: groups("system:nodes") }),
  schema("system-node-high", {
    level: "node-high",
    precedence: 400,
    by: "User",
    subjects: groups("system:nodes"),
    rules: {
      resourceRules: [
        requests(["*"], "", ["nodes", "nodes/status"], { clusterScope: true }),
        requests(["*"], "coordination.k8s.io", ["leases"]),
      ],
    },
  }),
  schema("probes", {
    level: "exempt",
    precedence: 2,
    subjects: EVERYBODY,
    rules: { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  }),
  schema("system-leader-election", {
    level: "leader-election",
    precedence: 100,
    by: "User",
    subjects: [...users(MANAGER, SCHEDULER), ...systemAccounts("*")],
    rules: LEASES,
  }),
  ...[MANAGER, SCHEDULER].map((user) =>
    schema(user.replace("system:", ""), {
      level: "workload-high",
      precedence: 800,
      by: "Namespace",
      subjects: users(user),
    }),
  ),
  schema("kube-system-service-accounts", {
    level: "workload-high",
    precedence: 900,
    by: "Namespace",
    subjects: systemAccounts("*"),
  }),
  schema("service-accounts", {
    level: "workload-low",
    precedence: 9000,
    by: "User",
    subjects: groups("system:serviceaccounts"),
  }),
  schema("global-default", { level: "global-default", precedence: 9900, by: "User", subjects: EVERYBODY }),
  schema("exempt", { level: "exempt", precedence: 1, subjects: groups("system:masters") }),
  schema("catch-all", { level: "catch-all", precedence: 10_000, by: "User", subjects: EVERYBODY }),
];

/** All bootstrap objects, levels first. */
export const flowControlObjects = (): FlowControlObject[] =>
  [
    { kind: "PriorityLevelConfiguration", resource: "prioritylevelconfigurations", known: BOOTSTRAP_LEVELS },
    { kind: "FlowSchema", resource: "flowschemas", known: BOOTSTRAP_SCHEMAS },
  ].flatMap(({ kind, resource, known }) =>
    known.map(({ name, spec, mandatory }) => ({
      resource,
      mandatory,
      object: {
        apiVersion: `${FLOW_CONTROL_GROUP}/v1`,
        kind,
        metadata: { name, annotations: { [AUTO_UPDATED]: "true" } },
        spec: cloneJson(spec),
      },
    })),
  );

export interface FlowControlObject {
  readonly resource: string;
  readonly object: KubeObject;
  readonly mandatory: boolean;
}
