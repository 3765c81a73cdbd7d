// One look at one network: its finalizer, and its NetworkAttachmentDefinition in every namespace where it belongs; and
// the condition that tells its owner what came of it.

import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import {
  hasFinalizer,
  ignoring,
  isGoing,
  keyOfObject,
  NADS,
  withFinalizer,
  withoutFinalizer,
} from "../kit/api.ts";
import { Complaint, tellingLater } from "../kit/complaint.ts";
import type { Condition, Said } from "../kit/conditions.ts";
import { isCluster, resourceOf } from "../networks/net-conf.ts";
import { ensureNad, type NadOptions, NetworkInUseError, removeNad } from "./nads.ts";
import { FINALIZER, readNetworkSpec } from "./render-nad.ts";
import { VTEP_NOT_ACCEPTED } from "./transport.ts";

export interface SyncDeps extends NadOptions {
  readonly client: Client;
}

export interface Outcome {
  /** The owner as it is now. */
  readonly owner: KubeObject;
  /** The NetworkAttachmentDefinitions that are there, by namespace. */
  readonly nads: readonly KubeObject[];
  readonly errors: readonly Error[];
  /** The transport cannot be used, so that nothing was made. */
  readonly problem?: Said | undefined;
}

/** Of a UserDefinedNetwork: it has one NetworkAttachmentDefinition, in its own namespace. */
export async function syncNamespaced(deps: SyncDeps, owner: KubeObject): Promise<Outcome> {
  const { namespace = "" } = owner.metadata;
  if (isGoing(owner)) return remove(deps, owner, new Set([namespace]));
  let held = owner;
  try {
    held = await hold(deps, owner);
    return { owner: held, nads: [await ensureNad(deps.client, held, namespace, deps)], errors: [] };
  } catch (error) {
    return { owner: held, nads: [], errors: [asError(error)] };
  }
}

export interface ClusterSync {
  /** Where the network has been made before; kept up to date here. */
  readonly made: Set<string>;
  /** Where it belongs now. Throws where its selector cannot be understood. */
  selected(): readonly string[];
  /** Its transport cannot be used. */
  readonly problem: Said | undefined;
}

/** Of a ClusterUserDefinedNetwork: one in each namespace that it selects. One that fails does not hold up the others. */
export async function syncCluster(deps: SyncDeps, owner: KubeObject, sync: ClusterSync): Promise<Outcome> {
  const { made, problem } = sync;
  if (isGoing(owner)) return remove(deps, owner, made);
  if (readNetworkSpec(owner).uplinks.length > 0 && !deps.features.has("uplinks")) {
    const message = "spec.uplinks is set but the Uplink feature is disabled, ignoring this CUDN";
    return { owner, nads: [], errors: [new Complaint(message)] };
  }
  let held = owner;
  let selected: readonly string[];
  try {
    held = await hold(deps, owner);
    if (problem) return stopped(deps, held, sync);
    selected = sync.selected();
  } catch (error) {
    return { owner: held, nads: [], errors: [asError(error)] };
  }
  const left = [...made].filter((namespace) => !selected.includes(namespace));
  const errors = await removeFrom(deps, held, left, made);
  const nads: KubeObject[] = [];
  for (const namespace of selected) {
    try {
      nads.push(await ensureNad(deps.client, held, namespace, deps));
      made.add(namespace);
    } catch (error) {
      errors.push(asError(error));
    }
  }
  return { owner: held, nads, errors };
}

/** A network that is there already stays, frozen, while its VTEP is not accepted; otherwise there is none. */
async function stopped(
  { client }: SyncDeps,
  owner: KubeObject,
  { made, problem }: ClusterSync,
): Promise<Outcome> {
  if (problem?.reason !== VTEP_NOT_ACCEPTED || made.size === 0) {
    return { owner, nads: [], errors: [], problem };
  }
  const { name = "" } = owner.metadata;
  const nads: KubeObject[] = [];
  for (const namespace of [...made].sort()) {
    const nad = await ignoring([404], client.get(NADS, { namespace, name }));
    if (nad) nads.push(nad);
  }
  return { owner, nads, errors: [] };
}

async function remove(deps: SyncDeps, owner: KubeObject, made: Set<string>): Promise<Outcome> {
  if (!hasFinalizer(owner, FINALIZER)) return { owner, nads: [], errors: [] };
  const errors = await removeFrom(deps, owner, [...made], made);
  if (errors.length > 0) return { owner, nads: [], errors };
  const what = isCluster(owner)
    ? `from ClusterUserDefinedNetwork "${owner.metadata.name}"`
    : "to UserDefinedNetwork";
  const released = deps.client.update(resourceOf(owner), withoutFinalizer(owner, FINALIZER));
  try {
    await tellingLater(`failed to remove finalizer ${what}`, released);
    if (isCluster(owner)) deps.evpnIds.release(owner.metadata.name ?? "");
    return { owner, nads: [], errors: [] };
  } catch (error) {
    return { owner, nads: [], errors: [asError(error)] };
  }
}

/** Removes the network's NetworkAttachmentDefinitions of these namespaces; what went is not made any more. */
async function removeFrom(
  { client }: SyncDeps,
  owner: KubeObject,
  namespaces: readonly string[],
  made: Set<string>,
): Promise<Error[]> {
  const errors: Error[] = [];
  for (const namespace of [...namespaces].sort()) {
    try {
      await removeNad(client, owner, namespace);
      made.delete(namespace);
    } catch (error) {
      errors.push(asError(error));
    }
  }
  return errors;
}

/** Puts the finalizer on the object. */
async function hold({ client }: SyncDeps, owner: KubeObject): Promise<KubeObject> {
  if (hasFinalizer(owner, FINALIZER)) return owner;
  const what = isCluster(owner) ? `ClusterUserDefinedNetwork "${owner.metadata.name}"` : "UserDefinedNetwork";
  const held = client.update(resourceOf(owner), withFinalizer(owner, FINALIZER));
  return tellingLater(`failed to add finalizer to ${what}`, held);
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The condition NetworkCreated. */
export function networkCreated(outcome: Outcome): Condition {
  const { owner, nads, errors, problem } = outcome;
  const failed = { type: "NetworkCreated", status: "False" } as const;
  if (problem) return { ...failed, ...problem };
  if (errors.length > 0) {
    const reason = isCluster(owner) ? "NetworkAttachmentDefinitionSyncError" : "SyncError";
    return { ...failed, reason, message: errorMessage(errors) };
  }
  const going = nads.filter(isGoing);
  if (going.length > 0) {
    const message = isCluster(owner)
      ? `NetworkAttachmentDefinition are being deleted: [${going.map(keyOfObject).join(" ")}]`
      : "NetworkAttachmentDefinition is being deleted";
    return { ...failed, reason: "NetworkAttachmentDefinitionDeleted", message };
  }
  const namespaces = nads.map(({ metadata }) => metadata.namespace);
  const where = isCluster(owner) ? ` in following namespaces: [${namespaces.join(", ")}]` : "";
  const message = `NetworkAttachmentDefinition has been created${where}`;
  return { ...failed, status: "True", reason: "NetworkAttachmentDefinitionCreated", message };
}

export const errorMessage = (errors: readonly Error[]): string =>
  errors.map(({ message }) => message).join("\n");

function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined) yield at;
}

/** Pods hold the network: trying again helps only once they are gone. */
export const isInUse = (error: Error): boolean =>
  [...causesOf(error)].some((cause) => cause instanceof NetworkInUseError);

/** Somebody else wrote in between: nothing to tell anybody of, trying again is enough. */
export const isOvertaken = (error: Error): boolean =>
  [...causesOf(error)].some((cause) => cause instanceof StatusError && cause.reason === "Conflict");
