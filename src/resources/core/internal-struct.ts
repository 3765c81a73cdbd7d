// Values of core types as the structs of Kubernetes' internal API (pkg/apis/core), which a real server shows where it
// refuses them: all members in the order of the struct, set or not. They follow from the published schemas, but for what the
// tables below say.
import { isObject, type JsonObject, lookupTable } from "../../meta/json.ts";
import { type GoField, goMembers, goStruct } from "../../schema/go/go-struct.ts";
import { schemaLibrary } from "../../schema/go/schema-library.ts";

type MemberForm = "text" | "quantity" | "number" | "truth" | "nullable" | "list" | "map" | "object";

interface GoMember {
  /** As it is shown. */
  readonly name: string;
  /** As objects have it. */
  readonly key: string;
  readonly form: MemberForm;
  /** Of the object, or of those in the list: the name of its definition. */
  readonly type: string | undefined;
}

export const POD_SPEC = "io.k8s.api.core.v1.PodSpec";
const POD_SECURITY_CONTEXT = "io.k8s.api.core.v1.PodSecurityContext";

/** What the internal security context has, and the published spec itself. */
export const OF_HOST = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
/** What only the published struct has: an old name of serviceAccountName. */
const PUBLISHED_ONLY = "serviceAccount";

/** Members that stand behind another one than in the published struct. */
const BEHIND: readonly (readonly [key: string, other: string])[] = [
  ["setHostnameAsFQDN", "subdomain"],
  ["preemptionPolicy", "priority"],
  ["overhead", "runtimeClassName"],
  ["quobyte", "rbd"],
  ["fsGroupChangePolicy", "fsGroup"],
];

/** Of other volumes the internal structs have other names, or the kind is not in use any more. */
const KNOWN_VOLUMES: ReadonlySet<string> = new Set(
  "CSI ConfigMap DownwardAPI EmptyDir HostPath Image NFS PersistentVolumeClaim Projected Secret"
    .split(" ")
    .map((name) => `io.k8s.api.core.v1.${name}VolumeSource`),
);

/** Whether the internal members of a definition are not known here. */
const isUnknown = (type: string): boolean =>
  (type.endsWith("VolumeSource") && !KNOWN_VOLUMES.has(type)) || type.endsWith(".PodCertificateProjection");

/** First words of a key that are capitals in Go. */
const INITIALS = /^(?:api|aws|csi|dns|fc|fs|gce|gmsa|grpc|http|ip|iscsi|nfs|os|rbd|se|tcp|tty)(?=[A-Z]|$)/;
const NAMES: Readonly<Record<string, string>> = lookupTable({ cephfs: "CephFS", storageos: "StorageOS" });

const goName = (key: string): string =>
  NAMES[key] ??
  key.replace(INITIALS, (word) => word.toUpperCase()).replace(/^[a-z]/, (first) => first.toUpperCase());

const known = new Map<string, readonly GoMember[]>();

/** The members of a definition's internal struct, in its order. */
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
    return inOrder([...publishedMembers(POD_SPEC).filter(isOfHost), ...published]);
  if (type !== POD_SPEC) return inOrder(published);
  return inOrder(published.filter((member) => !isOfHost(member) && member.key !== PUBLISHED_ONLY));
}

function inOrder(members: readonly GoMember[]): readonly GoMember[] {
  let ordered = members;
  for (const [key, other] of BEHIND) {
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
  return goMembers(definition).map(([key, schema]) => {
    const ref = refOf(schema) ?? refOf(schema["items"]);
    return {
      name: goName(key),
      key,
      form: formOf(key, schema, fields.get(key)),
      type: isStruct(ref) ? ref : undefined,
    };
  });
}

/** The definition that a schema is made of. */
function refOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { $ref, allOf } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  return Array.isArray(allOf) ? refOf(allOf[0]) : undefined;
}

/** A type of its own in JSON, or one whose members have tags for it, is shown as it is written. */
const isStruct = (ref: string | undefined): boolean => ref?.startsWith("io.k8s.api.core.") === true;

function formOf(key: string, schema: JsonObject, field: GoField | undefined): MemberForm {
  const ref = refOf(schema);
  const { type } = schema;
  if (type === "array") return "list";
  if (type === "object" || ref?.endsWith(".LabelSelector")) return "map";
  if (ref?.endsWith(".Quantity") && field?.zero !== undefined) return "quantity";
  if (isStruct(ref)) return field?.isValue || "default" in schema ? "object" : "nullable";
  // The projected token's is no pointer in the internal struct.
  if (key === "expirationSeconds") return "number";
  if (ref !== undefined || field?.isPointer || field?.zero === null) return "nullable";
  return type === "boolean" ? "truth" : type === "string" ? "text" : "number";
}

/** The value holds something of which the struct is not known here. */
export class UnknownStruct extends Error {}

/** A value of a core type with the members of its struct. Throws UnknownStruct. */
export function structOf(type: string, value: JsonObject): JsonObject {
  if (isUnknown(type)) throw new UnknownStruct();
  return Object.fromEntries(
    membersOf(type).map((member) => [member.name, memberOf(member, value[member.key])]),
  );
}

function memberOf({ form, type }: GoMember, value: unknown): unknown {
  switch (form) {
    case "text":
      return value ?? "";
    case "quantity":
      return value ?? "0";
    case "number":
      return plain(value ?? 0);
    case "truth":
      return value ?? false;
    case "list":
      return listOf(type, value);
    case "map":
      return isObject(value) && Object.keys(value).length > 0 ? sorted(value) : null;
    case "object":
      return structOf(type ?? "", isObject(value) ? value : {});
    case "nullable":
      if (value === undefined || value === null) return null;
      return type !== undefined && isObject(value) ? structOf(type, value) : plain(value);
  }
}

function listOf(type: string | undefined, value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return null;
  return value.map((item) => (type === undefined ? plain(item) : structOf(type, isObject(item) ? item : {})));
}

/** JSON.stringify cannot write the largest numbers. */
const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);

const sorted = (map: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
