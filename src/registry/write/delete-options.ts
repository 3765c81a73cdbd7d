// metav1.DeleteOptions: what a DELETE may ask for, and what that means for the finalizers of the object.

import { type FieldError, invalid, notSupported } from "../../meta/field-error.ts";
import { lookupTable } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { conflict, invalidObject } from "../../meta/status.ts";
import { type DeleteOptions, dryRunErrors } from "../definition/request-context.ts";
import type { ResourceDefinition, Strategy } from "../definition/resource-definition.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Throws 422 for options that contradict each other or are unknown. */
export function validateDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  append(errors, dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

/** Throws 409 when the object is not the one that the preconditions name. */
export function checkPreconditions(
  definition: ResourceDefinition,
  object: Readonly<KubeObject>,
  preconditions: DeleteOptions["preconditions"],
): void {
  const { uid, resourceVersion, name = "" } = object.metadata;
  const kind = { group: definition.group, resource: definition.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, name, why);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(kind, name, why);
  }
}

/** Throws 409 when the stored object is not the one that is meant, in the words of a real server's store. */
export function checkMeant(
  definition: ResourceDefinition,
  { key }: { readonly key: string },
  { metadata }: Readonly<KubeObject>,
  meant: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const found = (what: string, wanted: string, there: string | undefined) =>
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${there}`;
  const { uid, resourceVersion, name = "" } = metadata;
  if (meant.uid !== undefined && meant.uid !== uid) {
    throw conflict(definition, name, found("UID", meant.uid, uid));
  }
  if (meant.resourceVersion !== undefined && meant.resourceVersion !== resourceVersion) {
    throw conflict(definition, name, found("ResourceVersion", meant.resourceVersion, resourceVersion));
  }
}

/**
 * The finalizers that the object has once its deletion begins: the collector's own come and go by policy, and a kind that
 * it does not look after gets none of them. The list stays as it is, in its order, where it would hold the same ones.
 */
export function finalizersForDeletion(
  object: Readonly<KubeObject>,
  options: DeleteOptions,
  strategy: Pick<Strategy, "withoutGarbageCollection"> = {},
): string[] {
  const present = object.metadata.finalizers ?? [];
  const finalizers = present.filter((item) => item !== ORPHAN && item !== FOREGROUND);
  const own = strategy.withoutGarbageCollection ? undefined : collectorsFinalizer(present, options);
  if (own !== undefined) finalizers.push(own);
  const [before, after] = [new Set(present), new Set(finalizers)];
  const isSame = before.size === after.size && finalizers.every((item) => before.has(item));
  return isSame ? [...present] : finalizers;
}

/** What the request says counts more than what the object says, and of that the first. */
function collectorsFinalizer(present: readonly string[], options: DeleteOptions): string | undefined {
  const { propagationPolicy, orphanDependents } = options;
  if (orphanDependents !== undefined) return orphanDependents ? ORPHAN : undefined;
  if (propagationPolicy === undefined) return present.find((item) => item === ORPHAN || item === FOREGROUND);
  return FINALIZERS[propagationPolicy];
}

const FINALIZERS: Readonly<Record<string, string>> = lookupTable({ Orphan: ORPHAN, Foreground: FOREGROUND });
