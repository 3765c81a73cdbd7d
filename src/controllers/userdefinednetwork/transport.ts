// Whether a network's transport can be had: pods without an overlay, or over EVPN, need a RouteAdvertisements that
// announces them; EVPN also needs its VTEP.
import { isObject, objectAt } from "../../meta/json.ts";
import { InvalidSelectorError, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type Condition, isTrue } from "../networks/conditions.ts";
import type { NetworkFeatures } from "./features.ts";
import type { NetworkSpec } from "./network-spec.ts";

export interface TransportProblem {
  readonly reason: string;
  readonly message: string;
}

/** The name of the VTEP that the network goes over; undefined where it needs none. */
export const vtepOf = ({ transport, evpn }: NetworkSpec): string | undefined =>
  transport === "EVPN" ? String(evpn?.["vtep"] ?? "") : undefined;

export function findEvpnProblem(
  spec: NetworkSpec,
  features: NetworkFeatures,
  vtep: KubeObject | undefined,
): TransportProblem | undefined {
  const name = vtepOf(spec);
  if (name === undefined) return undefined;
  if (!features.evpn) {
    return {
      reason: "EVPNConfigError",
      message: "EVPN transport requested but EVPN feature is not enabled",
    };
  }
  if (!vtep) {
    return {
      reason: "VTEPNotFound",
      message:
        `Cannot create network: VTEP '${name}' does not exist. ` +
        "Create the VTEP CR first or update the CUDN to reference an existing VTEP.",
    };
  }
  if (isTrue(vtep, "Accepted")) return undefined;
  return {
    reason: VTEP_NOT_ACCEPTED,
    message:
      `Cannot create network: VTEP '${name}' exists but is not accepted. ` +
      "The VTEP must be in Accepted status before the network can be created.",
  };
}

export const VTEP_NOT_ACCEPTED = "VTEPNotAccepted";

const SHOWN = { NoOverlay: "no-overlay", EVPN: "EVPN" } as const;

/** The condition TransportAccepted; networks over the usual overlay have none. */
export function transportAccepted(
  owner: KubeObject,
  { transport }: NetworkSpec,
  features: NetworkFeatures,
  routeAdvertisements: readonly KubeObject[],
): Condition | undefined {
  if (transport === "") return undefined;
  const type = "TransportAccepted";
  if (!features.routeAdvertisements) {
    const message = `RouteAdvertisements feature is not enabled but required for ${transport} transport.`;
    return { type, status: "False", reason: "RouteAdvertisementsNotEnabled", message };
  }
  const announcing = routeAdvertisements.filter((object) => announces(object, owner));
  if (announcing.some((object) => isTrue(object, "Accepted"))) {
    const message = `Transport has been configured as '${SHOWN[transport]}'.`;
    return { type, status: "True", reason: `${transport}TransportAccepted`, message };
  }
  if (announcing.length === 0) {
    const reason = `${transport}RouteAdvertisementsIsMissing`;
    const message = "No RouteAdvertisements CR is advertising the pod networks.";
    return { type, status: "False", reason, message };
  }
  const names = announcing.map(({ metadata }) => metadata.name ?? "").sort();
  return {
    type,
    status: "False",
    reason: `${transport}RouteAdvertisementsNotAccepted`,
    message: `RouteAdvertisements CR ${names.join(", ")} advertises the pod subnets, but its status is not accepted.`,
  };
}

/** True if the RouteAdvertisements announces the pod network of the ClusterUserDefinedNetwork. */
function announces({ spec }: KubeObject, owner: KubeObject): boolean {
  if (!isObject(spec)) return false;
  const { advertisements, networkSelectors } = spec;
  if (!Array.isArray(advertisements) || !advertisements.includes("PodNetwork")) return false;
  const selectors = Array.isArray(networkSelectors) ? networkSelectors.filter(isObject) : [];
  return selectors.some(
    (selector) =>
      selector["networkSelectionType"] === "ClusterUserDefinedNetworks" &&
      selects(objectAt(selector, "clusterUserDefinedNetworkSelector")?.["networkSelector"], owner),
  );
}

function selects(selector: unknown, { metadata }: KubeObject): boolean {
  try {
    return labelSelectorFromObject(selector).matches(metadata.labels);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return false;
    throw error;
  }
}
