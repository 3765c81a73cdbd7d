// What the controllers around networks share: informers that say in whose name they fail, and writes whose object may
// be gone by the time they arrive.
import type { ClientListOptions, ResourceName } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import { StatusError } from "../../meta/status.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import { errorText } from "../runtime/logger.ts";

export function informerFor(
  { client, clock, log }: ControllerDeps,
  controller: string,
  resource: ResourceName,
  list?: ClientListOptions,
): Informer {
  const onError = (error: unknown): void =>
    log.warn("informer failed; trying again", {
      controller,
      resource: resource.resource,
      error: errorText(error),
    });
  return new Informer({ client, clock, resource, onError, ...(list ? { list } : {}) });
}

export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof StatusError && error.code === code;

/** Waits for a request; answers of these codes count as undefined. */
export async function ignoring<T>(codes: readonly number[], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (codes.some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}
