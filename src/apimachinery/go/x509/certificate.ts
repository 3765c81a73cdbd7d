// X.509 certificates as Go's crypto/x509 parses them. OpenSSL's parsing of names is not used, because it decodes
// strings and joins repeated attributes differently.
import type { KeyObject } from "node:crypto";
import {
  BIG_INTEGER,
  BITS,
  BOOLEAN,
  type Element,
  INTEGER,
  listOf,
  OBJECT_ID,
  OCTETS,
  RAW,
  type Shape,
  struct,
  unmarshal,
} from "../asn1.ts";
import { Asn1Error } from "../asn1-values.ts";
import { objectIdentifier } from "../der.ts";
import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./alternative-names.ts";
import { readTime } from "./certificate-times.ts";
import { type DistinguishedName, readName } from "./distinguished-name.ts";
import { readPublicKey } from "./public-key.ts";
import type { Signed } from "./signature.ts";

export interface Certificate {
  readonly der: Buffer;
  /** Names in DER: issuers are matched by their bytes. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly name: DistinguishedName;
  readonly version: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** In DER. */
  readonly publicKeyInfo: Buffer;
  /** undefined: of a type that Go cannot use. */
  readonly publicKey: KeyObject | undefined;
  readonly signed: Signed;
  readonly extensions: Extensions;
}

export interface Extensions {
  /** The value of subjectAltName; undefined: there is none. */
  readonly alternativeNames: Buffer | undefined;
  readonly names: AlternativeNames;
  /** undefined: there is no basicConstraints. */
  readonly isAuthority: boolean | undefined;
  readonly pathLengthMax: number | undefined;
  /** Whether keyUsage is absent, or permits signing certificates. */
  readonly maySignCertificates: boolean;
  /** Object identifiers, as the hexadecimal digits of their contents; empty without extKeyUsage. */
  readonly usages: readonly string[];
  readonly subjectKeyId: Buffer;
  readonly authorityKeyId: Buffer;
  /** Names or policies of issued certificates are constrained. */
  readonly hasConstraints: boolean;
  readonly hasUnknownCritical: boolean;
}

const ALGORITHM = struct("AlgorithmIdentifier", OBJECT_ID, { shape: RAW, isOptional: true });
const EXTENSION = struct("Extension", OBJECT_ID, { shape: BOOLEAN, isOptional: true }, OCTETS);
const BODY = struct(
  "tbsCertificate",
  { shape: RAW, isOptional: true, tag: 0 }, // version
  BIG_INTEGER, // serial number
  ALGORITHM,
  RAW, // issuer
  struct("validity", RAW, RAW),
  RAW, // subject
  struct("publicKeyInfo", ALGORITHM, BITS),
  { shape: RAW, isOptional: true, tag: 1 },
  { shape: RAW, isOptional: true, tag: 2 },
  { shape: RAW, isOptional: true, tag: 3 }, // extensions
);
const CERTIFICATE = struct("certificate", BODY, ALGORITHM, BITS);
/** The elements of a BODY. */
type Body = [Element, Element, Element, Element, Element, Element, Element, Element, Element, Element];
const VERSION_MAX = 3;

/** Throws Asn1Error for bytes that are no certificate, and for names and keys that Go rejects. */
export function readCertificate(der: Buffer): Certificate {
  const { value, rest } = unmarshal(der, CERTIFICATE);
  if (rest.length > 0) throw new Asn1Error("x509: trailing data");
  const [body, algorithm, signature] = value.items as [Element, Element, Element]; // as the shape requires
  const [versionTag, , inner, issuer, validity, subject, key, , , extensionsTag] = body.items as Body;
  if (!inner.bytes.equals(algorithm.bytes))
    throw new Asn1Error("x509: inner and outer signature algorithm identifiers don't match");
  const version = versionOf(versionTag);
  readName(issuer.bytes, { allStrings: true });
  const [from, until] = validity.items.map(readTime);
  return {
    der,
    issuer: issuer.bytes,
    subject: subject.bytes,
    name: readName(subject.bytes, { allStrings: true }),
    version,
    fromMs: from ?? Number.NaN,
    untilMs: until ?? Number.NaN,
    publicKeyInfo: key.bytes,
    publicKey: readPublicKey(key),
    signed: { bytes: body.bytes, algorithm, signature },
    extensions: readExtensions(version === VERSION_MAX ? extensionsTag.content : Buffer.alloc(0)),
  };
}

function versionOf({ content }: Element): number {
  const last = content.length === 0 ? 0 : unmarshal(content, INTEGER).value.content.at(-1);
  const version = (last ?? 0) + 1;
  if (version > VERSION_MAX) throw new Asn1Error("x509: invalid version");
  return version;
}

const idText = (dotted: string): string => objectIdentifier(dotted).subarray(2).toString("hex");
const ID = {
  subjectKeyId: idText("2.5.29.14"),
  keyUsage: idText("2.5.29.15"),
  alternativeNames: idText("2.5.29.17"),
  basicConstraints: idText("2.5.29.19"),
  nameConstraints: idText("2.5.29.30"),
  policyConstraints: idText("2.5.29.36"),
  authorityKeyId: idText("2.5.29.35"),
  extKeyUsage: idText("2.5.29.37"),
};
/** Extensions that are parsed here, or are irrelevant to a verification without policies. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(ID),
  ...["2.5.29.31", "2.5.29.32", "2.5.29.33", "2.5.29.54"].map(idText),
]);
const KEY_CERT_SIGN = 0b0000_0100;

const BASIC_CONSTRAINTS = struct(
  "basicConstraints",
  { shape: BOOLEAN, isOptional: true },
  { shape: INTEGER, isOptional: true },
);
const KEY_ID = struct("authKeyId", { shape: RAW, isOptional: true, tag: 0 });
const USAGES = listOf("", OBJECT_ID);

function readExtensions(list: Buffer): Extensions {
  const values = new Map<string, Buffer>();
  let hasUnknownCritical = false;
  const items = list.length === 0 ? [] : unmarshal(list, listOf("", EXTENSION)).value.items;
  for (const { items: parts } of items) {
    const [id, critical, value] = parts as [Element, Element, Element]; // as the shape requires
    const key = id.content.toString("hex");
    if (values.has(key)) throw new Asn1Error("x509: certificate contains duplicate extension");
    values.set(key, value.content);
    if (critical.content[0] === 0xff && !KNOWN.has(key)) hasUnknownCritical = true;
  }
  const read = (id: string, shape: Shape): Element | undefined => {
    const value = values.get(id);
    return value && unmarshal(value, shape).value;
  };
  const basic = read(ID.basicConstraints, BASIC_CONSTRAINTS);
  const [isAuthority, pathLength] = basic?.items ?? [];
  const usage = read(ID.keyUsage, BITS)?.content;
  const names = values.get(ID.alternativeNames);
  return {
    alternativeNames: names,
    names: names === undefined ? NO_NAMES : readAlternativeNames(names),
    isAuthority: basic && isAuthority?.content[0] === 0xff,
    pathLengthMax:
      pathLength === undefined || pathLength.content.length === 0 ? undefined : numberOf(pathLength),
    maySignCertificates: usage === undefined || isZero(usage) || ((usage[1] ?? 0) & KEY_CERT_SIGN) !== 0,
    usages: read(ID.extKeyUsage, USAGES)?.items.map(({ content }) => content.toString("hex")) ?? [],
    subjectKeyId: read(ID.subjectKeyId, OCTETS)?.content ?? Buffer.alloc(0),
    authorityKeyId: read(ID.authorityKeyId, KEY_ID)?.items[0]?.content ?? Buffer.alloc(0),
    hasConstraints: values.has(ID.nameConstraints) || values.has(ID.policyConstraints),
    hasUnknownCritical,
  };
}

const numberOf = ({ content }: Element): number => Number(BigInt(`0x${content.toString("hex")}`));
const isZero = (usage: Buffer): boolean => usage.subarray(1).every((byte) => byte === 0);
