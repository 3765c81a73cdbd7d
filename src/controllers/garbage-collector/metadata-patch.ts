// The writes of the collector to objects that stay: an owner reference or a finalizer less. Each is made on the state
// it was decided on, and decided again when somebody else was faster.
import type { Client } from "../../client/client.ts";
import type { ObjectMeta } from "../../meta/object-meta.ts";
import { isConflict, isNotFound, type ObjectIdentity, readObject } from "./live-object.ts";

/** What of the metadata is to become otherwise; an empty list takes the member away. */
export type MetadataChange = Pick<ObjectMeta, "ownerReferences" | "finalizers">;

const TRIES_MAX = 5;

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

/** In a merge patch null takes a member away. */
function withoutEmpty(change: MetadataChange): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(change).map(([member, list]) => [member, list.length > 0 ? list : null]),
  );
}
