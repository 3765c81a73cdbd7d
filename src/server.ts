// The composition root: the one place that puts the rooms together. The command, the tests and the bench use it alike.
import { ApiServer } from "./apiserver/pipeline.ts";
import type { ClientFactory } from "./client/client.ts";
import { createInProcessClients } from "./client/in-process-client.ts";
import { ControllerManager } from "./controllers/runtime/controller-manager.ts";
import { createHttpApp, type HttpApp } from "./http/app.ts";
import { TokenFileError } from "./http/authentication/token-file.ts";
import { isLoopback } from "./http/guard.ts";
import { Inflight } from "./http/inflight.ts";
import { TlsError } from "./http/tls/tls-error.ts";
import { createWebhookClient } from "./http/webhook-client.ts";
import { type Clock, systemClock } from "./meta/clock.ts";
import { createIds, type Ids } from "./meta/ids.ts";
import { toRevision } from "./meta/revision.ts";
import { StatusError } from "./meta/status.ts";
import { DEFAULT_OPTIONS, parseListen, type ServerOptions, serviceNetworkOf } from "./options.ts";
import { checkPolicyTypes } from "./registry/admission/type-checking.ts";
import { CrdServer } from "./registry/crd/crd-server.ts";
import { ResourceRegistry } from "./registry/resource-registry.ts";
import { ResourceStore } from "./registry/resource-store.ts";
import { servicesIn } from "./resources/core/services.ts";
import { BUILT_IN_RESOURCES } from "./resources/index.ts";
import { type Access, openAccess, readCredentials } from "./server/access.ts";
import { type Admission, openAdmission } from "./server/admission-plugins.ts";
import { keepApiServices } from "./server/api-services.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { UsageError } from "./server/command-line/usage-error.ts";
import { catalogOf, chosenControllers, controllerLog } from "./server/controller-setup.ts";
import { furtherDefinitions, loadGiven } from "./server/given/given-files.ts";
import { ManifestError } from "./server/given/manifests.ts";
import { definitionsOf } from "./server/given/profiles.ts";
import { KubeconfigError, writeKubeconfig } from "./server/kubeconfig.ts";
import { listen, urlOf } from "./server/listen.ts";
import { createNonResource } from "./server/non-resource.ts";
import { openStore } from "./server/open-store.ts";
import { createMetrics, ownPaths } from "./server/own-paths.ts";
import { errorText, StartError } from "./server/start-error.ts";
import { keyFolderOf, openTls } from "./server/tls.ts";
import type { Store } from "./storage/store.ts";

export type { ServerOptions } from "./options.ts";

export interface Server {
  readonly url: string;
  /** The API in process, for tests and tools. */
  readonly clientFor: ClientFactory;
  readonly controllers: ControllerManager;
  /** Ends watches, stops controllers, flushes and closes the store. */
  close(): Promise<void>;
}

/** What a caller may put in the place of time and chance. */
export interface ServerSurroundings {
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** So long may clients take to read the ends of their streams when the server stops. */
const STREAMS_END_MS = 500;

export async function createServer(
  given: Partial<ServerOptions>,
  around: ServerSurroundings = {},
): Promise<Server> {
  const options: ServerOptions = { ...DEFAULT_OPTIONS, ...given };
  const { host, port } = parseListen(options.listen);
  const asks = options.tokenAuthFile !== "" || options.secure;
  if (!isLoopback(host) && !options.allowAnonymous && !asks) {
    throw new StartError(
      `${host} can be reached by others and nobody is asked who he is; say --allow-anonymous if that is meant`,
    );
  }
  const clock = around.clock ?? systemClock;
  const ids = around.ids ?? createIds();
  const store = await openStore(options, clock);
  try {
    return await startOn(store, { options, host, port, clock, ids });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    const known = [ManifestError, UsageError, TokenFileError, TlsError, KubeconfigError, StatusError];
    throw known.some((type) => error instanceof type)
      ? new StartError(errorText(error), { cause: error })
      : error;
  }
}

interface Start {
  readonly options: ServerOptions;
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly ids: Ids;
}

async function startOn(store: Store, { options, host, port, clock, ids }: Start): Promise<Server> {
  const serviceNetwork = serviceNetworkOf(options);
  const registry = builtInRegistry(serviceNetwork);
  const onInternalError = (error: unknown) => app.fastify.log.error({ err: error }, "a request has failed");
  const tls = await openTls(options, host, clock);
  const credentials = await readCredentials(options.tokenAuthFile, tls?.adminToken);
  const mode = options.authorizationMode || (credentials ? "RBAC" : "AlwaysAllow");
  const accessOptions = { credentials, mode, keyFolder: keyFolderOf(options), now: () => clock.now() };
  const deps = { store, resources: registry };
  const access = openAccess(accessOptions, deps, onInternalError);
  const post = createWebhookClient(clock);
  const admission = openAdmission(options, access, { ...deps, clock, ids, post }, onInternalError);
  const resources = new ResourceStore({ ...deps, ...admission });
  const state = { ready: false, url: "" };
  const inflight = new Inflight(options);
  const metrics = createMetrics(store, registry, () => controllers.queueFigures(), inflight);
  const api = new ApiServer({
    resources,
    clock,
    ids,
    onInternalError,
    access: access.control,
    nonResource: createNonResource(registry, clock, state),
    ownPaths: ownPaths(store, metrics),
  });
  const app: HttpApp = createHttpApp({
    api,
    authenticate: access.authenticate,
    tls,
    metrics,
    inflight,
    clock,
    listenHost: host,
    logLevel: options.logLevel,
  });
  const log = app.fastify.log;
  const clientFor = createInProcessClients({ resources, clock, ids, onWarning: () => {} });
  const onError = (error: unknown) => log.error({ err: error }, "a CRD could not be served");
  const crds = new CrdServer({ resources, clock, ids, post, onError });
  await crds.start(await definitionsOf(options.profile), await furtherDefinitions(options));
  const client = clientFor("egret");
  await bootstrap(client, { network: serviceNetwork, clock });
  await access.bootstrap(client);
  const stopApiServices = await keepApiServices({ client, registry, onError: onInternalError });
  admission.dynamicAdmission.start();
  if (options.compactAtStart) await store.compact(toRevision(store.revision));
  const controllers = new ControllerManager(chosenControllers(options), {
    clientFor,
    clock,
    log: controllerLog(log),
    catalog: catalogOf(registry),
    settings: options,
    authority: tls?.authority,
    checkPolicyTypes: (policy) => checkPolicyTypes(policy, registry),
  });
  const stopping = new AbortController();
  const running = { app, controllers, crds, access, admission, stopping, clock, stopApiServices };
  try {
    await listen(app, host, port);
    const url = urlOf(app, host, tls ? "https" : "http");
    state.url = url;
    await loadGiven(client, options, registry);
    await controllers.start(stopping.signal);
    const facts = { url, authority: tls?.authority, token: credentials?.adminToken };
    if (options.kubeconfig !== "") await writeKubeconfig(options.kubeconfig, facts);
    state.ready = true;
    const close = () => stop(running).then(() => store[Symbol.asyncDispose]());
    return { url, clientFor, controllers, close };
  } catch (error) {
    await stop(running);
    throw error;
  }
}

interface Running {
  readonly app: HttpApp;
  readonly controllers: ControllerManager;
  readonly crds: CrdServer;
  readonly access: Access;
  readonly admission: Admission;
  readonly stopping: AbortController;
  readonly clock: Clock;
  readonly stopApiServices: () => Promise<void>;
}

async function stop({
  app,
  controllers,
  crds,
  access,
  admission,
  stopping,
  clock,
  stopApiServices,
}: Running): Promise<void> {
  stopping.abort();
  await Promise.race([app.endStreams(), clock.sleep(STREAMS_END_MS)]);
  crds.close();
  access.stop();
  admission.dynamicAdmission.stop();
  await Promise.all([controllers.stop(), app.fastify.close(), stopApiServices()]);
}

function builtInRegistry(network: ReturnType<typeof serviceNetworkOf>): ResourceRegistry {
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES, servicesIn(network));
  return registry;
}
