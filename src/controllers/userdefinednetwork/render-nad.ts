// The NetworkAttachmentDefinition of a network in one namespace.
import { equalJson } from "../../meta/json.ts";
import type { KubeObject, OwnerReference } from "../../meta/object-meta.ts";
import { configText } from "../networks/net-conf.ts";
import { within } from "../networks/network-error.ts";
import { nadKey, OVN_PREFIX } from "../networks/network-keys.ts";
import { networkNameOf, UDN_API_VERSION } from "../networks/owners.ts";
import { readNetworkSpec } from "./network-spec.ts";
import { type RenderOptions, renderConfig } from "./render-config.ts";

export const FINALIZER = "k8s.ovn.org/user-defined-network-protection";
const LABEL = "k8s.ovn.org/user-defined-network";

/** Throws NetworkError where the network cannot be had. */
export function renderNad(owner: KubeObject, namespace: string, options: RenderOptions): KubeObject {
  const { name = "" } = owner.metadata;
  let config: string;
  try {
    const names = { network: networkNameOf(owner), nad: nadKey(namespace, name) };
    config = renderConfig(readNetworkSpec(owner), names, options);
  } catch (error) {
    throw within("failed to generate NetworkAttachmentDefinition", error);
  }
  const annotations = ownAnnotations(owner.metadata.annotations);
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: {
      name,
      namespace,
      labels: { [LABEL]: "", ...owner.metadata.labels },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [ownerReference(owner)],
      finalizers: [FINALIZER],
    },
    spec: { config },
  };
}

function ownerReference({ kind = "", metadata }: KubeObject): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: UDN_API_VERSION, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The user's annotations: those of ovn-kubernetes belong to whoever wrote them. */
function ownAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith(OVN_PREFIX)));
}

/** The live object with configuration, labels and annotations as rendered; undefined when it is so already. */
export function corrected(live: KubeObject, rendered: KubeObject): KubeObject | undefined {
  const before = live.metadata.annotations ?? {};
  const kept = Object.entries(before).filter(([key]) => key.startsWith(OVN_PREFIX));
  const annotations = { ...rendered.metadata.annotations, ...Object.fromEntries(kept) };
  const labels = rendered.metadata.labels ?? {};
  const same =
    configText(live) === configText(rendered) &&
    equalJson(live.metadata.labels ?? {}, labels) &&
    equalJson(before, annotations);
  if (same) return undefined;
  return { ...live, metadata: { ...live.metadata, labels, annotations }, spec: rendered["spec"] };
}
