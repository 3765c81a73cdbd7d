// One look at one network: its finalizer, and its NetworkAttachmentDefinition in every namespace where it belongs.

import type { Client, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  hasFinalizer,
  ignoring,
  isGoing,
  NADS,
  USER_DEFINED_NETWORKS,
  withFinalizer,
  withoutFinalizer,
} from "../kit/api.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import { isCluster } from "../networks/owners.ts";
import { ensureNad, type NadOptions, removeNad } from "./nads.ts";
import { readNetworkSpec } from "./network-spec.ts";
import type { Outcome } from "./outcome.ts";
import { FINALIZER } from "./render-nad.ts";
import { type TransportProblem, VTEP_NOT_ACCEPTED } from "./transport.ts";

export interface SyncDeps extends NadOptions {
  readonly client: Client;
}

export const resourceOf = (owner: KubeObject): ResourceName =>
  isCluster(owner) ? CLUSTER_USER_DEFINED_NETWORKS : USER_DEFINED_NETWORKS;

/** Of a UserDefinedNetwork: it has one NetworkAttachmentDefinition, in its own namespace. */
export async function syncNamespaced(deps: SyncDeps, owner: KubeObject): Promise<Outcome> {
  const { namespace = "" } = owner.metadata;
  if (isGoing(owner)) return remove(deps, owner, [namespace]);
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
  readonly problem: TransportProblem | undefined;
}

/** Of a ClusterUserDefinedNetwork: one in each namespace that it selects. One that fails does not hold up the others. */
export async function syncCluster(deps: SyncDeps, owner: KubeObject, sync: ClusterSync): Promise<Outcome> {
  const { made, problem } = sync;
  if (isGoing(owner)) return remove(deps, owner, [...made].sort(), made);
  if (readNetworkSpec(owner).uplinks.length > 0 && !deps.features.uplinks) {
    const message = "spec.uplinks is set but the Uplink feature is disabled, ignoring this CUDN";
    return { owner, nads: [], errors: [new NetworkError(message)] };
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
  const errors: Error[] = [];
  for (const namespace of [...made].sort()) {
    if (selected.includes(namespace)) continue;
    const error = await failureOf(removeNad(deps.client, held, namespace));
    if (error) errors.push(error);
    else made.delete(namespace);
  }
  const nads: KubeObject[] = [];
  for (const namespace of selected) {
    const error = await failureOf(
      ensureNad(deps.client, held, namespace, deps).then((nad) => nads.push(nad)),
    );
    if (error) errors.push(error);
    else made.add(namespace);
  }
  return { owner: held, nads, errors };
}

/** A network that is there already stays, frozen, while its VTEP is not accepted; otherwise there is none. */
async function stopped({ client }: SyncDeps, owner: KubeObject, sync: ClusterSync): Promise<Outcome> {
  const { made, problem } = sync;
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

async function remove(
  deps: SyncDeps,
  owner: KubeObject,
  namespaces: readonly string[],
  made?: Set<string>,
): Promise<Outcome> {
  if (!hasFinalizer(owner, FINALIZER)) return { owner, nads: [], errors: [] };
  const errors: Error[] = [];
  for (const namespace of namespaces) {
    const error = await failureOf(removeNad(deps.client, owner, namespace));
    if (error) errors.push(error);
    else made?.delete(namespace);
  }
  if (errors.length > 0) return { owner, nads: [], errors };
  const error = await failureOf(deps.client.update(resourceOf(owner), withoutFinalizer(owner, FINALIZER)));
  if (!error && isCluster(owner)) deps.evpnIds?.release(owner.metadata.name ?? "");
  const where = isCluster(owner)
    ? `failed to remove finalizer from ClusterUserDefinedNetwork "${owner.metadata.name}"`
    : "failed to remove finalizer to UserDefinedNetwork";
  return { owner, nads: [], errors: error ? [within(where, error)] : [] };
}

/** Puts the finalizer on the object. */
async function hold({ client }: SyncDeps, owner: KubeObject): Promise<KubeObject> {
  if (hasFinalizer(owner, FINALIZER)) return owner;
  try {
    return await client.update(resourceOf(owner), withFinalizer(owner, FINALIZER));
  } catch (error) {
    const where = isCluster(owner)
      ? `failed to add finalizer to ClusterUserDefinedNetwork "${owner.metadata.name}"`
      : "failed to add finalizer to UserDefinedNetwork";
    throw within(where, error);
  }
}

async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
