// The writes of the collector to objects that stay: an owner reference or a finalizer less. Each is made on the state
// it was decided on, and decided again when somebody else was faster.
import type { Client, ObjectKey, ResourceName } from "../../client/client.ts";
import type { KubeObject, ObjectMeta } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";

export interface ObjectIdentity extends ObjectKey {
  readonly resource: ResourceName;
  readonly uid: string;
}

/** What of the metadata is to become otherwise; an empty list takes the member away. */
export type MetadataChange = Pick<ObjectMeta, "ownerReferences" | "finalizers">;

const TRIES_MAX = 5;

/** The object as it is now; undefined when it is gone, also when another one has its name. */
export async function readObject(client: Client, identity: ObjectIdentity): Promise<KubeObject | undefined> {
  const found = await findObject(client, identity.resource, identity);
  return found?.metadata.uid === identity.uid ? found : undefined;
}

export async function findObject(
  client: Client,
  resource: ResourceName,
  { namespace, name }: ObjectKey,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Changes the metadata of an object, which may be gone by then. No change: change answers undefined. */
export async function patchMetadata(
  client: Client,
  identity: ObjectIdentity,
  change: (metadata: ObjectMeta) => MetadataChange | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const live = await readObject(client, identity);
    const changed = live && change(live.metadata);
    if (!changed) return;
    try {
      await client.patch(identity.resource, identity, {
        type: "merge",
        body: { metadata: { resourceVersion: live.metadata.resourceVersion, ...withoutEmpty(changed) } },
      });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries >= TRIES_MAX) throw error;
    }
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.code === 404;

const isConflict = (error: unknown): boolean => error instanceof StatusError && error.reason === "Conflict";

/** In a merge patch null takes a member away. */
function withoutEmpty(change: MetadataChange): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(change).map(([member, list]) => [member, list.length > 0 ? list : null]),
  );
}
