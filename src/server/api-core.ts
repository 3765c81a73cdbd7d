// What answers requests, without a socket: the registry of kinds, the rules of access and admission, and the writes;
// and what every such thing holds from its first moment.
import type { ClientFactory } from "../client/client.ts";
import { createInProcessClients } from "../client/in-process-client.ts";
import type { Clock } from "../meta/clock.ts";
import type { Ids } from "../meta/ids.ts";
import { type ServerOptions, serviceNetworkOf } from "../options.ts";
import { CrdServer } from "../registry/crd/crd-server.ts";
import type { PostWebhook } from "../registry/post-webhook.ts";
import { ResourceRegistry } from "../registry/resource-registry.ts";
import { ResourceStore } from "../registry/resource-store.ts";
import { servicesIn } from "../resources/core/services.ts";
import { BUILT_IN_RESOURCES } from "../resources/index.ts";
import type { Store } from "../storage/store.ts";
import { type Access, type Credentials, openAccess } from "./access.ts";
import { type Admission, openAdmission } from "./admission-plugins.ts";
import { type KeptApiServices, keepApiServices } from "./api-services.ts";
import { bootstrap } from "./bootstrap.ts";
import { furtherDefinitions } from "./given/given-files.ts";
import { definitionsOf } from "./given/profiles.ts";

export interface CoreOptions {
  readonly options: ServerOptions;
  readonly credentials: Credentials | undefined;
  /** Where keys are kept; undefined: they last as long as the process. */
  readonly keyFolder: string | undefined;
  /** What a key is made of when runs are to repeat; undefined: of chance. */
  readonly keyBytes: () => Uint8Array | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Asks webhooks. */
  readonly post: PostWebhook;
  /** Told of errors that are our own mistakes: in a request, and in serving a definition. */
  readonly onRequestError: (error: unknown) => void;
  readonly onDefinitionError: (error: unknown) => void;
}

export interface ApiCore {
  readonly registry: ResourceRegistry;
  readonly resources: ResourceStore;
  readonly access: Access;
  readonly admission: Admission;
  readonly clientFor: ClientFactory;
  /**
   * Makes what is missing of what every server has: custom kinds, namespaces, roles, the list of APIServices. The custom
   * kinds are known to be there when the first state was laid down.
   */
  furnish(known?: { readonly isLaid: boolean }): Promise<void>;
  /** Resolves once the kinds that are served, and their list, are as the store says. */
  settled(): Promise<void>;
  /** Ends what follows the store. */
  close(): Promise<void>;
}

/** Throws UsageError. */
export function openApiCore(store: Store, given: CoreOptions): ApiCore {
  const { options, credentials, keyFolder, keyBytes, clock, ids, post, onRequestError, onDefinitionError } =
    given;
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES, servicesIn(serviceNetworkOf(options)));
  const mode = options.authorizationMode || (credentials ? "RBAC" : "AlwaysAllow");
  const deps = { store, resources: registry };
  const accessOptions = { credentials, mode, keyFolder, keyBytes, now: () => clock.now() };
  const access = openAccess(accessOptions, deps, onRequestError);
  const admission = openAdmission(options, access, { ...deps, clock, ids, post }, onRequestError);
  const resources = new ResourceStore({ ...deps, ...admission });
  const clientFor = createInProcessClients({ resources, clock, ids, onWarning: () => {} });
  const crds = new CrdServer({ resources, clock, ids, post, onError: onDefinitionError });
  const parts = { registry, resources, access, admission, clientFor };
  return { ...parts, ...lifeOf(parts, crds, given) };
}

type Parts = Pick<ApiCore, "registry" | "access" | "admission" | "clientFor">;

function lifeOf(
  { registry, access, admission, clientFor }: Parts,
  crds: CrdServer,
  { options, clock, onRequestError }: CoreOptions,
): Pick<ApiCore, "furnish" | "settled" | "close"> {
  let apiServices: KeptApiServices | undefined;
  return {
    async furnish({ isLaid } = { isLaid: false }) {
      const shipped = isLaid ? [] : await definitionsOf(options.profile);
      await crds.start(shipped, await furtherDefinitions(options));
      const client = clientFor("egret");
      await bootstrap(client, { network: serviceNetworkOf(options), clock });
      await access.bootstrap(client);
      apiServices = await keepApiServices({ client, registry, onError: onRequestError });
      admission.dynamicAdmission.start();
    },
    async settled() {
      await crds.settled();
      await apiServices?.settled();
    },
    async close() {
      crds.close();
      access.stop();
      admission.dynamicAdmission.stop();
      await apiServices?.stop();
    },
  };
}
