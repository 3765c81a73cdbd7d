// Export and import of objects as files hold them. Without `full`, an export holds user-created objects in a form that
// any server accepts: no server-set fields, and no objects that the server creates.

import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { parseLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { failure, type StatusCause } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { JSON_TYPE, YAML_TYPE } from "../../apiserver/endpoints/api-request.ts";
import { textBody } from "../../apiserver/endpoints/response/answer-text.ts";
import { yamlParts } from "../../apiserver/endpoints/response/to-yaml.ts";
import { Warnings } from "../../apiserver/endpoints/response/warnings.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import { decodeInVersion, prepareVersions } from "../../apiserver/registry/codec/versions.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { collectionRange } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import type { Client } from "../../controller/client.ts";
import type { KeyValue, KeyValueReader } from "../../storage/store.ts";
import { type Caller, nameOfKind, questionOf } from "../control-surface/caller.ts";
import {
  anyOf,
  type ControlRoute,
  type ControlSchema,
  flag,
  jsonResponse,
  list,
  object,
  oneOf,
  route,
  text,
  WholeAnswer,
} from "../control-surface/control-route.ts";
import { namedKinds } from "../control-surface/kinds.ts";
import { readDocuments } from "../control-surface/read-body.ts";
import type { SavedState } from "../state/state-keeper.ts";
import {
  IMPORTED,
  type ImportDeps,
  type ImportedObject,
  type ImportOptions,
  importObjects,
  withoutServerFields,
} from "./import.ts";
import { IMPORT_LINES_QUERY, importLines, type StandingImports } from "./imports.ts";
import { IMPORT_REPORT } from "./report.ts";

export class Transfer {
  readonly #deps: ExportDeps & ImportDeps;

  constructor(deps: ExportDeps & ImportDeps) {
    this.#deps = deps;
  }

  /** Returns the objects in dependency order. They are copies unless `full`. Throws a 400 for a kind that is not served. */
  async export(options: ExportOptions = {}): Promise<Readonly<KubeObject>[]> {
    const { kinds = "", namespace = "", labelSelector = "", full = false, mayShow = () => true } = options;
    const { registry, store, emptyState, ownManagers } = this.#deps;
    const labels = labelSelector === "" ? undefined : parseLabelSelector(labelSelector);
    const views = namedKinds(registry, kinds).filter(
      (view) => (namespace === "" || view.definition.namespaceScoped) && mayShow(view),
    );
    const empty = full ? undefined : await emptyState();
    const objects: Readonly<KubeObject>[] = [];
    for (const view of views) {
      const { items } = store.list(collectionRange(view.definition, namespace));
      await prepareVersions(view, items);
      for (const kv of items) {
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
        const object = decodeInVersion(view, kv);
        if (labels?.matches(object.metadata.labels ?? {}) === false) continue;
        if (empty === undefined) objects.push(object);
        else if (isGiven(kv, object, empty, ownManagers)) objects.push(applicable(object));
      }
    }
    return objects;
  }

  /**
   * Applies objects, or text with objects, with the permissions of `client`; default: those of the server. Rejected
   * objects are reported in the result. Undecodable text throws a 400.
   */
  async import(
    objects: string | readonly KubeObject[],
    options: ImportOptions = {},
    client?: Client,
  ): Promise<ImportedObject[]> {
    const list = typeof objects === "string" ? readDocuments(objects) : objects;
    const reader = this.#deps.client;
    return importObjects({ ...this.#deps, reader, client: client ?? reader }, list, options);
  }
}

export interface ExportOptions {
  /** Resource names as kubectl accepts them, separated by commas: "configmaps,egressips.k8s.ovn.org"; absent: all. */
  readonly kinds?: string;
  /** Only objects of this namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** All objects unchanged, with status, uid and managedFields, including those that servers create. */
  readonly full?: boolean;
  /** Reports whether a kind is exported; absent: all. An error that it throws ends the export. */
  readonly mayShow?: (view: ResourceView) => boolean;
}

interface ExportDeps {
  readonly store: KeyValueReader;
  readonly registry: ResourceRegistry;
  /** The bootstrap state of every server. */
  readonly emptyState: () => Promise<SavedState>;
  /** Field managers of the server's own components. */
  readonly ownManagers: ReadonlySet<string>;
}

/** Label of an APIService that the server maintains for a CRD. */
const AUTOMANAGED = "kube-aggregator.kubernetes.io/automanaged";

/**
 * Reports whether a user or an external client created or changed the object. Changes of bootstrap objects by the
 * server's own components do not count.
 */
export function isGiven(
  kv: KeyValue,
  object: Readonly<KubeObject>,
  empty: SavedState,
  ownManagers: ReadonlySet<string>,
): boolean {
  const { metadata } = object;
  const atFirst = empty.items.get(kv.key);
  if (atFirst !== undefined && Buffer.compare(atFirst.value, kv.value) === 0) return false;
  if (metadata.labels?.[AUTOMANAGED] !== undefined) return false;
  if (metadata.ownerReferences?.some(({ controller }) => controller === true)) return false;
  if (isBareAccount(object)) return false;
  const known = new Set(atFirst === undefined ? [] : writersOf(decodeStored(atFirst)));
  const writers = writersOf(object);
  if (writers.length === 0) return true;
  return writers.some((writer) => !known.has(writer) && !ownManagers.has(writer.split(" ")[0] ?? ""));
}

/** "manager operation" of each managedFields entry. */
const writersOf = ({ metadata }: Readonly<KubeObject>): string[] =>
  (metadata.managedFields ?? []).map(({ manager = "", operation = "" }) => `${manager} ${operation}`);

/** The default ServiceAccount of a namespace, which has no managedFields. */
function isBareAccount({ kind, metadata, ...members }: Readonly<KubeObject>): boolean {
  const isDefault = kind === "ServiceAccount" && metadata.name === "default";
  return (
    isDefault && !metadata.labels && !metadata.annotations && Object.keys(members).join() === "apiVersion"
  );
}

/**
 * Removes owner references: they name uids, which differ between servers. Keeps the status of nodes: the creator of a
 * simulated node supplies it, and a server accepts it on create.
 */
function applicable(object: Readonly<KubeObject>): KubeObject {
  const copy = withoutServerFields(object);
  if (object.kind !== "Node" || object.apiVersion !== "v1") delete copy["status"];
  delete copy.metadata.ownerReferences;
  return copy;
}

// HTTP routes for export and import, in the text formats of kubectl.

/** The field manager of imported objects. */
export const IMPORT_MANAGER = "egret";

const EXPORT_QUERY = {
  kinds: text("Kinds as kubectl names them, separated by commas: cm,egressips"),
  namespace: text("Objects of this namespace alone."),
  labelSelector: text("Objects with these labels alone: app=web,tier!=db"),
  full: flag("All objects as they are, with status, uid and managedFields.", { default: false }),
  format: { ...oneOf(["yaml", "json"], "YAML documents, or one List in JSON."), default: "yaml" },
};

const IMPORT_QUERY = {
  namespace: text("For objects that name none. Left out: default."),
  status: flag("Sets the status of objects that bring one, also where it is a subresource.", {
    default: false,
  }),
  ...IMPORT_LINES_QUERY,
};

const OBJECTS: ControlSchema<KubeObject[]> = {
  type: "object",
  description: "An object, or a List of objects.",
};

interface TransferRoutesDeps {
  readonly transfer: Transfer;
  readonly imports: StandingImports;
}

export const transferRoutes = ({ transfer, imports }: TransferRoutesDeps): ControlRoute[] => [
  route("GET /export", "exportObjects", {
    summary: "The objects that people have put in, in a form that any server takes.",
    access: "own rights",
    query: EXPORT_QUERY,
    answer: ["YAML documents.", YAML_TYPE],
    handle: async ({ caller, raw: { query } }) => {
      const [kinds, namespace] = [query.get("kinds"), query.get("namespace")];
      const listOf = (view: ResourceView) => questionOf(caller, { verb: "list", view, namespace });
      const leftOut: ResourceView[] = [];
      let shown = 0;
      // A named kind that the caller may not list is rejected. Other such kinds are omitted with a warning.
      const mayShow = (view: ResourceView) => {
        if (kinds !== "") caller.demand(listOf(view));
        const may = kinds !== "" || caller.may(listOf(view));
        if (may) shown++;
        else leftOut.push(view);
        return may;
      };
      const labelSelector = query.get("labelSelector");
      const asked = { kinds, namespace, labelSelector, full: query.flag("full"), mayShow };
      const objects = await transfer.export(asked);
      const [first] = leftOut;
      if (first !== undefined && shown === 0) caller.demand(listOf(first));
      return exported(query.get("format") === "json", objects, warningOf(caller, leftOut));
    },
  }),
  route("POST /import", "importObjects", {
    summary:
      "Applies objects, namespaces and definitions first, with the field manager egret. Of lines: writes objects as they stood, for those who may do everything.",
    access: "own rights",
    query: IMPORT_QUERY,
    body: OBJECTS,
    bodyForm: "objects",
    answer: [
      "What has become of each object; of lines, a report.",
      anyOf(
        "Of objects that were applied, or of lines.",
        object({ items: list(IMPORTED, "In the order of the objects.") }, ["items"]),
        IMPORT_REPORT,
      ),
    ],
    lines: (request) => importLines(imports, request),
    handle: async ({ raw: { query }, body, caller }) => {
      const namespace = query.get("namespace") || undefined;
      const options = { namespace, status: query.flag("status") };
      return imported(await transfer.import(body, options, caller.clientFor(IMPORT_MANAGER)));
    },
  }),
];

function exported(
  isJson: boolean,
  objects: readonly Readonly<KubeObject>[],
  warning: Readonly<Record<string, string[]>>,
): WholeAnswer {
  return new WholeAnswer({
    status: 200,
    headers: { "content-type": isJson ? JSON_TYPE : YAML_TYPE, ...warning },
    body: textBody(isJson ? listParts(objects) : documentParts(objects)),
  });
}

function* listParts(objects: readonly Readonly<KubeObject>[]): Generator<string, void> {
  yield '{"apiVersion":"v1","items":[';
  for (const [index, object] of objects.entries()) yield `${index > 0 ? "," : ""}${encodeJson(object)}`;
  yield '],"kind":"List"}\n';
}

function* documentParts(objects: readonly Readonly<KubeObject>[]): Generator<string, void> {
  for (const [index, object] of objects.entries()) {
    if (index > 0) yield "---\n";
    yield* yamlParts(object);
  }
}

/** If objects were rejected, the response is a Status with the causes, and also holds the items. */
function imported(items: readonly ImportedObject[]): WholeAnswer | { items: readonly ImportedObject[] } {
  const causes: StatusCause[] = items.flatMap(({ kind, name, namespace, status }) => {
    if (status === undefined) return [];
    const { reason, message = "" } = status;
    const field = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
    return [{ ...(reason === undefined ? {} : { reason }), message, field }];
  });
  if (causes.length === 0) return { items };
  const message = `${causes.length} of ${items.length} objects were refused: ${causes[0]?.message}`;
  const { status } = failure({ code: 422, reason: "Invalid", message, details: { causes } });
  return new WholeAnswer(jsonResponse(422, JSON.stringify({ ...status, items })));
}

/** A Warning header that names the omitted kinds, if any. */
function warningOf({ user }: Caller, leftOut: readonly ResourceView[]): Readonly<Record<string, string[]>> {
  if (leftOut.length === 0) return {};
  const warnings = new Warnings();
  const kinds = leftOut.map(nameOfKind).join(", ");
  warnings.add(`left out, because user "${user.name}" may not list them: ${kinds}`);
  return { warning: warnings.headers() };
}
