// Dependencies that the server provides to controllers.

import { checkPolicyTypes } from "../admission/type-checking.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import type { ResourceCatalog } from "../controllers/kit/api.ts";
import { ControllerManager, selectControllers } from "../controllers/kit/controller-manager.ts";
import type { ControllerContext, ControllerDescriptor } from "../controllers/kit/definition.ts";
import type { LogFields, Logger } from "../controllers/kit/logging.ts";
import type { Log } from "../http/log.ts";
import { oncePer } from "../meta/once-per.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { flowControlObjects } from "../resources/flowcontrol.apiserver.k8s.io/bootstrap.ts";
import { errorText, StartError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

type Around = Pick<
  ControllerContext,
  | "clientFor"
  | "clock"
  | "authority"
  | "signClient"
  | "signSecretToken"
  | "absentOwners"
  | "nodePorts"
  | "ownConfigMaps"
> & {
  readonly log: Log;
};

/** The controllers that the options select, not started. Throws StartError. */
export const openControllers = (
  settings: ServerOptions,
  registry: ResourceRegistry,
  around: Around,
): ControllerManager =>
  new ControllerManager(chosenControllers(settings), contextOf(settings, registry, around));

/** The same, each with its own manager, so that it can restart without the others. Throws StartError. */
export const openEachController = (
  settings: ServerOptions,
  registry: ResourceRegistry,
  around: (name: string) => Around,
): ControllerManager[] =>
  chosenControllers(settings).map(
    (one) => new ControllerManager([one], contextOf(settings, registry, around(one.name))),
  );

const contextOf = (
  settings: ServerOptions,
  registry: ResourceRegistry,
  { log, ...around }: Around,
): ControllerContext => ({
  ...{ ...around, settings, log: controllerLog(log), catalog: catalogOf(registry) },
  flowControlObjects: flowControlObjects(),
  checkPolicyTypes: (policy) => checkPolicyTypes(policy, registry),
});

/** Throws StartError. */
function chosenControllers({ controllers, cluster }: ServerOptions): ControllerDescriptor[] {
  try {
    return selectControllers(controllers, controllerDescriptors, cluster);
  } catch (error) {
    throw new StartError(`--controllers: ${errorText(error)}`);
  }
}

/** The served resources, for controllers of all kinds. Cached, because several controllers read it after each change. */
const catalogOf = (registry: ResourceRegistry): ResourceCatalog => ({
  list: () => servedIn(registry.definitions),
  onChange: (listener) => registry.onChange(listener),
});

const servedIn = oncePer((definitions: readonly ResourceDefinition[]) => definitions.flatMap(servedOf));

const servedOf = oncePer(
  ({ group, resource, kind, namespaceScoped: namespaced, verbs, versions }: ResourceDefinition) =>
    versions
      .filter(({ served }) => served)
      .map(({ name }) => ({ group, version: name, resource, kind, namespaced, verbs })),
);

function controllerLog({ info, warn, error, debug, trace }: Log): Logger {
  const told = (write: Log["info"]) => (message: string, fields?: LogFields) => write({ ...fields }, message);
  return {
    ...{ info: told(info), warn: told(warn), error: told(error) },
    ...(debug ? { debug: told(debug) } : {}),
    ...(trace ? { trace: told(trace) } : {}),
  };
}
