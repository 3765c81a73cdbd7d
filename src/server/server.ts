// The composition root: the one place that puts the rooms together. The command, the tests and the bench use it alike.

import { once } from "node:events";
import process from "node:process";
import { ApiServer } from "../apiserver/pipeline.ts";
import type { ClientFactory } from "../client/client.ts";
import { ClockControl, heldClients, Settling } from "../control/clock.ts";
import type { ImportReport } from "../control/standing/report.ts";
import type { ControllerManager } from "../controllers/kit/controller-manager.ts";
import { createHttpApp, type HttpApp } from "../http/app.ts";
import { CredentialsError } from "../http/authentication/token-file.ts";
import { loggedRequests } from "../http/call.ts";
import { isLocalHost } from "../http/guard.ts";
import { type HttpLimits, Inflight } from "../http/limits.ts";
import { createLog, type Log } from "../http/log.ts";
import type { ClientIdentity } from "../http/tls/certificate.ts";
import type { ClientTerms } from "../http/tls/self-made.ts";
import { createWebhookClient } from "../http/webhook-client.ts";
import { serving } from "../launch/once-serving.ts";
import { type Clock, systemClock } from "../meta/clock.ts";
import type { ControlledClock } from "../meta/controlled-clock.ts";
import type { Chance, Ids } from "../meta/ids.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { toRevision } from "../meta/revision.ts";
import { StatusError } from "../meta/status.ts";
import { nextTurn, turnsByCount } from "../meta/turns.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { isEmpty, type Store } from "../storage/store.ts";
import type { Workers } from "../workers/job.ts";
import { openSessions, readCredentials } from "./access.ts";
import { observeAdmission } from "./admission-observers.ts";
import { type ApiCore, type CoreOptions, failedRequest, openApiCore } from "./api-core.ts";
import { settingsOf, withSettings } from "./cluster-settings.ts";
import { httpLimits, openChance, openClock } from "./command-line/time-and-chance.ts";
import { openControllers } from "./controller-setup.ts";
import { errorText, StartError, UsageError } from "./errors.ts";
import { type KubeconfigFacts, type KubeconfigFile, openKubeconfigFile } from "./files/kubeconfig.ts";
import { type LoadListeners, loadManifests } from "./given.ts";
import { type ReadSources, readSources } from "./import-sources.ts";
import { LeaderElection } from "./leader-election.ts";
import { listen, openTls } from "./listen.ts";
import { type ControlPlane, type OpenedControl, openControl } from "./open-control.ts";
import { limitsOf } from "./options/import-limits.ts";
import { parseListen } from "./options/option-table.ts";
import {
  DEFAULT_OPTIONS,
  readSettingsOf,
  type ServerOptions,
  saidIn,
  withImplied,
} from "./options/options.ts";
import {
  createMetrics,
  createNonResource,
  EGRET_VERSION,
  isControlCall,
  ownPaths,
  type ServerState,
} from "./paths.ts";
import { followFailure, openStore, seedNewStore } from "./store.ts";
import { describePlace, storePlaceOf } from "./store-place.ts";
import type { TlsMaterial } from "./tls.ts";

export type { ServerOptions } from "./options/options.ts";

export interface Server extends AsyncDisposable {
  readonly url: string;
  /** The API in process, for tests and tools. */
  readonly clientFor: ClientFactory;
  readonly controllers: ControllerManager;
  /** What the control surface does, without HTTP. */
  readonly control: ControlPlane;
  /** The kinds that are served now. */
  readonly registry: ResourceRegistry;
  /** Resolves once the kinds that are served are as the definitions in the store say. */
  settled(): Promise<void>;
  /** Resolves once the controllers have done what a start gives them to do. Never rejects. */
  readonly started: Promise<void>;
  /** How the server is reached, and by whom. */
  readonly kubeconfig: KubeconfigFacts;
  /** The write that has failed, and after which the store takes no more; undefined while all is well. */
  readonly storeFailure: () => Error | undefined;
  /** The file that has it; undefined when none was to be written. */
  readonly kubeconfigFile: KubeconfigFile | undefined;
  /** Ends watches, stops controllers, flushes and closes the store. */
  close(): Promise<void>;
}

/** What a caller may put in the place of time and chance. */
export interface ServerSurroundings {
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Already open; the server closes it. Left out: the one that the options name. */
  readonly store?: Store;
  /** To be applied at the start, after those of the files. */
  readonly objects?: readonly KubeObject[];
  /** In the place of those that every server has, for tests that cannot wait for a minute. */
  readonly limits?: Partial<HttpLimits>;
  /** Where the files of the page are; left out: where the build leaves them. */
  readonly pageFolder?: string;
  /** A Unix socket to listen on in the place of an address. */
  readonly socketPath?: string;
  /** Told how far the loading of given objects has come. */
  readonly onLoad?: LoadListeners["onProgress"];
  /** Told how many objects have been read of what is imported. */
  readonly onImportRead?: (count: number) => void;
  /** Told what an import at the start has come to. */
  readonly onImport?: (report: ImportReport) => void;
  /** The server is given as soon as the API answers, as a kube-apiserver does not wait for a controller manager either. */
  readonly controllersMayFollow?: boolean;
}

/**
 * A server that does not listen yet; options that are not given have their defaults. Throws StartError, StoreError
 * and CredentialsError.
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
    const data = describePlace(storePlaceOf(options));
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
  /** What --import has named. */
  readonly brought: ReadSources | undefined;
  readonly clock: ControlledClock;
  readonly chance: Chance;
  readonly log: Log;
  /** Turns are measured by time again, as far as this server is concerned. */
  readonly endCount: () => void;
}

/** A client that is made for the first call: most servers never call a webhook. */
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
  const { observer, webhookCalls, figures } = observeAdmission(log);
  const given: CoreOptions = { options, credentials, keyBytes, clock, ids, post, log, observer, tls };
  const storeFailure = followFailure(store, log);
  const storeIsNew = isEmpty(store);
  const isLaid = await seedNewStore(store, options, { clock, ids });
  const core = openApiCore(store, given);
  made.core = core;
  const { registry, resources, access, clientFor, settled } = core;
  const control = openControl({
    ...{ store, core, given, clock: clockControl, webhookCalls, controllers: () => controllers },
    random: () => chance.fraction(),
  });
  const state: ServerState = { ready: false, url: "", kubeconfig: "", leads: false };
  const inflight = new Inflight(options);
  const metrics = createMetrics(store, registry, () => controllers.queueFigures(), { inflight, figures });
  const sessions = credentials && openSessions(options, access, () => state.url);
  const own = {
    ...{ store, options, state, metrics, control, deps: core, logins: sessions },
    ...{ startedAtMs: systemClock.now(), pageFolder: around.pageFolder, clock, problems: core.problems },
  };
  const api = new ApiServer({
    ...{ resources, workers: core.workers, clock, ids, queryBytesPerUser: options.maxQueryBytesPerUser },
    reading: readSettingsOf(options),
    ...{ onInternalError: failedRequest(log), access: access.control, flows: core.flows },
    nonResource: createNonResource(registry, clock, state, {
      ...{ store, failure: storeFailure, issuer: access.issuer },
    }),
    ownPaths: ownPaths({ ...own, controllers: () => controllers.names }),
    held: () => clockControl.held(),
  });
  const app: HttpApp = createHttpApp({
    ...{ api, tls, metrics, inflight, clock, log },
    ...{ authenticate: (sessions ?? access).authenticate, endOf: sessions?.endOf },
    isLongRunning: isControlCall,
    limits: { ...httpLimits(options), ...around.limits },
    realClock: systemClock,
    hooks: { gate: control.gate, observer: loggedRequests(control.requests, log) },
    answerIds: chance.answerIds,
    dateHeader: () => clockControl.dateHeader(),
    listenHost: parseListen(options.listen).host,
  });
  await core.furnish({ isLaid });
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
    const { kubeconfig, file } = await openDoors(running, { ...start, brought }, state, facts);
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

/** From then on the API answers, and everything that was given is there. */
async function openDoors(
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

/** A turn goes first, in which whoever has waited for the server can be told. */
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

/** Where several servers may share the store, one of them runs the controllers; undefined: this one does. */
function openElection(
  store: Store,
  { controllers, core }: Pick<Running, "controllers" | "core">,
  { options, around, chance, log }: Start,
  state: ServerState,
): LeaderElection | undefined {
  if (storePlaceOf(options).type !== "etcd" || controllers.names.length === 0) {
    state.leads = controllers.names.length > 0;
    return undefined;
  }
  return new LeaderElection({
    store,
    client: core.clientFor("egret"),
    uid: around.ids?.uid() ?? chance.ids.uid(),
    onLeader: (holder, isThis) =>
      log.info({ holder, isThis }, "the controllers run in the server of this name"),
    lead: async (guard, signal) => {
      core.leading.guard = guard;
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
  /** The end of this server's part in elections. */
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
  await app.close(); // what is on its way needs the rest
  await Promise.all([core.close(), controllers.stop()]);
}
