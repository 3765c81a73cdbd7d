// What the controllers are given that is the server's to give.

import { controllerDescriptors } from "../controllers/index.ts";
import type { ControllerDescriptor } from "../controllers/runtime/controller.ts";
import { selectControllers } from "../controllers/runtime/controller-manager.ts";
import type { Logger } from "../controllers/runtime/logger.ts";
import type { ResourceCatalog } from "../controllers/runtime/resource-catalog.ts";
import type { HttpApp } from "../http/app.ts";
import type { ServerOptions } from "../options.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { errorText, StartError } from "./start-error.ts";

/** Throws StartError. */
export function chosenControllers({ controllers }: ServerOptions): ControllerDescriptor[] {
  try {
    return selectControllers(controllers, controllerDescriptors);
  } catch (error) {
    throw new StartError(`--controllers: ${errorText(error)}`);
  }
}

/** What is served, for controllers that care for all kinds. */
export function catalogOf(registry: ResourceRegistry): ResourceCatalog {
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

export function controllerLog(log: HttpApp["fastify"]["log"]): Logger {
  return {
    info: (message: string, fields?: Readonly<Record<string, unknown>>) => log.info({ ...fields }, message),
    warn: (message: string, fields?: Readonly<Record<string, unknown>>) => log.warn({ ...fields }, message),
    error: (message: string, fields?: Readonly<Record<string, unknown>>) => log.error({ ...fields }, message),
  };
}
