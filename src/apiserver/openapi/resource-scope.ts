// What all operations of one served resource have in common, and how an operation is put together from it. Custom
// resources speak JSON and YAML; built-in kinds also protobuf.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { customSchemaName, operationId, operationTag, referencedName } from "./names.ts";
import type { GroupVersionKind, Operation } from "./paths/operation.ts";
import { NAMESPACE, nameParameter, type Parameter, PRETTY } from "./paths/parameters.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
export const STATUS_SCHEMA = `${META}.Status`;
export const PATCH_SCHEMA = `${META}.Patch`;
export const DELETE_OPTIONS_SCHEMA = `${META}.DeleteOptions`;
export const WATCH_EVENT_SCHEMA = `${META}.WatchEvent`;

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
const BUILT_IN_PRODUCES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const CUSTOM_MEDIA = [JSON_TYPE, YAML_TYPE];
const STREAMS = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];
export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

/** What the operations of one resource have in common. */
export interface Scope {
  readonly view: ResourceView;
  readonly verbs: ReadonlySet<string>;
  readonly base: string;
  /** "Namespaced" in operation ids, or "". */
  readonly scopeWord: string;
  readonly schema: string;
  readonly listSchema: string;
  readonly kind: GroupVersionKind;
  readonly pathParameters: readonly Parameter[];
}

/** Name of the schema of a kind, and of its list, in OpenAPI documents. */
export function schemaNames({ definition, version }: ResourceView): { kind: string; list: string } {
  const { group, kind, listKind, custom } = definition;
  const builtIn = custom ? undefined : referencedName(version.schema);
  if (builtIn === undefined) {
    return {
      kind: customSchemaName(group, version.name, kind),
      list: customSchemaName(group, version.name, listKind),
    };
  }
  return { kind: builtIn, list: builtIn.slice(0, builtIn.lastIndexOf(".") + 1) + listKind };
}

export function scopeOf(view: ResourceView): Scope {
  const { definition, version } = view;
  const { group, kind, namespaceScoped } = definition;
  const names = schemaNames(view);
  return {
    view,
    verbs: new Set<string>(definition.verbs),
    base: group === "" ? `/api/${version.name}` : `/apis/${group}/${version.name}`,
    scopeWord: namespaceScoped ? "Namespaced" : "",
    schema: names.kind,
    listSchema: names.list,
    kind: { group, version: version.name, kind },
    pathParameters: namespaceScoped ? [NAMESPACE, PRETTY] : [PRETTY],
  };
}

/** The scope of paths that name an object. */
export function withName(scope: Scope): Scope {
  const name = nameParameter(scope.view.definition.kind);
  return { ...scope, pathParameters: [name, ...scope.pathParameters] };
}

/** The scope of paths that reach into all namespaces. */
export function everywhere(scope: Scope): Scope {
  return { ...scope, pathParameters: [PRETTY] };
}

export type OperationParts = Pick<Operation, "method" | "parameters" | "responses"> &
  Partial<Pick<Operation, "body" | "consumes" | "produces" | "kind">> & {
    readonly action: string;
    /** How the operation id begins, and what stands behind group and version in it. */
    readonly id: readonly [verb: string, rest: string];
    readonly description: string;
  };

export function operation({ view, kind, pathParameters }: Scope, parts: OperationParts): Operation {
  const { custom } = view.definition;
  const { id, parameters, ...others } = parts;
  return {
    consumes: custom ? CUSTOM_MEDIA : ["*/*"],
    produces: custom ? CUSTOM_MEDIA : BUILT_IN_PRODUCES,
    kind,
    ...others,
    id: operationId(id[0], kind.group, kind.version, id[1]),
    tag: operationTag(kind.group, kind.version),
    parameters: [...pathParameters, ...parameters],
  };
}

/** Lists and watches of built-in kinds may also be a stream of events. */
export const withStreams = ({ view }: Scope): Pick<OperationParts, "produces"> =>
  view.definition.custom ? {} : { produces: [...BUILT_IN_PRODUCES, ...STREAMS] };
