// The API that a server publishes: discovery lists the kinds, OpenAPI v3 holds their schemas.
import { isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import type { Target } from "../conformance/runner/target.ts";

/** The part of a published schema that drawing needs. */
export interface PublishedSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly additionalProperties?: PublishedSchema | boolean;
  readonly items?: PublishedSchema;
  readonly allOf?: readonly PublishedSchema[];
  readonly oneOf?: readonly PublishedSchema[];
  readonly $ref?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly subresources: ReadonlySet<string>;
  /** Undefined where the server publishes none. */
  readonly schema: PublishedSchema | undefined;
  /** Resolves references within the document that contains the schema. */
  readonly resolve: (schema: PublishedSchema) => PublishedSchema;
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Returns all kinds that can be created, in the order of discovery. Throws when the server does not answer discovery. */
export async function servedKinds(target: Target): Promise<ServedKind[]> {
  const kinds: ServedKind[] = [];
  for (const path of ["/api", "/apis"]) {
    const { body, status } = await target.send({ path, headers: { accept: AGGREGATED } });
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
    for (const group of items(body, "items")) {
      const name = text(isObject(group["metadata"]) ? group["metadata"] : {}, "name");
      for (const version of items(group, "versions")) kinds.push(...(await kindsOf(target, name, version)));
    }
  }
  return kinds.filter(({ verbs }) => verbs.has("create"));
}

async function kindsOf(target: Target, group: string, found: JsonObject): Promise<ServedKind[]> {
  const version = text(found, "version");
  const place = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const { body } = await target.send({ path: `/openapi/v3/${place}` });
  const components = isObject(body) && isObject(body["components"]) ? body["components"] : {};
  const schemas = (components["schemas"] ?? {}) as Record<string, PublishedSchema>;
  const resolve = resolverOf(schemas);
  return items(found, "resources").map((resource) => {
    const responseKind = isObject(resource["responseKind"]) ? resource["responseKind"] : {};
    const kind = text(responseKind, "kind");
    return {
      group,
      version,
      kind,
      resource: text(resource, "resource"),
      namespaced: resource["scope"] === "Namespaced",
      verbs: new Set(strings(resource["verbs"])),
      subresources: new Set(items(resource, "subresources").map((one) => text(one, "subresource"))),
      schema: Object.values(schemas).find((schema) => isSchemaOf(schema, { group, version, kind })),
      resolve,
    };
  });
}

const REFERENCE = "#/components/schemas/";

/** Resolves `$ref`, `allOf` with one reference, and the first of `oneOf`. */
function resolverOf(schemas: Readonly<Record<string, PublishedSchema>>) {
  const resolve = (schema: PublishedSchema): PublishedSchema => {
    const [inner] = schema.allOf ?? [];
    if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.slice(REFERENCE.length)] ?? {});
    return inner === undefined ? schema : { ...resolve(inner), ...schema };
  };
  return resolve;
}

function isSchemaOf(
  schema: PublishedSchema,
  wanted: { group: string; version: string; kind: string },
): boolean {
  const names: unknown = (schema as JsonObject)["x-kubernetes-group-version-kind"];
  return (
    Array.isArray(names) &&
    names.length === 1 && // kinds that belong to every group, such as DeleteOptions, have many
    names.some((name: JsonObject) =>
      Object.entries(wanted).every(([member, value]) => (name[member] ?? "") === value),
    )
  );
}

const text = (object: JsonObject, member: string): string => {
  const value = object[member];
  return typeof value === "string" ? value : "";
};

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

function items(value: unknown, member: string): JsonObject[] {
  const list = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The path of its collection. */
export function collectionPath(
  { group, version, resource, namespaced }: ServedKind,
  namespace: string,
): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${namespaced ? `/namespaces/${namespace}` : ""}/${resource}`;
}
