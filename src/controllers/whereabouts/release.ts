// Takes back what has no right holder: addresses of pods that are gone, finished, or set up with others.
import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../kit/api.ts";
import { findPod, mayUse } from "./pods.ts";
import { type Allocation, addressAt, allocationsOf, IP_POOLS, isOffset, removal } from "./pool.ts";
import { podRefOf, RESERVATIONS, reservesAny } from "./reservation.ts";

export interface PoolAccess {
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
