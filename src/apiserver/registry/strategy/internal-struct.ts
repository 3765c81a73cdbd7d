// Values of built-in types as structs of Kubernetes' internal API (pkg/apis), which upstream shows in errors: all members
// in struct order, set or not. They are derived from the published schemas and the tables below.

import { isObject, type JsonObject, lookupTable, objectAt } from "../../../apimachinery/json/json.ts";
import { carryNotes, wasGivenEmpty } from "../../../apimachinery/meta/given-empty.ts";
import { goMembers, goStruct, structNamedBy } from "../../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../../apimachinery/schema/go/schema-library.ts";
import type { GoField } from "../../../apimachinery/schema/schema-node.ts";

interface GoMember {
  /** Name in errors. */
  readonly name: string;
  /** Key in objects. */
  readonly key: string;
  /** Shown value of a set but empty member. */
  readonly empty: unknown;
  readonly show: (value: unknown) => unknown;
}

const POD_SPEC = "io.k8s.api.core.v1.PodSpec";
const POD_SECURITY_CONTEXT = "io.k8s.api.core.v1.PodSecurityContext";

/** Members of the internal security context that the published API has in the spec itself. */
const OF_HOST = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
/** Member of the published struct only: the deprecated name of serviceAccountName. */
const PUBLISHED_ONLY = "serviceAccount";

/** Members that follow another one than in the published struct: of any type, or of one. */
const BEHIND: readonly (readonly [key: string, other: string, type?: string])[] = [
  ["setHostnameAsFQDN", "subdomain"],
  ["preemptionPolicy", "priority"],
  ["overhead", "runtimeClassName"],
  ["quobyte", "rbd"],
  ["flexVolume", "iscsi", "PersistentVolumeSpec"],
  ["fsGroupChangePolicy", "fsGroup"],
];

/** Whether the internal members of a definition are not modelled here. */
const isUnknown = (type: string): boolean =>
  /\.(?:EphemeralVolumeSource|PodCertificateProjection)$/.test(type);

/** First words of a key that are capitals in Go. */
const INITIALS =
  /^(?:api|aws|cel|csi|dns|fc|fs|gce|gmsa|grpc|http|ip|iscsi|nfs|os|rbd|se|ssl|tcp|tty|uid)(?=[A-Z]|$)/;
/** Members with another internal name. */
const NAMES: Readonly<Record<string, string>> = lookupTable({
  cephfs: "CephFS",
  storageos: "StorageOS",
  iqn: "IQN",
  wwids: "WWIDs",
  pdName: "PDName",
  diskURI: "DataDiskURI",
  endpoints: "EndpointsName",
  chapAuthDiscovery: "DiscoveryCHAPAuth",
  chapAuthSession: "SessionCHAPAuth",
});
const OF_RBD: Readonly<Record<string, string>> = lookupTable({
  monitors: "CephMonitors",
  image: "RBDImage",
  pool: "RBDPool",
  user: "RadosUser",
});

const goName = (key: string, type: string): string =>
  (/\.RBD(?:Persistent)?VolumeSource$/.test(type) ? OF_RBD[key] : undefined) ??
  NAMES[key] ??
  key.replace(INITIALS, (word) => word.toUpperCase()).replace(/^[a-z]/, (first) => first.toUpperCase());

const known = new Map<string, readonly GoMember[]>();

/** Members of a definition's internal struct, in its order. */
function membersOf(type: string): readonly GoMember[] {
  let members = known.get(type);
  if (members === undefined) {
    members = internalMembers(type);
    known.set(type, members);
  }
  return members;
}

function internalMembers(type: string): readonly GoMember[] {
  const published = publishedMembers(type);
  const isOfHost = ({ key }: GoMember): boolean => OF_HOST.includes(key);
  if (type === POD_SECURITY_CONTEXT)
    return inOrder(type, [...publishedMembers(POD_SPEC).filter(isOfHost), ...published]);
  if (type !== POD_SPEC) return inOrder(type, published);
  return inOrder(
    type,
    published.filter((member) => !isOfHost(member) && member.key !== PUBLISHED_ONLY),
  );
}

function inOrder(type: string, members: readonly GoMember[]): readonly GoMember[] {
  let ordered = members;
  for (const [key, other, of = ""] of BEHIND) {
    if (!type.endsWith(of)) continue;
    const moved = ordered.find((member) => member.key === key);
    if (moved === undefined) continue;
    const rest = ordered.filter((member) => member !== moved);
    ordered = rest.flatMap((member) => (member.key === other ? [member, moved] : [member]));
  }
  return ordered;
}

function publishedMembers(type: string): readonly GoMember[] {
  const definition = schemaLibrary().resolve(type);
  const { fields } = goStruct(definition);
  return goMembers(definition).map(([key, schema]) => ({
    name: goName(key, type),
    key,
    empty: schema["type"] === "array" ? [] : {},
    show: showerOf(key, schema, fields.get(key)),
  }));
}

/** Printer of a member's value, set or not. Types with JSON tags or their own MarshalJSON are shown as JSON. */
function showerOf(key: string, schema: JsonObject, field: GoField | undefined): GoMember["show"] {
  const ref = structNamedBy(schema);
  const struct = ref?.startsWith("io.k8s.api.") ? ref : undefined;
  const showItem =
    struct === undefined ? plain : (value: unknown) => structOf(struct, isObject(value) ? value : {});
  const orNull = (value: unknown): unknown =>
    value === undefined || value === null ? null : showItem(value);
  const { type } = schema;
  if (type === "array") return (value) => (Array.isArray(value) ? value.map(showItem) : null);
  if (type === "object") return sortedOrNull;
  if (ref?.endsWith(".LabelSelector")) return showSelector;
  if (ref?.endsWith(".Quantity") && field?.zero !== undefined) return (value) => value ?? "0";
  if (struct !== undefined) return field?.isValue || "default" in schema ? showItem : orNull;
  // The projected token's expirationSeconds is no pointer in the internal struct.
  const isNullable = ref !== undefined || field?.isPointer || field?.zero === null;
  if (isNullable && key !== "expirationSeconds") return orNull;
  return (value) => plain(value ?? (type === "boolean" ? false : type === "string" ? "" : 0));
}

/** The value contains a struct that is not modelled here. */
class UnknownStruct extends Error {}

/** A value of a type with the members of its struct, or with some of them. Throws UnknownStruct. */
export function structOf(type: string, value: JsonObject, members?: ReadonlySet<string>): JsonObject {
  if (isUnknown(type)) throw new UnknownStruct();
  const shown = membersOf(type).filter(({ key }) => members === undefined || members.has(key));
  return Object.fromEntries(
    shown.map(({ name, key, empty, show }) => {
      return [name, show(value[key] ?? (wasGivenEmpty(value, key) ? empty : undefined))];
    }),
  );
}

/** A pod's spec as its internal struct; undefined where it contains a struct that is not modelled. */
export function podSpecStruct(spec: JsonObject): JsonObject | undefined {
  try {
    return structOf(POD_SPEC, withHostContext(spec));
  } catch (error) {
    if (error instanceof UnknownStruct) return undefined;
    throw error;
  }
}

/** Copies the host settings (hostNetwork, hostPID, …) to the security context, which has them in the internal struct. */
function withHostContext(spec: JsonObject): JsonObject {
  const host = Object.fromEntries(
    OF_HOST.filter((key) => spec[key] !== undefined).map((key) => [key, spec[key]]),
  );
  const context = objectAt(spec, "securityContext");
  if (context === undefined && Object.keys(host).length === 0) return spec;
  const [shown, shownContext] = [{ ...spec }, { ...context, ...host }];
  carryNotes(spec, shown);
  if (context !== undefined) carryNotes(context, shownContext);
  return Object.assign(shown, { securityContext: shownContext });
}

/** JSON.stringify does not support bigint. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);

function sortedOrNull(map: unknown): unknown {
  if (!isObject(map)) return null;
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A selector has JSON tags, and shows only its set members. */
function showSelector(selector: unknown): unknown {
  if (!isObject(selector)) return null;
  const labels = sortedOrNull(selector["matchLabels"]);
  const { matchExpressions } = selector;
  return {
    ...(labels === null ? {} : { matchLabels: labels }),
    ...(Array.isArray(matchExpressions) && matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}
