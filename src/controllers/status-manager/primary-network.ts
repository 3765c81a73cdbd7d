// Which network the pods of a namespace are in: the cluster's own, unless the namespace says that it has a primary one.
import type { KubeObject } from "../../meta/object-meta.ts";
import { parseConfig } from "../networks/net-conf.ts";

export const PRIMARY_NETWORK_LABEL = "k8s.ovn.org/primary-user-defined-network";

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
    const network = primaryNetworkIn(attachment);
    if (network !== undefined) return { type: "own", network };
  }
  return { type: "missing" };
}

function primaryNetworkIn(attachment: KubeObject): string | undefined {
  const config = parseConfig(attachment);
  return config?.["role"] === "primary" ? String(config["name"] ?? "") : undefined;
}
