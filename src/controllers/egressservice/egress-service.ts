// EgressServices: what their controller reads of them, what one asks for, given its Service and the nodes behind that, and
// how status.host is written.
import type { Client } from "../../client/client.ts";
import { objectAt, objectsAt, textAt } from "../../meta/json.ts";
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ovn } from "../kit/api.ts";
import { changeObject } from "../kit/live-object.ts";

export const EGRESS_SERVICES = ovn("egressservices");
/** status.host of a service whose traffic leaves through every pod's own node. */
export const ALL_HOSTS = "ALL";
/** status.host of a service that has no node. */
export const NO_HOST = "";

const HOSTNAME_LABEL = "kubernetes.io/hostname";

/** status.host; undefined while there is no status. */
export function hostOf(egressService: KubeObject): string | undefined {
  const host = objectAt(egressService, "status")?.["host"];
  return typeof host === "string" ? host : undefined;
}

export type Requirement =
  /** No node is needed: Service, ingress address or endpoints are missing. */
  | { readonly type: "nothing" }
  /** Every pod leaves through its own node. */
  | { readonly type: "every-node" }
  | { readonly type: "node"; readonly selector: LabelSelector }
  /** The selector cannot be understood. */
  | { readonly type: "unclear"; readonly complaint: string };

/** The order of the questions decides. */
export function requirementOf(
  egressService: KubeObject,
  service: KubeObject | undefined,
  backendNodes: readonly string[],
): Requirement {
  const spec = objectAt(egressService, "spec");
  if (service === undefined) return { type: "nothing" };
  if (textAt(spec, "sourceIPBy") === "Network") return { type: "every-node" };
  const ingress = objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress");
  if (ingress.length === 0) return { type: "nothing" };
  // Traffic from outside may then only enter through nodes that have an endpoint.
  const isLocal = textAt(objectAt(service, "spec"), "externalTrafficPolicy") === "Local";
  try {
    const selector = selectorFor(objectAt(spec, "nodeSelector"), isLocal ? backendNodes : []);
    return backendNodes.length === 0 ? { type: "nothing" } : { type: "node", selector };
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return { type: "unclear", complaint: error.message };
  }
}

/** The nodeSelector, and with it the names given: they are compared with the label, not with the names of nodes. */
function selectorFor(
  nodeSelector: Readonly<Record<string, unknown>> = {},
  hostnames: readonly string[],
): LabelSelector {
  if (hostnames.length === 0) return labelSelectorFromObject(nodeSelector);
  const written = nodeSelector["matchExpressions"];
  const named = { key: HOSTNAME_LABEL, operator: "In", values: hostnames };
  const matchExpressions = [...(Array.isArray(written) ? written : []), named];
  return labelSelectorFromObject({ ...nodeSelector, matchExpressions });
}

/** Writes status.host. What is there is read first, since an update of the status replaces all of it. */
export const writeHost = (client: Client, { metadata }: KubeObject, host: string): Promise<void> => {
  const { namespace = "", name = "", uid = "" } = metadata;
  return changeObject(client, { resource: EGRESS_SERVICES, namespace, name, uid }, (live) => {
    if (hostOf(live) === host) return undefined;
    const status = { ...objectAt(live, "status"), host };
    return client.update(EGRESS_SERVICES, { ...live, status }, "status");
  });
};
