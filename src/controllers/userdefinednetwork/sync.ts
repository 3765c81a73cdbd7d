// One look at one network: its finalizer, and its NetworkAttachmentDefinition in every namespace where it belongs; and
// the condition that tells its owner what came of it.

import type { KubeObject } from "../../meta/object-meta.ts";
import {
  hasFinalizer,
  ignoring,
  isConflict,
  isGoing,
  keyOfObject,
  NADS,
  withFinalizer,
  withoutFinalizer,
} from "../kit/api.ts";
import { Complaint, type Condition, type Said, tellingLater } from "../kit/conditions.ts";
import { isCluster, resourceOf } from "../networks/net-conf.ts";
import { ensureNad, type NadDeps, NetworkInUseError, removeNad } from "./nads.ts";
import { FINALIZER, readNetworkSpec } from "./render-nad.ts";
import { VTEP_NOT_ACCEPTED } from "./transport.ts";

export interface Outcome {
  /** The owner as it is now. */
  owner: KubeObject;
  /** The NetworkAttachmentDefinitions that are there, by namespace. */
  readonly nads: KubeObject[];
  readonly errors: Error[];
  /** The transport cannot be used, so that nothing was made. */
  problem?: Said;
}

export interface Placing {
  /** Where the network has been made before; kept up to date here. */
  readonly made: Set<string>;
  /** Where it belongs now. Throws where its selector cannot be understood. */
  selected(): readonly string[];
  /** Its transport cannot be used. */
  readonly problem: Said | undefined;
}

export async function syncNetwork(deps: NadDeps, owner: KubeObject, placing: Placing): Promise<Outcome> {
  const outcome: Outcome = { owner, nads: [], errors: [] };
  await noting(outcome, () =>
    isGoing(owner) ? remove(deps, outcome, placing) : make(deps, outcome, placing),
  );
  return outcome;
}

async function noting({ errors }: Outcome, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    errors.push(error instanceof Error ? error : new Error(String(error)));
  }
}

async function make(deps: NadDeps, outcome: Outcome, placing: Placing): Promise<void> {
  const { made, problem } = placing;
  if (readNetworkSpec(outcome.owner).uplinks.length > 0 && !deps.features.has("uplinks")) {
    throw new Complaint("spec.uplinks is set but the Uplink feature is disabled, ignoring this CUDN");
  }
  outcome.owner = await hold(deps, outcome.owner);
  if (problem) return stop(deps, outcome, made, problem);
  const namespaces = placing.selected();
  const left = [...made].filter((namespace) => !namespaces.includes(namespace));
  await removeFrom(deps, outcome, left, made);
  // One that fails does not hold up the others.
  for (const namespace of namespaces) {
    await noting(outcome, async () => {
      outcome.nads.push(await ensureNad(deps, outcome.owner, namespace));
      made.add(namespace);
    });
  }
}

/** A network that is there already stays, frozen, while its VTEP is not accepted; otherwise there is none. */
async function stop(
  { client }: NadDeps,
  outcome: Outcome,
  made: ReadonlySet<string>,
  problem: Said,
): Promise<void> {
  if (problem.reason !== VTEP_NOT_ACCEPTED || made.size === 0) {
    outcome.problem = problem;
    return;
  }
  const { name = "" } = outcome.owner.metadata;
  for (const namespace of [...made].sort()) {
    const nad = await ignoring([404], client.get(NADS, { namespace, name }));
    if (nad) outcome.nads.push(nad);
  }
}

async function remove(deps: NadDeps, outcome: Outcome, { made }: Placing): Promise<void> {
  const { owner, errors } = outcome;
  if (!hasFinalizer(owner, FINALIZER)) return;
  await removeFrom(deps, outcome, [...made], made);
  if (errors.length > 0) return;
  const what = isCluster(owner)
    ? `from ClusterUserDefinedNetwork "${owner.metadata.name}"`
    : "to UserDefinedNetwork";
  const released = deps.client.update(resourceOf(owner), withoutFinalizer(owner, FINALIZER));
  await tellingLater(`failed to remove finalizer ${what}`, released);
  if (isCluster(owner)) deps.evpnIds.release(owner.metadata.name ?? "");
}

/** Removes the network's NetworkAttachmentDefinitions of these namespaces; what went is not made any more. */
async function removeFrom(
  { client }: NadDeps,
  outcome: Outcome,
  namespaces: readonly string[],
  made: Set<string>,
): Promise<void> {
  for (const namespace of [...namespaces].sort()) {
    await noting(outcome, async () => {
      await removeNad(client, outcome.owner, namespace);
      made.delete(namespace);
    });
  }
}

/** Puts the finalizer on the object. */
async function hold({ client }: NadDeps, owner: KubeObject): Promise<KubeObject> {
  if (hasFinalizer(owner, FINALIZER)) return owner;
  const what = isCluster(owner) ? `ClusterUserDefinedNetwork "${owner.metadata.name}"` : "UserDefinedNetwork";
  const held = client.update(resourceOf(owner), withFinalizer(owner, FINALIZER));
  return tellingLater(`failed to add finalizer to ${what}`, held);
}

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

const causesOf = (error: unknown): unknown[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** Pods hold the network: trying again helps only once they are gone. */
export const isInUse = (error: Error): boolean =>
  causesOf(error).some((cause) => cause instanceof NetworkInUseError);

/** Somebody else wrote in between: nothing to tell anybody of, trying again is enough. */
export const isOvertaken = (error: Error): boolean => causesOf(error).some(isConflict);
