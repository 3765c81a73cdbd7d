// Objects into the server by server-side apply, as kubectl apply does it: what is missing is made, what is there gets
// the given fields. One object that is refused does not keep the others out.
import type { Client, ResourceName } from "../../client/client.ts";
import { cloneJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { failure, internalServerError, type Status, StatusError } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/resource-definition.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { rankOfKind } from "./kinds.ts";

export interface ImportOptions {
  /** For objects that name none. Default: "default". */
  readonly namespace?: string;
  /** Sets the status of objects that bring one, too. */
  readonly status?: boolean;
}

export interface ImportDeps {
  /** Its writes bear the field manager of imports. */
  readonly client: Client;
  readonly registry: ResourceRegistry;
  /** Resolves once the kinds of all definitions are served. */
  readonly settled: () => Promise<void>;
}

export const IMPORT_RESULTS = ["created", "configured", "unchanged", "failed"] as const;

export interface ImportedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly result: (typeof IMPORT_RESULTS)[number];
  /** Why it has failed. */
  readonly status?: Status;
}

/** In the order of the objects, though namespaces and definitions are applied first. Objects are not changed. */
export async function importObjects(
  deps: ImportDeps,
  objects: readonly KubeObject[],
  options: ImportOptions = {},
): Promise<ImportedObject[]> {
  const order = objects.map((_, index) => index);
  order.sort((a, b) => rankOfKind(objects[a]?.kind ?? "") - rankOfKind(objects[b]?.kind ?? ""));
  const results: ImportedObject[] = [];
  for (const index of order) {
    const object = objects[index];
    if (object !== undefined) results[index] = await importObject(deps, object, options);
  }
  return results;
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
      result: await applyTo(deps.client, view, object, { ...options, namespace }),
    };
  } catch (error) {
    const known = error instanceof StatusError ? error : internalServerError(String(error), error);
    return { ...about, result: "failed", status: known.status };
  }
}

/** A definition may have come just before. Throws 404. */
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
  client: Client,
  view: ResourceView,
  object: KubeObject,
  { namespace, status = false }: Required<Pick<ImportOptions, "namespace">> & ImportOptions,
): Promise<ImportedObject["result"]> {
  const { definition, version } = view;
  const resource = { group: definition.group, version: version.name, resource: definition.resource };
  const key = { namespace, name: object.metadata.name ?? "" };
  const before = await presentVersion(client, resource, key);
  const { status: given, ...body } = withoutServerFields(object);
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

async function presentVersion(
  client: Client,
  resource: ResourceName,
  key: { readonly namespace: string; readonly name: string },
): Promise<string | undefined> {
  try {
    return (await client.get(resource, key)).metadata.resourceVersion;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

/** What another server has written of itself says nothing here, and would be refused. */
function withoutServerFields(object: KubeObject): KubeObject {
  const copy = cloneJson(object);
  const { metadata } = copy;
  delete metadata.managedFields;
  delete metadata.resourceVersion;
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.generation;
  delete metadata.selfLink;
  return copy;
}
