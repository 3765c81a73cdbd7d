// What the controllers are given that is the server's to give.

import { checkPolicyTypes } from "../admission/type-checking.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import type { ResourceCatalog } from "../controllers/kit/api.ts";
import { ControllerManager, selectControllers } from "../controllers/kit/controller-manager.ts";
import type { ControllerDescriptor } from "../controllers/kit/definition.ts";
import type { LogFields, Logger } from "../controllers/kit/logging.ts";
import type { Log } from "../http/log.ts";
import type { Clock } from "../meta/clock.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import type { ApiCore } from "./api-core.ts";
import { errorText, StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

export interface ControllerSurroundings {
  readonly core: Pick<ApiCore, "registry" | "clientFor">;
  readonly clock: Clock;
  readonly log: Log;
  /** The certificate authority of the server, in PEM; undefined while it speaks plain HTTP. */
  readonly authority: string | undefined;
}

/** Those that the options choose; they do nothing yet. Throws StartError. */
export function openControllers(
  options: ServerOptions,
  { core, clock, log, authority }: ControllerSurroundings,
): ControllerManager {
  const { registry, clientFor } = core;
  return new ControllerManager(chosenControllers(options), {
    clientFor,
    clock,
    log: controllerLog(log),
    catalog: catalogOf(registry),
    settings: options,
    authority,
    checkPolicyTypes: (policy) => checkPolicyTypes(policy, registry),
  });
}

/** Throws StartError. */
function chosenControllers({ controllers }: ServerOptions): ControllerDescriptor[] {
  try {
    return selectControllers(controllers, controllerDescriptors);
  } catch (error) {
    throw new StartError(`--controllers: ${errorText(error)}`);
  }
}

/** What is served, for controllers that care for all kinds. */
function catalogOf(registry: ResourceRegistry): ResourceCatalog {
  return {
    list: () =>
      registry.definitions.flatMap(
        ({ group, resource, kind, namespaceScoped: namespaced, verbs, versions }) =>
          versions
            .filter(({ served }) => served)
            .map(({ name }) => ({ group, version: name, resource, kind, namespaced, verbs })),
      ),
    onChange: (listener) => registry.onChange(listener),
  };
}

function controllerLog({ info, warn, error, debug, trace }: Log): Logger {
  return {
    info: (message: string, fields?: LogFields) => info({ ...fields }, message),
    warn: (message: string, fields?: LogFields) => warn({ ...fields }, message),
    error: (message: string, fields?: LogFields) => error({ ...fields }, message),
    ...(debug ? { debug: (message: string, fields: LogFields) => debug(fields, message) } : {}),
    ...(trace ? { trace: (message: string, fields: LogFields) => trace(fields, message) } : {}),
  };
}
