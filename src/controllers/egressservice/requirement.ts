// What an EgressService asks for, given its Service and the nodes behind that: the order of the questions decides.
import {
  InvalidSelectorError,
  type LabelSelector,
  labelSelectorFromObject,
} from "../../meta/label-selector.ts";
import type { EgressService, ServiceState } from "./egress-service.ts";

const HOSTNAME_LABEL = "kubernetes.io/hostname";

export type Requirement =
  /** No node is needed: Service, ingress address or endpoints are missing. */
  | { readonly type: "nothing" }
  /** Every pod leaves through its own node. */
  | { readonly type: "every-node" }
  | { readonly type: "node"; readonly selector: LabelSelector }
  /** The selector cannot be understood. */
  | { readonly type: "unclear"; readonly complaint: string };

export function requirementOf(
  egressService: EgressService,
  service: ServiceState | undefined,
  backendNodes: readonly string[],
): Requirement {
  if (service === undefined) return { type: "nothing" };
  if (egressService.byNetwork) return { type: "every-node" };
  if (!service.hasIngress) return { type: "nothing" };
  try {
    const selector = effectiveSelector(egressService, service.local ? backendNodes : []);
    return backendNodes.length === 0 ? { type: "nothing" } : { type: "node", selector };
  } catch (error) {
    if (!(error instanceof InvalidSelectorError)) throw error;
    return { type: "unclear", complaint: error.message };
  }
}

/** The nodeSelector, and with it the names given: they are compared with the label, not with the names of nodes. */
function effectiveSelector({ nodeSelector }: EgressService, hostnames: readonly string[]): LabelSelector {
  if (hostnames.length === 0) return labelSelectorFromObject(nodeSelector);
  const written = nodeSelector["matchExpressions"];
  return labelSelectorFromObject({
    ...nodeSelector,
    matchExpressions: [
      ...(Array.isArray(written) ? written : []),
      { key: HOSTNAME_LABEL, operator: "In", values: hostnames },
    ],
  });
}
