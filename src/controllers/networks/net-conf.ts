// The configuration of a network as a NetworkAttachmentDefinition carries it: JSON for the CNI plugin.

import { oncePerObject } from "../../client/once-per-object.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export const OVN_CNI_TYPE = "ovn-k8s-cni-overlay";
export const DEFAULT_NETWORK = "default";

export interface NetConf {
  /** Of the network; several NetworkAttachmentDefinitions may say the same. */
  readonly name: string;
  /** "layer2", "layer3" or "localnet". */
  readonly topology: string;
  /** "primary", "secondary" or "". */
  readonly role: string;
  /** Lists in text form, "" where there is none. */
  readonly subnets: string;
  readonly joinSubnet: string;
  readonly transitSubnet: string;
  readonly excludeSubnets: string;
  readonly transport: string;
}

/** The configuration, or undefined where it is not one of ovn-kubernetes. */
export function readNetConf(nad: KubeObject): NetConf | undefined {
  const conf = parseConfig(nad);
  return conf?.["type"] === OVN_CNI_TYPE ? netConfOf(conf) : undefined;
}

export const isPrimary = ({ role }: NetConf): boolean => role === "primary";

/** spec.config of a NetworkAttachmentDefinition; "" where there is none. */
export function configText({ spec }: KubeObject): string {
  return isObject(spec) && typeof spec["config"] === "string" ? spec["config"] : "";
}

/** The JSON of the configuration, whoever wrote it; undefined where it is none. */
export const parseConfig = oncePerObject((nad): JsonObject | undefined => {
  try {
    const conf: unknown = JSON.parse(configText(nad));
    return isObject(conf) ? conf : undefined;
  } catch {
    return undefined;
  }
});

function netConfOf(conf: JsonObject): NetConf {
  const text = (key: string): string => (typeof conf[key] === "string" ? conf[key] : "");
  return {
    name: text("name"),
    topology: text("topology"),
    role: text("role"),
    subnets: text("subnets"),
    joinSubnet: text("joinSubnet"),
    transitSubnet: text("transitSubnet"),
    excludeSubnets: text("excludeSubnets"),
    transport: text("transport"),
  };
}
