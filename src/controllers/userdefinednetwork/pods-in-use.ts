// Which pods are attached to a network: ovn-kubernetes notes in k8s.ovn.org/pod-networks, by the key of the
// NetworkAttachmentDefinition, what it set up for a pod.

import { oncePerObject } from "../../client/once-per-object.ts";
import { goQuote } from "../../go/strconv.ts";
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { NetworkError } from "../networks/network-error.ts";
import { nadKey } from "../networks/network-keys.ts";

export const POD_NETWORKS_ANNOTATION = "k8s.ovn.org/pod-networks";

/** Deletion has to wait: pods are attached. */
export class NetworkInUseError extends NetworkError {}

/** Throws NetworkInUseError if any of the namespace's pods is attached to the NetworkAttachmentDefinition. */
export function checkNotInUse(namespace: string, name: string, pods: readonly KubeObject[]): void {
  const key = nadKey(namespace, name);
  const attached = pods.filter((pod) => Object.hasOwn(podNetworks(pod, namespace, name), key));
  if (attached.length === 0) return;
  const names = attached.map(({ metadata }) => nadKey(namespace, metadata.name ?? "")).sort();
  throw new NetworkInUseError(`network in use by the following pods: [${names.join(" ")}]`);
}

/** A pod whose annotation cannot be read might be attached. */
function podNetworks(pod: KubeObject, namespace: string, name: string): object {
  const noted = notedNetworks(pod);
  if ("networks" in noted) return noted.networks;
  const where = `failed to verify NAD not in use [${nadKey(namespace, name)}]`;
  const which = `failed to unmarshal pod annotation [${nadKey(namespace, pod.metadata.name ?? "")}]`;
  const why = `failed to unmarshal ovn pod annotation ${goQuote(noted.text)}: ${noted.complaint}`;
  throw new NetworkInUseError(`${where}: ${which}: ${why}`);
}

type Noted = { readonly networks: object } | { readonly text: string; readonly complaint: string };

const notedNetworks = oncePerObject(({ metadata }): Noted => {
  const text = metadata.annotations?.[POD_NETWORKS_ANNOTATION];
  if (text === undefined) return { networks: {} };
  try {
    const { value } = decodeJson(text);
    return { networks: isObject(value) ? value : {} };
  } catch (error) {
    return { text, complaint: error instanceof Error ? error.message : String(error) };
  }
});
