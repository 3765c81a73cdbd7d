// Distinguished names (RFC 5280, 4.1.2.4) as Go's crypto/x509/pkix holds them. Certificate requests and client
// certificates are parsed by the same code. Signed names are encoded from the validated values: no unparsed byte of a
// request's subject reaches a certificate.
import { ANY, type Element, listOf, OBJECT_ID, setListOf, struct, unmarshal } from "../asn1.ts";
import { Asn1Error, decodeText } from "../asn1-values.ts";
import { objectIdentifier, sequence, sequenceOf, setOf, text } from "../der.ts";

/** The attributes that Go knows; of repeated commonName and serialNumber the last one counts. */
export interface DistinguishedName {
  readonly commonName: string;
  readonly serialNumber: string;
  readonly lists: Readonly<Record<ListedAttribute, readonly string[]>>;
  /** Values of X509_UID (1.3.6.1.4.1.57683.2), which Kubernetes reads from client certificates. */
  readonly uids: readonly string[];
}

/** In the order in which Go writes them. */
const LISTED = {
  country: "2.5.4.6",
  province: "2.5.4.8",
  locality: "2.5.4.7",
  streetAddress: "2.5.4.9",
  postalCode: "2.5.4.17",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
} as const;
export type ListedAttribute = keyof typeof LISTED;
const COMMON_NAME = "2.5.4.3";
const SERIAL_NUMBER = "2.5.4.5";
const X509_UID = "1.3.6.1.4.1.57683.2";

/** The content of an object identifier. Its encoding is unique, because non-minimal ones are rejected. */
const contentOf = (dotted: string): string => objectIdentifier(dotted).subarray(2).toString("hex");
const [COMMON_NAME_ID, SERIAL_NUMBER_ID, UID_ID] = [COMMON_NAME, SERIAL_NUMBER, X509_UID].map(contentOf);
const LISTED_IDS = new Map(
  (Object.keys(LISTED) as ListedAttribute[]).map((name) => [contentOf(LISTED[name]), name]),
);

const NAME_PART = struct("AttributeTypeAndValue", OBJECT_ID, ANY);
const NAME = listOf("RDNSequence", setListOf("RelativeDistinguishedNameSET", NAME_PART));
const UNIVERSAL_PRIMITIVE_MAX = 0x1f;

/**
 * The name in these bytes. Throws Asn1Error. A value whose type is no string in Go's encoding/asn1 (UniversalString
 * among them) is left out. With allStrings it is rejected, as in Go's certificate parser.
 */
export function readName(der: Buffer, { allStrings }: { readonly allStrings: boolean }): DistinguishedName {
  const found = new Map<string, string[]>();
  for (const set of unmarshal(der, NAME).value.items) {
    for (const { items } of set.items) {
      const [id, value] = items as [Element, Element]; // as the shape requires
      const given = value.tag <= UNIVERSAL_PRIMITIVE_MAX ? decodeText(value.tag, value.content) : undefined;
      if (given === undefined && allStrings) throw new Asn1Error("x509: unsupported string type");
      if (given === undefined) continue;
      const key = id.content.toString("hex");
      const values = found.get(key);
      if (values === undefined) found.set(key, [given]);
      else values.push(given);
    }
  }
  const valuesOf = (id = ""): readonly string[] => found.get(id) ?? [];
  const lists = Object.fromEntries([...LISTED_IDS].map(([id, name]) => [name, valuesOf(id)]));
  return {
    commonName: valuesOf(COMMON_NAME_ID).at(-1) ?? "",
    serialNumber: valuesOf(SERIAL_NUMBER_ID).at(-1) ?? "",
    lists: lists as DistinguishedName["lists"], // one for each attribute
    uids: valuesOf(UID_ID),
  };
}

/** The subject of a Kubernetes user: the common name is the name, organizations are the groups. */
export function userSubject(commonName: string, organization: readonly string[]): DistinguishedName {
  const none = Object.fromEntries(Object.keys(LISTED).map((name) => [name, []]));
  const lists = { ...(none as unknown as DistinguishedName["lists"]), organization }; // one for each attribute
  return { commonName, serialNumber: "", lists, uids: [] };
}

/** As Go's pkix.Name is marshalled: one set per attribute, other attributes dropped. */
export function encodeName({ commonName, serialNumber, lists }: DistinguishedName): Buffer {
  const names = Object.keys(LISTED) as ListedAttribute[];
  return sequenceOf([
    ...names.flatMap((name) => encodeSet(LISTED[name], lists[name])),
    ...encodeSet(COMMON_NAME, commonName === "" ? [] : [commonName]),
    ...encodeSet(SERIAL_NUMBER, serialNumber === "" ? [] : [serialNumber]),
  ]);
}

function encodeSet(id: string, values: readonly string[]): readonly Buffer[] {
  if (values.length === 0) return [];
  const type = objectIdentifier(id);
  return [setOf(values.map((value) => sequence(type, text(value))))];
}
