// Objects as the API has them now, told apart from others that had their name, or will have it.
import type { Client, ObjectKey, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";

export interface ObjectIdentity extends ObjectKey {
  readonly resource: ResourceName;
  readonly uid: string;
}

/** The object as it is now; undefined when it is gone, also when another one has its name. Throws for isNotServed. */
export async function readObject(client: Client, identity: ObjectIdentity): Promise<KubeObject | undefined> {
  const found = await findObject(client, identity.resource, identity);
  return found?.metadata.uid === identity.uid ? found : undefined;
}

/** Whatever object has the name; undefined when there is none. Throws for isNotServed. */
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

const TRIES_MAX = 5;

/**
 * Writes what is decided on the object as it is now, which may be gone by then; decided again when somebody else was faster.
 * `write` answers undefined when there is nothing to write.
 */
export async function changeObject(
  client: Client,
  identity: ObjectIdentity,
  write: (live: KubeObject) => Promise<unknown> | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const live = await readObject(client, identity);
    try {
      await (live && write(live));
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries >= TRIES_MAX) throw error;
    }
  }
}

/** There is no such object. */
export const isNotFound = (error: unknown): boolean =>
  isMissing(error) && Boolean(error.status.details?.name);

/** There is no such resource: that says nothing of its objects, which may be back when it is. */
export const isNotServed = (error: unknown): boolean => isMissing(error) && !error.status.details?.name;

/** Somebody else was faster. */
export const isConflict = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "Conflict";

const isMissing = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code === 404;
