// Field differences between two states of an object. List items with keys are matched by their keys. A list of plain
// values is one value. Items of other lists are compared by index.
import { equalJson, isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../apimachinery/meta/object-meta.ts";
import type { SchemaNode } from "../../apimachinery/schema/schema-node.ts";
import { described, maybe, object, text, type ValueOf } from "../control-surface/control-route.ts";
import type { RequestFilter, RequestLog } from "../request-log/request-log.ts";

// A field path, as text ("spec.ports[port=80].name") and in the trie of a managedFields entry (FieldsV1: f:name is a
// field, k:{…} a list item by its keys, v:… a value of a set).

export type PathElement =
  | { readonly field: string }
  | { readonly keys: JsonObject }
  /** An item of an atomic list, which has field owners only as a whole. */
  | { readonly index: number };

export type FieldPath = readonly PathElement[];

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** In the syntax of kubectl's templates: "metadata.labels['app.kubernetes.io/name']". */
export function pathText(path: FieldPath): string {
  let text = "";
  for (const element of path) {
    if ("index" in element) text += `[${element.index}]`;
    else if ("keys" in element) text += `[${keysText(element.keys)}]`;
    else if (PLAIN.test(element.field)) text += text === "" ? element.field : `.${element.field}`;
    else text += `['${element.field}']`;
  }
  return text;
}

function keysText(keys: JsonObject): string {
  return Object.entries(keys)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(",");
}

/** Reports whether a field set contains the path: exactly, or through an ancestor that is owned as a whole. */
export function ownsField(fields: JsonObject, path: FieldPath): boolean {
  let at: JsonObject = fields;
  for (const element of path) {
    if ("index" in element) return true; // the list is owned as a whole
    const below = "keys" in element ? itemOf(at, element.keys) : at[`f:${element.field}`];
    if (!isObject(below)) return false;
    if (Object.keys(below).length === 0) return true;
    at = below;
  }
  return true;
}

function itemOf(fields: JsonObject, keys: JsonObject): unknown {
  const found = Object.keys(fields).find(
    (key) => key.startsWith("k:") && equalJson(parse(key.slice(2)), keys),
  );
  return found && fields[found];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a client may write invalid keys
  }
}

export interface FieldChange {
  readonly path: FieldPath;
  /** undefined: the field was absent. */
  readonly before: unknown;
  /** undefined: the field is absent. */
  readonly after: unknown;
}

/** A changed field in a response. */
export const CHANGE = object({
  path: text("spec.egressIPs, status.conditions[type=Ready].status"),
  before: described({}, "Left out: it was not there."),
  after: described({}, "Left out: it is not there any more."),
});
export type ChangedField = ValueOf<typeof CHANGE>;

export const wordedChange = ({ path, before, after }: FieldChange): ChangedField => ({
  path: pathText(path),
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

/** Compares any two values without a schema: list items are compared by index. */
export const valueChanges = (before: unknown, after: unknown): ChangedField[] =>
  [...differences(before, after, undefined, [])].map(wordedChange);

/** Reported as the writer of a change, not as changes. */
const UNSAID = new Set(["managedFields", "resourceVersion"]);
/** Members that the server sets on every new object. */
const GIVEN = new Set(["uid", "creationTimestamp", "generation", "name", "namespace", "generateName"]);

/** Without `before`: the fields that the object was created with, one change per top-level field. */
export const changesBetween = (
  before: Readonly<KubeObject> | undefined,
  after: Readonly<KubeObject>,
  node: SchemaNode,
): FieldChange[] => [...differences(before ?? givenTo(after), after, node, [])];

function givenTo({ apiVersion, kind, metadata }: Readonly<KubeObject>): JsonObject {
  const given = Object.entries(metadata).filter(([key]) => GIVEN.has(key));
  return { apiVersion, kind, metadata: Object.fromEntries(given) };
}

/** A field or an item in both states. */
interface Part {
  readonly element: PathElement;
  readonly before: unknown;
  readonly after: unknown;
  readonly node: SchemaNode | undefined;
}

/** `node` is undefined where the schema does not define the field. */
function* differences(
  before: unknown,
  after: unknown,
  node: SchemaNode | undefined,
  path: FieldPath,
): Generator<FieldChange, void> {
  if (equalJson(before, after)) return;
  const parts = partsOf(before, after, node, path);
  if (parts === undefined) yield { path, before, after };
  else
    for (const { element, ...part } of parts)
      yield* differences(part.before, part.after, part.node, [...path, element]);
}

/** Splits a value into fields or items; undefined: it is one value. */
function partsOf(
  before: unknown,
  after: unknown,
  node: SchemaNode | undefined,
  path: FieldPath,
): Part[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return itemsOf(before, after, node);
  if (!isObject(before) || !isObject(after)) return undefined;
  const [first] = path;
  const inMetadata =
    path.length === 1 && first !== undefined && "field" in first && first.field === "metadata";
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !(inMetadata && UNSAID.has(name)))
    .map((field) => ({
      element: { field },
      before: before[field],
      after: after[field],
      node: childOf(node, field),
    }));
}

function childOf(node: SchemaNode | undefined, field: string): SchemaNode | undefined {
  const { additionalProperties } = node ?? {};
  return node?.properties.get(field) ?? (additionalProperties === true ? undefined : additionalProperties);
}

/** undefined: the list is one value. */
function itemsOf(
  before: readonly unknown[],
  after: readonly unknown[],
  node: SchemaNode | undefined,
): Part[] | undefined {
  if (![...before, ...after].every(isObject)) return undefined;
  const keys = keysOf(node);
  const items = new Map<string, Part>();
  const add = (list: readonly unknown[], side: "before" | "after") => {
    for (const [index, item] of list.entries()) {
      const element = isObject(item) && keys.length > 0 ? { keys: pick(item, keys) } : { index };
      const name = JSON.stringify(element);
      const known = items.get(name) ?? { element, before: undefined, after: undefined, node: node?.items };
      items.set(name, { ...known, [side]: item });
    }
  };
  add(before, "before");
  add(after, "after");
  return [...items.values()];
}

function keysOf(node: SchemaNode | undefined): readonly string[] {
  if (node?.listType === "map") return node.listMapKeys;
  return node?.patchMergeKey === undefined ? [] : [node.patchMergeKey];
}

/** Absent keys of an item are omitted. */
function pick(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

// The writers of a change, from managedFields: entries that are new or have a new time. A second write of the same
// manager within one second leaves its entry unchanged. The writers are then the owners of the changed fields.

/** Without a subresource the write was to the object itself. */
export const WRITER = object({
  manager: text(),
  operation: text("Apply or Update."),
  subresource: maybe(text()),
});
type Writer = ValueOf<typeof WRITER>;

/** `time` is RFC 3339; undefined when no entry has one. */
export function writersOf(
  before: Readonly<KubeObject> | undefined,
  after: Readonly<KubeObject>,
  changes: readonly FieldChange[],
): { readonly by: readonly Writer[]; readonly time: string | undefined } {
  const known = new Map(entriesOf(before).map((entry) => [identityOf(entry), entry]));
  const entries = entriesOf(after);
  const fresh = entries.filter((entry) => {
    const old = known.get(identityOf(entry));
    return old === undefined || old.time !== entry.time;
  });
  const owners = () =>
    [...entries, ...entriesOf(before)].filter(
      ({ fieldsV1 }) => isObject(fieldsV1) && changes.some(({ path }) => ownsField(fieldsV1, path)),
    );
  const writers = fresh.length > 0 ? fresh : owners();
  const times = writers.flatMap(({ time }) => time ?? []).sort();
  return { by: distinct(writers), time: times.at(-1) };
}

const entriesOf = (object: Readonly<KubeObject> | undefined): readonly ManagedFieldsEntry[] =>
  object?.metadata.managedFields ?? [];

const identityOf = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

function distinct(entries: readonly ManagedFieldsEntry[]): Writer[] {
  const writers = new Map<string, Writer>();
  for (const { manager = "", operation = "", subresource } of entries) {
    const writer = { manager, operation, ...(subresource ? { subresource } : {}) };
    writers.set(JSON.stringify(writer), writer);
  }
  return [...writers.values()];
}

/** A write request from the request log. */
export const WRITE = object({ user: text(), userAgent: text(), verb: text(), time: text("RFC 3339") });
export type LoggedWrite = ValueOf<typeof WRITE>;

type LoggedObject = Required<Pick<RequestFilter, "group" | "resource" | "namespace" | "name">>;

const WRITES = new Set(["create", "update", "patch", "delete"]);

/**
 * The latest write requests of an object, by the resulting revision. A write without changes returns an older revision
 * and is not the one that created it.
 */
export function loggedWrites(log: RequestLog, object: LoggedObject): ReadonlyMap<string, LoggedWrite> {
  const { group, resource, namespace, name } = object;
  const writes = new Map<string, LoggedWrite>();
  for (const entry of log.entries({ group, resource, namespace })) {
    const { resourceVersion, verb, user, userAgent, time } = entry;
    if (resourceVersion === undefined || writes.has(resourceVersion) || !WRITES.has(verb)) continue;
    // The path of a create request has no name; its revision identifies the object.
    if (verb === "create" ? entry.subresource === "" : entry.name === name)
      writes.set(resourceVersion, { user, userAgent, verb, time });
  }
  return writes;
}
