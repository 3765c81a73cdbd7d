// Whether a network's transport can be had: pods without an overlay, or over EVPN, need a RouteAdvertisements that
// announces them; EVPN also needs its VTEP.
import { textAt, textsAt } from "../../meta/json.ts";
import { selects } from "../../meta/label-selector.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import type { NetworkFeature } from "../kit/settings.ts";
import { type Condition, isTrue, type Said } from "../networks/conditions.ts";
import { clusterNetworkSelector, networkSelectorsOf } from "../networks/selected-networks.ts";
import type { NetworkSpec } from "./network-spec.ts";

export const VTEP_NOT_ACCEPTED = "VTEPNotAccepted";

export function findEvpnProblem(
  { transport, evpn }: NetworkSpec,
  features: ReadonlySet<NetworkFeature>,
  vteps: { get(name: string): KubeObject | undefined },
): Said | undefined {
  if (transport !== "EVPN") return undefined;
  if (!features.has("evpn")) {
    const message = "EVPN transport requested but EVPN feature is not enabled";
    return { reason: "EVPNConfigError", message };
  }
  const name = textAt(evpn, "vtep");
  const vtep = vteps.get(name);
  if (!vtep) {
    const message =
      `Cannot create network: VTEP '${name}' does not exist. ` +
      "Create the VTEP CR first or update the CUDN to reference an existing VTEP.";
    return { reason: "VTEPNotFound", message };
  }
  if (isTrue(vtep, "Accepted")) return undefined;
  const message =
    `Cannot create network: VTEP '${name}' exists but is not accepted. ` +
    "The VTEP must be in Accepted status before the network can be created.";
  return { reason: VTEP_NOT_ACCEPTED, message };
}

const SHOWN = { NoOverlay: "no-overlay", EVPN: "EVPN" } as const;

/** The condition TransportAccepted; networks over the usual overlay have none. */
export function transportAccepted(
  owner: KubeObject,
  { transport }: NetworkSpec,
  features: ReadonlySet<NetworkFeature>,
  routeAdvertisements: Iterable<KubeObject>,
): Condition | undefined {
  if (transport === "") return undefined;
  const refused = { type: "TransportAccepted", status: "False" } as const;
  if (!features.has("route-advertisements")) {
    const message = `RouteAdvertisements feature is not enabled but required for ${transport} transport.`;
    return { ...refused, reason: "RouteAdvertisementsNotEnabled", message };
  }
  const announcing = [...routeAdvertisements].filter((object) => announces(object, owner));
  if (announcing.some((object) => isTrue(object, "Accepted"))) {
    const message = `Transport has been configured as '${SHOWN[transport]}'.`;
    return { ...refused, status: "True", reason: `${transport}TransportAccepted`, message };
  }
  if (announcing.length === 0) {
    const message = "No RouteAdvertisements CR is advertising the pod networks.";
    return { ...refused, reason: `${transport}RouteAdvertisementsIsMissing`, message };
  }
  const names = announcing.map(({ metadata }) => metadata.name).sort();
  const message = `RouteAdvertisements CR ${names.join(", ")} advertises the pod subnets, but its status is not accepted.`;
  return { ...refused, reason: `${transport}RouteAdvertisementsNotAccepted`, message };
}

/** True if the RouteAdvertisements announces the pod network of the ClusterUserDefinedNetwork. */
const announces = (object: KubeObject, { metadata }: KubeObject): boolean =>
  textsAt(specOf(object), "advertisements").includes("PodNetwork") &&
  networkSelectorsOf(object).some(
    (selector) =>
      selector["networkSelectionType"] === "ClusterUserDefinedNetworks" &&
      selects(clusterNetworkSelector(selector), metadata.labels),
  );
