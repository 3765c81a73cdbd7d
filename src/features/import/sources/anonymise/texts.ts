// Anonymisation of texts: addresses in any notation are changed as addresses, all other parts word by word.
import { createHash } from "node:crypto";
import { type IpAddress, ipFromValue, parseCidr, parseIp } from "../../../../apimachinery/meta/ip.ts";
import { Addresses } from "./addresses.ts";
import { RESOURCES } from "./choice-words.ts";
import type { Keyed } from "./keyed.ts";
import { Numbers } from "./numbers.ts";
import { isPublicDomain, isPublicKey, isResourceName } from "./public-words.ts";
import { Words } from "./words.ts";

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const MAC = "[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}";
const COLONS = "[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:\\.\\d+){0,3}";
/** The notation in names, which must not contain colons. */
const DOTTED_IPV6 = "[0-9a-fA-F]{4}(?:\\.[0-9a-fA-F]{4}){7}";
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
const DASHED_IPV4 = `${OCTET}(?:-${OCTET}){3}`;
const NO_DIGIT_BEFORE = "(?<![0-9A-Za-z.:])";
const NO_DIGIT_BEHIND = "(?![0-9A-Za-z:]|\\.\\d)";

/** The first alternative that matches counts. */
const PARTS = new RegExp(
  [
    `${NO_DIGIT_BEFORE}(?<uuid>${UUID})(?![0-9A-Za-z])`,
    `${NO_DIGIT_BEFORE}(?<mac>${MAC})${NO_DIGIT_BEHIND}`,
    `${NO_DIGIT_BEFORE}(?<ipv6>${COLONS})(?<length6>/\\d{1,3})?${NO_DIGIT_BEHIND}`,
    `${NO_DIGIT_BEFORE}(?<dotted6>${DOTTED_IPV6})${NO_DIGIT_BEHIND}`,
    `${NO_DIGIT_BEFORE}(?<ipv4>${IPV4})(?<length4>/\\d{1,2})?(?![0-9A-Za-z]|\\.\\d)`,
    `(?<![0-9.])(?<dashed4>${DASHED_IPV4})(?![0-9])`,
    "(?<word>[\\p{L}\\p{N}]+)",
  ].join("|"),
  "gu",
);

export class Texts {
  readonly #keyed: Keyed;
  readonly #words: Words;
  readonly #addresses: Addresses;
  readonly numbers: Numbers;

  constructor(keyed: Keyed) {
    this.#keyed = keyed;
    this.#words = new Words(keyed);
    this.#addresses = new Addresses(keyed);
    this.numbers = new Numbers(keyed);
  }

  /** A name, a value, or any text that contains some. */
  text(text: string): string {
    return text.replace(PARTS, (...found) => {
      const groups = found.at(-1) as Readonly<Record<string, string | undefined>>; // it has names
      return this.#part(found[0] as string, groups);
    });
  }

  #part(part: string, groups: Readonly<Record<string, string | undefined>>): string {
    const { uuid, mac, ipv6, length6 = "", dotted6, ipv4, length4 = "", dashed4, word } = groups;
    if (uuid !== undefined) return this.uuid(uuid);
    if (mac !== undefined) return this.mac(mac);
    if (ipv6 !== undefined) return this.#address(ipv6, length6) ?? this.#wordsIn(part);
    if (dotted6 !== undefined) return this.#dotted6(dotted6);
    if (ipv4 !== undefined) return this.#address(ipv4, length4) ?? this.#wordsIn(part);
    if (dashed4 !== undefined)
      return this.#address(dashed4.replaceAll("-", "."), "")?.replaceAll(".", "-") ?? part;
    return word === undefined ? part : this.#words.word(asciiOf(word));
  }

  #wordsIn = (text: string): string =>
    text.replace(/[\p{L}\p{N}]+/gu, (word) => this.#words.word(asciiOf(word)));

  /** undefined: it is no address. */
  #address(text: string, length: string): string | undefined {
    if (length === "") {
      const ip = parseIp(text);
      return ip && this.#addresses.address(ip).text;
    }
    const cidr = parseCidr(`${text}${length}`);
    return cidr === undefined ? this.#address(text, "")?.concat(length) : this.#addresses.cidr(cidr);
  }

  /** All groups are written out, as in a CloudPrivateIPConfig's name. */
  #dotted6(text: string): string {
    const ip = parseIp(text.replaceAll(".", ":"));
    if (ip === undefined) return this.#wordsIn(text);
    const hex = this.#addresses.address(ip).value.toString(16).padStart(32, "0");
    return (hex.match(/.{4}/g) ?? []).join(".");
  }

  /** A pseudorandom UUID of the same form. */
  uuid(uuid: string): string {
    const hex = this.#keyed.bytes("uuid", uuid.toLowerCase()).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  /** A pod's MAC is derived from its anonymised address. Any other MAC becomes a locally administered one. */
  mac(mac: string): string {
    const lower = mac.toLowerCase();
    const bytes = lower.startsWith(POD_MAC)
      ? this.#podMac(lower)
      : `02:${groupsOf(this.#keyed.bytes("mac", lower)).slice(0, 5).join(":")}`;
    return bytes;
  }

  #podMac(mac: string): string {
    const value = BigInt(`0x${mac.slice(POD_MAC.length).replaceAll(":", "")}`);
    return macOf(this.#addresses.address(ipFromValue(4, value)));
  }

  /** The anonymised address. */
  address = (ip: IpAddress): IpAddress => this.#addresses.address(ip);

  /** Resource names of node capacities and pod requests. A quota may also count objects: count/RESOURCE.GROUP. */
  resourceKey(key: string): string {
    if (isResourceName(key)) return key;
    const [, resource = "", group = ""] = /^count\/([^.]*)\.?(.*)$/.exec(key) ?? [];
    return RESOURCES.has(resource) && isPublicDomain(group) ? key : this.key(key);
  }

  /** Keys of labels and annotations, and finalizers. */
  key(key: string): string {
    if (isPublicKey(key)) return key;
    const slash = key.indexOf("/");
    const domain = key.slice(0, Math.max(0, slash));
    return domain.includes(".") && isPublicDomain(domain)
      ? `${domain}/${this.text(key.slice(slash + 1))}`
      : this.text(key);
  }
}

/** The prefix of ovn-kubernetes' MACs, before four bytes. */
const POD_MAC = "0a:58:";

const groupsOf = (bytes: Buffer): string[] => [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));

/** ovn-kubernetes' derivation from a pod's address: its bytes, or the first bytes of a hash of its text. */
export function macOf({ family, value, text }: IpAddress): string {
  const bytes =
    family === 4
      ? Buffer.from(value.toString(16).padStart(8, "0"), "hex")
      : createHash("sha256").update(text).digest().subarray(0, 4);
  return `${POD_MAC}${groupsOf(bytes).join(":")}`;
}

/** Letters without a permutation here are replaced by their code. */
const asciiOf = (word: string): string =>
  word.replace(/[^A-Za-z0-9]/gu, (letter) => `u${(letter.codePointAt(0) ?? 0).toString(36)}`);
