// One API operation in a form from which OpenAPI 3.0 and Swagger 2.0 are generated, and the names of operations and
// schemas. Generated clients depend on these names, so their derivation is fixed.

import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import { PROTOBUF_TYPE } from "../protobuf/codec.ts";

export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
export type Method = (typeof METHODS)[number];

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** x-kubernetes-action: list, post, deletecollection … */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  /** All parameters, including those of the path. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: string; readonly required: boolean } | undefined;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Schema name by status code. 401 is implied. */
  readonly responses: Readonly<Record<number, string>>;
}

export interface PathItem {
  readonly path: string;
  readonly operations: readonly Operation[];
}

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
export const STATUS_SCHEMA = `${META}.Status`;
export const PATCH_SCHEMA = `${META}.Patch`;
export const DELETE_OPTIONS_SCHEMA = `${META}.DeleteOptions`;
export const WATCH_EVENT_SCHEMA = `${META}.WatchEvent`;
/** Pseudo-name for a response that is text. */
export const TEXT_SCHEMA = "string";

/** Media types of built-in kinds. Custom resources support JSON and YAML. */
export const ALL_MEDIA: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const CUSTOM_MEDIA = [JSON_TYPE, YAML_TYPE];
export const ANY_MEDIA: readonly string[] = ["*/*"];

/** The common parts of the operations of one resource. */
export interface Scope {
  readonly view: ResourceView;
  /** "Namespaced" in operation ids, or "". */
  readonly scopeWord: string;
  readonly schema: string;
  readonly listSchema: string;
  readonly kind: GroupVersionKind;
  readonly pathParameters: readonly Parameter[];
}

export function scopeOf(view: ResourceView): Scope {
  const { definition, version } = view;
  const { group, kind, namespaceScoped } = definition;
  const names = schemaNames(view);
  return {
    view,
    scopeWord: namespaceScoped ? "Namespaced" : "",
    schema: names.kind,
    listSchema: names.list,
    kind: { group, version: version.name, kind },
    pathParameters: namespaceScoped ? [NAMESPACE, ...PRETTY] : PRETTY,
  };
}

/** The scope of paths that name an object. The description of the name parameter mentions `kind`. */
export function withName(scope: Scope, kind = scope.view.definition.kind): Scope {
  const name = nameParameter(kind);
  return { ...scope, pathParameters: [name, ...scope.pathParameters] };
}

/** The scope of paths across all namespaces. */
export const everywhere = (scope: Scope): Scope => ({ ...scope, pathParameters: PRETTY });

export type OperationParts = Pick<Operation, "method" | "parameters" | "responses" | "description"> &
  Partial<Pick<Operation, "body" | "consumes" | "produces">> & {
    readonly action: string;
    /** The verb at the start of the operation id, and the part after group and version. */
    readonly id: readonly [verb: string, rest: string];
  };

export function operation({ view, kind, pathParameters }: Scope, parts: OperationParts): Operation {
  const { custom } = view.definition;
  const { id, parameters, ...others } = parts;
  const [group, version] = [camelCase(shortGroup(kind.group), true), camelCase(kind.version, true)];
  return {
    consumes: custom ? CUSTOM_MEDIA : ANY_MEDIA,
    produces: custom ? CUSTOM_MEDIA : ALL_MEDIA,
    kind,
    ...others,
    id: id[0] + group + version + id[1],
    tag: operationTag(kind.group, kind.version),
    parameters: [...pathParameters, ...parameters],
  };
}

/** The tag of all operations of a group version (k8sOvnOrg_v1), or of a group without a version. */
export function operationTag(group: string, version?: string): string {
  const head = camelCase(shortGroup(group), false);
  return version === undefined ? head : `${head}_${camelCase(version, false)}`;
}

const shortGroup = (group: string): string => (group === "" ? "core" : group.replace(/\.k8s\.io$/, ""));

/** Removes characters other than letters, digits and underscores, and capitalizes the letter after them. */
function camelCase(text: string, capitalizeFirst: boolean): string {
  let out = "";
  let capitalize = capitalizeFirst;
  for (const [index, char] of [...text].entries()) {
    if (!/[\p{L}_]/u.test(char) && !(index > 0 && /\d/.test(char))) {
      capitalize = true;
    } else {
      out += capitalize ? char.toUpperCase() : char;
      capitalize = false;
    }
  }
  return out;
}

export const capitalizeWord = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Schema names of a kind and its list. Custom resources have the reversed group (org.ovn.k8s.v1.EgressIP). */
export function schemaNames({ definition, version }: ResourceView): { kind: string; list: string } {
  const { group, kind, listKind, custom } = definition;
  const builtIn = custom ? undefined : referencedName(version.schema);
  const prefix = builtIn?.slice(0, builtIn.lastIndexOf("."));
  const base = prefix ?? [...group.split(".").reverse(), version.name].join(".");
  return { kind: builtIn ?? `${base}.${kind}`, list: `${base}.${listKind}` };
}

const REF_PREFIX = "#/components/schemas/";

export const refTo = (name: string): { readonly $ref: string } => ({ $ref: REF_PREFIX + name });

/** "#/components/schemas/io.k8s.api.core.v1.Pod" gives "io.k8s.api.core.v1.Pod". */
export const nameOfRef = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** The name in a schema that is only a $ref; undefined for any other schema. */
export function referencedName(schema: JsonSchema | undefined): string | undefined {
  const ref = schema?.["$ref"];
  return typeof ref === "string" ? nameOfRef(ref) : undefined;
}

// Query and path parameters with Egret's descriptions, and the parameters of each operation.

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly type: string;
  readonly description: string;
  /** Name suffix under which Swagger 2.0 shares a parameter of many operations. */
  readonly sharedName?: string;
}

/** Descriptions by name, type, and the name suffix of parameters that Swagger 2.0 shares. */
const QUERY = {
  "pretty string tJGM1-ng":
    "true indents the answer. Without it only browsers, curl and wget get an indented answer.",
  "allowWatchBookmarks boolean HC2hJt-J":
    "Asks a watch for BOOKMARK events, which carry nothing but a newer resourceVersion.",
  "continue string QfD61s0i":
    "Token from the metadata of the page before. The other parameters must stay the same; when the token has expired (410), the list starts anew.",
  "fieldSelector string xIcQKXFG":
    "Takes only objects whose fields have the given values, for example metadata.name=a.",
  "labelSelector string 5Zw57w4C": "Takes only objects whose labels match, for example app=web,tier!=test.",
  "limit integer 1NfNmdNH":
    "Highest number of objects in one answer. When there are more, the metadata of the list has a continue token.",
  "resourceVersion string 5WAnf1kx":
    "Which state of the server is asked for: unset the newest, 0 any, another value one that is not older.",
  "resourceVersionMatch string t8XhRHeC": "How resourceVersion is meant in a list: Exact or NotOlderThan.",
  "sendInitialEvents boolean rLXlEK_k":
    "Lets a watch begin with the present objects, closed by a bookmark. Needs resourceVersionMatch=NotOlderThan.",
  "shardSelector string Kgyki_3_": "Takes only the objects of one part of a split collection.",
  "timeoutSeconds integer yvYezaOC":
    "Ends a list or a watch after this many seconds, whether or not there was anything to send.",
  "watch boolean XNNPZGbK":
    "Answers with a stream of changes instead of a list, starting after resourceVersion.",
  "dryRun string": "All runs every step of the request but stores nothing.",
  "gracePeriodSeconds integer -K5HaBOS":
    "Seconds that the object gets before it goes. Unset takes the default of the kind, 0 means at once.",
  "ignoreStoreReadErrorWithClusterBreakingPotential boolean QbNkfIqj":
    "Deletes an object even though it cannot be read from the store. Finalizers are not waited for.",
  "orphanDependents boolean uRB25kX5":
    "Old form of propagationPolicy: true leaves dependents alone. Only one of the two may be set.",
  "propagationPolicy string 6jk3prlO": "What becomes of dependents: Orphan, Background or Foreground.",
  "fieldValidation string":
    "What happens to unknown and duplicate fields: Ignore drops them, Warn (default) warns, Strict refuses the request.",
  "fieldManager string Qy4HdaTW":
    "Name of the writer, as managedFields keeps it: at most 128 printable characters.",
  "force boolean tOGGb0Yi":
    "Lets an apply patch take fields over that other managers own. Only for apply patches.",
};

const byName = new Map(
  Object.entries(QUERY).map(([head, description]) => {
    const parameter = queryParameter(head, description);
    return [parameter.name, parameter];
  }),
);

/** `head` is the name, the type, and the name suffix of parameters that Swagger 2.0 shares. */
export function queryParameter(head: string, description: string): Parameter {
  const [name = "", type = "", suffix] = head.split(" ");
  const shared = suffix === undefined ? {} : { sharedName: `${name}-${suffix}` };
  return { name, in: "query", type, description, ...shared };
}

const named = (names: string): readonly Parameter[] =>
  names.split(" ").flatMap((name) => byName.get(name) ?? []);

export const PRETTY = named("pretty");
export const NAMESPACE: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "Namespace of the objects.",
  sharedName: "namespace-vgWSWtn3",
};

export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", description: `Name of the ${kind}.` };
}

const SELECTING =
  "continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds";
const DELETING =
  "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy";

export const LIST_PARAMETERS = named(`allowWatchBookmarks watch ${SELECTING}`);
export const DELETE_PARAMETERS = named(DELETING);
/** For built-in kinds. Custom resources have the parameters of a list instead. */
export const DELETE_COLLECTION_PARAMETERS = named(`${DELETING} ${SELECTING}`);
export const WRITE_PARAMETERS = named("dryRun fieldManager fieldValidation");
export const PATCH_PARAMETERS = [
  ...named("dryRun fieldValidation force"),
  queryParameter(
    "fieldManager string 7c6nTn1T",
    "Name of the writer, as managedFields keeps it. An apply patch must have it; other patches may.",
  ),
];
/** Custom resources also list it for reads. */
export const CUSTOM_READ_PARAMETERS = named("resourceVersion");
