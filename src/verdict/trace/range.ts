// A range as a destination stands for all addresses in it. What rules speak of cuts it into parts, within which every address
// fares alike, so that one address answers for the whole part. Networks lie in each other or apart:
//
//   0.0.0.0/0 ──┬── 8.0.0.0/8 ─── 8.8.8.0/24       each part is a network without those that are cut out of it
//               └── 10.128.0.0/14
import {
  type Cidr,
  cidrContains,
  type IpAddress,
  ipFromValue,
  isGlobalUnicast,
  parseIp,
} from "../../meta/ip.ts";
import { SOMEBODY_OUTSIDE } from "./outside.ts";

export interface Part {
  readonly cidr: Cidr;
  /** Some address of it that is in none of its children. */
  readonly sample: IpAddress;
  /** The network out of which it is cut; undefined for the range itself. */
  readonly parent: string | undefined;
}

interface Network {
  readonly cidr: Cidr;
  readonly parent: Network | undefined;
  readonly children: Cidr[];
}

/** So many addresses are tried at the start of each gap. */
const TRIES = 16n;

/** The parts of which something is left, by address, a network before those in it. `isTaken`: somebody has the address. */
export function partsOf(range: Cidr, cuts: Iterable<Cidr>, isTaken: (address: IpAddress) => boolean): Part[] {
  return networksOf(range, cuts).flatMap((network) => {
    const sample = sampleOf(network, isTaken);
    return sample ? [{ cidr: network.cidr, sample, parent: network.parent?.cidr.text }] : [];
  });
}

export const isInside = (inner: Cidr, outer: Cidr): boolean =>
  inner.family === outer.family && inner.first >= outer.first && inner.last <= outer.last;

function networksOf(range: Cidr, cuts: Iterable<Cidr>): Network[] {
  const distinct = new Map([[range.text, range]]);
  for (const cut of cuts) if (isInside(cut, range)) distinct.set(cut.text, cut);
  const sorted = [...distinct.values()].sort((a, b) =>
    a.first === b.first ? a.prefix - b.prefix : a.first < b.first ? -1 : 1,
  );
  const networks: Network[] = [];
  let around: Network | undefined;
  for (const cidr of sorted) {
    while (around && !isInside(cidr, around.cidr)) around = around.parent;
    around?.children.push(cidr);
    around = { cidr, parent: around, children: [] };
    networks.push(around);
  }
  return networks;
}

/** undefined: its children are all of it. */
function sampleOf(
  { cidr, children }: Network,
  isTaken: (address: IpAddress) => boolean,
): IpAddress | undefined {
  const nobody = parseIp(SOMEBODY_OUTSIDE[cidr.family]);
  const isLeft = (ip: IpAddress) => cidrContains(cidr, ip) && !children.some((one) => cidrContains(one, ip));
  if (nobody && isLeft(nobody) && !isTaken(nobody)) return nobody;
  let otherwise: IpAddress | undefined;
  for (const [first, last] of gapsOf(cidr, children)) {
    // The first address of a network is mostly its name: the second goes before it.
    const tries = [
      first + 1n,
      first,
      ...Array.from({ length: Number(TRIES) }, (_, at) => first + 2n + BigInt(at)),
    ];
    for (const value of tries) {
      if (value > last) continue;
      const ip = ipFromValue(cidr.family, value);
      otherwise ??= ip;
      if (isGlobalUnicast(ip) && !isTaken(ip)) return ip;
    }
  }
  return otherwise;
}

function gapsOf({ first, last }: Cidr, children: readonly Cidr[]): [bigint, bigint][] {
  const gaps: [bigint, bigint][] = [];
  let next = first;
  for (const child of children) {
    if (child.first > next) gaps.push([next, child.first - 1n]);
    next = child.last + 1n;
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}
