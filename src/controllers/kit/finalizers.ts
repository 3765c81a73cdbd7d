// How a controller keeps an object from going before it has cleared up behind it.
import type { Client, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring } from "../runtime/api-errors.ts";

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

export const added = (finalizer: string, finalizers: readonly string[] = []): string[] => [
  ...finalizers,
  finalizer,
];

export const removed = (finalizer: string, finalizers: readonly string[] = []): string[] =>
  finalizers.filter((item) => item !== finalizer);

export function withFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, finalizers: added(finalizer, metadata.finalizers) } };
}

export function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, finalizers: removed(finalizer, metadata.finalizers) } };
}

export interface Held {
  readonly client: Client;
  readonly resource: ResourceName;
  readonly finalizer: string;
}

/** Applies the finalizer to a cluster-scoped object that lacks it. */
export async function hold({ client, resource, finalizer }: Held, object: KubeObject): Promise<void> {
  if (hasFinalizer(object, finalizer)) return;
  const { apiVersion, kind, metadata } = object;
  const { name = "" } = metadata;
  const body = { apiVersion, kind, metadata: { name, finalizers: [finalizer] } };
  await client.patch(resource, { namespace: "", name }, { type: "apply", force: true, body });
}

/** Takes the finalizer off, if it is there; with the last one an object that was deleted goes. */
export async function removeFinalizer(
  { client, resource, finalizer }: Held,
  object: KubeObject,
): Promise<void> {
  if (!hasFinalizer(object, finalizer)) return;
  await ignoring([404], client.update(resource, withoutFinalizer(object, finalizer)));
}
