// The numbers behind EVPN networks. Each VRF of a network gets a VLAN id of its own in the cluster, going round, so that
// one that was freed is not the next to be given; and over one VTEP no two networks use the same VNI.
import { goQuote } from "../../go/strconv.ts";
import { isObject, type JsonObject, numberAt, objectAt, textAt } from "../../meta/json.ts";
import { Numbers } from "../network-annotations/numbers.ts";
import { NetworkError } from "../networks/net-conf.ts";

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

  /** The part of the configuration that says how the network goes over EVPN. Throws NetworkError. */
  complete(network: string, evpn: JsonObject): JsonObject {
    const problems = VRFS.flatMap((vrf) => this.#takeVni(network, evpn, objectAt(evpn, vrf)) ?? []);
    if (problems.length > 0) {
      throw new NetworkError(`${FAILED}: failed to reserve VNIs: ${problems.join("\n")}`);
    }
    const completed: JsonObject = { ...evpn };
    for (const vrf of VRFS) {
      const fields = objectAt(evpn, vrf);
      if (!fields) continue;
      const vid = this.#vids.of(`${network}/${vrf}`);
      if (vid === undefined) throw new NetworkError(`${FAILED}: no VLAN id is left`);
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
