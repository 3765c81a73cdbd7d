// Informers as controllers make them: what fails is logged in the name of the controller, and managedFields are seen only
// by those that ask for them.
import type { ClientListOptions, ResourceName } from "../../client/client.ts";
import { Informer, type InformerHandlers } from "../../client/informer.ts";
import type { ControllerDeps } from "../runtime/controller.ts";
import { errorText } from "../runtime/logging/logger.ts";

export interface InformerChoice {
  readonly list?: ClientListOptions | undefined;
  /** True while what fails is not worth a word. */
  readonly isMuted?: (() => boolean) | undefined;
}

export function informerFor(
  { client, clock, log }: ControllerDeps,
  controller: string,
  resource: ResourceName,
  { list, isMuted = () => false }: InformerChoice = {},
): Informer {
  const onError = (error: unknown): void => {
    if (isMuted()) return;
    const fields = { controller, resource: resource.resource, error: errorText(error) };
    log.warn("informer failed; trying again", fields);
  };
  return new Informer({ client, clock, resource, onError, list: { withoutManagedFields: true, ...list } });
}

export interface Following extends InformerChoice, InformerHandlers {
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Follows, from now on, a resource that comes and goes while the controller works. */
export function follow(
  deps: ControllerDeps & { readonly name: string },
  resource: ResourceName,
  { signal, list, isMuted, ...handlers }: Following,
): Informer {
  const informer = informerFor(deps, deps.name, resource, { list, isMuted });
  informer.addHandlers(handlers);
  informer.start(signal);
  return informer;
}
