// The fields of a Pod that determine its packets.

import {
  isObject,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import type { IpAddress } from "../../apimachinery/meta/ip.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { addressesIn } from "./cidr-texts.ts";

const POD_NETWORKS = "k8s.ovn.org/pod-networks";
const FINISHED = new Set(["Succeeded", "Failed"]);

export interface PodView {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** "" if the pod is not scheduled. */
  readonly node: string;
  readonly hostNetwork: boolean;
  readonly finished: boolean;
  /** Addresses of status.podIPs and status.podIP. */
  readonly statusAddresses: readonly IpAddress[];
}

export const podView = memoize((object: KubeObject): PodView => {
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

/** Scheduled, not finished and not hostNetwork: only such pods are policy peers and have traced packets. */
export const isLive = ({ node, hostNetwork, finished }: PodView): boolean =>
  node !== "" && !hostNetwork && !finished;

/** Addresses of annotation k8s.ovn.org/pod-networks, by "default" or NetworkAttachmentDefinition key. */
export const attachedAddresses = ({ object }: PodView): ReadonlyMap<string, readonly IpAddress[]> =>
  readAttached(object);

/** Addresses of one attachment in that annotation. */
export const annotatedAddresses = (pod: PodView, attachment: string): readonly IpAddress[] =>
  attachedAddresses(pod).get(attachment) ?? [];

const readAttached = memoize((object: KubeObject): ReadonlyMap<string, readonly IpAddress[]> => {
  const entries = Object.entries(parsedObject(object.metadata.annotations?.[POD_NETWORKS]) ?? {});
  return new Map(
    entries.map(([attachment, entry]) => {
      const several = isObject(entry) ? textsAt(entry, "ip_addresses") : [];
      const single = isObject(entry) ? textAt(entry, "ip_address") : "";
      return [attachment, addressesIn(several.length > 0 ? several : [single])] as const;
    }),
  );
});
