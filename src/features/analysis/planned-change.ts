// One change of the state, real or hypothetical: used by plans and by cases. Its schema, and its execution.

import { isObject, objectAt, objectsAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest, StatusError } from "../../apimachinery/meta/status.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { type Client, resourceOf } from "../../controller/client.ts";
import {
  type ControlSchema,
  closedObject,
  formOf,
  oneOf,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import { findResource } from "../control-surface/kinds.ts";

const OBJECT = text("An object: node/n1, pod/NAMESPACE/NAME.");
const NODE = text("A node: node/n1.");
const texts = (description: string): ControlSchema<Readonly<Record<string, string | null>>> => ({
  type: "object",
  additionalProperties: { type: "string", nullable: true },
  description,
});
const APPLIED: ControlSchema<KubeObject> = {
  type: "object",
  description: "An object, as for kubectl apply.",
};
const ANYTHING: ControlSchema<unknown> = { description: "A patch, in the form that its type has." };

/** The values of `kubectl patch --type`. */
const PATCH_TYPES = ["merge", "json", "strategic"] as const;

/** All changes by the first member, which identifies each. */
export const CHANGES = {
  apply: closedObject({ apply: APPLIED }, ["apply"]),
  delete: closedObject({ delete: OBJECT }, ["delete"]),
  label: closedObject({ label: OBJECT, labels: texts("A label that is null is taken away.") }, [
    "label",
    "labels",
  ]),
  annotate: closedObject(
    { annotate: OBJECT, annotations: texts("An annotation that is null is taken away.") },
    ["annotate", "annotations"],
  ),
  patch: closedObject(
    {
      patch: OBJECT,
      with: ANYTHING,
      type: oneOf(PATCH_TYPES, "Left out: merge."),
      subresource: text("status, scale"),
    },
    ["patch", "with"],
  ),
  notReady: closedObject({ notReady: NODE }, ["notReady"]),
  ready: closedObject({ ready: NODE }, ["ready"]),
} as const;

export const CHANGE = formOf("What would be done.", CHANGES);
export type PlannedChange = ValueOf<typeof CHANGE>;

/**
 * Rejected writes throw a StatusError; a change of an unknown kind throws 400. `withStatus` also sets the status of an
 * applied object. Otherwise the status is handled as in kubectl apply.
 */
export async function makeChange(
  change: PlannedChange,
  client: Client,
  registry: ResourceRegistry,
  { withStatus = false } = {},
): Promise<void> {
  if ("apply" in change) {
    if (withStatus) await applyWhole(change.apply, client, registry);
    else await apply(change.apply, client, registry);
    return;
  }
  const { view, ...key } = placeOf(registry, objectOf(change));
  const resource = resourceOf(view);
  const merge = (body: unknown) => client.patch(resource, key, { type: "merge", body });
  if ("delete" in change) await client.delete(resource, key);
  else if ("label" in change) await merge({ metadata: { labels: change.labels } });
  else if ("annotate" in change) await merge({ metadata: { annotations: change.annotations } });
  else if ("patch" in change) {
    const { with: body, type = "merge", subresource } = change;
    await client.patch(resource, key, { type, body, ...(subresource === undefined ? {} : { subresource }) });
  } else {
    const live = await client.get(resource, key);
    await client.update(resource, { ...live, status: withReady(live, "ready" in change) }, "status");
  }
}

async function apply(
  object: Readonly<KubeObject>,
  client: Client,
  registry: ResourceRegistry,
): Promise<KubeObject> {
  const view = viewOf(object, registry);
  const body = inNamespace(object, view);
  const { namespace = "", name = "" } = body.metadata;
  const key = { namespace: view.definition.namespaceScoped ? namespace : "", name };
  return await client.patch(resourceOf(view), key, { type: "apply", force: true, body });
}

/**
 * Applies an object with its status, also where that is a subresource. A missing object is created. A created node
 * keeps its complete status, including two addresses of one type, which server-side apply rejects.
 */
async function applyWhole(object: Readonly<KubeObject>, client: Client, registry: ResourceRegistry) {
  const view = viewOf(object, registry);
  const resource = resourceOf(view);
  const made = await client.create(resource, inNamespace(object, view)).catch((error: unknown) => {
    if (error instanceof StatusError && error.reason === "AlreadyExists") return undefined;
    throw error;
  });
  const { metadata } = made ?? (await apply(object, client, registry));
  const { name = "", namespace = "" } = metadata;
  const isKept = made !== undefined && object.kind === "Node";
  const status = object["status"];
  if (status === undefined || view.version.status === undefined || isKept) return;
  const body = { status };
  await client.patch(resource, { namespace, name }, { type: "merge", body, subresource: "status" });
}

/** A copy with its effective namespace. */
function inNamespace(object: Readonly<KubeObject>, { definition }: ResourceView): KubeObject {
  const { metadata } = object;
  const namespace = definition.namespaceScoped ? (metadata.namespace ?? "default") : "";
  return { ...object, metadata: { ...metadata, ...(namespace === "" ? {} : { namespace }) } };
}

/** Throws 400. */
function viewOf(
  { apiVersion = "", kind = "" }: Readonly<KubeObject>,
  registry: ResourceRegistry,
): ResourceView {
  const view = registry.findByKind(apiVersion, kind);
  if (view) return view;
  throw badRequest(`no kind ${kind} of ${apiVersion} is served`);
}

/** The object that a change refers to. */
function objectOf(change: Exclude<PlannedChange, { readonly apply: unknown }>): string {
  if ("delete" in change) return change.delete;
  if ("label" in change) return change.label;
  if ("annotate" in change) return change.annotate;
  if ("patch" in change) return change.patch;
  return "ready" in change ? change.ready : change.notReady;
}

/** Parses "node/n1" and "pod/NAMESPACE/NAME". Throws 400 for an unknown kind. */
function placeOf(
  registry: ResourceRegistry,
  reference: string,
): { readonly view: ResourceView; readonly namespace: string; readonly name: string } {
  const [word = "", first = "", second] = reference.split("/");
  const view = findResource(registry, word);
  return second === undefined
    ? { view, namespace: "", name: first }
    : { view, namespace: first, name: second };
}

function withReady(node: Readonly<KubeObject>, isReady: boolean): object {
  const status = objectAt(node, "status");
  const others = objectsAt(status, "conditions").filter((one) => isObject(one) && one["type"] !== "Ready");
  const ready = { type: "Ready", status: isReady ? "True" : "False", reason: "Planned" };
  return { ...status, conditions: [...others, ready] };
}

/** "delete node/n1" */
export function changeInWords(change: PlannedChange): string {
  if (!("apply" in change)) {
    const word =
      "notReady" in change ? "not ready" : (Object.keys(CHANGES).find((key) => key in change) ?? "");
    return `${word} ${objectOf(change)}`;
  }
  const { kind = "", metadata } = change.apply;
  return `apply ${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name ?? ""}`;
}
