// subjectAltName (RFC 5280, 4.2.1.6) as Go's crypto/x509 decodes and encodes it.
import { type Element, RAW, unmarshal } from "../asn1.ts";
import { Asn1Error } from "../asn1-values.ts";
import { sequenceOf, taggedBytes } from "../der.ts";
import { goQuote } from "../strconv.ts";
import { parseUrl } from "../url.ts";

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  /** 4 or 16 bytes each. */
  readonly addresses: readonly Buffer[];
  readonly uris: readonly string[];
}

export const NO_NAMES: AlternativeNames = { dns: [], emails: [], addresses: [], uris: [] };

const [EMAIL, DNS, URI, ADDRESS] = [1, 2, 6, 7];
const CONTEXT = 0x80;
const SEQUENCE = 0x30;

/** Throws Asn1Error. Names of other types are left out. */
export function readAlternativeNames(extension: Buffer): AlternativeNames {
  const names = {
    dns: [] as string[],
    emails: [] as string[],
    addresses: [] as Buffer[],
    uris: [] as string[],
  };
  for (const { tag, content } of itemsOf(extension)) {
    switch (tag ^ CONTEXT) {
      case EMAIL:
        names.emails.push(ascii(content, "rfc822Name"));
        break;
      case DNS:
        names.dns.push(ascii(content, "dNSName"));
        break;
      case URI:
        names.uris.push(checkedUri(ascii(content, "uniformResourceIdentifier")));
        break;
      case ADDRESS:
        if (content.length !== 4 && content.length !== 16)
          throw new Asn1Error(`x509: cannot parse IP address of length ${content.length}`);
        names.addresses.push(content);
        break;
      default:
    }
  }
  return names;
}

/** Lazily, so that the error of a name is reported before errors of later names. */
function* itemsOf(extension: Buffer): Generator<Element> {
  const list = readElement(extension, "names").value;
  if (list.tag !== SEQUENCE) throw new Asn1Error("x509: invalid subject alternative names");
  for (let left = list.content; left.length > 0; ) {
    const { value, rest } = readElement(left, "name");
    yield value;
    left = rest;
  }
}

function readElement(bytes: Buffer, what: string) {
  try {
    return unmarshal(bytes, RAW);
  } catch (error) {
    if (!(error instanceof Asn1Error)) throw error;
    throw new Asn1Error(`x509: invalid subject alternative ${what}`, { cause: error });
  }
}

function ascii(bytes: Buffer, sort: string): string {
  if (bytes.some((byte) => byte >= 0x80)) throw new Asn1Error(`x509: SAN ${sort} is malformed`);
  return bytes.toString("latin1");
}

function checkedUri(uri: string): string {
  const parsed = parseUrl(uri);
  if (typeof parsed === "string") throw new Asn1Error(`x509: cannot parse URI ${goQuote(uri)}: ${parsed}`);
  if (parsed.host !== "" && !isDomainName(parsed.host))
    throw new Asn1Error(`x509: cannot parse URI ${goQuote(uri)}: invalid domain`);
  return uri;
}

const isDomainName = (host: string): boolean =>
  /^[!-~]+$/.test(host) && host.split(".").every((label) => label !== "");

/** The value of the extension; undefined: there is no name. */
export function encodeAlternativeNames({
  dns,
  emails,
  addresses,
  uris,
}: AlternativeNames): Buffer | undefined {
  const texts = (tag: number, names: readonly string[]) =>
    names.map((name) => taggedBytes(tag, Buffer.from(name, "latin1")));
  const names = [
    ...texts(DNS, dns),
    ...texts(EMAIL, emails),
    ...addresses.map((address) => taggedBytes(ADDRESS, shortAddress(address))),
    ...texts(URI, uris),
  ];
  return names.length === 0 ? undefined : sequenceOf(names);
}

const V4_IN_V6 = Buffer.from("00000000000000000000ffff", "hex");

/** IPv4 in 4 bytes. */
const shortAddress = (address: Buffer): Buffer =>
  address.length === 16 && address.subarray(0, 12).equals(V4_IN_V6) ? address.subarray(12) : address;
