// Dependencies that the server provides to controllers.

import { memoize } from "../apimachinery/meta/memoize.ts";
import { checkPolicyTypes } from "../apiserver/admission/type-checking.ts";
import type { Log } from "../apiserver/http/log.ts";
import type { ResourceDefinition } from "../apiserver/registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { ResourceCatalog } from "../controller/api.ts";
import { ControllerManager, selectControllers } from "../controller/controller-manager.ts";
import type { ControllerContext, ControllerDescriptor } from "../controller/definition.ts";
import type { LogFields, Logger } from "../controller/logging.ts";
import { flowControlObjects } from "../kube/flowcontrol.apiserver.k8s.io/bootstrap.ts";
import { controllerDescriptors } from "./controller-list.ts";
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

const servedIn = memoize((definitions: readonly ResourceDefinition[]) => definitions.flatMap(servedOf));

const servedOf = memoize(
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
