// Anonymisation of numbers. Numbers that verdicts compare, order or count are kept: ports, prefix lengths, priorities,
// weights, DSCP values, marks, replicas, times and quantities (field-words.ts lists the members). Numbers that identify
// an organization or a person are mapped one to one within their class: autonomous systems, VLANs, users and groups of
// an operating system. Any other number of three digits or more becomes another number with as many digits.

import { NUMBERS } from "./field-words.ts";
import type { Keyed } from "./keyed.ts";

type Range = readonly [low: bigint, high: bigint];

const USERS = new Set("runAsUser runAsGroup fsGroup supplementalGroups uid gid".split(" "));
const SYSTEMS = new Set("asn ASN myASN peerASN localASN".split(" "));
const VLANS = new Set("vlan vlanID vlanId vlan-id".split(" "));

/** 0 is root and is kept. */
const USER_RANGES: readonly Range[] = [[1n, 2n ** 31n - 2n]];
/** 1 is the untagged VLAN; 4095 is reserved. */
const VLAN_RANGES: readonly Range[] = [[2n, 4094n]];
/** RFC 6996, 5398 and 7300: private numbers stay private, and those for documentation stay so. */
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
/** Numbers of one or two digits are kept. */
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

  /** The tag of a VLAN, whatever the name of its member is. */
  vlan = (value: number | bigint): number | bigint => this.#changed(value, "vlan", VLAN_RANGES);

  #changed(value: number | bigint, purpose: string, ranges?: readonly Range[]): number | bigint {
    // A fraction is dropped, since only integers have digits to keep.
    const whole = typeof value === "bigint" ? value : BigInt(Number.isFinite(value) ? Math.trunc(value) : 0);
    const size = whole < 0n ? -whole : whole;
    if (ranges === undefined && size < SMALL) return value;
    const range =
      ranges === undefined ? digitsOf(size) : ranges.find(([low, high]) => size >= low && size <= high);
    if (range === undefined) return value;
    const changed = this.#within(size, range, purpose) * (whole < 0n ? -1n : 1n);
    return typeof value === "bigint" ? changed : Number(changed);
  }

  /** A Feistel network over two halves, repeated until the number is within the range (cycle walking). */
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
