// Makes, corrects and removes the NetworkAttachmentDefinition of a network in one namespace. It looks at the API, not at
// a copy: what was just written counts.

import type { Client } from "../../client/client.ts";
import { goQuote } from "../../go/strconv.ts";
import { isObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { hasFinalizer, ignoring, NADS, NAMESPACES, PODS, withoutFinalizer } from "../kit/api.ts";
import { configText, OVN_CNI_TYPE } from "../networks/net-conf.ts";
import { NetworkError, within } from "../networks/network-error.ts";
import { nadKey } from "../networks/network-keys.ts";
import { isControlledBy } from "../networks/owners.ts";
import type { EvpnIds } from "./evpn-ids.ts";
import { readNetworkSpec } from "./network-spec.ts";
import { checkNotInUse } from "./pods-in-use.ts";
import type { RenderOptions } from "./render-config.ts";
import { corrected, FINALIZER, renderNad } from "./render-nad.ts";

export const PRIMARY_LABEL = "k8s.ovn.org/primary-user-defined-network";

export interface NadOptions extends RenderOptions {
  readonly evpnIds?: EvpnIds;
}

/** The NetworkAttachmentDefinition as it is after this. Throws NetworkError. */
export async function ensureNad(
  client: Client,
  owner: KubeObject,
  namespace: string,
  options: NadOptions,
): Promise<KubeObject> {
  const spec = readNetworkSpec(owner);
  const primary = spec.role === "Primary";
  if (primary) await checkPrimaryAllowed(client, namespace);
  const { name = "" } = owner.metadata;
  const live = await ignoring([404], client.get(NADS, { namespace, name }));
  const evpn =
    spec.transport === "EVPN" && spec.evpn ? options.evpnIds?.complete(name, spec.evpn) : undefined;
  const rendered = renderNad(owner, namespace, { ...options, evpn });
  if (!live) {
    if (primary) await checkNoPrimary(client, namespace);
    return writing("failed to create NetworkAttachmentDefinition", client.create(NADS, rendered));
  }
  if (!isControlledBy(live, owner)) {
    const key = nadKey(namespace, name);
    throw new NetworkError(
      `foreign NetworkAttachmentDefinition with the desired name already exist [${key}]`,
    );
  }
  const next = corrected(live, rendered);
  if (!next) return live;
  return writing("failed to update NetworkAttachmentDefinition", client.update(NADS, next));
}

async function checkPrimaryAllowed(client: Client, namespace: string): Promise<void> {
  const found = await ignoring([404], client.get(NAMESPACES, { namespace: "", name: namespace }));
  if (!found) {
    const quoted = goQuote(namespace);
    throw new NetworkError(`failed to get namespace ${quoted}: namespace ${quoted} not found`);
  }
  if (Object.hasOwn(found.metadata.labels ?? {}, PRIMARY_LABEL)) return;
  throw new NetworkError(
    `invalid primary network state for namespace ${goQuote(namespace)}: ` +
      "a valid primary user defined network or network attachment definition custom resource, " +
      `and required namespace label ${goQuote(PRIMARY_LABEL)} must both be present`,
  );
}

/** Of several primary networks the first by name is told of. */
async function checkNoPrimary(client: Client, namespace: string): Promise<void> {
  const { items } = await client.list(NADS, { namespace });
  for (const nad of items) {
    const { name = "" } = nad.metadata;
    const conf = configOf(nad, nadKey(namespace, name));
    if (!isObject(conf) || conf["type"] !== OVN_CNI_TYPE || conf["role"] !== "primary") continue;
    throw new NetworkError(
      `primary network already exist in namespace ${goQuote(namespace)}: ${goQuote(name)}`,
    );
  }
}

function configOf(nad: KubeObject, key: string): unknown {
  try {
    return decodeJson(configText(nad)).value;
  } catch (error) {
    throw within(`failed to validate no primary network exist: unmarshal failed [${key}]`, error);
  }
}

/** Removes the owner's NetworkAttachmentDefinition unless pods use it. Throws NetworkError. */
export async function removeNad(client: Client, owner: KubeObject, namespace: string): Promise<void> {
  const { name = "" } = owner.metadata;
  const key = { namespace, name };
  try {
    const live = await ignoring([404], client.get(NADS, key));
    if (!live || !isControlledBy(live, owner) || !hasFinalizer(live, FINALIZER)) return;
    checkNotInUse(namespace, name, (await client.list(PODS, { namespace })).items);
    await writing(
      "failed to remove NetworkAttachmentDefinition finalizer",
      client.update(NADS, withoutFinalizer(live, FINALIZER)),
    );
    await ignoring([404, 409], client.delete(NADS, key, { uid: live.metadata.uid ?? "" }));
  } catch (error) {
    throw within(`failed to delete NetworkAttachmentDefinition [${nadKey(namespace, name)}]`, error);
  }
}

async function writing(where: string, write: Promise<KubeObject>): Promise<KubeObject> {
  try {
    return await write;
  } catch (error) {
    throw within(where, error);
  }
}
