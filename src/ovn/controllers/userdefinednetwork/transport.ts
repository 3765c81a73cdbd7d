// Validates the transport of a network: no-overlay and EVPN need a RouteAdvertisements that advertises the pod network, and
// EVPN also needs an accepted VTEP.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { selects } from "../../../apimachinery/meta/label-selector.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { Complaint, type Condition, isTrue, type Said } from "../../../controller/conditions.ts";
import type { NetworkFeature } from "../../../controller/settings.ts";
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

/** Condition TransportAccepted; undefined for the default overlay. */
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

/** Reports whether the RouteAdvertisements advertises the pod network of the ClusterUserDefinedNetwork. */
const announces = (object: KubeObject, { metadata }: KubeObject): boolean =>
  textsAt(specOf(object), "advertisements").includes("PodNetwork") &&
  networkSelectorsOf(object).some(
    (selector) =>
      selector["networkSelectionType"] === "ClusterUserDefinedNetworks" &&
      selects(clusterNetworkSelector(selector), metadata.labels),
  );

// Allocation of EVPN ids. Each VRF of a network gets a cluster-wide unique VLAN id, round-robin, so that a released id is
// not reused next. A VNI is unique for each VTEP.

/** Keys of the VRFs in spec and configuration. */
const VRFS = ["macVRF", "ipVRF"] as const;
/** VLAN ids; 0 means untagged, and 1 is the default VLAN of switches. */
const VIDS = { first: 2, last: 4094, goingRound: true } as const;
const FAILED = "failed to allocate EVPN IDs";

export class EvpnIds {
  /** VLAN ids by "network/VRF". */
  readonly #vids = new Numbers(VIDS);
  /** "VTEP/VNI" → network. */
  readonly #vnis = new Map<string, string>();

  /** Returns the EVPN section with allocated VLAN ids. Throws a Complaint if a VNI or VLAN id is not available. */
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

  /** Reserves the VNIs and VLAN ids of a configuration; those of other networks are skipped. */
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

  /** Reserves the VNI; returns the error text if another network has it. */
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
