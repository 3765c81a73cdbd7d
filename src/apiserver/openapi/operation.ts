// One operation of the API, in a form from which both OpenAPI 3.0 and Swagger 2.0 are written, and the names that
// operations and schemas have. Generated clients are built from these names, so they follow one fixed recipe.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { JSON_TYPE, YAML_TYPE } from "../api-request.ts";
import { PROTOBUF_TYPE } from "../protobuf/codec.ts";
import { NAMESPACE, nameParameter, type Parameter, PRETTY } from "./parameters.ts";

export const METHODS = ["get", "put", "post", "delete", "patch"] as const;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly method: (typeof METHODS)[number];
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** What a Kubernetes client calls it: list, post, deletecollection … */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  /** All of them, those of the path included. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: string; readonly required: boolean } | undefined;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Name of the schema by status code. 401 is understood. */
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

/** What built-in kinds are written in; custom resources speak JSON and YAML. */
export const ALL_MEDIA: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const CUSTOM_MEDIA = [JSON_TYPE, YAML_TYPE];

/** What the operations of one resource have in common. */
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

/** The scope of paths that name an object. */
export function withName(scope: Scope): Scope {
  const name = nameParameter(scope.view.definition.kind);
  return { ...scope, pathParameters: [name, ...scope.pathParameters] };
}

/** The scope of paths that reach into all namespaces. */
export const everywhere = (scope: Scope): Scope => ({ ...scope, pathParameters: PRETTY });

export type OperationParts = Pick<Operation, "method" | "parameters" | "responses" | "description"> &
  Partial<Pick<Operation, "body" | "consumes" | "produces">> & {
    readonly action: string;
    /** How the operation id begins, and what stands behind group and version in it. */
    readonly id: readonly [verb: string, rest: string];
  };

export function operation({ view, kind, pathParameters }: Scope, parts: OperationParts): Operation {
  const { custom } = view.definition;
  const { id, parameters, ...others } = parts;
  const [group, version] = [camelCase(shortGroup(kind.group), true), camelCase(kind.version, true)];
  return {
    consumes: custom ? CUSTOM_MEDIA : ["*/*"],
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

/** Leaves out what is neither letter, digit nor underscore; the letter behind it becomes a capital. */
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

/** Name of the schema of a kind, and of its list: of custom resources the group backwards (org.ovn.k8s.v1.EgressIP). */
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

/** The name behind a schema that is nothing but a $ref; undefined for any other. */
export function referencedName(schema: JsonSchema | undefined): string | undefined {
  const ref = schema?.["$ref"];
  return typeof ref === "string" ? nameOfRef(ref) : undefined;
}
