// Who wrote, by what managedFields say: the entries that are new or have another time than before. A write of the same
// manager within the same second leaves them as they are; then it is those who own what has changed.
import { isObject } from "../../meta/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object-meta.ts";
import type { RequestFilter, RequestLog } from "../requests/request-log.ts";
import { type FieldChange, ownsField } from "./field-changes.ts";

export interface Writer {
  readonly manager: string;
  readonly operation: string;
  /** Left out: the object itself was written. */
  readonly subresource?: string;
}

export interface Written {
  readonly by: readonly Writer[];
  /** RFC 3339; undefined when nothing says it. */
  readonly time: string | undefined;
}

export function writersOf(
  before: Readonly<KubeObject> | undefined,
  after: Readonly<KubeObject>,
  changes: readonly FieldChange[],
): Written {
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

/** Who asked for a write over the wire. */
export interface LoggedWrite {
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  /** RFC 3339. */
  readonly time: string;
}

type LoggedObject = Required<Pick<RequestFilter, "group" | "resource" | "namespace" | "name">>;

const WRITES = new Set(["create", "update", "patch", "delete"]);

/** The last requests that wrote an object, by the revisions that they have led to. A write that changes nothing is answered with a revision from before, and is not the one that made it. */
export function loggedWrites(log: RequestLog, object: LoggedObject): ReadonlyMap<string, LoggedWrite> {
  const { group, resource, namespace, name } = object;
  const writes = new Map<string, LoggedWrite>();
  for (const entry of log.entries({ group, resource, namespace })) {
    const { resourceVersion, verb, user, userAgent, time } = entry;
    if (resourceVersion === undefined || writes.has(resourceVersion) || !WRITES.has(verb)) continue;
    // What is created is not named in the path; the revision tells it from others.
    if (verb === "create" ? entry.subresource === "" : entry.name === name)
      writes.set(resourceVersion, { user, userAgent, verb, time });
  }
  return writes;
}
