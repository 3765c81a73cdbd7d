// The stored form of another server's object, with its uid, times and status, without validation. As for every stored
// object, unknown fields are pruned and defaults are set.

import { formatTime } from "../../apimachinery/meta/clock.ts";
import { isDns1123Label, isPathSegmentName, nameIsDnsSubdomain } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import { conformObject } from "../../apiserver/registry/codec/object-decoder.ts";
import { toStoredForm } from "../../apiserver/registry/codec/versions.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import {
  apiVersionOf,
  objectKey,
  storageView,
  strategyOf,
} from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";

/** Why this server cannot store an object, for the import report. */
export class Undecodable extends Error {}

/**
 * The view of the object's own version or, if that is not served, of the storage version. undefined: the kind is not
 * stored.
 */
export function standingView(
  registry: ResourceRegistry,
  { apiVersion = "", kind = "" }: Pick<KubeObject, "apiVersion" | "kind">,
): ResourceView | undefined {
  const known = registry.findByKind(apiVersion, kind);
  if (known !== undefined) return isKept(known) ? known : undefined;
  const [group] = partsOfApiVersion(apiVersion);
  const same = registry.definitions.find((one) => one.group === group && one.kind === kind);
  return same === undefined || !isKept({ definition: same }) ? undefined : storageView(same);
}

const isKept = ({ definition }: Pick<ResourceView, "definition">): boolean =>
  definition.review === undefined && definition.observe === undefined;

/**
 * Throws Undecodable for a name or namespace that an API create of the kind rejects. For every kind, a key segment has
 * no "/" or "%", and is neither "." nor "..". It is well-formed Unicode without control characters.
 */
export function standingKey(
  view: ResourceView,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const { definition } = view;
  const inside = definition.namespaceScoped ? namespace || "default" : "";
  const complaints = [
    ...segmentComplaints(name),
    ...(strategyOf(view).validateName ?? nameIsDnsSubdomain)(name, false),
    ...(inside === "" ? [] : isDns1123Label(inside).map((complaint) => `its namespace: ${complaint}`)),
  ];
  const [complaint] = complaints;
  if (complaint !== undefined)
    throw new Undecodable(`has a name that no ${definition.kind} can have: ${complaint}`);
  return objectKey(definition, inside, name);
}

function segmentComplaints(name: string): string[] {
  if (name === "") return ["must not be empty"];
  if (CONTROL.test(name) || LONE_SURROGATE.test(name))
    return ["must be well-formed text without control characters"];
  return isPathSegmentName(name, false);
}

const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Returns the stored form. The given object is changed and retained. Throws Undecodable, and StatusError from a
 * conversion webhook.
 */
export async function standingObject(
  view: ResourceView,
  object: KubeObject,
  { ids, clock }: Pick<RequestContext, "ids" | "clock">,
): Promise<KubeObject> {
  if (!isVersionOf(view, object)) object.apiVersion = apiVersionOf(view);
  const refuse = (why: string) => new Undecodable(`cannot be read as a ${view.definition.kind}: ${why}`);
  const { metadata } = conformObject(view, object, { refuse }).object;
  // The first generation of an object that was never stored; older servers counted the changes of fewer kinds.
  if (!metadata.uid && strategyOf(view).hasGeneration) metadata.generation ??= 1;
  metadata.uid ||= ids.uid();
  metadata.creationTimestamp ||= formatTime(clock.now());
  if (metadata.managedFields?.length === 0) delete metadata.managedFields;
  delete metadata.resourceVersion;
  if (view.definition.namespaceScoped) metadata.namespace ||= "default";
  else delete metadata.namespace;
  return toStoredForm(view, object);
}

/** An object may have a version that its CRD defines and no longer serves. */
const isVersionOf = ({ definition }: ResourceView, { apiVersion }: KubeObject): boolean =>
  definition.versions.some((version) => apiVersionOf({ definition, version }) === apiVersion);
