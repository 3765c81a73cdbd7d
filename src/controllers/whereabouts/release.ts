// Which pods have a right to their addresses, and what takes back those that have no right holder: of pods that are gone,
// finished, or set up with others.
import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, PODS } from "../kit/api.ts";
import {
  type Allocation,
  addressAt,
  allocationsOf,
  IP_POOLS,
  isOffset,
  podRefOf,
  RESERVATIONS,
  removal,
  reservesAny,
} from "./pool.ts";
import { statusAddresses } from "./requests.ts";

/** Its containers are gone for good. */
export const isFinished = (pod: KubeObject): boolean =>
  ["Succeeded", "Failed"].includes(textAt(objectAt(pod, "status"), "phase"));

/**
 * True if the pod may use one of the addresses: it lives, and says nothing else once it is set up. A set of none asks
 * for the pod alone.
 */
function mayUse(pod: KubeObject | undefined, isAddress: (of: ReadonlySet<string>) => boolean): boolean {
  if (!pod || isFinished(pod)) return false;
  const said = statusAddresses(pod);
  return said === undefined || isAddress(said);
}

/** The pod as the copy has it; one that the copy does not have yet is asked for. */
async function findPod(pods: Informer, client: Client, podRef: string): Promise<KubeObject | undefined> {
  const known = pods.get(podRef);
  if (known) return known;
  const slash = podRef.indexOf("/");
  const [namespace, name] = [podRef.slice(0, slash), podRef.slice(slash + 1)];
  if (slash < 1 || name === "" || name.includes("/")) return undefined;
  return ignoring([404], client.get(PODS, { namespace, name }));
}

interface PoolAccess {
  readonly client: Client;
  readonly pods: Informer;
  readonly namespace: string;
}

/** True if an allocation's pod may have it. One that names no pod, or has an odd key, is nobody's business. */
function isRightful(pool: KubeObject, { offset, podRef }: Allocation, pod: KubeObject | undefined): boolean {
  if (podRef === "" || !isOffset(offset)) return true;
  return mayUse(pod, (said) => said.has(addressAt(pool, offset)?.text ?? ""));
}

const isRightfulReservation = (reservation: KubeObject, pod: KubeObject | undefined): boolean =>
  mayUse(pod, (said) => reservesAny(reservation, said));

/** True if something in the pool may have to be taken back, as far as the copy of the pods tells. */
export function poolNeedsLook(pool: KubeObject, pods: Informer): boolean {
  for (const allocation of allocationsOf(pool)) {
    if (!isRightful(pool, allocation, pods.get(allocation.podRef))) return true;
  }
  return false;
}

export const reservationNeedsLook = (reservation: KubeObject, pods: Informer): boolean =>
  !isRightfulReservation(reservation, pods.get(podRefOf(reservation)));

export async function cleanPool({ client, pods, namespace }: PoolAccess, name: string): Promise<void> {
  const pool = await ignoring([404], client.get(IP_POOLS, { namespace, name }));
  if (!pool) return;
  const dead: string[] = [];
  for (const allocation of allocationsOf(pool)) {
    if (isRightful(pool, allocation, pods.get(allocation.podRef))) continue;
    const pod = await findPod(pods, client, allocation.podRef);
    if (!isRightful(pool, allocation, pod)) dead.push(allocation.offset);
  }
  if (dead.length === 0) return;
  await client.patch(IP_POOLS, { namespace, name }, { type: "json", body: removal(pool, dead) });
}

export async function cleanReservation({ client, pods, namespace }: PoolAccess, name: string): Promise<void> {
  const reservation = await ignoring([404], client.get(RESERVATIONS, { namespace, name }));
  if (!reservation) return;
  const pod = await findPod(pods, client, podRefOf(reservation));
  if (isRightfulReservation(reservation, pod)) return;
  const { uid = "" } = reservation.metadata;
  await ignoring([404, 409], client.delete(RESERVATIONS, { namespace, name }, { uid }));
}
