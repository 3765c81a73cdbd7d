// Makes, corrects and removes the NetworkAttachmentDefinition of a network in one namespace. It looks at the API, not at
// a copy: what was just written counts.

import type { Client } from "../../client/client.ts";
import { goQuote } from "../../go/strconv.ts";
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { oncePer } from "../../meta/once-per.ts";
import {
  deleteObject,
  hasFinalizer,
  ignoring,
  keyOfObject,
  NADS,
  NAMESPACES,
  PODS,
  withoutFinalizer,
} from "../kit/api.ts";
import { Complaint, telling, tellingLater } from "../kit/conditions.ts";
import { errorText } from "../kit/logging.ts";
import { configText, isControlledBy, OVN_CNI_TYPE, PRIMARY_LABEL } from "../networks/net-conf.ts";
import { corrected, FINALIZER, type RenderOptions, readNetworkSpec, renderNad } from "./render-nad.ts";
import type { EvpnIds } from "./transport.ts";

export interface NadDeps extends RenderOptions {
  readonly client: Client;
  readonly evpnIds: EvpnIds;
}

/** The NetworkAttachmentDefinition as it is after this. Throws a Complaint. */
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

/** Of several primary networks the first by name is told of. */
async function checkNoPrimary(client: Client, namespace: string): Promise<void> {
  for (const nad of (await client.list(NADS, { namespace })).items) {
    const where = `failed to validate no primary network exist: unmarshal failed [${keyOfObject(nad)}]`;
    const conf = telling(where, () => decodeJson(configText(nad)).value);
    if (!isObject(conf) || conf["type"] !== OVN_CNI_TYPE || conf["role"] !== "primary") continue;
    const name = goQuote(nad.metadata.name ?? "");
    throw new Complaint(`primary network already exist in namespace ${goQuote(namespace)}: ${name}`);
  }
}

/** Removes the owner's NetworkAttachmentDefinition unless pods use it. Throws a Complaint. */
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

/** Where ovn-kubernetes notes, by the key of the NetworkAttachmentDefinition, what it set up for a pod. */
export const POD_NETWORKS_ANNOTATION = "k8s.ovn.org/pod-networks";

/** Deletion has to wait: pods are attached. */
export class NetworkInUseError extends Complaint {}

/** Throws NetworkInUseError if any of the namespace's pods is attached, or might be: its annotation cannot be read. */
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

const notedNetworks = oncePer(({ metadata }: KubeObject): object | Error => {
  const text = metadata.annotations?.[POD_NETWORKS_ANNOTATION];
  if (text === undefined) return {};
  try {
    const { value } = decodeJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    return new Error(`failed to unmarshal ovn pod annotation ${goQuote(text)}: ${errorText(error)}`);
  }
});
