// Allocates the addresses of a pod. All are chosen before the first write, so a pod with an exhausted range holds none.

import { createHash } from "node:crypto";
import { type IpAddress, ipFromValue } from "../../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { ignoring, placeOf } from "../../../controller/api.ts";
import { Complaint } from "../../../controller/conditions.ts";
import type { KitWith } from "../../../controller/definition.ts";
import {
  addition,
  addressAt,
  allocationsOf,
  at,
  baseOf,
  type Holder,
  IP_POOLS,
  isAllocated,
  NAMESPACE,
  nameFor,
  newPool,
  newReservation,
  podRefOf,
  RESERVATIONS,
} from "./pool.ts";
import type { IpamConfig, IpRange } from "./requests.ts";

type Ipam = KitWith<"reservations">;

/** The reservation of the name from the informer. */
export const reservationOf = ({ reservations }: Ipam, name: string): KubeObject | undefined =>
  reservations.get(`${NAMESPACE}/${name}`);

/** An interface that needs one address from each range of its configuration. */
export interface Request {
  readonly holder: Holder;
  readonly config: IpamConfig;
}

interface Choice {
  readonly request: Request;
  readonly range: IpRange;
  readonly address: IpAddress;
  readonly offset: string;
}

/** Limit for one pod: each address needs two writes, and is compared with all earlier choices. */
const ADDRESSES_MAX = 512;

/** Emulated container id, derived from the pod's uid. */
export const containerIdOf = ({ metadata }: KubeObject): string =>
  createHash("sha256")
    .update(metadata.uid ?? "")
    .digest("hex");

/** Throws a Complaint if a range is exhausted or the limit is exceeded; nothing is written then. */
export async function allocate(ipam: Ipam, requests: readonly Request[]): Promise<void> {
  const addresses = requests.reduce((sum, { config }) => sum + config.ranges.length, 0);
  if (addresses > ADDRESSES_MAX) {
    throw new Complaint(`the pod asks for ${addresses} addresses, at most ${ADDRESSES_MAX} are given`);
  }
  const choices: Choice[] = [];
  for (const request of requests) {
    for (const range of request.config.ranges) {
      choices.push(await choose(ipam, request, range, choices));
    }
  }
  for (const choice of choices) {
    await write(ipam, choice);
    if (choice.request.config.overlappingRanges) await reserve(ipam, choice);
  }
}

/** `before`: earlier choices for the pod. */
async function choose(
  ipam: Ipam,
  request: Request,
  range: IpRange,
  before: readonly Choice[],
): Promise<Choice> {
  const { holder, config } = request;
  const pool = (await readPool(ipam, range, config)) ?? newPool(range.cidr, config.networkName);
  for (const allocation of allocationsOf(pool)) {
    const address = isSame(allocation, holder) ? addressAt(pool, allocation.offset) : undefined;
    if (address) return { request, range, address, offset: allocation.offset };
  }
  const shared = before.find(
    (choice) => choice.range.cidr.text === range.cidr.text && isSame(choice.request.holder, holder),
  );
  if (shared) return shared;
  const base = baseOf(pool)?.value ?? range.cidr.first;
  const taken = new Set(
    before.filter((choice) => choice.request.config.networkName === config.networkName).map(addressValue),
  );
  for (;;) {
    const isTaken = (value: bigint): boolean =>
      value < base || taken.has(value) || isAllocated(pool, String(value - base));
    const address = freeAddress(range, isTaken);
    const free = !config.overlappingRanges || (await isUnreserved(ipam, request, address));
    if (free) return { request, range, address, offset: String(address.value - base) };
    taken.add(address.value);
  }
}

const addressValue = ({ address }: Choice): bigint => address.value;

/** An entry without an interface name matches every interface of the pod. */
const isSame = (entry: Holder, { podRef, interfaceName }: Holder): boolean =>
  entry.podRef === podRef && (entry.interfaceName === interfaceName || entry.interfaceName === "");

const readPool = ({ client }: Ipam, { cidr }: IpRange, { networkName }: IpamConfig) =>
  ignoring([404], client.get(IP_POOLS, at(nameFor(cidr, networkName))));

/** Reports whether no other pod has reserved the address. Reads the informer first, and the API only if it is free there. */
async function isUnreserved(ipam: Ipam, { holder, config }: Request, address: IpAddress): Promise<boolean> {
  const name = nameFor(address, config.networkName);
  const known = reservationOf(ipam, name);
  if (known && podRefOf(known) !== holder.podRef) return false;
  const live = await ignoring([404], ipam.client.get(RESERVATIONS, at(name)));
  return !live || podRefOf(live) === holder.podRef;
}

async function write(ipam: Ipam, { request, range, offset }: Choice): Promise<void> {
  const { client } = ipam;
  const { holder, config } = request;
  const pool =
    (await readPool(ipam, range, config)) ??
    (await client.create(IP_POOLS, newPool(range.cidr, config.networkName)));
  const there = [...allocationsOf(pool)].find((allocation) => allocation.offset === offset);
  if (there && !isSame(there, holder)) throw new Error(`${offset} in IPPool ${pool.metadata.name} was taken`);
  if (there?.id === holder.id && there.interfaceName === holder.interfaceName) return;
  await client.patch(IP_POOLS, placeOf(pool), { type: "json", body: addition(pool, { ...holder, offset }) });
}

async function reserve(ipam: Ipam, { request, address }: Choice): Promise<void> {
  const { client } = ipam;
  const name = nameFor(address, request.config.networkName);
  const known = reservationOf(ipam, name) ?? (await ignoring([404], client.get(RESERVATIONS, at(name))));
  if (known) return;
  await ignoring([409], client.create(RESERVATIONS, newReservation(name, request.holder)));
}

const BITS = { 4: 32, 6: 128 } as const;
const HOST_BITS_MIN = 2;

/**
 * The lowest free address of a range.
 *
 *   network 10.0.0.0/29, exclude 10.0.0.2/31, nothing taken     →  .0 ✗ network  .1 ✓
 *   the same with .1 and .4 taken                               →  .1 ✗  .2 .3 ✗ excluded  .4 ✗  .5 ✓   (.7 broadcast)
 *
 * Throws a Complaint if the range is too small or exhausted.
 */
function freeAddress(range: IpRange, isTaken: (value: bigint) => boolean): IpAddress {
  const { cidr, excludeTexts } = range;
  const [first, last] = usable(range);
  const excluded = range.excluded
    .filter(({ family }) => family === cidr.family)
    .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let next = 0;
  for (let value = first; value <= last; value++) {
    while ((excluded[next]?.last ?? value) < value) next++;
    const skipped = excluded[next];
    if (skipped && skipped.first <= value) value = skipped.last;
    else if (!isTaken(value)) return ipFromValue(cidr.family, value);
  }
  const [from, to] = [first, last].map((value) => ipFromValue(cidr.family, value).text);
  throw new Complaint(
    `Could not allocate IP in range: ip: ${from} / - ${to} / range: ${cidr.text} / ` +
      `excludeRanges: [${excludeTexts.join(" ")}]`,
  );
}

/** The first and the last usable address; as in Whereabouts, a start or end outside of the range is ignored. */
function usable({ cidr, start, end }: IpRange): [bigint, bigint] {
  if (BITS[cidr.family] - cidr.prefix < HOST_BITS_MIN) {
    throw new Complaint(`the subnet ${cidr.text} is too small, it has no usable IP addresses`);
  }
  const [lowest, highest] = [cidr.first + 1n, cidr.last - 1n];
  const within = (address: IpAddress | undefined, from: bigint): address is IpAddress =>
    address?.family === cidr.family && address.value >= from && address.value <= highest;
  const first = within(start, lowest) ? start.value : lowest;
  return [first, within(end, first) ? end.value : highest];
}
