// A range as destination means all addresses in it. The CIDRs of rules cut it into parts with one result each, so one
// sample address represents the part. CIDRs are nested or disjoint:
//
//   0.0.0.0/0 ──┬── 8.0.0.0/8 ─── 8.8.8.0/24       each part is a CIDR without its children
//               └── 10.128.0.0/14
import {
  type Cidr,
  cidrContains,
  type IpAddress,
  ipFromValue,
  isGlobalUnicast,
  parseIp,
} from "../../apimachinery/meta/ip.ts";
import { SOMEBODY_OUTSIDE } from "./outside.ts";

export interface Part {
  readonly cidr: Cidr;
  /** An address of the CIDR that is in none of its children. */
  readonly sample: IpAddress;
  /** The enclosing CIDR; undefined for the range itself. */
  readonly parent: string | undefined;
}

interface Network {
  readonly cidr: Cidr;
  readonly parent: Network | undefined;
  readonly children: Cidr[];
}

/** Number of addresses tried at the start of each gap. */
const TRIES = 16n;

/** The non-empty parts, sorted by address, a CIDR before its children. `isTaken`: an object has the address. */
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

/** Undefined if the children cover the whole CIDR. */
function sampleOf(
  { cidr, children }: Network,
  isTaken: (address: IpAddress) => boolean,
): IpAddress | undefined {
  const nobody = parseIp(SOMEBODY_OUTSIDE[cidr.family]);
  const isLeft = (ip: IpAddress) => cidrContains(cidr, ip) && !children.some((one) => cidrContains(one, ip));
  if (nobody && isLeft(nobody) && !isTaken(nobody)) return nobody;
  let otherwise: IpAddress | undefined;
  for (const [first, last] of gapsOf(cidr, children)) {
    // The first address of a CIDR is usually the network address, so the second is tried first.
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
