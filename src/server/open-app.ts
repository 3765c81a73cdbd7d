// The HTTP side of a server: the handler chain, its own paths and metrics, and the HTTP app that serves them.
import { systemClock } from "../apimachinery/meta/clock.ts";
import type { ControlledClock } from "../apimachinery/meta/controlled-clock.ts";
import type { Chance, Ids } from "../apimachinery/meta/ids.ts";
import { ApiServer } from "../apiserver/endpoints/api-server.ts";
import { createHttpApp, type HttpApp } from "../apiserver/http/app.ts";
import { loggedRequests } from "../apiserver/http/call.ts";
import { type HttpLimits, Inflight } from "../apiserver/http/limits.ts";
import type { Log } from "../apiserver/http/log.ts";
import type { ControllerManager } from "../controller/controller-manager.ts";
import type { ClockControl } from "../features/control-surface/clock.ts";
import type { Store } from "../storage/store.ts";
import { openSessions, type readCredentials } from "./access.ts";
import type { observeAdmission } from "./admission-observers.ts";
import { type ApiCore, failedRequest } from "./api-core.ts";
import type { OpenedControl } from "./open-control.ts";
import { parseListen } from "./options/option-table.ts";
import { readSettingsOf, type ServerOptions } from "./options/options.ts";
import { httpLimits } from "./options/time-and-chance.ts";
import { createMetrics, createNonResource, isControlCall, ownPaths, type ServerState } from "./paths.ts";
import type { followFailure } from "./store.ts";
import type { TlsMaterial } from "./tls.ts";

export interface AppDeps {
  readonly store: Store;
  readonly core: ApiCore;
  readonly control: OpenedControl;
  /** Available when the app answers. */
  readonly controllers: () => ControllerManager;
  readonly options: ServerOptions;
  readonly clock: ControlledClock;
  readonly clockControl: ClockControl;
  readonly chance: Chance;
  readonly ids: Ids;
  readonly log: Log;
  readonly tls: TlsMaterial | undefined;
  readonly credentials: Awaited<ReturnType<typeof readCredentials>>;
  readonly admission: ReturnType<typeof observeAdmission>["admission"];
  readonly storeFailure: ReturnType<typeof followFailure>;
  readonly state: ServerState;
  /** Override the default limits. */
  readonly limits: Partial<HttpLimits> | undefined;
  /** Folder of the web UI's files; absent: the build output. */
  readonly pageFolder: string | undefined;
}

/** Creates the app, which does not listen yet. */
export function openApp(deps: AppDeps): HttpApp {
  const { store, core, control, options, clock, clockControl, chance, log, tls, state } = deps;
  const { registry, access } = core;
  const inflight = new Inflight(options);
  const metrics = createMetrics(store, registry, () => deps.controllers().queueMetrics(), {
    inflight,
    admission: deps.admission,
  });
  const sessions = deps.credentials && openSessions(options, access, () => state.url);
  const own = {
    ...{ store, options, state, metrics, control, deps: core, logins: sessions },
    ...{ startedAtMs: systemClock.now(), pageFolder: deps.pageFolder, clock, problems: core.problems },
  };
  const api = new ApiServer({
    ...{ resources: core.resources, workers: core.workers, clock, ids: deps.ids },
    queryBytesPerUser: options.maxQueryBytesPerUser,
    reading: readSettingsOf(options),
    ...{ onInternalError: failedRequest(log), access: access.control, flows: core.flows },
    nonResource: createNonResource(registry, clock, state, {
      ...{ store, failure: deps.storeFailure, issuer: access.issuer },
    }),
    ownPaths: ownPaths({ ...own, controllers: () => deps.controllers().names }),
    held: () => clockControl.held(),
  });
  return createHttpApp({
    ...{ api, tls, metrics, inflight, clock, log },
    ...{ authenticate: (sessions ?? access).authenticate, endOf: sessions?.endOf },
    isLongRunning: isControlCall,
    limits: { ...httpLimits(options), ...deps.limits },
    realClock: systemClock,
    hooks: { gate: control.gate, observer: loggedRequests(control.requests, log) },
    answerIds: chance.answerIds,
    dateHeader: () => clockControl.dateHeader(),
    listenHost: parseListen(options.listen).host,
  });
}
