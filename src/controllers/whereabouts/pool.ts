// IPPools: which address of a range is whose. The key of an allocation is the distance from the address in spec.range.
//
//   range 192.168.2.0/24    allocations: { "1": …, "5": … }    →  192.168.2.1, 192.168.2.5
//
// OverlappingRangeIPReservations: who has an address, in whatever range it was given. The name is the address.

import type { Client, ObjectKey } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { type Cidr, type IpAddress, ipFromValue, parseCidr } from "../../meta/ip.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { apiVersionOf, deleteObject, ignoring, PODS, resourceIn } from "../kit/api.ts";
import type { KitWith } from "../kit/definition.ts";
import { hasEnded } from "../kit/pods.ts";
import { statusAddresses } from "./requests.ts";

/** Where pools and reservations are. */
export const NAMESPACE = "kube-system";
export const at = (name: string): ObjectKey => ({ namespace: NAMESPACE, name });

/** Who has an address. */
export interface Holder {
  /** Of the container that uses it. */
  readonly id: string;
  /** "namespace/name" of the pod. */
  readonly podRef: string;
  /** "" where interfaces are not noted. */
  readonly interfaceName: string;
}

export interface Allocation extends Holder {
  /** The key in the pool. */
  readonly offset: string;
}

const ofWhereabouts = (resource: string) => resourceIn("whereabouts.cni.cncf.io", "v1alpha1", resource);
export const IP_POOLS = ofWhereabouts("ippools");
export const RESERVATIONS = ofWhereabouts("overlappingrangeipreservations");

export const isOffset = (text: string): boolean => /^(0|[1-9]\d{0,38})$/.test(text);

const BITS = { 4: 32n, 6: 128n } as const;

/** The name of the pool of a range, or of an address' reservation; "NETWORK-" comes first where the network has a name. */
export function nameFor({ text }: { readonly text: string }, networkName: string): string {
  const name = text.replace(/:$/, ":0").replace(/[:/]/g, "-");
  return networkName === "" ? name : `${networkName}-${name}`;
}

export const newPool = (cidr: Cidr, networkName: string): KubeObject => ({
  apiVersion: apiVersionOf(IP_POOLS),
  kind: "IPPool",
  metadata: at(nameFor(cidr, networkName)),
  spec: { range: cidr.text, allocations: {} },
});

const entriesOf = (pool: KubeObject): JsonObject => objectAt(specOf(pool), "allocations") ?? {};

/** Both kinds hold addresses for pods: a pool many, a reservation one, whose key is "". */
export const CLAIMS = { pool: IP_POOLS, reservation: RESERVATIONS } as const;
type Claim = KubeObject;

const kindOf = ({ kind }: Claim): keyof typeof CLAIMS => (kind === "IPPool" ? "pool" : "reservation");

export const claimKey = (claim: Claim): string => `${kindOf(claim)}/${claim.metadata.name}`;

export function* allocationsOf(claim: Claim): Generator<Allocation> {
  const entries = kindOf(claim) === "pool" ? entriesOf(claim) : { "": specOf(claim) };
  for (const [offset, entry] of Object.entries(entries)) {
    if (!isObject(entry)) continue;
    const { id = "", podref = "", ifname = "" } = entry;
    yield { offset, id: String(id), podRef: String(podref), interfaceName: String(ifname) };
  }
}

/** Where the pool's addresses are counted from; undefined where its range cannot be read. */
export const baseOf = (pool: KubeObject): IpAddress | undefined =>
  parseCidr(textAt(specOf(pool), "range"))?.address;

/** The address behind a key; undefined where the key is no number, or leads out of the address space. */
export function addressAt(pool: KubeObject, offset: string): IpAddress | undefined {
  const base = baseOf(pool);
  if (!base || !isOffset(offset)) return undefined;
  const value = base.value + BigInt(offset);
  return value < 1n << BITS[base.family] ? ipFromValue(base.family, value) : undefined;
}

export const isAllocated = (pool: KubeObject, offset: string): boolean =>
  Object.hasOwn(entriesOf(pool), offset);

/** The pods that do not have an address any more; all of them where the claim is gone. */
export function losersBetween(before: Claim, after: Claim | undefined): string[] {
  const left = after ? [...allocationsOf(after)] : [];
  const now = new Map(left.map(({ offset, podRef }) => [offset, podRef]));
  const lost = [...allocationsOf(before)].filter(({ offset, podRef }) => now.get(offset) !== podRef);
  return lost.map(({ podRef }) => podRef);
}

/** Puts an entry into the pool as it was read; the write fails where somebody else was faster. */
export function addition(pool: KubeObject, { offset, id, podRef, interfaceName }: Allocation): object[] {
  const path = pathOf(offset);
  const value = { id, podref: podRef, ...(interfaceName === "" ? {} : { ifname: interfaceName }) };
  if (isAllocated(pool, offset)) return [sameVersion(pool), { op: "replace", path, value }];
  return [sameVersion(pool), { op: "test", path, value: null }, { op: "add", path, value }];
}

export const removal = (pool: KubeObject, offsets: readonly string[]): object[] => [
  sameVersion(pool),
  ...offsets.map((offset) => ({ op: "remove", path: pathOf(offset) })),
];

const pathOf = (offset: string): string =>
  `/spec/allocations/${offset.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const sameVersion = ({ metadata }: KubeObject): object => ({
  op: "test",
  path: "/metadata/resourceVersion",
  value: metadata.resourceVersion,
});

export const newReservation = (name: string, { podRef, interfaceName }: Holder): KubeObject => ({
  apiVersion: apiVersionOf(RESERVATIONS),
  kind: "OverlappingRangeIPReservation",
  metadata: at(name),
  spec: { podref: podRef, ...(interfaceName === "" ? {} : { ifname: interfaceName }) },
});

export const podRefOf = (reservation: KubeObject): string => textAt(specOf(reservation), "podref");

/** True if the reservation is of one of the addresses, whatever network it is in. */
export function reservesAny({ metadata }: KubeObject, addresses: Iterable<string>): boolean {
  const { name = "" } = metadata;
  for (const text of addresses) {
    const end = nameFor({ text }, "");
    if (name === end || name.endsWith(`-${end}`)) return true;
  }
  return false;
}

// Which pods have a right to their addresses, and what takes back those that have no right holder: of pods that are gone,
// finished, or set up with others.

/**
 * True if the pod may use one of the addresses: it lives, and says nothing else once it is set up. A set of none asks
 * for the pod alone.
 */
function mayUse(pod: KubeObject | undefined, isAddress: (of: ReadonlySet<string>) => boolean): boolean {
  if (!pod || hasEnded(pod)) return false;
  const said = statusAddresses(pod);
  return said === undefined || isAddress(said);
}

/** The pod as the copy has it; one that the copy does not have yet is asked for. */
async function findPod(pods: Informer, client: Client, podRef: string): Promise<KubeObject | undefined> {
  const known = pods.get(podRef);
  if (known) return known;
  const slash = podRef.indexOf("/");
  const [namespace, name] = [podRef.slice(0, slash), podRef.slice(slash + 1)];
  if (slash < 1 || name === "" || name.includes("/")) return undefined;
  return ignoring([404], client.get(PODS, { namespace, name }));
}

/** True if an allocation's pod may have it. One of a pool that names no pod, or has an odd key, is nobody's business. */
function isRightful(claim: Claim, { offset, podRef }: Allocation, pod: KubeObject | undefined): boolean {
  if (kindOf(claim) === "reservation") return mayUse(pod, (said) => reservesAny(claim, said));
  if (podRef === "" || !isOffset(offset)) return true;
  return mayUse(pod, (said) => said.has(addressAt(claim, offset)?.text ?? ""));
}

/** True if something may have to be taken back, as far as the copy of the pods tells. */
export function needsLook(claim: Claim, pods: Informer): boolean {
  for (const allocation of allocationsOf(claim)) {
    if (!isRightful(claim, allocation, pods.get(allocation.podRef))) return true;
  }
  return false;
}

/** Takes back what no pod has a right to. */
export async function clean(
  { client, pods }: KitWith<"pods">,
  kind: keyof typeof CLAIMS,
  name: string,
): Promise<void> {
  const claim = await ignoring([404], client.get(CLAIMS[kind], at(name)));
  if (!claim) return;
  const dead: string[] = [];
  for (const allocation of allocationsOf(claim)) {
    if (isRightful(claim, allocation, pods.get(allocation.podRef))) continue;
    const pod = await findPod(pods, client, allocation.podRef);
    if (!isRightful(claim, allocation, pod)) dead.push(allocation.offset);
  }
  if (dead.length === 0) return;
  if (kind === "reservation") return deleteObject(client, RESERVATIONS, claim);
  await client.patch(IP_POOLS, at(name), { type: "json", body: removal(claim, dead) });
}
