// One OpenAPI 3.0 document: the paths of one group version (or of one discovery level) and exactly the schemas that
// they reach. The Swagger 2.0 document of all paths is generated in the same way.
import type { JsonObject } from "../../../apimachinery/json/json.ts";
import { METHODS, type Operation, type Parameter, type PathItem, refTo, TEXT_SCHEMA } from "./operation.ts";
import type { Composed, Dialect } from "./parts.ts";

export const OPENAPI_V3: Dialect = {
  path: (item) => describePath(item, { operation: describeOperation, parameter: describeParameter }),
  schema: (schema) => schema,
};

export interface Framing {
  readonly info: { readonly title: string; readonly version: string };
  /** Documents of custom resources have no security section. */
  readonly security: boolean;
}

export function openApiDocument({ info, security }: Framing, { paths, schemas }: Composed): object {
  const securitySchemes = security ? { securitySchemes: { BearerToken: BEARER_TOKEN } } : {};
  return { openapi: "3.0.0", info, paths, components: { schemas, ...securitySchemes } };
}

export const BEARER_TOKEN = {
  description: "A token in the authorization header, after the word Bearer.",
  type: "apiKey",
  name: "authorization",
  in: "header",
};

/** Encodes operations, with their own parameters only, and parameters in one form of documents. */
export interface PathForm {
  operation(operation: Operation, own: () => readonly JsonObject[]): JsonObject;
  parameter(parameter: Parameter): JsonObject;
}

/** Parameters common to all operations of a path are listed at the path. */
export function describePath({ operations }: PathItem, form: PathForm): JsonObject {
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

/** The schema of a response. */
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

/** Every version known to Kubernetes clients. */
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
