// Informers as controllers make them: what fails is logged in the name of the controller, and managedFields are seen only
// by those that ask for them.
import type { ClientListOptions, ResourceName } from "../../client/client.ts";
import { Informer } from "../../client/informer.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import { errorText } from "../runtime/logging/logger.ts";

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
  return new Informer({ client, clock, resource, onError, list: { withoutManagedFields: true, ...list } });
}
