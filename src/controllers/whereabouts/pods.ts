// Which pods have a right to their addresses.

import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, PODS } from "../kit/api.ts";
import { statusAddresses } from "./attachments.ts";

/** Its containers are gone for good. */
export function isFinished({ status }: KubeObject): boolean {
  const phase = isObject(status) ? status["phase"] : undefined;
  return phase === "Succeeded" || phase === "Failed";
}

/**
 * True if the pod may use one of the addresses: it lives, and says nothing else once it is set up. A set of none asks
 * for the pod alone.
 */
export function mayUse(
  pod: KubeObject | undefined,
  isAddress: (of: ReadonlySet<string>) => boolean,
): boolean {
  if (!pod || isFinished(pod)) return false;
  const said = statusAddresses(pod);
  return said === undefined || isAddress(said);
}

/** The pod as the copy has it; one that the copy does not have yet is asked for. */
export async function findPod(
  pods: Informer,
  client: Client,
  podRef: string,
): Promise<KubeObject | undefined> {
  const known = pods.get(podRef);
  if (known) return known;
  const slash = podRef.indexOf("/");
  const [namespace, name] = [podRef.slice(0, slash), podRef.slice(slash + 1)];
  if (slash < 1 || name === "" || name.includes("/")) return undefined;
  return ignoring([404], client.get(PODS, { namespace, name }));
}
