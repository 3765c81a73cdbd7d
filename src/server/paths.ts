// Paths that are not resources: discovery, OpenAPI, version and health as in a kube-apiserver, and Egret's own:
// metrics, the store backup, and the control API.

import { resolve } from "node:path";
import process from "node:process";
import { type Clock, formatTime } from "../apimachinery/meta/clock.ts";
import { packageFile } from "../apimachinery/meta/package-files.ts";
import { yieldIfDue } from "../apimachinery/scheduling/event-loop.ts";
import type { AdmissionMetrics } from "../apiserver/admission/admission-metrics.ts";
import type { ApiResponse } from "../apiserver/endpoints/api-request.ts";
import { versionInfo } from "../apiserver/endpoints/discovery/discovery.ts";
import type { TokenIssuerKeys } from "../apiserver/endpoints/issuer-discovery.ts";
import { NonResourcePaths } from "../apiserver/endpoints/non-resource.ts";
import type { OwnPaths } from "../apiserver/endpoints/passing-request.ts";
import { isServed } from "../apiserver/endpoints/route.ts";
import type { Instance } from "../apiserver/http/kubeconfig/instance.ts";
import type { Inflight } from "../apiserver/http/limits.ts";
import { Metrics, type MetricsSource } from "../apiserver/http/metrics.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import { verdictRoutes } from "../features/analysis/routes.ts";
import { clockRoutes } from "../features/control-surface/clock.ts";
import {
  CONTROL_PREFIX,
  type ControlRoute,
  flag,
  integer,
  list,
  object,
  route,
  text,
  type ValueOf,
  WholeAnswer,
} from "../features/control-surface/control-route.ts";
import { ControlSurface, type SurfaceDeps } from "../features/control-surface/control-surface.ts";
import { lineBytesMax } from "../features/control-surface/lines.ts";
import { faultRoutes } from "../features/faults/faults.ts";
import { historyRoutes } from "../features/history/history-keeper.ts";
import { diffRoute } from "../features/import/diff-report.ts";
import { stateRoute } from "../features/import/export-state.ts";
import { type FileReader, importFileRoute } from "../features/import/import-file.ts";
import { transferRoutes } from "../features/import/transfer.ts";
import { requestLogRoutes } from "../features/request-log/request-log.ts";
import { stateRoutes } from "../features/state/routes.ts";
import { loginRoutes, type PageLogins } from "../features/ui-sessions/login.ts";
import { PageFiles } from "../features/ui-sessions/page-files.ts";
import { waitRoute } from "../features/waits/routes.ts";
import { webhookLogRoutes } from "../features/webhook-calls/routes.ts";
import { backupLines } from "../storage/backup.ts";
import { EVERY_KEY, type Store } from "../storage/store.ts";
import { admissionMetrics } from "./admission-metrics.ts";
import { instanceRoute } from "./files/instance-route.ts";
import { healthChecks } from "./health-checks.ts";
import { nodesRouteBy } from "./nodes/nodes-route.ts";
import type { ControlPlane } from "./open-control.ts";
import { limitsOf } from "./options/import-limits.ts";
import type { ServerOptions } from "./options/options.ts";
import { describePlace, storageBackendOf } from "./storage-backend.ts";
import { storeMetrics } from "./store-metrics.ts";

export const BACKUP_PATH = `${CONTROL_PREFIX}/backup`;
/** Calls of the control API may wait or take long, so they have no time limit. */
export const isControlCall = (path: string): boolean => path.startsWith(`${CONTROL_PREFIX}/`);

const BACKUP_TYPE = "application/x-ndjson";

/** Facts that are known once the server listens. */
export interface ServerState {
  ready: boolean;
  url: string;
  /** Path of the written kubeconfig. */
  kubeconfig: string;
  /** The server's identity record in the kubeconfig; undefined without one. */
  instance?: Instance;
  /** Whether this server is the leader that runs the controllers. */
  leads: boolean;
}

interface OwnPathsOptions extends StatusSource {
  readonly metrics: Metrics;
  readonly control: ControlPlane;
  /** undefined: requests are not authenticated. */
  readonly logins: PageLogins | undefined;
  readonly pageFolder: string | undefined;
  /** The cluster's clock, which timestamps created objects. */
  readonly clock: Clock;
  readonly deps: Omit<SurfaceDeps, "lineBytesMax"> & { readonly registry: ResourceRegistry };
}

const readFileBy =
  (options: ServerOptions): FileReader =>
  async (path, given) => {
    const { fileReader } = await import("./read-import-file.ts");
    const { importMemoryMb: memoryMb, importSeconds: seconds } = options;
    return await fileReader({ source: limitsOf(options), memoryMb, seconds })(path, given);
  };

/** Egret's own paths: metrics, the control API and the web UI. */
export function ownPaths({
  metrics,
  control,
  deps,
  logins,
  pageFolder,
  clock,
  ...source
}: OwnPathsOptions): OwnPaths {
  const { options, state } = source;
  const page = options.noUi ? undefined : new PageFiles(pageFolder ?? packageFile("dist", "ui"));
  const routes = [
    statusRoute(source),
    instanceRoute(() => state.instance),
    backupRoute(source.store),
    ...stateRoutes(control),
    ...transferRoutes(control),
    importFileRoute({ imports: control.imports, readFile: readFileBy(options) }),
    stateRoute(control.stateDeps),
    diffRoute(control.differ),
    nodesRouteBy(clock),
    ...clockRoutes(control.clock),
    ...historyRoutes(control.history),
    waitRoute(control.waits),
    ...faultRoutes(control.faults),
    ...requestLogRoutes(control.requests),
    ...webhookLogRoutes(control.webhookCalls),
    ...verdictRoutes({ verdicts: control.verdicts, registry: deps.registry }),
    ...(page === undefined ? [] : loginRoutes({ logins, url: () => state.url })),
  ];
  const bytesMax = lineBytesMax(options.maxRequestBytes);
  const surface = new ControlSurface(routes, { ...deps, lineBytesMax: bytesMax });
  return {
    handle: (request) =>
      request.path === "/metrics"
        ? metricsResponse(metrics)
        : (surface.handle(request) ?? page?.handle(request)),
    isOpen: (path) => surface.isOpen(path) || page?.has(path) === true,
  };
}

async function metricsResponse(metrics: Metrics): Promise<ApiResponse> {
  const { contentType, text } = await metrics.text();
  return { status: 200, headers: { "content-type": contentType }, body: Buffer.from(text) };
}

const backupRoute = (store: Store): ControlRoute =>
  route("GET /backup", "backup", {
    summary: "The store as lines of JSON, while the server goes on.",
    answer: ["One line of JSON for each record.", BACKUP_TYPE],
    handle: () =>
      new WholeAnswer({
        status: 200,
        headers: { "content-type": BACKUP_TYPE },
        body: async (sink, signal) => {
          for await (const line of backupLines(store)) {
            if (signal.aborted) return;
            const pause = yieldIfDue();
            if (pause !== undefined) await pause;
            await sink.write(Buffer.from(line));
          }
        },
      }),
  });

/** The source of /metrics. Gauges are read at each scrape. */
export function createMetrics(
  store: Store,
  registry: ResourceRegistry,
  queues: MetricsSource["queues"],
  { inflight, admission }: { readonly inflight: Inflight; readonly admission: AdmissionMetrics },
): Metrics {
  return new Metrics({
    isServed: (info) => isServed(registry, info),
    queues,
    inflight: () => inflight.now,
    refused: () => inflight.refused,
    others: [...storeMetrics(store, registry), ...admissionMetrics(admission)],
  });
}

export const EGRET_VERSION = "0.1.0";

interface HealthSource {
  readonly store: Store;
  readonly failure: () => Error | undefined;
  readonly issuer: TokenIssuerKeys;
}

/** Non-resource paths: discovery, OpenAPI, version, health. Health checks the failure of the store. */
export function createNonResource(
  registry: ResourceRegistry,
  clock: Clock,
  state: Readonly<ServerState>,
  { store, failure, issuer }: HealthSource,
): NonResourcePaths {
  return new NonResourcePaths({
    registry,
    version: versionInfo({
      egretVersion: EGRET_VERSION,
      buildDate: formatTime(clock.now()),
      platform: "linux/amd64",
    }),
    healthChecks: healthChecks({
      store: () => failure()?.message ?? store.trouble,
      start: () => (state.ready ? undefined : "still starting"),
    }),
    beforeHealth: () => store.look(),
    serverUrl: () => state.url,
    issuer,
  });
}

/** Limit of broken objects in the status: each start logs all of them, and `egret check` lists them. */
const PROBLEMS_MAX = 100;

const STATUS = object({
  url: text(),
  pid: integer(),
  version: text("Of Egret."),
  kubernetesVersion: text("Of the kube-apiserver that it is like."),
  profile: text(),
  platform: text("Where the cluster stands."),
  cluster: flag("Whether it lives: nodes report, pods are scheduled and run."),
  clusterSubnets: text("Networks of pods."),
  serviceClusterIpRange: text("Networks of Services."),
  dataDir: text("The folder of the store; empty while all is kept in memory or in etcd."),
  store: text("Where everything is kept: `memory`, a folder, or `etcd://` and its members."),
  kubeconfig: text("The file that was written; empty when none was."),
  startedAt: text(),
  controllers: list(text()),
  leads: flag("Whether the controllers run here: of several servers on one etcd they run in one."),
  objects: integer(),
  revision: integer(),
  problems: list(
    object({ object: text("A definition, or a key of the store."), reason: text() }),
    `What is in the store and is not served, at most ${PROBLEMS_MAX}.`,
  ),
});
export type ServerStatus = ValueOf<typeof STATUS>;

interface StatusSource {
  readonly options: ServerOptions;
  readonly store: Store;
  /** By the system clock. */
  readonly startedAtMs: number;
  readonly state: Readonly<ServerState>;
  readonly controllers: () => readonly string[];
  readonly problems: () => ServerStatus["problems"];
}

/** GET status: identifies the running server for users and tools. */
const statusRoute = (source: StatusSource): ControlRoute => {
  const { options, store, startedAtMs, state, controllers, problems } = source;
  const place = storageBackendOf(options);
  return route("GET /status", "getStatus", {
    summary: "Which server this is: address, process, folder, versions, profile, and how much is in it.",
    answer: ["What runs here.", STATUS],
    handle: (): ServerStatus => ({
      url: state.url,
      pid: process.pid,
      version: EGRET_VERSION,
      kubernetesVersion: versionInfo({ egretVersion: EGRET_VERSION, buildDate: "", platform: "" }).gitVersion,
      profile: options.profile,
      platform: options.platform,
      cluster: options.cluster,
      clusterSubnets: options.clusterSubnets,
      serviceClusterIpRange: options.serviceClusterIpRange,
      dataDir: place.type === "level" ? resolve(place.folder) : "",
      store: place.type === "level" ? resolve(place.folder) : describePlace(place),
      kubeconfig: state.kubeconfig === "" ? "" : resolve(state.kubeconfig),
      startedAt: formatTime(startedAtMs),
      controllers: controllers(),
      leads: state.leads,
      objects: store.count(EVERY_KEY),
      revision: store.revision,
      problems: problems().slice(0, PROBLEMS_MAX),
    }),
  });
};
