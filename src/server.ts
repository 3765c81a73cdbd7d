// The composition root: the one place that puts the rooms together. The command, the tests and the bench use it alike.
import { createDiscovery } from "./apiserver/discovery/discovery.ts";
import { versionInfo } from "./apiserver/discovery/version-info.ts";
import { NonResourcePaths } from "./apiserver/non-resource.ts";
import { createOpenApiPaths } from "./apiserver/openapi-paths.ts";
import { ApiServer } from "./apiserver/pipeline.ts";
import { bootstrap, loadObjects } from "./bootstrap.ts";
import type { Client, ClientFactory } from "./client/client.ts";
import { createInProcessClients } from "./client/in-process-client.ts";
import { controllerDescriptors } from "./controllers/index.ts";
import { ControllerManager, selectControllers } from "./controllers/runtime/controller-manager.ts";
import { createHttpApp, type HttpApp } from "./http/app.ts";
import { isLoopback } from "./http/guard.ts";
import { Metrics } from "./http/metrics.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { ManifestError, readManifests, shippedDefinitions } from "./manifests.ts";
import { type Clock, formatTime, systemClock } from "./meta/clock.ts";
import { createIds, type Ids } from "./meta/ids.ts";
import { toRevision } from "./meta/revision.ts";
import { describeResource } from "./meta/status.ts";
import { DEFAULT_OPTIONS, parseListen, type ServerOptions, UsageError } from "./options.ts";
import { CrdServer } from "./registry/crd/crd-server.ts";
import { collectionRange } from "./registry/keys.ts";
import { createNamespaceLifecycle } from "./registry/namespace-lifecycle.ts";
import { ResourceRegistry } from "./registry/resource-registry.ts";
import { ResourceStore } from "./registry/resource-store.ts";
import { BUILT_IN_RESOURCES } from "./resources/index.ts";
import { schemaLibrary } from "./resources/schema-library.ts";
import { openLevelEngine } from "./storage/level/level-engine.ts";
import { createMemoryEngine } from "./storage/memory/memory-engine.ts";
import { openMvccStore } from "./storage/mvcc/mvcc-store.ts";
import type { Store } from "./storage/store.ts";
import { StoreError } from "./storage/store-error.ts";

export type { ServerOptions } from "./options.ts";

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

export async function createServer(
  given: Partial<ServerOptions>,
  around: ServerSurroundings = {},
): Promise<Server> {
  const options: ServerOptions = { ...DEFAULT_OPTIONS, ...given };
  const { host, port } = parseListen(options.listen);
  if (!isLoopback(host) && !options.allowAnonymous) {
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
    throw error instanceof ManifestError || error instanceof UsageError
      ? new StartError(error.message)
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
  const registry = new ResourceRegistry();
  registry.set(...BUILT_IN_RESOURCES);
  const resources = new ResourceStore({
    store,
    resources: registry,
    admission: [createNamespaceLifecycle(store)],
  });
  let ready = false;
  let url = "";
  const metrics = createMetrics(store, registry);
  const api = new ApiServer({
    resources,
    clock,
    ids,
    onInternalError: (error) => app.fastify.log.error({ err: error }, "a request has failed"),
    nonResource: new NonResourcePaths({
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
        { name: READY_NAME, only: "readyz", check: () => (ready ? undefined : "still starting") },
      ],
      serverAddress: () => url.replace(/^https?:\/\//, ""),
    }),
  });
  const app: HttpApp = createHttpApp({ api, metrics, clock, listenHost: host, logLevel: options.logLevel });
  const log = app.fastify.log;
  const clientFor = createInProcessClients({ resources, clock, ids, onWarning: () => {} });
  const crds = new CrdServer({
    resources,
    clock,
    ids,
    onError: (error) => log.error({ err: error }, "a CRD could not be served"),
  });
  await crds.start(await definitionsToServe(options));
  const client = clientFor("egret");
  await bootstrap(client);
  if (options.compactAtStart) await store.compact(toRevision(store.revision));
  const controllers = new ControllerManager(chosenControllers(options), {
    clientFor,
    clock,
    log: controllerLog(log),
  });
  const stopping = new AbortController();
  await listen(app, host, port);
  url = urlOf(app, host);
  await controllers.start(stopping.signal);
  await load(client, options, registry);
  if (options.kubeconfig !== "") await writeKubeconfig(options.kubeconfig, url);
  ready = true;
  return { url, clientFor, controllers, close: () => close({ app, controllers, crds, store, stopping }) };
}

interface Running {
  readonly app: HttpApp;
  readonly controllers: ControllerManager;
  readonly crds: CrdServer;
  readonly store: Store;
  readonly stopping: AbortController;
}

async function close({ app, controllers, crds, store, stopping }: Running): Promise<void> {
  stopping.abort();
  app.endStreams();
  crds.close();
  await Promise.all([controllers.stop(), app.fastify.close()]);
  await store[Symbol.asyncDispose]();
}

async function openStore(options: ServerOptions, clock: Clock): Promise<Store> {
  try {
    const engine = options.inMemory ? createMemoryEngine() : await openLevelEngine(options.dataDir);
    return await openMvccStore(engine, { clock });
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message, { cause: error }) : error;
  }
}

async function definitionsToServe({ schemas }: ServerOptions) {
  const further = await Promise.all(schemas.map(readManifests));
  const wrong = further.flat().find((object) => object.kind !== "CustomResourceDefinition");
  if (wrong)
    throw new StartError(
      `--schemas takes CustomResourceDefinitions only, not ${wrong.kind} ${wrong.metadata.name}`,
    );
  return [...(await shippedDefinitions()), ...further.flat()];
}

function chosenControllers({ controllers }: ServerOptions) {
  try {
    return selectControllers(controllers, controllerDescriptors);
  } catch (error) {
    throw new StartError(`--controllers: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function load(client: Client, options: ServerOptions, registry: ResourceRegistry): Promise<void> {
  for (const path of options.load) {
    await loadObjects(client, await readManifests(path), (object) => {
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

function urlOf(app: HttpApp, host: string): string {
  const address = app.fastify.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function createMetrics(store: Store, registry: ResourceRegistry): Metrics {
  return new Metrics({
    revision: () => store.revision,
    objectCounts: () =>
      registry.definitions.map(
        (definition) => [describeResource(definition), store.count(collectionRange(definition, ""))] as const,
      ),
  });
}

function controllerLog(log: HttpApp["fastify"]["log"]) {
  return {
    info: (message: string, fields?: Readonly<Record<string, unknown>>) => log.info({ ...fields }, message),
    warn: (message: string, fields?: Readonly<Record<string, unknown>>) => log.warn({ ...fields }, message),
    error: (message: string, fields?: Readonly<Record<string, unknown>>) => log.error({ ...fields }, message),
  };
}
