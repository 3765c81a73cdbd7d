// Imports objects by server-side apply, as kubectl apply --server-side does: missing objects are created, existing ones
// get the given fields. A rejected object does not stop the import of the others.

import { cloneJson } from "../../apimachinery/json/json.ts";
import { inBatches } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { failure, internalServerError, type Status, StatusError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { type Client, presentObject, resourceOf } from "../../controller/client.ts";
import { described, object, oneOf, text, type ValueOf } from "../control-surface/control-route.ts";
import { rankOf } from "../control-surface/kinds.ts";

export interface ImportOptions {
  /** Namespace of objects that name none. Default: "default". */
  readonly namespace?: string | undefined;
  /**
   * Also writes the status subresource of objects that have one. Without a status subresource the status is always
   * written with the object. The same holds where a server accepts a status on create (nodes).
   */
  readonly status?: boolean;
}

export interface ImportDeps {
  /** Writes with the field manager of imports. */
  readonly client: Client;
  /** Reads the previous objects, whose existence an apply reveals anyway. Default: `client`. */
  readonly reader?: Client;
  readonly registry: ResourceRegistry;
  /** Resolves once the kinds of all CRDs are served. */
  readonly settled: () => Promise<void>;
  /** Runs a change between stop and restart of the controllers. */
  readonly renew: <T>(change: () => Promise<T>) => Promise<T>;
}

export const IMPORTED = object(
  {
    apiVersion: text(),
    kind: text(),
    namespace: text("Empty for cluster-scoped objects."),
    name: text(),
    result: oneOf(["created", "configured", "unchanged", "failed"]),
    status: described<Status>({ type: "object" }, "Why it has failed."),
  },
  ["apiVersion", "kind", "namespace", "name", "result"],
);
export type ImportedObject = ValueOf<typeof IMPORTED>;

/**
 * Returns results in the order of the objects, though dependencies are applied first. The given objects are not
 * changed.
 * An object and its status are two writes. With `status`, the controllers restart after all writes, so that they see
 * the imported decisions.
 * Resolves when the kinds of imported CRDs are served.
 */
export async function importObjects(
  deps: ImportDeps,
  objects: readonly KubeObject[],
  options: ImportOptions = {},
): Promise<ImportedObject[]> {
  const results = new Map<KubeObject, ImportedObject>();
  const one = async (object: KubeObject): Promise<void> => {
    const pause = yieldIfDue(); // an apply without changes writes nothing and so never yields by itself
    if (pause !== undefined) await pause;
    results.set(object, await importObject(deps, object, options));
  };
  const all = async (): Promise<void> => {
    for (const run of runsOf(inOrder(objects), options.namespace ?? "default")) await inBatches(run, one);
  };
  const bringsStatus = options.status === true && objects.some(({ status }) => status !== undefined);
  await (bringsStatus ? deps.renew(all) : all());
  if (objects.some(({ kind }) => kind === "CustomResourceDefinition")) await deps.settled();
  return objects.flatMap((object) => results.get(object) ?? []);
}

/** Kinds whose objects affect others of the same kind; applied one at a time. */
const ONE_BY_ONE = new Set(["CustomResourceDefinition", "APIService", "PriorityClass"]);

/**
 * Groups of objects that can be applied concurrently, in order: neighbors of one kind, distinct, without an owner among
 * them. An object that other kinds depend on (a class, a quota, a policy) is applied before the group of the
 * dependents.
 */
function* runsOf(objects: readonly KubeObject[], namespace: string): Generator<KubeObject[]> {
  let run: KubeObject[] = [];
  const names = new Set<string>();
  for (const object of objects) {
    const { apiVersion, kind = "", metadata } = object;
    const name = `${metadata.namespace ?? namespace}/${metadata.name}`;
    const [first = object] = run;
    const isLike = first.kind === kind && first.apiVersion === apiVersion && !ONE_BY_ONE.has(kind);
    const hasOwner = metadata.ownerReferences?.some((owner) => owner.kind === kind) === true;
    if (run.length > 0 && (!isLike || hasOwner || names.has(name))) {
      yield run;
      run = [];
      names.clear();
    }
    run.push(object);
    names.add(name);
  }
  if (run.length > 0) yield run;
}

async function importObject(
  deps: ImportDeps,
  object: KubeObject,
  options: ImportOptions,
): Promise<ImportedObject> {
  const { apiVersion = "", kind = "", metadata } = object;
  const about = { apiVersion, kind, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  try {
    const view = await viewFor(deps, object);
    const given = options.namespace ?? "default";
    const namespace = view.definition.namespaceScoped ? (metadata.namespace ?? given) : "";
    return {
      ...about,
      namespace,
      result: await applyTo(deps, view, object, { ...options, namespace }),
    };
  } catch (error) {
    const known = error instanceof StatusError ? error : internalServerError(String(error), error);
    return { ...about, result: "failed", status: known.status };
  }
}

/** Waits for a CRD that was just applied. Throws 404. */
async function viewFor({ registry, settled }: ImportDeps, object: KubeObject): Promise<ResourceView> {
  const { apiVersion = "", kind = "" } = object;
  const known = registry.findByKind(apiVersion, kind);
  if (known !== undefined) return known;
  await settled();
  const view = registry.findByKind(apiVersion, kind);
  if (view !== undefined) return view;
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`;
  throw failure({ code: 404, reason: "NotFound", message, details: { kind } });
}

async function applyTo(
  { client, reader = client, registry }: ImportDeps,
  view: ResourceView,
  object: KubeObject,
  { namespace, status = false }: ImportOptions & { readonly namespace: string },
): Promise<ImportedObject["result"]> {
  const { version } = view;
  const resource = resourceOf(view);
  const key = { namespace, name: object.metadata.name ?? "" };
  const before = (await presentObject(reader, resource, key))?.metadata.resourceVersion;
  const body = await withOwnersOfHere(client, registry, withoutServerFields(object), namespace);
  const { status: given } = body;
  const apply = { type: "apply", force: true } as const;
  let after = await client.patch(resource, key, { ...apply, body });
  if (status && given !== undefined && version.status !== undefined) {
    const { apiVersion, kind, metadata } = after;
    const { name, namespace: inside } = metadata;
    const identity = { apiVersion, kind, metadata: { name, ...(inside ? { namespace: inside } : {}) } };
    const statusBody = { ...identity, status: given };
    after = await client.patch(resource, key, { ...apply, body: statusBody, subresource: "status" });
  }
  if (before === undefined) return "created";
  return after.metadata.resourceVersion === before ? "unchanged" : "configured";
}

/**
 * Replaces owner uids, which differ between servers, by those of this server. An owner that the caller cannot read
 * stays unchanged.
 */
async function withOwnersOfHere(
  client: Client,
  registry: ResourceRegistry,
  object: KubeObject,
  namespace: string,
): Promise<KubeObject> {
  for (const owner of object.metadata.ownerReferences ?? []) {
    const { apiVersion = "", kind = "", name = "" } = owner;
    const view = registry.findByKind(apiVersion, kind);
    if (view === undefined) continue;
    const inside = view.definition.namespaceScoped ? namespace : "";
    const present = await presentObject(client, resourceOf(view), { namespace: inside, name }, UNSEEN);
    if (present !== undefined) Object.assign(owner, { uid: present.metadata.uid });
  }
  return object;
}

/** Status codes of an object that is missing or not readable for the caller. */
const UNSEEN = [403, 404];

/** Returns a copy without server-set metadata, which is invalid in another server and would be rejected. */
export function withoutServerFields(object: Readonly<KubeObject>): KubeObject {
  const copy: KubeObject = cloneJson(object);
  for (const member of SERVER_META) delete copy.metadata[member];
  return copy;
}

/** Members of metadata that only a server writes. */
const SERVER_META = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
] as const;

/** Namespaces, CRDs and nodes precede everything, regardless of owners. */
const FIRST_RANKS = 2;

/**
 * Sorts objects for apply: dependencies first, owners before their dependents. The order of independent objects is
 * stable. The given list is not changed.
 */
export function inOrder<T extends Readonly<KubeObject>>(objects: readonly T[]): T[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid ?? "", object] as const));
  byUid.delete("");
  const depths = new Map<Readonly<KubeObject>, number>();
  const depthOf = (object: Readonly<KubeObject>): number => {
    const known = depths.get(object);
    if (known !== undefined) return known;
    depths.set(object, 0); // cyclic owner references have no order
    let depth = 0;
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const owner = byUid.get(uid ?? "");
      if (owner !== undefined) depth = Math.max(depth, depthOf(owner) + 1);
    }
    depths.set(object, depth);
    return depth;
  };
  const keys = objects.map((object) => {
    const { apiVersion = "", kind = "" } = object;
    const [, group = ""] = /^(.*?)\//.exec(apiVersion) ?? [];
    const rank = rankOf({ kind, group });
    return { object, key: [Math.min(rank, FIRST_RANKS), depthOf(object), rank] as const };
  });
  keys.sort(({ key: a }, { key: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return keys.map(({ object }) => object);
}
