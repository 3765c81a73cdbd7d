// CustomResourceDefinitions in the form of v1beta1, in which every kube-apiserver still stores them because it is
// smaller: properties common to all versions are at the top level. The rules are those of apiextensions-apiserver's
// conversion.go.
import {
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { type MemberOrder, type OrderedMember, orderWithin } from "../../apimachinery/json/json-encode.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";

const GROUP = "apiextensions.k8s.io";
const SHARED = ["validation", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** Converts to v1. */
export function crdFromV1beta1(crd: Readonly<JsonObject>): JsonObject {
  const given = objectAt(crd, "spec") ?? {};
  const { version: _version, versions: _versions, conversion: _conversion, ...rest } = given;
  for (const member of SHARED) delete rest[member];
  const conversion = objectAt(given, "conversion");
  const spec = {
    ...rest,
    preserveUnknownFields: given["preserveUnknownFields"] ?? true,
    ...(conversion === undefined ? {} : { conversion: conversionOf(conversion) }),
    versions: versionsOf(given).map((version) => versionOf(version, given)),
  };
  return { ...crd, apiVersion: `${GROUP}/v1`, spec };
}

/** Without `versions` there is one version, which is served and stored. */
function versionsOf(spec: JsonObject): JsonObject[] {
  const versions = objectsAt(spec, "versions");
  return versions.length > 0 ? versions : [{ name: textAt(spec, "version"), served: true, storage: true }];
}

function versionOf(version: JsonObject, spec: JsonObject): JsonObject {
  const { schema, subresources, additionalPrinterColumns, selectableFields, ...rest } = version;
  const columns = Array.isArray(additionalPrinterColumns)
    ? objectsAt(version, "additionalPrinterColumns")
    : objectsAt(spec, "additionalPrinterColumns");
  const shared = {
    schema: schema ?? spec["validation"] ?? ANYTHING,
    subresources: subresources ?? spec["subresources"],
    selectableFields: selectableFields ?? spec["selectableFields"],
  };
  return {
    ...rest,
    ...cloneJson(present(shared)),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns.map(columnOf) } : {}),
  };
}

const ANYTHING = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

const columnOf = ({ JSONPath, ...column }: JsonObject): JsonObject =>
  JSONPath === undefined ? column : { ...column, jsonPath: JSONPath };

function conversionOf(conversion: JsonObject): JsonObject {
  const { strategy, webhookClientConfig } = conversion;
  const given = textsAt(conversion, "conversionReviewVersions");
  const conversionReviewVersions = given.length === 0 && strategy === "Webhook" ? ["v1beta1"] : given;
  if (!isObject(webhookClientConfig) && conversionReviewVersions.length === 0) return { strategy };
  return { strategy, webhook: present({ clientConfig: webhookClientConfig, conversionReviewVersions }) };
}

/** Converts from v1. The result shares unchanged parts with the input. */
export function crdToV1beta1(crd: Readonly<JsonObject>): JsonObject {
  const { versions: _versions, conversion, preserveUnknownFields, ...rest } = objectAt(crd, "spec") ?? {};
  const { shared, versions } = sharedOf(objectsAt(objectAt(crd, "spec"), "versions").map(versionToV1beta1));
  const spec = present({
    ...rest,
    version: versions[0]?.["name"],
    ...shared,
    versions,
    conversion: isObject(conversion) ? conversionToV1beta1(conversion) : undefined,
    preserveUnknownFields: preserveUnknownFields === true,
  });
  return { ...crd, apiVersion: `${GROUP}/v1beta1`, spec };
}

/** Splits the versions into common properties and the rest. selectableFields stay with their schema. */
function sharedOf(versions: readonly JsonObject[]): { shared: JsonObject; versions: JsonObject[] } {
  const [first = {}] = versions;
  const isAlike = (member: string): boolean =>
    versions.every((version) => equalJson(listOrNone(version[member]), listOrNone(first[member])));
  const alike = ["subresources", "schema", "additionalPrinterColumns"].filter(isAlike);
  if (alike.includes("schema") && isAlike("selectableFields")) alike.push("selectableFields");
  const { schema, ...shared } = Object.fromEntries(alike.map((member) => [member, first[member]]));
  return {
    shared: { ...shared, validation: schema },
    versions: versions.map((version) =>
      Object.fromEntries(Object.entries(version).filter(([member]) => !alike.includes(member))),
    ),
  };
}

/** Go does not distinguish an empty list from an absent one. */
const listOrNone = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? null : (value ?? null);

function versionToV1beta1(version: JsonObject): JsonObject {
  const columns = objectsAt(version, "additionalPrinterColumns");
  if (columns.length === 0) return version;
  return {
    ...version,
    additionalPrinterColumns: columns.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath })),
  };
}

function conversionToV1beta1({ strategy, webhook }: JsonObject): JsonObject {
  if (!isObject(webhook)) return { strategy };
  const { clientConfig: webhookClientConfig, conversionReviewVersions } = webhook;
  return present({ strategy, webhookClientConfig, conversionReviewVersions });
}

const present = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

/** The member order of v1beta1, derived from that of v1: their shared structs have the same order. */
export const v1beta1Order = memoize((v1: MemberOrder): MemberOrder => {
  const within = (path: string): MemberOrder | undefined =>
    path
      .split(".")
      .reduce<MemberOrder | undefined>(
        (order, key) => (key === "[]" ? order?.items : orderWithin(order, key)),
        v1,
      );
  const columns = listOf(struct(COLUMN.map((name) => [name])));
  const versionMembers = [...(within(VERSION)?.members?.keys() ?? [])].map(
    (name): Member => [name, name === "additionalPrinterColumns" ? columns : within(`${VERSION}.${name}`)],
  );
  const spec = struct([
    ["group"],
    ["version"],
    ["names", within("spec.names")],
    ["scope"],
    ["validation", within(`${VERSION}.schema`)],
    ["subresources", within(`${VERSION}.subresources`)],
    ["versions", listOf(struct(versionMembers))],
    ["additionalPrinterColumns", columns],
    ["selectableFields", within(`${VERSION}.selectableFields`)],
    [
      "conversion",
      struct([
        ["strategy"],
        ["webhookClientConfig", within("spec.conversion.webhook.clientConfig")],
        ["conversionReviewVersions"],
      ]),
    ],
    ["preserveUnknownFields"],
  ]);
  return struct([...(v1.members?.keys() ?? [])].map((name) => [name, name === "spec" ? spec : within(name)]));
});

const VERSION = "spec.versions.[]";
const COLUMN = ["name", "type", "format", "description", "priority", "JSONPath"];

type Member = readonly [name: string, order?: MemberOrder | undefined];

const struct = (members: readonly Member[]): MemberOrder => ({
  members: new Map(members.map(([name, order], place): [string, OrderedMember] => [name, { place, order }])),
  values: undefined,
  items: undefined,
});

const listOf = (items: MemberOrder): MemberOrder => ({ members: undefined, values: undefined, items });
