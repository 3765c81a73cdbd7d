// The numbers behind EVPN networks. Each VRF of a network gets a VLAN id of its own in the cluster, going round, so that
// one that was freed is not the next to be given; and over one VTEP no two networks use the same VNI.
import { goQuote } from "../../go/strconv.ts";
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import { NetworkError } from "../networks/network-error.ts";

/** The VRFs that a network may have, as the spec and the configuration call them. */
const VRFS = ["macVRF", "ipVRF"] as const;

/** 0 means no VLAN, and 1 is what switches put untagged traffic in. */
const FIRST = 2;
const LAST = 4094;

export class EvpnIds {
  /** "network/VRF" → VLAN id. */
  readonly #vids = new Map<string, number>();
  readonly #taken = new Set<number>();
  /** "VTEP/VNI" → network. */
  readonly #vnis = new Map<string, string>();
  #next = FIRST;

  /** The part of the configuration that says how the network goes over EVPN. Throws NetworkError. */
  complete(network: string, evpn: JsonObject): JsonObject {
    const problems = VRFS.map((vrf) => this.#takeVni(network, evpn, objectAt(evpn, vrf)));
    const said = problems.filter((problem) => problem !== undefined);
    if (said.length > 0) {
      throw new NetworkError(`failed to allocate EVPN IDs: failed to reserve VNIs: ${said.join("\n")}`);
    }
    const completed: JsonObject = { ...evpn };
    for (const vrf of VRFS) {
      const fields = objectAt(evpn, vrf);
      if (fields) completed[vrf] = { ...fields, vid: this.#vidOf(`${network}/${vrf}`) };
    }
    return completed;
  }

  /** Takes over what the network's configuration says; what another network has already is left out. */
  keep(network: string, evpn: unknown): void {
    if (!isObject(evpn)) return;
    for (const vrf of VRFS) {
      const fields = objectAt(evpn, vrf);
      this.#takeVni(network, evpn, fields);
      const vid = fields?.["vid"];
      if (typeof vid !== "number" || vid < FIRST || vid > LAST || this.#taken.has(vid)) continue;
      if (!this.#vids.has(`${network}/${vrf}`)) this.#takeVid(`${network}/${vrf}`, vid);
    }
  }

  release(network: string): void {
    for (const vrf of VRFS) {
      const vid = this.#vids.get(`${network}/${vrf}`);
      this.#vids.delete(`${network}/${vrf}`);
      if (vid !== undefined) this.#taken.delete(vid);
    }
    for (const [key, owner] of this.#vnis) if (owner === network) this.#vnis.delete(key);
  }

  /** What is wrong with it, if anything. */
  #takeVni(network: string, evpn: JsonObject, fields: JsonObject | undefined): string | undefined {
    const vni = fields?.["vni"];
    if (typeof vni !== "number" || vni === 0) return undefined;
    const vtep = String(evpn["vtep"] ?? "");
    const owner = this.#vnis.get(`${vtep}/${vni}`);
    if (owner !== undefined && owner !== network) {
      return `VNI ${vni} on VTEP ${goQuote(vtep)} is already reserved by network ${goQuote(owner)}`;
    }
    this.#vnis.set(`${vtep}/${vni}`, network);
    return undefined;
  }

  #vidOf(key: string): number {
    const known = this.#vids.get(key);
    if (known !== undefined) return known;
    for (let step = 0; step <= LAST - FIRST; step++) {
      const vid = FIRST + ((this.#next - FIRST + step) % (LAST - FIRST + 1));
      if (this.#taken.has(vid)) continue;
      this.#next = vid === LAST ? FIRST : vid + 1;
      return this.#takeVid(key, vid);
    }
    throw new NetworkError("failed to allocate EVPN IDs: no VLAN id is left");
  }

  #takeVid(key: string, vid: number): number {
    this.#vids.set(key, vid);
    this.#taken.add(vid);
    return vid;
  }
}
