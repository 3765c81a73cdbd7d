// The composition root: the one place that puts the rooms together. The command, the tests and the bench use it alike.
import { join } from "node:path";
import { type Access, openAccess, readCredentials } from "./access.ts";
import { type Admission, openAdmission } from "./admission-plugins.ts";
import { keepApiServices } from "./api-services.ts";
import type { ApiResponse } from "./apiserver/api-request.ts";
import { createDiscovery } from "./apiserver/discovery/discovery.ts";
import { versionInfo } from "./apiserver/discovery/version-info.ts";
import { NonResourcePaths } from "./apiserver/non-resource.ts";
import { createOpenApiPaths } from "./apiserver/openapi-paths.ts";
import { ApiServer } from "./apiserver/pipeline.ts";
import { bootstrap, loadObjects } from "./bootstrap.ts";
import type { Client, ClientFactory } from "./client/client.ts";
import { createInProcessClients } from "./client/in-process-client.ts";
import type { ResourceCatalog } from "./controllers/garbage-collector/resource-catalog.ts";
import { controllerDescriptors } from "./controllers/index.ts";
import { ControllerManager, selectControllers } from "./controllers/runtime/controller-manager.ts";
import { createHttpApp, type HttpApp } from "./http/app.ts";
import { TokenFileError } from "./http/authentication/token-file.ts";
import { isLoopback } from "./http/guard.ts";
import { Inflight } from "./http/inflight.ts";
import { Metrics, type MetricsSource } from "./http/metrics.ts";
import type { TlsMaterial } from "./http/tls/self-made.ts";
import { TlsError } from "./http/tls/tls-error.ts";
import { createWebhookClient } from "./http/webhook-client.ts";
import { KubeconfigError, writeKubeconfig } from "./kubeconfig.ts";
import { ManifestError, readManifests } from "./manifests.ts";
import { type Clock, formatTime, systemClock } from "./meta/clock.ts";
import { createIds, type Ids } from "./meta/ids.ts";
import { toRevision } from "./meta/revision.ts";
import { describeResource, StatusError } from "./meta/status.ts";
import { DEFAULT_OPTIONS, parseListen, type ServerOptions, serviceNetworkOf, UsageError } from "./options.ts";
import { definitionsOf } from "./profiles.ts";
import { checkPolicyTypes } from "./registry/admission/type-checking.ts";
import { CrdServer } from "./registry/crd/crd-server.ts";
import { collectionRange } from "./registry/keys.ts";
import { ResourceRegistry } from "./registry/resource-registry.ts";
import { ResourceStore } from "./registry/resource-store.ts";
import { servicesIn } from "./resources/core/services.ts";
import { BUILT_IN_RESOURCES } from "./resources/index.ts";
import { schemaLibrary } from "./resources/schema-library.ts";
import { backupLines } from "./storage/backup.ts";
import { openLevelEngine } from "./storage/level/level-engine.ts";
import { createMemoryEngine } from "./storage/memory/memory-engine.ts";
import { openMvccStore } from "./storage/mvcc/mvcc-store.ts";
import type { Store } from "./storage/store.ts";
import { StoreError } from "./storage/store-error.ts";

export type { ServerOptions } from "./options.ts";

/** Where the store is given as a backup. */
export const BACKUP_PATH = "/egret/v1/backup";

/** What keeps a server from starting, in one line for the person who started it. */
export class StartError extends Error {}

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

const EGRET_VERSION = "0.1.0";
const READY_NAME = "egret-bootstrap";
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
    ownPaths: new Map([
      ["/metrics", () => metricsResponse(metrics)],
      [BACKUP_PATH, () => backupResponse(store)],
    ]),
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
    await load(client, options, registry);
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

function builtInRegistry(network: ReturnType<typeof serviceNetworkOf>): ResourceRegistry {
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES, servicesIn(network));
  return registry;
}

/** What TLS takes is not loaded where it is not wanted. Throws TlsError. */
async function openTls(
  options: ServerOptions,
  listenHost: string,
  clock: Clock,
): Promise<TlsMaterial | undefined> {
  if (!options.secure) return undefined;
  const selfMade = await import("./http/tls/self-made.ts");
  return selfMade.openTls({ folder: keyFolderOf(options), listenHost, nowMs: clock.now() });
}

/** Where keys are kept. */
function keyFolderOf({ inMemory, dataDir }: ServerOptions): string | undefined {
  return inMemory ? undefined : join(dataDir, "pki");
}

function createNonResource(
  registry: ResourceRegistry,
  clock: Clock,
  state: { readonly ready: boolean; readonly url: string },
): NonResourcePaths {
  return new NonResourcePaths({
    registry,
    discovery: createDiscovery(),
    openApi: createOpenApiPaths(registry, schemaLibrary().resolve),
    version: versionInfo({
      egretVersion: EGRET_VERSION,
      buildDate: formatTime(clock.now()),
      platform: "linux/amd64",
    }),
    healthChecks: [
      { name: "ping", check: () => undefined },
      { name: "log", check: () => undefined },
      { name: "etcd", check: () => undefined },
      { name: READY_NAME, only: "readyz", check: () => (state.ready ? undefined : "still starting") },
    ],
    serverAddress: () => state.url.replace(/^https?:\/\//, ""),
  });
}

async function metricsResponse(metrics: Metrics): Promise<ApiResponse> {
  const { contentType, text } = await metrics.text();
  return { status: 200, headers: { "content-type": contentType }, body: Buffer.from(text) };
}

async function backupResponse(store: Store): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { "content-type": "application/x-ndjson" },
    body: async (sink, signal) => {
      for await (const line of backupLines(store)) {
        if (signal.aborted) return;
        await sink.write(Buffer.from(line));
      }
    },
  };
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

async function openStore(options: ServerOptions, clock: Clock): Promise<Store> {
  try {
    const engine = options.inMemory ? createMemoryEngine() : await openLevelEngine(options.dataDir);
    return await openMvccStore(engine, { clock });
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}

async function furtherDefinitions({ schemas }: ServerOptions) {
  const further = await Promise.all(schemas.map(readManifests));
  const wrong = further.flat().find((object) => object.kind !== "CustomResourceDefinition");
  if (wrong)
    throw new StartError(
      `--schemas takes CustomResourceDefinitions only, not ${wrong.kind} ${wrong.metadata.name}`,
    );
  return further.flat();
}

function chosenControllers({ controllers }: ServerOptions) {
  try {
    return selectControllers(controllers, controllerDescriptors);
  } catch (error) {
    throw new StartError(`--controllers: ${errorText(error)}`);
  }
}

async function load(client: Client, options: ServerOptions, registry: ResourceRegistry): Promise<void> {
  for (const path of options.load) {
    const objects = await readManifests(path);
    await loadObjects(client, { path, objects }, (object) => {
      const apiVersion = object.apiVersion ?? "";
      const found = registry.findByKind(apiVersion, object.kind ?? "");
      if (found === undefined) return undefined;
      const { definition, version } = found;
      return {
        name: { group: definition.group, version: version.name, resource: definition.resource },
        namespaced: definition.namespaceScoped,
      };
    });
  }
}

async function listen(app: HttpApp, host: string, port: number): Promise<void> {
  try {
    await app.fastify.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE")
      throw new StartError(`${host}:${port} is in use already; take another with --listen`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartError(`cannot listen on ${host}:${port} (${String(code)})`);
    }
    throw error;
  }
}

function urlOf(app: HttpApp, host: string, scheme: string): string {
  const address = app.fastify.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function createMetrics(
  store: Store,
  registry: ResourceRegistry,
  queues: MetricsSource["queues"],
  inflight: Inflight,
): Metrics {
  return new Metrics({
    queues,
    inflight: () => inflight.now,
    revision: () => store.revision,
    objectCounts: () =>
      registry.definitions
        .filter((definition) => definition.review === undefined)
        .map(
          (definition) =>
            [describeResource(definition), store.count(collectionRange(definition, ""))] as const,
        ),
  });
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function controllerLog(log: HttpApp["fastify"]["log"]) {
  return {
    info: (message: string, fields?: Readonly<Record<string, unknown>>) => log.info({ ...fields }, message),
    warn: (message: string, fields?: Readonly<Record<string, unknown>>) => log.warn({ ...fields }, message),
    error: (message: string, fields?: Readonly<Record<string, unknown>>) => log.error({ ...fields }, message),
  };
}
