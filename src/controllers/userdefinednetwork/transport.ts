// Whether a network's transport can be had: pods without an overlay, or over EVPN, need a RouteAdvertisements that
// announces them; EVPN also needs its VTEP.

import { goQuote } from "../../go/strconv.ts";
import { isObject, type JsonObject, numberAt, objectAt, textAt, textsAt } from "../../meta/json.ts";
import { selects } from "../../meta/label-selector.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { Complaint, type Condition, isTrue, type Said } from "../kit/conditions.ts";
import type { NetworkFeature } from "../kit/settings.ts";
import { Numbers } from "../network-annotations/numbers.ts";
import { clusterNetworkSelector, networkSelectorsOf } from "../networks/net-conf.ts";
import type { NetworkSpec } from "./render-nad.ts";

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

// The numbers behind EVPN networks. Each VRF of a network gets a VLAN id of its own in the cluster, going round, so that
// one that was freed is not the next to be given; and over one VTEP no two networks use the same VNI.

/** The VRFs that a network may have, as the spec and the configuration call them. */
const VRFS = ["macVRF", "ipVRF"] as const;
/** 0 means no VLAN, and 1 is what switches put untagged traffic in. */
const VIDS = { first: 2, last: 4094, goingRound: true } as const;
const FAILED = "failed to allocate EVPN IDs";

export class EvpnIds {
  /** Of "network/VRF". */
  readonly #vids = new Numbers(VIDS);
  /** "VTEP/VNI" → network. */
  readonly #vnis = new Map<string, string>();

  /** The part of the configuration that says how the network goes over EVPN. Throws a Complaint. */
  complete(network: string, evpn: JsonObject): JsonObject {
    const problems = VRFS.flatMap((vrf) => this.#takeVni(network, evpn, objectAt(evpn, vrf)) ?? []);
    if (problems.length > 0) {
      throw new Complaint(`${FAILED}: failed to reserve VNIs: ${problems.join("\n")}`);
    }
    const completed: JsonObject = { ...evpn };
    for (const vrf of VRFS) {
      const fields = objectAt(evpn, vrf);
      if (!fields) continue;
      const vid = this.#vids.of(`${network}/${vrf}`);
      if (vid === undefined) throw new Complaint(`${FAILED}: no VLAN id is left`);
      completed[vrf] = { ...fields, vid };
    }
    return completed;
  }

  /** Takes over what the network's configuration says; what another network has already is left out. */
  keep(network: string, evpn: unknown): void {
    if (!isObject(evpn)) return;
    for (const vrf of VRFS) {
      const fields = objectAt(evpn, vrf);
      this.#takeVni(network, evpn, fields);
      const vid = numberAt(fields, "vid");
      const key = `${network}/${vrf}`;
      if (vid !== undefined && !this.#vids.has(key)) this.#vids.reserve(key, vid);
    }
  }

  release(network: string): void {
    for (const vrf of VRFS) this.#vids.release(`${network}/${vrf}`);
    for (const [key, owner] of this.#vnis) if (owner === network) this.#vnis.delete(key);
  }

  /** What is wrong with it, if anything. */
  #takeVni(network: string, evpn: JsonObject, fields: JsonObject | undefined): string | undefined {
    const vni = numberAt(fields, "vni") ?? 0;
    if (vni === 0) return undefined;
    const vtep = textAt(evpn, "vtep");
    const owner = this.#vnis.get(`${vtep}/${vni}`);
    if (owner !== undefined && owner !== network) {
      return `VNI ${vni} on VTEP ${goQuote(vtep)} is already reserved by network ${goQuote(owner)}`;
    }
    this.#vnis.set(`${vtep}/${vni}`, network);
    return undefined;
  }
}
