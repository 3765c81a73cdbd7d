// The API without a socket: resource registry, authorization, admission and writes, and the bootstrap objects.

import type { Clock } from "../apimachinery/meta/clock.ts";
import type { Allowance } from "../apimachinery/meta/field-error.ts";
import type { Ids } from "../apimachinery/meta/ids.ts";
import { lazy } from "../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { WorkerPool } from "../apimachinery/workers/worker-pool.ts";
import { CrdServer } from "../apiserver/apiextensions/crd-server.ts";
import { FlowControl } from "../apiserver/endpoints/flow-control.ts";
import { hasProtobuf, protobufLength } from "../apiserver/endpoints/protobuf/codec.ts";
import type { Log } from "../apiserver/http/log.ts";
import type { AdmissionObserver } from "../apiserver/registry/admission-observer.ts";
import { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import { ResourceStore } from "../apiserver/registry/resource-store.ts";
import type { PostWebhook } from "../apiserver/registry/webhook.ts";
import type { Client, ClientFactory } from "../controller/client.ts";
import { createInProcessClients, type InProcessClientDeps } from "../controller/in-process-client.ts";
import { FLOW_CONTROL_PRODUCER } from "../kube/controllers/flow-control.ts";
import { servicesIn } from "../kube/core/services.ts";
import { BUILT_IN_RESOURCES } from "../kube/index.ts";
import type { FencingToken, Store } from "../storage/store.ts";
import { type AccessOptions, createCallers, openAccess, openAdmission } from "./access.ts";
import { type KeptApiServices, syncApiServices } from "./api-services.ts";
import { type ClientAuthorities, ensureAuthenticationInfo, INFO } from "./authentication-info.ts";
import {
  bootstrap,
  bootstrapFlowControl,
  bootstrapServices,
  bootstrapTokenTracking,
  TRACKING,
} from "./bootstrap.ts";
import { definitionsOf, furtherDefinitions } from "./manifests.ts";
import { NodePortAllocations } from "./node-port-allocations.ts";
import { apiAddressOf, serviceNetworkOf } from "./options/options.ts";
import { noteSecretTokenUse } from "./secret-token-use.ts";
import { hasPackedServices } from "./store.ts";

export interface CoreOptions extends AccessOptions {
  readonly ids: Ids;
  /** Calls webhooks. */
  readonly post: PostWebhook;
  /** Observes admission; absent: nothing is reported. Copies of the server have none. */
  readonly observer?: AdmissionObserver | undefined;
}

/** The field manager of a kube-apiserver's own writes. */
const API_SERVER = "kube-apiserver";

/** Logs errors that are bugs of the server. */
export const failedRequest = (log: Log) => (error: unknown) =>
  log.error({ err: error }, "a request has failed");

export type ApiCore = ReturnType<typeof openApiCore>;

/** Throws UsageError. */
export function openApiCore(store: Store, given: CoreOptions) {
  const { options, clock, ids, post, log, observer, tls } = given;
  const onError = failedRequest(log);
  const registry = new ResourceRegistry();
  const network = serviceNetworkOf(options);
  registry.set(...BUILT_IN_RESOURCES, servicesIn(network));
  const deps = { store, resources: registry };
  const access = openAccess(given, deps, { onError, onSecretToken: (secret) => noteUse()(secret) });
  const flows = new FlowControl(deps, onError);
  const createNamespace = namespaceCreator(() => clientFor(API_SERVER));
  const toAdmit = { ...deps, clock, ids, post, observer, onError, createNamespace };
  const admission = openAdmission(options, access, toAdmit);
  const workers = new WorkerPool();
  const limits = { messageLength, requestBytesMax: options.maxRequestBytes, allowed: allowancesOf(options) };
  const resources = new ResourceStore({ ...deps, ...admission, ...limits, workers, observer });
  const leading: { fencingToken?: FencingToken } = {};
  const fencingToken = () => leading.fencingToken;
  const clients: InProcessClientDeps = { resources, clock, ids, onWarning: () => {}, fencingToken };
  const clientFor = createInProcessClients(clients);
  const noteUse = lazy(() => noteSecretTokenUse({ clientFor, clock, onError }));
  const callerOf = createCallers(access.control.authorizer, clients);
  const crds = new CrdServer({ ...{ store, resources, clock, ids, post }, ...crdFailures(log) });
  let apiServices: KeptApiServices | undefined;
  return {
    ...{ registry, resources, access, flows, admission, clientFor, callerOf, workers },
    /** The fencing token of controller writes, where several servers may run the controllers. */
    leading,
    /** Dependencies of the controllers. */
    forControllers: {
      nodePorts: new NodePortAllocations(store, network.nodePorts, fencingToken),
      ownConfigMaps: ownConfigMaps(tls, clock),
    },
    /**
     * Creates missing bootstrap objects: custom kinds, namespaces, roles, APIServices. A store that was seeded with
     * the packed state has them.
     */
    async bootstrap({ isLaid } = { isLaid: false }): Promise<void> {
      const shipped = isLaid ? [] : await definitionsOf(options.profile, options.kinds);
      await crds.start(shipped, await furtherDefinitions(options));
      await bootstrapObjects({ store, given, access, network, clientFor, onError }, isLaid);
      apiServices = await syncApiServices({ clientFor, registry, onError });
      admission.dynamicAdmission.start();
    },
    /** Stored objects that are not served, with the reason. */
    problems: () => unserved(crds, store),
    /** Resolves once the served resources and the APIServices match the store. */
    async settled(): Promise<void> {
      await crds.settled();
      await apiServices?.settled();
    },
    /**
     * Pauses the writes of components that follow the store, and aborts those in progress, until the returned
     * function is called.
     */
    hold(): () => void {
      const goOn = [crds.hold(), apiServices?.hold()];
      return () => {
        for (const release of goOn) release?.();
      };
    },
    /** Stops the components that follow the store. */
    async close(): Promise<void> {
      crds.close();
      access.stop();
      flows.stop();
      admission.dynamicAdmission.stop();
      await Promise.all([apiServices?.stop(), workers.close()]);
    },
  };
}

interface BootstrapDeps {
  readonly store: Store;
  readonly given: CoreOptions;
  readonly access: ReturnType<typeof openAccess>;
  readonly network: ReturnType<typeof serviceNetworkOf>;
  readonly clientFor: ClientFactory;
  readonly onError: (error: unknown) => void;
}

/** Creates the missing objects of the server itself. `isLaid`: the packed state holds most of them. */
async function bootstrapObjects(
  { store, given, access, network, clientFor, onError }: BootstrapDeps,
  isLaid: boolean,
): Promise<void> {
  const { options, clock, tls } = given;
  const client = clientFor(API_SERVER);
  const address = apiAddressOf(options);
  /**
   * Where stored objects are unreadable, dependent writes may be rejected: that is reported, and the start
   * continues.
   */
  const unlessBroken = async (make: () => Promise<unknown>): Promise<void> => {
    try {
      await make();
    } catch (error) {
      if (store.unreadable.size === 0 || !(error instanceof StatusError)) throw error;
      onError(error);
    }
  };
  if (!isLaid) await unlessBroken(() => bootstrap(client));
  if (!isLaid || !hasPackedServices(options))
    await unlessBroken(() => bootstrapServices(client, { network, clock, port: address?.port }));
  if (address !== undefined)
    await unlessBroken(async () => (await import("./api-endpoints.ts")).publishAddress(client, address));
  if (!isLaid) {
    await unlessBroken(() => bootstrapTokenTracking(client, clock));
    await unlessBroken(() => bootstrapFlowControl(clientFor(FLOW_CONTROL_PRODUCER)));
    await unlessBroken(() => access.bootstrap(client));
  }
  if (tls) await unlessBroken(() => ensureAuthenticationInfo(client, tls));
}

/** Logs CRDs that are not served. */
const crdFailures = (log: Log) => ({
  onError: (error: unknown) => log.error({ err: error }, "a CRD could not be served"),
  onUnservable: (name: string, reason: string) =>
    log.warn({ name, reason }, "a CustomResourceDefinition in the store is invalid and is not served"),
});

const allowancesOf = ({ allowPrivileged }: CoreOptions["options"]): readonly Allowance[] =>
  allowPrivileged ? ["privileged containers"] : [];

const namespaceCreator =
  (client: () => Client) =>
  async (name: string): Promise<void> => {
    const named = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client().create({ group: "", version: "v1", resource: "namespaces" }, named);
  };

type Ensure = (client: Client) => Promise<void>;

/** ConfigMaps in kube-system that the server maintains, by name. */
const ownConfigMaps = (tls: ClientAuthorities | undefined, clock: Clock): ReadonlyMap<string, Ensure> =>
  new Map<string, Ensure>([
    [TRACKING.name, (client) => bootstrapTokenTracking(client, clock)],
    ...(tls ? [[INFO.name, (client: Client) => ensureAuthenticationInfo(client, tls)] as const] : []),
  ]);

const unserved = ({ unservable }: CrdServer, { unreadable }: Store): { object: string; reason: string }[] => [
  ...[...unservable].map(([name, reason]) => ({ object: `CustomResourceDefinition ${name}`, reason })),
  ...unreadable.all().map(({ key, reason }) => ({ object: key, reason })),
];

/** undefined for kinds without a protobuf message. */
function messageLength(object: Readonly<KubeObject>): number | undefined {
  const { apiVersion = "", kind = "" } = object;
  return hasProtobuf(apiVersion, kind) ? protobufLength(apiVersion, kind, object) : undefined;
}
