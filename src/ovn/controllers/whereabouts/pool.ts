// IPPools: allocations of a range. The key of an allocation is the offset from the address in spec.range.
//
//   range 192.168.2.0/24    allocations: { "1": …, "5": … }    →  192.168.2.1, 192.168.2.5
//
// OverlappingRangeIPReservations: the pod that holds an address, across all ranges. The name is the address.

import { isObject, type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import { type Cidr, type IpAddress, ipFromValue, parseCidr } from "../../../apimachinery/meta/ip.ts";
import { type KubeObject, specOf } from "../../../apimachinery/meta/object-meta.ts";
import { apiVersionOf, deleteObject, ignoring, PODS, resourceIn } from "../../../controller/api.ts";
import type { Client, ObjectKey } from "../../../controller/client.ts";
import type { KitWith } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
import { hasEnded } from "../../../controller/pods.ts";
import { statusAddresses } from "./requests.ts";

/** Namespace of pools and reservations. */
export const NAMESPACE = "kube-system";
export const at = (name: string): ObjectKey => ({ namespace: NAMESPACE, name });

/** The container and pod that hold an address. */
export interface Holder {
  /** Container id. */
  readonly id: string;
  /** "namespace/name" of the pod. */
  readonly podRef: string;
  /** "" for entries without ifname. */
  readonly interfaceName: string;
}

export interface Allocation extends Holder {
  /** The key in spec.allocations. */
  readonly offset: string;
}

const ofWhereabouts = (resource: string) => resourceIn("whereabouts.cni.cncf.io", "v1alpha1", resource);
export const IP_POOLS = ofWhereabouts("ippools");
export const RESERVATIONS = ofWhereabouts("overlappingrangeipreservations");

export const isOffset = (text: string): boolean => /^(0|[1-9]\d{0,38})$/.test(text);

const BITS = { 4: 32n, 6: 128n } as const;

/** The name of a range's pool or an address's reservation; a network name is the prefix "NETWORK-". */
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

/** The kinds that hold addresses of pods: a pool many, a reservation one with key "". */
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

/** The address that offsets are relative to; undefined if spec.range is invalid. */
export const baseOf = (pool: KubeObject): IpAddress | undefined =>
  parseCidr(textAt(specOf(pool), "range"))?.address;

/** The address of a key; undefined if the key is no number or outside of the address space. */
export function addressAt(pool: KubeObject, offset: string): IpAddress | undefined {
  const base = baseOf(pool);
  if (!base || !isOffset(offset)) return undefined;
  const value = base.value + BigInt(offset);
  return value < 1n << BITS[base.family] ? ipFromValue(base.family, value) : undefined;
}

export const isAllocated = (pool: KubeObject, offset: string): boolean =>
  Object.hasOwn(entriesOf(pool), offset);

/** The pods that lost an address; all pods of a deleted object. */
export function losersBetween(before: Claim, after: Claim | undefined): string[] {
  const left = after ? [...allocationsOf(after)] : [];
  const now = new Map(left.map(({ offset, podRef }) => [offset, podRef]));
  const lost = [...allocationsOf(before)].filter(({ offset, podRef }) => now.get(offset) !== podRef);
  return lost.map(({ podRef }) => podRef);
}

/** JSON patch that adds an entry. Its tests fail if another client has changed the pool since the read. */
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

/** Reports whether the reservation is for one of the addresses, with any network name. */
export function reservesAny({ metadata }: KubeObject, addresses: Iterable<string>): boolean {
  const { name = "" } = metadata;
  for (const text of addresses) {
    const end = nameFor({ text }, "");
    if (name === end || name.endsWith(`-${end}`)) return true;
  }
  return false;
}

// Releases addresses of pods that are deleted, finished, or report other addresses in network-status.

/**
 * Reports whether the pod may hold the address: it is not finished, and its network-status is absent or lists the address.
 */
function mayUse(pod: KubeObject | undefined, isAddress: (of: ReadonlySet<string>) => boolean): boolean {
  if (!pod || hasEnded(pod)) return false;
  const said = statusAddresses(pod);
  return said === undefined || isAddress(said);
}

/** Reads the pod from the informer, or from the API if the informer does not have it. */
async function findPod(pods: Informer, client: Client, podRef: string): Promise<KubeObject | undefined> {
  const known = pods.get(podRef);
  if (known) return known;
  const slash = podRef.indexOf("/");
  const [namespace, name] = [podRef.slice(0, slash), podRef.slice(slash + 1)];
  if (slash < 1 || name === "" || name.includes("/")) return undefined;
  return ignoring([404], client.get(PODS, { namespace, name }));
}

/** Reports whether the allocation is valid. Pool entries without podref or with an invalid key are left alone. */
function isRightful(claim: Claim, { offset, podRef }: Allocation, pod: KubeObject | undefined): boolean {
  if (kindOf(claim) === "reservation") return mayUse(pod, (said) => reservesAny(claim, said));
  if (podRef === "" || !isOffset(offset)) return true;
  return mayUse(pod, (said) => said.has(addressAt(claim, offset)?.text ?? ""));
}

/** Reports whether the object has invalid allocations according to the pod informer. */
export function needsLook(claim: Claim, pods: Informer): boolean {
  for (const allocation of allocationsOf(claim)) {
    if (!isRightful(claim, allocation, pods.get(allocation.podRef))) return true;
  }
  return false;
}

/** Removes invalid allocations. */
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
