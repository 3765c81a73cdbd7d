// What an X.509 certificate says of its subject, as Go's crypto/x509 reads it: OpenSSL's own reading of names is not used,
// because it decodes strings, and joins repeated attributes, in other ways.
import {
  BIG_INTEGER,
  BITS,
  BOOLEAN,
  type Element,
  listOf,
  OBJECT_ID,
  OCTETS,
  RAW,
  struct,
  unmarshal,
} from "../asn1.ts";
import { Asn1Error } from "../asn1-values.ts";
import { objectIdentifier } from "../der.ts";
import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./alternative-names.ts";
import { type DistinguishedName, readName } from "./distinguished-name.ts";

export interface CertificateSubject {
  readonly name: DistinguishedName;
  readonly names: AlternativeNames;
}

const ALGORITHM = struct("AlgorithmIdentifier", OBJECT_ID, { shape: RAW, isOptional: true });
const EXTENSIONS = listOf("", struct("Extension", OBJECT_ID, { shape: BOOLEAN, isOptional: true }, OCTETS));
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
const [SUBJECT_AT, EXTENSIONS_AT] = [5, 9];
const ALTERNATIVE_NAMES = objectIdentifier("2.5.29.17");

/** Throws Asn1Error for bytes that are no certificate, and for names that Go refuses. */
export function readCertificate(der: Buffer): CertificateSubject {
  const { value, rest } = unmarshal(der, CERTIFICATE);
  if (rest.length > 0) throw new Asn1Error("x509: trailing data");
  const body = value.items[0]?.items ?? [];
  const [subject, extensions] = [body[SUBJECT_AT], body[EXTENSIONS_AT]] as [Element, Element]; // as the shape requires
  const list = extensions.content.length === 0 ? [] : unmarshal(extensions.content, EXTENSIONS).value.items;
  const found = list.filter(({ items }) => items[0]?.bytes.equals(ALTERNATIVE_NAMES));
  const [first, second] = found;
  if (second !== undefined)
    throw new Asn1Error('x509: certificate contains duplicate extension with OID "2.5.29.17"');
  return {
    name: readName(subject.bytes, { allStrings: true }),
    names: first === undefined ? NO_NAMES : readAlternativeNames(first.items[2]?.content ?? Buffer.alloc(0)),
  };
}
