// Prefix-preserving anonymisation of addresses. Two addresses that share their first k bits share exactly the first k
// bits afterwards, so that addresses stay in their networks (Xu, Fan, Ammar, Moon 2002). Each bit is flipped or not, by
// a keyed function of the bits before it.
//
//   10.128.0.5, 10.128.0.9 (/28 in common)   →   10.203.77.114, 10.203.77.126 (/28 in common)
//
// Well-known blocks keep their prefix: no bit of it is flipped. Inside some of them nothing changes.
import {
  type Cidr,
  cidrOf,
  type IpAddress,
  type IpFamily,
  ipFromValue,
  parseCidr,
} from "../../../../apimachinery/meta/ip.ts";
import type { Keyed } from "./keyed.ts";

/** Private blocks and other well-known ones: the prefix is kept, the bits inside are changed. */
const KEPT_BLOCKS = [
  ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"],
  ...["fd00::/8", "fc00::/8", "fe80::/64", "2001:db8::/32", "64:ff9b::/96"],
];

/** The same in every cluster, or defaults of ovn-kubernetes: kept unchanged. */
const SAME_EVERYWHERE = [
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32"],
  ...["100.64.0.0/16", "100.88.0.0/16"],
  ...["::/127", "ff00::/8", "fd69::/112", "fd97::/64", "fd98::/64"],
];

const BITS: Readonly<Record<IpFamily, number>> = { 4: 32, 6: 128 };
const cidrs = (texts: readonly string[]): Cidr[] => texts.flatMap((text) => parseCidr(text) ?? []);

export class Addresses {
  readonly #keyed: Keyed;
  readonly #known = new Map<string, bigint>();
  readonly #flips = new Map<string, bigint>();

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
  }

  address({ family, value, text }: IpAddress): IpAddress {
    let mapped = this.#known.get(text);
    if (mapped === undefined) {
      mapped = this.#map(family, value);
      this.#known.set(text, mapped);
    }
    return ipFromValue(family, mapped);
  }

  /** A network becomes a network; an address with a prefix length stays one. */
  cidr(cidr: Cidr): string {
    const mapped = this.address(cidr.address);
    const isNetwork = cidr.address.value === cidr.first && cidr.prefix < BITS[cidr.family];
    return isNetwork ? cidrOf(mapped, cidr.prefix).text : `${mapped.text}/${cidr.prefix}`;
  }

  #map(family: IpFamily, value: bigint): bigint {
    const bits = BITS[family];
    let mapped = 0n;
    for (let length = 0; length < bits; length++) {
      const shift = BigInt(bits - length);
      const bit = (value >> (shift - 1n)) & 1n;
      mapped = (mapped << 1n) | (bit ^ this.#flip(family, value >> shift, length));
    }
    return mapped;
  }

  /** Whether the bit behind this prefix changes: 1n if it does. */
  #flip(family: IpFamily, prefix: bigint, length: number): bigint {
    const node = `${family}/${length}/${prefix.toString(16)}`;
    let flip = this.#flips.get(node);
    if (flip === undefined) {
      flip = isFixed(family, prefix, length) ? 0n : BigInt(this.#keyed.bytes("address", node)[0] ?? 0) & 1n;
      this.#flips.set(node, flip);
    }
    return flip;
  }
}

/** The prefix leads to a kept block, or is inside of one that is kept unchanged. */
function isFixed(family: IpFamily, prefix: bigint, length: number): boolean {
  return BLOCKS[family].some((block) => {
    if (length < block.prefix) return block.value >> BigInt(block.prefix - length) === prefix;
    return block.isWhole && prefix >> BigInt(length - block.prefix) === block.value;
  });
}

interface Block {
  /** The first `length` bits. */
  readonly value: bigint;
  readonly prefix: number;
  readonly isWhole: boolean;
}

const blocksOf = (family: IpFamily): Block[] =>
  [KEPT_BLOCKS, SAME_EVERYWHERE].flatMap((texts, index) =>
    cidrs(texts)
      .filter((cidr) => cidr.family === family)
      .map(({ first, prefix }) => ({
        value: first >> BigInt(BITS[family] - prefix),
        prefix,
        isWhole: index === 1,
      })),
  );

const BLOCKS: Readonly<Record<IpFamily, readonly Block[]>> = { 4: blocksOf(4), 6: blocksOf(6) };
