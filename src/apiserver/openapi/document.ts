// One OpenAPI 3.0 document: the paths of one group version (or of one discovery level) and exactly those schemas
// that can be reached from them. The Swagger 2.0 document of all paths takes the same way.
import { pauseForOthers } from "../../meta/clock.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import {
  DELETE_OPTIONS_SCHEMA,
  METHODS,
  nameOfRef,
  type Operation,
  type Parameter,
  type PathItem,
  refTo,
  schemaNames,
  TEXT_SCHEMA,
  WATCH_EVENT_SCHEMA,
} from "./operation.ts";
import { customKindSchema, customListSchema } from "./published-schema.ts";

/** The schema of a name under components, or undefined. */
export type SchemaSource = (name: string) => JsonSchema | undefined;

export interface DocumentParts {
  readonly info: { readonly title: string; readonly version: string };
  readonly items: readonly PathItem[];
  readonly schemas: SchemaSource;
  /** Documents of custom resources do not say how clients identify themselves. */
  readonly security: boolean;
}

/** Others have their turn meanwhile. */
export async function openApiDocument(parts: DocumentParts): Promise<JsonObject> {
  const { info, items, schemas, security } = parts;
  const paths = await describePaths(items, { operation: describeOperation, parameter: describeParameter });
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: {
      schemas: await reachableSchemas(items, schemas),
      ...(security ? { securitySchemes: { BearerToken: BEARER_TOKEN } } : {}),
    },
  };
}

export const BEARER_TOKEN = {
  description: "A token in the authorization header, after the word Bearer.",
  type: "apiKey",
  name: "authorization",
  in: "header",
};

/** How a form of documents writes an operation, with the parameters that it does not share, and a parameter. */
export interface PathForm {
  operation(operation: Operation, own: () => readonly JsonObject[]): JsonObject;
  parameter(parameter: Parameter): JsonObject;
}

/** What is said of each path, by the paths. Others have their turn meanwhile. */
export async function describePaths(
  items: readonly PathItem[],
  form: PathForm,
): Promise<Record<string, JsonObject>> {
  const paths: [string, JsonObject][] = [];
  for (const item of items) {
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    paths.push([item.path, pathItem(item, form)]);
  }
  return Object.fromEntries(paths);
}

/** Parameters that all operations of a path have stand with the path. */
function pathItem({ operations }: PathItem, form: PathForm): JsonObject {
  const [first, ...others] = operations;
  const common = new Set(
    first?.parameters.filter((item) => others.every((other) => other.parameters.includes(item))),
  );
  const describe = (parameters: Iterable<Parameter>) =>
    [...parameters].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))).map(form.parameter);
  const out: JsonObject = {};
  for (const method of METHODS) {
    const operation = operations.find((candidate) => candidate.method === method);
    if (operation === undefined) continue;
    const own = operation.parameters.filter((item) => !common.has(item));
    out[method] = form.operation(operation, () => describe(own));
  }
  if (common.size > 0) out["parameters"] = describe(common);
  return out;
}

function describeOperation(operation: Operation, own: () => readonly JsonObject[]): JsonObject {
  const { body, consumes, produces } = operation;
  const parameters = own();
  const content = (mediaTypes: readonly string[], schema: string): JsonObject =>
    Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: schemaNamed(schema, refTo) }]));
  const required = body?.required ? { required: true } : {};
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: { content: content(consumes, body.schema), ...required } }),
    responses: describeResponses(operation, (schema) => ({ content: content(produces, schema) })),
    ...extensionsOf(operation),
  };
}

/** What is answered, by the name of its schema. */
export const schemaNamed = (name: string, refTo: (name: string) => JsonObject): JsonObject =>
  name === TEXT_SCHEMA ? { type: "string" } : refTo(name);

const RESPONSE_DESCRIPTION: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
};

export function describeResponses(
  { responses }: Operation,
  describeSchema: (schema: string) => JsonObject,
): JsonObject {
  const out: JsonObject = {};
  for (const [code, schema] of Object.entries(responses))
    out[code] = { description: RESPONSE_DESCRIPTION[Number(code)], ...describeSchema(schema) };
  out["401"] = { description: "Unauthorized" };
  return out;
}

export const extensionsOf = ({ action, kind }: Operation): JsonObject => ({
  ...(action === undefined ? {} : { "x-kubernetes-action": action }),
  ...(kind === undefined ? {} : { "x-kubernetes-group-version-kind": kind }),
});

function describeParameter({ name, in: place, type, description }: Parameter): JsonObject {
  const required = place === "path" ? { required: true } : {};
  return { name, in: place, description, ...required, schema: { type, uniqueItems: true } };
}

/** The schemas of bodies and answers and of all that they refer to, by name. Others have their turn meanwhile. */
export async function reachableSchemas(
  items: readonly PathItem[],
  schemas: SchemaSource,
): Promise<Record<string, JsonSchema>> {
  const found = new Map<string, JsonSchema>();
  const open = items.flatMap(({ operations }) =>
    operations.flatMap(({ body, responses }) => [body?.schema ?? [], Object.values(responses)].flat()),
  );
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === TEXT_SCHEMA || found.has(name)) continue;
    const pause = pauseForOthers();
    if (pause !== undefined) await pause;
    const schema = schemas(name);
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    found.set(name, schema);
    collectRefs(schema, open);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function collectRefs(value: unknown, into: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collectRefs(item, into);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === "$ref" && typeof item === "string") into.push(nameOfRef(item));
      else collectRefs(item, into);
    }
  }
}

/** Gives the schema behind "#/components/schemas/<name>" of a built-in type; for none, undefined or an error. */
export type DefinitionByRef = (ref: string) => JsonSchema | undefined;

/**
 * Custom resources bring their own schemas; built-in kinds and the types of the protocol are defined by name. Of these
 * DeleteOptions and WatchEvent belong to several group versions at once, each "apps/v1" or "/v1".
 */
export function schemaSource(
  views: readonly ResourceView[],
  definitionByRef: DefinitionByRef,
  sharedBy: readonly string[],
): SchemaSource {
  const made = new Map<string, () => JsonSchema>();
  for (const view of views) {
    if (!view.definition.custom) continue;
    const names = schemaNames(view);
    made.set(names.kind, () => customKindSchema(view));
    made.set(names.list, () => customListSchema(view));
  }
  return (name) => {
    const schema = made.get(name)?.() ?? definitionByRef(refTo(name).$ref);
    if (schema === undefined || (name !== DELETE_OPTIONS_SCHEMA && name !== WATCH_EVENT_SCHEMA))
      return schema;
    const kinds = sharedBy.map((groupVersion) => {
      const [group, version] = groupVersion.split("/");
      return { group, kind: name.slice(name.lastIndexOf(".") + 1), version };
    });
    return { ...schema, "x-kubernetes-group-version-kind": kinds };
  };
}

/** Every version that a Kubernetes client knows. */
export const KNOWN_GROUP_VERSIONS: readonly string[] = `
  /v1 admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1
  apps/v1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1 authentication.k8s.io/v1alpha1
  authentication.k8s.io/v1beta1 authorization.k8s.io/v1 authorization.k8s.io/v1beta1 autoscaling/v1 autoscaling/v2
  batch/v1 batch/v1beta1 certificates.k8s.io/v1 certificates.k8s.io/v1alpha1 certificates.k8s.io/v1beta1
  coordination.k8s.io/v1 coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1 discovery.k8s.io/v1
  discovery.k8s.io/v1beta1 events.k8s.io/v1 events.k8s.io/v1beta1 extensions/v1beta1
  flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2
  flowcontrol.apiserver.k8s.io/v1beta3 internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1
  networking.k8s.io/v1beta1 node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1 policy/v1beta1
  rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1
  resource.k8s.io/v1 resource.k8s.io/v1alpha3 resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 scheduling.k8s.io/v1
  scheduling.k8s.io/v1alpha2 scheduling.k8s.io/v1beta1 storage.k8s.io/v1 storage.k8s.io/v1alpha1
  storage.k8s.io/v1beta1 storagemigration.k8s.io/v1beta1`
  .trim()
  .split(/\s+/);
