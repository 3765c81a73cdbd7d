// Numbers under other numbers. Those that verdicts compare, order or count stay: ports, prefix lengths, priorities, weights,
// DSCP values, marks, replicas, times and quantities (field-words.ts lists the members). Those that identify an organization
// or a person are exchanged one for one inside of their class: autonomous systems, VLANs, users and groups of an operating
// system. Of any other member a number of three digits or more becomes another one of as many digits.

import { NUMBERS } from "./field-words.ts";
import type { Keyed } from "./keyed.ts";

type Range = readonly [low: bigint, high: bigint];

const USERS = new Set("runAsUser runAsGroup fsGroup supplementalGroups uid gid".split(" "));
const SYSTEMS = new Set("asn ASN myASN peerASN localASN".split(" "));
const VLANS = new Set("vlan vlanID vlanId vlan-id".split(" "));

/** 0 is root, and stays. */
const USER_RANGES: readonly Range[] = [[1n, 2n ** 31n - 2n]];
/** 1 is the VLAN that has no tag; 4095 is reserved. */
const VLAN_RANGES: readonly Range[] = [[2n, 4094n]];
/** RFC 6996, 5398 and 7300: the private ones stay private, those for documents stay that. */
const SYSTEM_RANGES: readonly Range[] = [
  ...([
    [1n, 23_455n],
    [23_457n, 64_495n],
    [64_496n, 64_511n],
    [64_512n, 65_534n],
  ] as const),
  ...([
    [65_536n, 65_551n],
    [65_552n, 4_199_999_999n],
    [4_200_000_000n, 4_294_967_294n],
  ] as const),
];
/** Numbers of one or two digits stay. */
const SMALL = 100n;
const ROUNDS = 8;

export class Numbers {
  readonly #keyed: Keyed;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  /** The number of that member. */
  number(value: number | bigint, member: string): number | bigint {
    if (NUMBERS.has(member)) return value;
    const [purpose, ranges] = USERS.has(member)
      ? ["user", USER_RANGES]
      : SYSTEMS.has(member)
        ? ["system", SYSTEM_RANGES]
        : VLANS.has(member)
          ? ["vlan", VLAN_RANGES]
          : ["number", undefined];
    return this.#changed(value, purpose as string, ranges as readonly Range[] | undefined);
  }

  /** The tag of a VLAN, whatever its member is called. */
  vlan = (value: number | bigint): number | bigint => this.#changed(value, "vlan", VLAN_RANGES);

  #changed(value: number | bigint, purpose: string, ranges?: readonly Range[]): number | bigint {
    // What is no integer has no digits to keep: the part behind the point is dropped.
    const whole = typeof value === "bigint" ? value : BigInt(Number.isFinite(value) ? Math.trunc(value) : 0);
    const size = whole < 0n ? -whole : whole;
    if (ranges === undefined && size < SMALL) return value;
    const range =
      ranges === undefined ? digitsOf(size) : ranges.find(([low, high]) => size >= low && size <= high);
    if (range === undefined) return value;
    const changed = this.#within(size, range, purpose) * (whole < 0n ? -1n : 1n);
    return typeof value === "bigint" ? changed : Number(changed);
  }

  /** Feistel's network over two halves, walked on until the number is one of the range. */
  #within(value: bigint, [low, high]: Range, purpose: string): bigint {
    const size = high - low + 1n;
    const half = Math.max(1, Math.ceil((size - 1n).toString(2).length / 2));
    const mask = (1n << BigInt(half)) - 1n;
    let found = value - low;
    do {
      let [left, right] = [found >> BigInt(half), found & mask];
      for (let round = 0; round < ROUNDS; round++)
        [left, right] = [right, left ^ this.#keyed.number(`${purpose} ${low}`, `${round} ${right}`, half)];
      found = (left << BigInt(half)) | right;
    } while (found >= size);
    return low + found;
  }
}

/** All numbers of as many digits. */
function digitsOf(size: bigint): Range {
  const low = 10n ** BigInt(size.toString().length - 1);
  return [low, low * 10n - 1n];
}
