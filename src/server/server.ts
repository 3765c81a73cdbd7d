// The composition root: assembles the server from its modules. Commands, tests and benchmarks use it.

import { once } from "node:events";
import process from "node:process";
import { type Clock, systemClock } from "../apimachinery/meta/clock.ts";
import type { ControlledClock } from "../apimachinery/meta/controlled-clock.ts";
import type { Chance, Ids } from "../apimachinery/meta/ids.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { toRevision } from "../apimachinery/meta/revision.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { nextTurn, turnsByCount } from "../apimachinery/scheduling/event-loop.ts";
import type { Workers } from "../apimachinery/workers/job.ts";
import { CredentialsError } from "../apiserver/authentication/token-file.ts";
import type { HttpApp } from "../apiserver/http/app.ts";
import { isLocalHost } from "../apiserver/http/guard.ts";
import type { HttpLimits } from "../apiserver/http/limits.ts";
import { createLog, type Log } from "../apiserver/http/log.ts";
import type { ClientIdentity } from "../apiserver/http/tls/certificate.ts";
import type { ClientTerms } from "../apiserver/http/tls/self-made.ts";
import { createWebhookClient } from "../apiserver/http/webhook-client.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { ClientFactory } from "../controller/client.ts";
import type { ControllerManager } from "../controller/controller-manager.ts";
import { ClockControl, heldClients, Settling } from "../features/control-surface/clock.ts";
import type { ImportReport } from "../features/import/report.ts";
import { isEmpty, type Store } from "../storage/store.ts";
import { readCredentials } from "./access.ts";
import { observeAdmission } from "./admission-observers.ts";
import { type ApiCore, type CoreOptions, openApiCore } from "./api-core.ts";
import { settingsOf, withSettings } from "./cluster-settings.ts";
import { openControllers } from "./controller-setup.ts";
import { errorText, StartError, UsageError } from "./errors.ts";
import { type KubeconfigFacts, type KubeconfigFile, openKubeconfigFile } from "./files/kubeconfig.ts";
import { type ReadSources, readSources } from "./import-sources.ts";
import { serving } from "./launch/once-serving.ts";
import { LeaderElection } from "./leader-election.ts";
import { listen, openTls } from "./listen.ts";
import { type LoadListeners, loadManifests } from "./manifests.ts";
import { openApp } from "./open-app.ts";
import { type ControlPlane, type OpenedControl, openControl } from "./open-control.ts";
import { limitsOf } from "./options/import-limits.ts";
import { parseListen } from "./options/option-table.ts";
import { DEFAULT_OPTIONS, type ServerOptions, saidIn, withImplied } from "./options/options.ts";
import { openChance, openClock } from "./options/time-and-chance.ts";
import { EGRET_VERSION, type ServerState } from "./paths.ts";
import { describePlace, storageBackendOf } from "./storage-backend.ts";
import { followFailure, openStore, seedNewStore } from "./store.ts";
import type { TlsMaterial } from "./tls.ts";

export type { ServerOptions } from "./options/options.ts";

export interface Server extends AsyncDisposable {
  readonly url: string;
  /** In-process API clients, for tests and tools. */
  readonly clientFor: ClientFactory;
  readonly controllers: ControllerManager;
  /** The control API without HTTP. */
  readonly control: ControlPlane;
  /** The resources that are served now. */
  readonly registry: ResourceRegistry;
  /** Resolves once the served resources match the CustomResourceDefinitions in the store. */
  settled(): Promise<void>;
  /** Resolves once the controllers have completed their initial reconciliation. Never rejects. */
  readonly started: Promise<void>;
  /** The server's address and credentials. */
  readonly kubeconfig: KubeconfigFacts;
  /** The error of the failed write after which the store is read-only; undefined without a failure. */
  readonly storeFailure: () => Error | undefined;
  /** The kubeconfig file; undefined when none is configured. */
  readonly kubeconfigFile: KubeconfigFile | undefined;
  /** Ends watches, stops controllers, flushes and closes the store. */
  close(): Promise<void>;
}

/** Replacements for the clock, IDs and other surroundings, for tests and tools. */
export interface ServerSurroundings {
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** An open store, which the server closes. Absent: the store that the options name. */
  readonly store?: Store;
  /** Objects to apply at the start, after those of the files. */
  readonly objects?: readonly KubeObject[];
  /** Override the default limits, for tests that cannot wait for a minute. */
  readonly limits?: Partial<HttpLimits>;
  /** Folder of the web UI's files; absent: the build output. */
  readonly pageFolder?: string;
  /** A Unix socket to listen on instead of an address. */
  readonly socketPath?: string;
  /** Called with the progress of loading objects. */
  readonly onLoad?: LoadListeners["onProgress"];
  /** Called with the number of objects read for the import. */
  readonly onImportRead?: (count: number) => void;
  /** Called with the report of an import at the start. */
  readonly onImport?: (report: ImportReport) => void;
  /** Resolve as soon as the API answers; a kube-apiserver does not wait for a controller manager either. */
  readonly controllersMayFollow?: boolean;
}

/**
 * Creates a server that does not listen yet. Missing options have their defaults. Throws StartError, StoreError and
 * CredentialsError.
 */
export async function createServer(
  given: Partial<ServerOptions>,
  around: ServerSurroundings = {},
): Promise<Server> {
  const said = saidIn(given);
  const options = withImplied({ ...DEFAULT_OPTIONS, ...given }, said);
  const log = createLog(options.logLevel);
  try {
    return await openServer({ options, said }, around, log);
  } catch (error) {
    log.info({ error: errorText(error) }, "the start was refused");
    throw error;
  }
}

interface GivenOptions {
  readonly options: ServerOptions;
  readonly said: ReadonlySet<string>;
}

async function openServer(
  { options: given, said }: GivenOptions,
  around: ServerSurroundings,
  log: Log,
): Promise<Server> {
  const brought =
    given.import.length === 0
      ? undefined
      : await readSources(given.import, around.onImportRead, limitsOf(given));
  const options =
    brought === undefined
      ? given
      : withSettings(given, settingsOf(brought.objects, brought.notes, given), said);
  const { host } = parseListen(options.listen);
  const asks = options.tokenAuthFile !== undefined || options.secure;
  if (!isLocalHost(host) && !options.allowAnonymous && !asks) {
    throw new StartError(
      `${host} can be reached by others and nobody is asked who he is; say --allow-anonymous if that is meant`,
    );
  }
  const clock = openClock(options.clock, around.clock ?? systemClock);
  const store = around.store ?? (await openStore(options, clock, log));
  const chance = openChance(options.seed, store);
  const endCount = options.seed === undefined ? () => {} : turnsByCount();
  try {
    const server = await startOn(store, { options, around, brought, clock, chance, log, endCount });
    const { profile } = options;
    const about = { url: server.url, pid: process.pid, version: EGRET_VERSION, profile };
    const data = describePlace(storageBackendOf(options));
    const controllers = server.controllers.names;
    log.info({ ...about, data, controllers, revision: store.revision }, "the server listens");
    void server.started.then(serving);
    if (around.controllersMayFollow !== true) await server.started;
    return server;
  } catch (error) {
    endCount();
    await closeStore(store, clock);
    const known = [UsageError, CredentialsError, StatusError];
    throw known.some((type) => error instanceof type)
      ? new StartError(errorText(error), { cause: error })
      : error;
  }
}

interface Start {
  readonly options: ServerOptions;
  readonly around: ServerSurroundings;
  /** The sources of --import. */
  readonly brought: ReadSources | undefined;
  readonly clock: ControlledClock;
  readonly chance: Chance;
  readonly log: Log;
  /** Ends the counting of event-loop turns for this server: from then on turns are measured by time. */
  readonly endCount: () => void;
}

/** Creates the webhook client on the first call: most servers never call a webhook. */
function lateWebhookClient(workers: () => Workers | undefined): CoreOptions["post"] {
  let client: CoreOptions["post"] | undefined;
  return (post) => {
    client ??= createWebhookClient(systemClock, workers);
    return client(post);
  };
}

async function startOn(store: Store, start: Start): Promise<Server> {
  const { options, around, clock, chance, log } = start;
  const { ids = chance.ids } = around;
  const settling = new Settling(store);
  const clockControl = new ClockControl({ clock, chance, settled: () => settling.settled() });
  const tls = await openTls(options);
  const credentials = await readCredentials(options.tokenAuthFile, tls?.adminToken);
  const made: { core?: ApiCore } = {};
  const post = settling.counted(lateWebhookClient(() => made.core?.workers));
  const keyBytes = () => chance.keyBytes();
  const { observer, webhookCalls, admission } = observeAdmission(log);
  const given: CoreOptions = { options, credentials, keyBytes, clock, ids, post, log, observer, tls };
  const storeFailure = followFailure(store, log);
  const storeIsNew = isEmpty(store);
  const isLaid = await seedNewStore(store, options, { clock, ids });
  const core = openApiCore(store, given);
  made.core = core;
  const { registry, access, clientFor, settled } = core;
  const control = openControl({
    ...{ store, core, given, clock: clockControl, webhookCalls, controllers: () => controllers },
    random: () => chance.fraction(),
  });
  const state: ServerState = { ready: false, url: "", kubeconfig: "", leads: false };
  const app = openApp({
    ...{ store, core, control, options, clock, clockControl, chance, ids, log, tls, state },
    ...{ credentials, admission, storeFailure, limits: around.limits, pageFolder: around.pageFolder },
    controllers: () => controllers,
  });
  await core.bootstrap({ isLaid });
  if (storeIsNew) control.state.markEmpty();
  const brought = storeIsNew ? start.brought : undefined;
  if (options.compactAtStart) await store.compact(toRevision(store.revision));
  const signing = signingOf(tls, access, clock);
  const forControllers = { ...controllerDeps(control), ...core.forControllers, clock, log, ...signing };
  const controllers = openControllers(options, registry, forControllers);
  const running: Running = { app, controllers, core, control, stopping: new AbortController() };
  const election = openElection(store, running, start, state);
  try {
    const facts = { authority: signing.authority, token: credentials?.adminToken, client: tls?.admin };
    const { kubeconfig, file } = await startListening(running, { ...start, brought }, state, facts);
    const started = startControllers(running, election);
    const close = async () => {
      log.info({ url: state.url }, "the server stops");
      await file?.close();
      await stop(running, started);
      await closeStore(store, clock);
      start.endCount();
      log.info({ revision: store.revision }, "the server has stopped");
    };
    const inProcess = { clientFor: heldClients(clientFor, clockControl), controllers, control, registry };
    const life = { settled, started, storeFailure, close, [Symbol.asyncDispose]: close };
    return { url: kubeconfig.url, kubeconfig, kubeconfigFile: file, ...inProcess, ...life };
  } catch (error) {
    await stop(running);
    throw error;
  }
}

const controllerDeps = ({ controllerClients: clientFor, absentOwners }: OpenedControl) => ({
  clientFor,
  absentOwners,
});

const signingOf = (tls: TlsMaterial | undefined, { signSecretToken }: ApiCore["access"], clock: Clock) => ({
  authority: tls?.authority,
  signClient: tls && clientSigner(tls, clock),
  signSecretToken,
});

const clientSigner =
  (tls: TlsMaterial, clock: Clock) =>
  (of: ClientIdentity, terms: ClientTerms): string =>
    tls.signClient(of, clock.now(), terms);

/** Starts to listen. Resolves when the API answers and all given objects are loaded. */
async function startListening(
  { app, core, control }: Running,
  { options, around, brought, log }: Start,
  state: ServerState,
  facts: Omit<KubeconfigFacts, "url">,
): Promise<{ kubeconfig: KubeconfigFacts; file: KubeconfigFile | undefined }> {
  state.url = await listen(app, options, around.socketPath);
  if (brought !== undefined) {
    const { objects, skipped } = brought;
    const report = await control.imports.import(objects, {
      secrets: options.importSecrets,
      onProgress: around.onLoad,
    });
    around.onImport?.({ ...report, skipped: [...skipped, ...report.skipped] });
    log.info({ objects: report.objects, seconds: report.seconds }, "a cluster was imported");
  }
  await loadManifests(core, options, around.objects ?? [], {
    onProgress: around.onLoad,
    onRead: (path, count) => log.trace?.({ path, objects: count }, "read"),
  });
  const kubeconfig = { url: state.url, ...facts };
  const { kubeconfig: path } = options;
  const file = path === undefined ? undefined : await openKubeconfigFile(path, kubeconfig);
  state.kubeconfig = file?.path ?? "";
  if (file?.instance !== undefined) state.instance = file.instance;
  state.ready = true;
  return { kubeconfig, file };
}

/** Starts the controllers one event-loop turn later, so that callers that wait for the server resume first. */
async function startControllers(running: Running, election: LeaderElection | undefined): Promise<void> {
  const { controllers, control, stopping } = running;
  await nextTurn();
  if (election === undefined) await controllers.start(stopping.signal);
  else {
    await new Promise<void>((tried) => {
      running.standing = election.run(stopping.signal, tried);
    });
  }
  await control.markStarted(stopping.signal);
}

/** Leader election, where several servers may share the store; undefined: this server always runs the controllers. */
function openElection(
  store: Store,
  { controllers, core }: Pick<Running, "controllers" | "core">,
  { options, around, chance, log }: Start,
  state: ServerState,
): LeaderElection | undefined {
  if (storageBackendOf(options).type !== "etcd" || controllers.names.length === 0) {
    state.leads = controllers.names.length > 0;
    return undefined;
  }
  return new LeaderElection({
    store,
    client: core.clientFor("egret"),
    uid: around.ids?.uid() ?? chance.ids.uid(),
    onLeader: (holder, isThis) =>
      log.info({ holder, isThis }, "the controllers run in the server of this name"),
    lead: async (fencingToken, signal) => {
      core.leading.fencingToken = fencingToken;
      state.leads = true;
      await controllers.start(signal);
      if (!signal.aborted) await once(signal, "abort");
      state.leads = false;
    },
  });
}

async function closeStore(store: Store, clock: ControlledClock): Promise<void> {
  await store[Symbol.asyncDispose]();
  clock.close();
}

interface Running {
  readonly app: HttpApp;
  readonly controllers: ControllerManager;
  readonly core: ApiCore;
  readonly control: OpenedControl;
  readonly stopping: AbortController;
  /** Resolves when this server has left the election. */
  standing?: Promise<void>;
}

async function stop(
  { app, controllers, core, control, stopping, standing }: Running,
  started?: Promise<void>,
): Promise<void> {
  stopping.abort();
  await started;
  await standing;
  control.waits.close();
  await app.close(); // requests in flight need the other components
  await Promise.all([core.close(), controllers.stop()]);
}
