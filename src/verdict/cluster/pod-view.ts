// What a Pod says of itself as far as its packets are concerned.

import type { IpAddress } from "../../meta/ip.ts";
import { isObject, objectAt, objectsAt, parsedObject, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import { addressesIn } from "./cidr-texts.ts";

const POD_NETWORKS = "k8s.ovn.org/pod-networks";
const FINISHED = new Set(["Succeeded", "Failed"]);

export interface PodView {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** "": it is not scheduled. */
  readonly node: string;
  readonly hostNetwork: boolean;
  readonly finished: boolean;
  /** As the status says them. */
  readonly statusAddresses: readonly IpAddress[];
}

export const podView = oncePer((object: KubeObject): PodView => {
  const { namespace = "", name = "", labels = {} } = object.metadata;
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  const listed = objectsAt(status, "podIPs").map((entry) => textAt(entry, "ip"));
  return {
    object,
    namespace,
    name,
    labels,
    node: textAt(spec, "nodeName"),
    hostNetwork: spec?.["hostNetwork"] === true,
    finished: FINISHED.has(textAt(status, "phase")),
    statusAddresses: addressesIn(listed.length > 0 ? listed : [textAt(status, "podIP")]),
  };
});

/** Scheduled, not finished, and on a network of pods: only such a pod is a peer of policies, and has its packets looked at. */
export const isLive = ({ node, hostNetwork, finished }: PodView): boolean =>
  node !== "" && !hostNetwork && !finished;

/** The addresses that the annotation pod-networks gives the pod, by "default" or the name of an attachment. */
export const attachedAddresses = ({ object }: PodView): ReadonlyMap<string, readonly IpAddress[]> =>
  readAttached(object);

/** Of one entry of it. */
export const annotatedAddresses = (pod: PodView, attachment: string): readonly IpAddress[] =>
  attachedAddresses(pod).get(attachment) ?? [];

const readAttached = oncePer((object: KubeObject): ReadonlyMap<string, readonly IpAddress[]> => {
  const entries = Object.entries(parsedObject(object.metadata.annotations?.[POD_NETWORKS]) ?? {});
  return new Map(
    entries.map(([attachment, entry]) => {
      const several = isObject(entry) ? textsAt(entry, "ip_addresses") : [];
      const single = isObject(entry) ? textAt(entry, "ip_address") : "";
      return [attachment, addressesIn(several.length > 0 ? several : [single])] as const;
    }),
  );
});
