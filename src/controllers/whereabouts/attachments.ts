// The further networks that a pod asks for, as Multus reads them from the annotation: a JSON list, or names with commas
// between them. What it was given is in another annotation, once it is set up.

import { oncePerObject } from "../../client/once-per-object.ts";
import { parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export interface Attachment {
  /** Of the NetworkAttachmentDefinition. */
  readonly namespace: string;
  readonly name: string;
  /** Of the interface in the pod. */
  readonly interfaceName: string;
}

const NETWORKS = "k8s.v1.cni.cncf.io/networks";
const NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status";
/** "NAMESPACE/NAME@INTERFACE", of which only the name has to be there. */
const SHORT = /^(?:([^/@]+)\/)?([^/@]+)(?:@([^/@]+))?$/;

export const asksForNetworks = ({ metadata }: KubeObject): boolean =>
  Boolean(metadata.annotations?.[NETWORKS]);

/** Nothing where the annotation cannot be read: such a pod is never set up. */
export const attachmentsOf = oncePerObject(({ metadata }): readonly Attachment[] => {
  const text = metadata.annotations?.[NETWORKS]?.trim() ?? "";
  if (text === "") return [];
  const namespace = metadata.namespace ?? "";
  const entries = text.startsWith("[") ? parseList(text) : text.split(",").map(parseShort);
  if (!entries || entries.includes(undefined)) return [];
  return entries
    .filter((entry) => entry !== undefined)
    .map((entry, index) => ({
      namespace: textAt(entry, "namespace") || namespace,
      name: textAt(entry, "name"),
      interfaceName: textAt(entry, "interface") || `net${index + 1}`,
    }));
});

function parseShort(text: string): JsonObject | undefined {
  const match = SHORT.exec(text.trim());
  return match ? { namespace: match[1], name: match[2], interface: match[3] } : undefined;
}

function parseList(text: string): JsonObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The addresses that the pod is said to have, canonical; undefined while it is not set up. */
export const statusAddresses = oncePerObject(({ metadata }): ReadonlySet<string> | undefined => {
  const entries = parseList(metadata.annotations?.[NETWORK_STATUS] ?? "");
  if (!entries) return undefined;
  const texts = entries.flatMap(({ ips }) => (Array.isArray(ips) ? ips.map(String) : []));
  return new Set(texts.map((text) => parseIp(text)?.text ?? text));
});

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}
