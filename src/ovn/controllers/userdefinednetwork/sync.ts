// Reconciles one network: its finalizer, its NetworkAttachmentDefinition (NAD) in every selected namespace, and the
// condition NetworkCreated of its owner.

import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject } from "../../../apimachinery/json/json.ts";
import { decodeJson } from "../../../apimachinery/json/json-decode.ts";
import { memoize } from "../../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import {
  deleteObject,
  hasFinalizer,
  ignoring,
  isConflict,
  isGoing,
  keyOfObject,
  NADS,
  NAMESPACES,
  PODS,
  withFinalizer,
  withoutFinalizer,
} from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import {
  Complaint,
  type Condition,
  type Said,
  telling,
  tellingLater,
} from "../../../controller/conditions.ts";
import { errorText } from "../../../controller/logging.ts";
import {
  configText,
  isCluster,
  isControlledBy,
  OVN_CNI_TYPE,
  PRIMARY_LABEL,
  resourceOf,
} from "../networks/net-conf.ts";
import { corrected, FINALIZER, type RenderOptions, readNetworkSpec, renderNad } from "./render-nad.ts";
import { type EvpnIds, VTEP_NOT_ACCEPTED } from "./transport.ts";

export interface Outcome {
  /** The owner after the last write. */
  owner: KubeObject;
  /** The existing NADs, sorted by namespace. */
  readonly nads: KubeObject[];
  readonly errors: Error[];
  /** The transport is not available, so no NAD was created. */
  problem?: Said;
}

export interface Placing {
  /** Namespaces with a NAD of the network; updated here. */
  readonly made: Set<string>;
  /** The selected namespaces. Throws if the selector is invalid. */
  selected(): readonly string[];
  /** Why the transport is not available. */
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
  // A failure in one namespace does not affect the others.
  for (const namespace of namespaces) {
    await noting(outcome, async () => {
      outcome.nads.push(await ensureNad(deps, outcome.owner, namespace));
      made.add(namespace);
    });
  }
}

/** While the VTEP is not accepted, existing NADs stay unchanged; with any other problem no NAD is reported. */
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

/** Deletes the network's NADs in these namespaces, and removes the namespaces from `made`. */
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

/** Adds the finalizer to the owner. */
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

/** Reports whether pods use the network; a retry succeeds only after their deletion. */
export const isInUse = (error: Error): boolean =>
  causesOf(error).some((cause) => cause instanceof NetworkInUseError);

/** Reports whether a write failed with a conflict, which is retried and not reported. */
export const isOvertaken = (error: Error): boolean => causesOf(error).some(isConflict);

// Creates, updates and deletes the NAD of a network in one namespace. Objects are read from the API, since informers may lag
// behind the last write.

export interface NadDeps extends RenderOptions {
  readonly client: Client;
  readonly evpnIds: EvpnIds;
}

/** Creates or updates the NAD, and returns it. Throws a Complaint. */
export async function ensureNad(deps: NadDeps, owner: KubeObject, namespace: string): Promise<KubeObject> {
  const { client, evpnIds } = deps;
  const { role, transport, evpn: asked } = readNetworkSpec(owner);
  if (role === "Primary") await checkPrimaryAllowed(client, namespace);
  const { name = "" } = owner.metadata;
  const live = await ignoring([404], client.get(NADS, { namespace, name }));
  const evpn = transport === "EVPN" && asked ? evpnIds.complete(name, asked) : undefined;
  const rendered = renderNad(owner, namespace, { ...deps, evpn });
  if (!live) {
    if (role === "Primary") await checkNoPrimary(client, namespace);
    return tellingLater("failed to create NetworkAttachmentDefinition", client.create(NADS, rendered));
  }
  if (!isControlledBy(live, owner)) {
    const found = "foreign NetworkAttachmentDefinition with the desired name already exist";
    throw new Complaint(`${found} [${keyOfObject(live)}]`);
  }
  const next = corrected(live, rendered);
  return next
    ? tellingLater("failed to update NetworkAttachmentDefinition", client.update(NADS, next))
    : live;
}

async function checkPrimaryAllowed(client: Client, namespace: string): Promise<void> {
  const found = await ignoring([404], client.get(NAMESPACES, { namespace: "", name: namespace }));
  const quoted = goQuote(namespace);
  if (!found) throw new Complaint(`failed to get namespace ${quoted}: namespace ${quoted} not found`);
  if (Object.hasOwn(found.metadata.labels ?? {}, PRIMARY_LABEL)) return;
  throw new Complaint(
    `invalid primary network state for namespace ${quoted}: ` +
      "a valid primary user defined network or network attachment definition custom resource, " +
      `and required namespace label ${goQuote(PRIMARY_LABEL)} must both be present`,
  );
}

/** Throws a Complaint with the first primary network of the namespace, by name. */
async function checkNoPrimary(client: Client, namespace: string): Promise<void> {
  for (const nad of (await client.list(NADS, { namespace })).items) {
    const where = `failed to validate no primary network exist: unmarshal failed [${keyOfObject(nad)}]`;
    const conf = telling(where, () => decodeJson(configText(nad)).value);
    if (!isObject(conf) || conf["type"] !== OVN_CNI_TYPE || conf["role"] !== "primary") continue;
    const name = goQuote(nad.metadata.name ?? "");
    throw new Complaint(`primary network already exist in namespace ${goQuote(namespace)}: ${name}`);
  }
}

/** Deletes the owner's NAD unless pods use it. Throws a Complaint. */
export async function removeNad(client: Client, owner: KubeObject, namespace: string): Promise<void> {
  const key = { namespace, name: owner.metadata.name ?? "" };
  const where = `failed to delete NetworkAttachmentDefinition [${namespace}/${key.name}]`;
  const remove = async (): Promise<void> => {
    const live = await ignoring([404], client.get(NADS, key));
    if (!live || !isControlledBy(live, owner) || !hasFinalizer(live, FINALIZER)) return;
    checkNotInUse(live, (await client.list(PODS, { namespace })).items);
    const released = client.update(NADS, withoutFinalizer(live, FINALIZER));
    await tellingLater("failed to remove NetworkAttachmentDefinition finalizer", released);
    await deleteObject(client, NADS, live);
  };
  await tellingLater(where, remove());
}

/** Pod annotation of ovn-kubernetes with the attached networks, by NAD key. */
export const POD_NETWORKS_ANNOTATION = "k8s.ovn.org/pod-networks";

/** The deletion waits, because pods are attached. */
export class NetworkInUseError extends Complaint {}

/** Throws NetworkInUseError if a pod of the namespace is attached, or has an invalid annotation. */
function checkNotInUse(nad: KubeObject, pods: readonly KubeObject[]): void {
  const key = keyOfObject(nad);
  const attached = pods.filter((pod) => {
    const noted = notedNetworks(pod);
    if (!(noted instanceof Error)) return Object.hasOwn(noted, key);
    const which = `failed to unmarshal pod annotation [${keyOfObject(pod)}]: ${noted.message}`;
    throw new NetworkInUseError(`failed to verify NAD not in use [${key}]: ${which}`);
  });
  if (attached.length === 0) return;
  const names = attached.map(keyOfObject).sort();
  throw new NetworkInUseError(`network in use by the following pods: [${names.join(" ")}]`);
}

const notedNetworks = memoize(({ metadata }: KubeObject): object | Error => {
  const text = metadata.annotations?.[POD_NETWORKS_ANNOTATION];
  if (text === undefined) return {};
  try {
    const { value } = decodeJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    return new Error(`failed to unmarshal ovn pod annotation ${goQuote(text)}: ${errorText(error)}`);
  }
});
