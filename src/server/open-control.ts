// Assembles the control API. Its parts are objects that tests in the same process use too.

import { systemClock } from "../apimachinery/meta/clock.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { nextTurn } from "../apimachinery/scheduling/event-loop.ts";
import type { RequestGate } from "../apiserver/endpoints/api-request.ts";
import { decodeStored, encodeStored, memberOrder, uidOf } from "../apiserver/registry/codec/object-codec.ts";
import type { RequestContext } from "../apiserver/registry/definition/request-context.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import type { ControllerManager } from "../controller/controller-manager.ts";
import type { Running } from "../controller/definition.ts";
import { movesOf } from "../features/analysis/moves.ts";
import { clustersOf, StoreClusters } from "../features/analysis/store-snapshot.ts";
import { Verdicts } from "../features/analysis/verdicts.ts";
import type { ClockControl } from "../features/control-surface/clock.ts";
import { keptRevision } from "../features/control-surface/revisions.ts";
import { Faults, faultyClients } from "../features/faults/faults.ts";
import { HistoryKeeper } from "../features/history/history-keeper.ts";
import { AbsentOwners } from "../features/import/absent-owners.ts";
import { diffWithSource } from "../features/import/diff.ts";
import type { Differ } from "../features/import/diff-report.ts";
import type { StateDeps } from "../features/import/export-state.ts";
import { StandingImports } from "../features/import/imports.ts";
import { isGiven, Transfer } from "../features/import/transfer.ts";
import { RequestLog } from "../features/request-log/request-log.ts";
import { Branches, Snapshots } from "../features/state/named-states.ts";
import { type SavedState, StateKeeper, stateOf } from "../features/state/state-keeper.ts";
import { Waits } from "../features/waits/wait-for.ts";
import type { WebhookLog } from "../features/webhook-calls/webhook-log.ts";
import type { EgressIps } from "../ovn/controllers/egressip/egress-ips.ts";
import { type ClusterFacts, DEFAULT_FACTS, type Holding } from "../ovn/snapshot.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type KeyValue, type Store } from "../storage/store.ts";
import { type ApiCore, type CoreOptions, openApiCore } from "./api-core.ts";
import { hintsOf, settingObjects } from "./cluster-settings.ts";
import { controllerDescriptors } from "./controller-list.ts";
import type { ServerOptions } from "./options/options.ts";

/** The control API without HTTP: in-process tests use it, and its routes are built from it. */
export interface ControlPlane {
  /** Saves, restores and resets the whole state. */
  readonly state: StateKeeper;
  /** Named snapshots of the state. */
  readonly snapshots: Snapshots;
  /** Named branches of the state. */
  readonly branches: Branches;
  /** Export and import of objects as manifests. */
  readonly transfer: Transfer;
  /** Raw restore of another cluster's objects, with their uid and status. */
  readonly imports: StandingImports;
  /** The difference between a source and the state. */
  readonly differ: Differ;
  /** The sources of `egret export`. */
  readonly stateDeps: StateDeps;
  /** Waits for conditions over objects. */
  readonly waits: Waits;
  /** Stops, sets and advances the clock, and sets the seed. */
  readonly clock: ClockControl;
  /** Events of objects, and earlier versions of objects. */
  readonly history: HistoryKeeper;
  /** Fault injection. */
  readonly faults: Faults;
  /** The log of requests. */
  readonly requests: RequestLog;
  /** The last calls of admission webhooks. */
  readonly webhookCalls: WebhookLog;
  /** Explanations of the state, and packet paths. */
  readonly verdicts: Verdicts;
}

export type OpenedControl = ReturnType<typeof openControl>;

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

type Renewed = Pick<ControllerManager, "controller" | "idle" | "renew">;

/** How long a start and a reset wait for idle controllers; other clients may keep controllers busy. */
const REST_MS_MAX = 1000;

export interface ControlOptions {
  readonly store: Store;
  readonly core: ApiCore;
  readonly given: CoreOptions;
  /** The controllers that restart when the state is replaced. Available when the API answers. */
  readonly controllers: () => Renewed;
  readonly clock: ClockControl;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  readonly webhookCalls: WebhookLog;
}

/** Field managers of the server's own components. */
const OWN_MANAGERS: ReadonlySet<string> = new Set([
  "kube-apiserver",
  ...controllerDescriptors.map(({ fieldManager }) => fieldManager),
]);

/** Builds the control API (/egret/v1) from its parts: faults, clock, waits, history, requests, state, transfer. */
export function openControl(options: ControlOptions) {
  const { store, core, given, controllers, clock, random } = options;
  const settled = () => core.settled();
  let tellStarted = () => {};
  const started = new Promise<void>((resolve) => {
    tellStarted = resolve;
  });
  const state = new StateKeeper({
    ...{ store, clock: given.clock, started, followed: settled },
    emptyState: () => makeEmptyState(store, given),
    hold: () => core.hold(),
    renew: (change) => controllers().renew(change),
    settled: () => restOf(controllers(), store),
  });
  const waits = new Waits({ store, registry: core.registry, clock: systemClock });
  const faultDeps = { store, clock: given.clock, random };
  const faults = new Faults(faultDeps);
  let startIsMarked = false;
  const markStart = () => {
    if (!startIsMarked) state.markStart();
    startIsMarked = true;
  };
  const gate: RequestGate = {
    wantsBody: (info) => faults.wantsBody(info),
    intercept: (request) => {
      // A client's first write ends the start state, even when controllers have not finished their initial
      // reconciliation.
      if (!startIsMarked && !READS.has(request.method)) markStart();
      return faults.intercept(request);
    },
    watching: (watch) => faults.watching(watch),
  };
  const requests = new RequestLog();
  const history = new HistoryKeeper({ store, registry: core.registry, requests });
  return {
    /** Intercepts requests before the API handles them. */
    gate,
    faults,
    requests,
    webhookCalls: options.webhookCalls,
    verdicts: openVerdicts(options, history),
    history,
    /** Clients of controllers, subject to fault injection. */
    controllerClients: faultyClients(core.clientFor, faults, faultDeps),
    state,
    snapshots: new Snapshots(state),
    branches: new Branches(state),
    ...openTransfers(options, () => state.stateFor("empty")),
    waits,
    clock,
    /**
     * Marks the start state once the controllers have completed their initial reconciliation, which is part of the
     * start. Never rejects.
     */
    markStarted: async (signal: AbortSignal): Promise<void> => {
      await restOf(controllers(), store, signal);
      markStart();
      tellStarted();
    },
  };
}

/** Import and export of objects, and their comparison with the state. */
function openTransfers(options: ControlOptions, emptyState: StateDeps["emptyState"]) {
  const { store, core, given, controllers } = options;
  const { registry } = core;
  const stateDeps: StateDeps = { store, registry, emptyState };
  const absentOwners = new AbsentOwners(store);
  const onReplaced = {
    settled: () => core.settled(),
    renew: <T>(change: () => Promise<T>) => controllers().renew(change),
  };
  return {
    /** The sources of `egret export`. */
    stateDeps,
    absentOwners,
    transfer: new Transfer({
      ...{ ...stateDeps, ...onReplaced },
      ownManagers: OWN_MANAGERS,
      client: core.clientFor("egret"),
    }),
    imports: new StandingImports({
      ...{ ...stateDeps, ...onReplaced, store, absentOwners, realClock: systemClock },
      context: ownContext(given),
      hints: async (isOfImport) =>
        hintsOf(await settingObjects({ store, registry }, isOfImport), given.options),
    }),
    differ: openDiffer(options, emptyState),
  };
}

function openVerdicts({ store, core, given, controllers }: ControlOptions, history: HistoryKeeper): Verdicts {
  return new Verdicts({
    cluster: clustersOf(
      { store, registry: core.registry },
      {
        facts: factsOf(given.options),
        held: () => holdingsOf(controllers()),
      },
    ),
    moves: (name, agoMs, until) =>
      movesOf({ store, registry: core.registry, history, facts: factsOf(given.options) }, name, {
        since: given.clock.now() - agoMs,
        until,
      }),
    whatIf: async (tries, { at, ...plan }) => {
      const { whatIf } = await import("./what-if.ts");
      const present = store.list(EVERY_KEY, at === undefined ? {} : { at: keptRevision(store, at) });
      return whatIf(tries, { present, given, facts: factsOf(given.options), ...plan });
    },
  });
}

function openDiffer({ store, core, given }: ControlOptions, emptyState: StateDeps["emptyState"]): Differ {
  const { registry } = core;
  const facts = { ...DEFAULT_FACTS, ...factsOf(given.options) };
  const clusters = new StoreClusters({ store, registry });
  const deps = {
    ...{ store, registry, emptyState, context: ownContext(given) },
    clusterNow: () => clusters.now(facts),
    isGiven: (kv: KeyValue, object: Readonly<KubeObject>, empty: SavedState) =>
      isGiven(kv, object, empty, OWN_MANAGERS),
    clusterAnew: async () => {
      const { clusterAnew } = await import("./fresh-assignment.ts");
      return clusterAnew({ store, registry, given, facts: factsOf(given.options) });
    },
  };
  return (arrivals, asked) => diffWithSource(arrivals, deps, asked);
}

/** The request context of the server's own writes. */
const ownContext = ({ clock, ids }: CoreOptions): RequestContext => ({
  user: { name: "system:apiserver", groups: ["system:masters"] },
  ...{ fieldManager: "egret", dryRun: false, clock, ids, warn: () => {} },
});

const factsOf = ({
  profile,
  platform,
  clusterSubnets,
  serviceClusterIpRange,
}: ServerOptions): Partial<ClusterFacts> => ({
  product: profile,
  onCloud: platform !== "none",
  clusterSubnets,
  serviceSubnets: serviceClusterIpRange,
});

/** undefined while the EgressIP controller does not run. */
function holdingsOf(controllers: Pick<ControllerManager, "controller">): Holding[] | undefined {
  const running = controllers.controller("egressip") as Running<EgressIps> | undefined; // it is that one
  return running?.memory.holdings();
}

/** Resolves once the controllers are idle, or after REST_MS_MAX: an injected fault may keep them busy. */
async function restOf(controllers: Renewed, store: Store, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const waiting = new AbortController();
  signal?.addEventListener("abort", () => waiting.abort(), { once: true });
  const late = systemClock.sleep(REST_MS_MAX, waiting.signal);
  await Promise.race([idleTogether(controllers, store, waiting.signal), late]).catch(() => undefined);
  waiting.abort();
  await late.catch(() => undefined);
}

/** Repeats until no controller has written: a write of one may enqueue keys for another. */
async function idleTogether(controllers: Renewed, store: Store, signal: AbortSignal): Promise<void> {
  let before: number;
  do {
    before = store.revision;
    await controllers.idle();
    await nextTurn();
  } while (store.revision !== before && !signal.aborted);
}

// The initial state of a server, for a reset of a store that an earlier process has used. A second store is
// bootstrapped in memory. An object that exists in the present store under the same key keeps its identity.

/** Takes about as long as a start with an in-memory store. Throws the errors of a start. */
async function makeEmptyState(present: Store, given: CoreOptions): Promise<SavedState> {
  const options = { ...given.options, inMemory: true };
  await using store = await openMvccStore(createMemoryEngine(), { clock: given.clock });
  const core = openApiCore(store, { ...given, options, observer: undefined });
  try {
    await core.bootstrap();
    await core.settled();
    const state = stateOf(store, given.clock);
    const items = [...state.items].map(
      ([key, kv]) => [key, sameObject(kv, present.get(key), core.registry)] as const,
    );
    return { ...state, items: new Map(items) };
  } finally {
    await core.close();
  }
}

/** Keeps the uid and creation time. An object that differs only in times keeps its stored value. */
function sameObject(kv: KeyValue, live: KeyValue | undefined, registry: ResourceRegistry): KeyValue {
  if (live === undefined || uidOf(kv) === undefined || uidOf(live) === undefined) return kv;
  const { uid, creationTimestamp } = decodeStored(live).metadata;
  const object = decodeStored(kv);
  const metadata = {
    ...object.metadata,
    ...(uid ? { uid } : {}),
    ...(creationTimestamp ? { creationTimestamp } : {}),
  };
  const view = registry.findByKind(object.apiVersion ?? "", object.kind ?? "");
  const value = encodeStored({ ...object, metadata }, view && memberOrder(view));
  return withoutTimes(value) === withoutTimes(live.value) ? { ...kv, value: live.value } : { ...kv, value };
}

const TIMES = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;

const withoutTimes = (value: Uint8Array): string =>
  Buffer.from(value).toString("latin1").replace(TIMES, '""');
