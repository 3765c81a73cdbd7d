// The kinds whose status is put together from what every zone reports. A zone is a node; it reports either a message
// "<zone>: <text>" in status.messages, or a condition of type "Ready-In-Zone-<zone>" in status.conditions.

import type { Client, ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { apiVersionOf, ignoring, keyOfObject, ovn } from "../kit/api.ts";
import type { Keys } from "../kit/definition.ts";
import { parseConfig } from "../networks/net-conf.ts";

export type ZonedKindName = "EgressFirewall" | "EgressQoS" | "AdminPolicyBasedExternalRoute" | "NetworkQoS";

export interface ZonedKind {
  readonly kind: ZonedKindName;
  readonly resource: ResourceName;
  readonly reports: "messages" | "conditions";
  /** status.status once all zones have reported and none failed. */
  readonly success: string;
  /** status.status as soon as a zone has failed. */
  readonly failure: string;
  /** What makes a report a failure; any other text is a success. */
  readonly failureMark: string;
  /** Only the nodes that have the primary network of the namespace report. */
  readonly perNetwork?: true;
}

const applied = (what: string): Pick<ZonedKind, "success" | "failure" | "failureMark"> => ({
  success: `${what} applied`,
  failure: `${what} not correctly applied`,
  failureMark: `${what} not correctly applied`,
});

export const EGRESS_FIREWALL: ZonedKind = {
  kind: "EgressFirewall",
  resource: ovn("egressfirewalls"),
  reports: "messages",
  ...applied("EgressFirewall Rules"),
  perNetwork: true,
};

export const EGRESS_QOS: ZonedKind = {
  kind: "EgressQoS",
  resource: ovn("egressqoses"),
  reports: "conditions",
  ...applied("EgressQoS Rules"),
};

export const EXTERNAL_ROUTE: ZonedKind = {
  kind: "AdminPolicyBasedExternalRoute",
  resource: ovn("adminpolicybasedexternalroutes"),
  reports: "messages",
  success: "Success",
  failure: "Fail",
  failureMark: "failed to apply policy",
};

export const NETWORK_QOS: ZonedKind = {
  kind: "NetworkQoS",
  resource: ovn("networkqoses", "v1alpha1"),
  reports: "conditions",
  ...applied("NetworkQoS Destinations"),
};

export const ZONED_KINDS: readonly ZonedKind[] = [EGRESS_FIREWALL, EGRESS_QOS, EXTERNAL_ROUTE, NETWORK_QOS];

/** Objects of several kinds share a queue. */
export const zonedKey = ({ kind }: ZonedKind, object: KubeObject): string => `${kind}:${keyOfObject(object)}`;

/** The kind of a key, and the object's key in the informer of that kind. */
export function readZonedKey(key: string): [kind: ZonedKind | undefined, objectKey: string] {
  const colon = key.indexOf(":");
  return [ZONED_KINDS.find(({ kind }) => kind === key.slice(0, colon)), key.slice(colon + 1)];
}

/** The keys of the objects that are concerned. */
export const zonedKeys = (
  informers: Readonly<Record<ZonedKindName, Informer>>,
  isConcerned: (kind: ZonedKind, object: KubeObject) => boolean,
): Keys =>
  ZONED_KINDS.flatMap((kind) =>
    [...informers[kind.kind].list()]
      .filter((object) => isConcerned(kind, object))
      .map((object) => zonedKey(kind, object)),
  );

export const ZONE_CONDITION = "Ready-In-Zone-";

const statusOf = (object: KubeObject): JsonObject | undefined => objectAt(object, "status");

/** status.messages; empty when there are none. */
export const messagesOf = (object: KubeObject): readonly string[] => textsAt(statusOf(object), "messages");

/** status.conditions of any type; empty when there are none. */
export const conditionsOf = (object: KubeObject): readonly JsonObject[] =>
  objectsAt(statusOf(object), "conditions");

/** status.status; empty when there is none. */
export const summaryOf = (object: KubeObject): string => textAt(statusOf(object), "status");

/** What the zones report, each as "<zone>: <text>". */
export function reportsOf({ reports }: ZonedKind, object: KubeObject): readonly string[] {
  if (reports === "messages") return messagesOf(object);
  return conditionsOf(object)
    .map((condition) => [textAt(condition, "type"), textAt(condition, "message")] as const)
    .filter(([type]) => type.startsWith(ZONE_CONDITION))
    .map(([type, message]) => `${type.slice(ZONE_CONDITION.length)}: ${message}`);
}

/**
 * Applies to /status in the client's name; what it had applied before and leaves out now is taken away. Undefined: the object
 * has gone.
 */
export async function applyStatus(
  client: Client,
  { kind, resource }: ZonedKind,
  { metadata }: KubeObject,
  content: { readonly status?: unknown },
): Promise<KubeObject | undefined> {
  const { namespace = "", name = "" } = metadata;
  const apiVersion = apiVersionOf(resource);
  const body = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, ...content };
  const options = { type: "apply", subresource: "status", force: true, body } as const;
  return await ignoring([404], client.patch(resource, { namespace, name }, options));
}

export const PRIMARY_NETWORK_LABEL = "k8s.ovn.org/primary-user-defined-network";

/** Which network the pods of a namespace are in: the cluster's own, unless the namespace says that it has a primary one. */
export type PrimaryNetwork =
  | { readonly type: "cluster" }
  | { readonly type: "own"; readonly network: string }
  /** The namespace is labelled for a network of its own that does not exist. */
  | { readonly type: "missing" };

/** `attachments` are the NetworkAttachmentDefinitions of the namespace. */
export function primaryNetworkOf(
  namespace: KubeObject | undefined,
  attachments: Iterable<KubeObject>,
): PrimaryNetwork {
  if (namespace?.metadata.labels?.[PRIMARY_NETWORK_LABEL] === undefined) return { type: "cluster" };
  for (const attachment of attachments) {
    const config = parseConfig(attachment);
    if (config?.["role"] === "primary") return { type: "own", network: String(config["name"] ?? "") };
  }
  return { type: "missing" };
}

export interface ZonesOptions {
  /** Whether a node takes part in a primary network; all do unless something else is known. */
  readonly hasNetwork?: ((node: string, network: string) => boolean) | undefined;
}

/** Those of the nodes that are to report on an object in a namespace of that primary network. */
export const zonesIn = (
  nodes: readonly string[],
  primary: PrimaryNetwork | undefined,
  { hasNetwork }: ZonesOptions,
): readonly string[] =>
  hasNetwork && primary?.type === "own" ? nodes.filter((node) => hasNetwork(node, primary.network)) : nodes;
