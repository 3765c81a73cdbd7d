// Puts together what the control surface does. Its parts are objects that tests in the same process use as well.
import type { RequestGate } from "../apiserver/api-request.ts";
import type { ClockControl } from "../control/clock.ts";
import { Faults, faultyClients } from "../control/faults/faults.ts";
import { HistoryKeeper } from "../control/history/history-keeper.ts";
import { RequestLog } from "../control/request-log.ts";
import { keptRevision } from "../control/revisions.ts";
import { AbsentOwners } from "../control/standing/absent-owners.ts";
import { diffWithSource } from "../control/standing/diff.ts";
import type { Differ } from "../control/standing/diff-report.ts";
import type { StateDeps } from "../control/standing/export-state.ts";
import { StandingImports } from "../control/standing/imports.ts";
import { Branches, Snapshots } from "../control/state/named-states.ts";
import { type SavedState, StateKeeper, stateOf } from "../control/state/state-keeper.ts";
import { isGiven, Transfer } from "../control/transfer/transfer.ts";
import { movesOf } from "../control/verdict/moves.ts";
import { clustersOf, StoreClusters } from "../control/verdict/store-snapshot.ts";
import { Verdicts } from "../control/verdict/verdicts.ts";
import { Waits } from "../control/wait/wait-for.ts";
import type { WebhookLog } from "../control/webhooks/webhook-log.ts";
import type { EgressIps } from "../controllers/egressip/egress-ips.ts";
import { controllerDescriptors } from "../controllers/index.ts";
import type { ControllerManager } from "../controllers/kit/controller-manager.ts";
import type { Running } from "../controllers/kit/definition.ts";
import { systemClock } from "../meta/clock.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { nextTurn } from "../meta/turns.ts";
import { decodeStored, encodeStored, memberOrder, uidOf } from "../registry/codec/object-codec.ts";
import type { RequestContext } from "../registry/definition/request-context.ts";
import type { ResourceRegistry } from "../registry/resource-registry.ts";
import { createMemoryEngine } from "../storage/engine.ts";
import { openMvccStore } from "../storage/mvcc/mvcc-store.ts";
import { EVERY_KEY, type KeyValue, type Store } from "../storage/store.ts";
import { type ClusterFacts, DEFAULT_FACTS, type Holding } from "../verdict/snapshot.ts";
import { type ApiCore, type CoreOptions, openApiCore } from "./api-core.ts";
import { hintsOf, settingObjects } from "./cluster-settings.ts";
import type { ServerOptions } from "./options/options.ts";

/** What the control surface does, without HTTP: tests in the same process use it, and the routes are made of it. */
export interface ControlPlane {
  /** Saves and restores the whole state, and goes back to the start. */
  readonly state: StateKeeper;
  /** Saved states with names. */
  readonly snapshots: Snapshots;
  /** Lines of state with names, to go from one to another. */
  readonly branches: Branches;
  /** Objects out of the server and into it, as files hold them. */
  readonly transfer: Transfer;
  /** Objects of another cluster into the server, as they stood. */
  readonly imports: StandingImports;
  /** How a source differs from the state. */
  readonly differ: Differ;
  /** Where the state is read that `egret export` writes. */
  readonly stateDeps: StateDeps;
  /** Waits for conditions over objects. */
  readonly waits: Waits;
  /** Stops, sets and advances the clock, and sets the seed. */
  readonly clock: ClockControl;
  /** What became of objects, and objects as they were. */
  readonly history: HistoryKeeper;
  /** What goes wrong, for clients to meet it. */
  readonly faults: Faults;
  /** Who asked what. */
  readonly requests: RequestLog;
  /** The last calls of admission webhooks. */
  readonly webhookCalls: WebhookLog;
  /** Why things are as they are, and what becomes of packets. */
  readonly verdicts: Verdicts;
}

export type OpenedControl = ReturnType<typeof openControl>;

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

type Renewed = Pick<ControllerManager, "controller" | "idle" | "renew">;

/** So long a start and a reset wait for controllers, which somebody else may keep busy. */
const REST_MS_MAX = 1000;

export interface ControlOptions {
  readonly store: Store;
  readonly core: ApiCore;
  readonly given: CoreOptions;
  /** Those that begin anew when the state is exchanged; they are there when the API answers. */
  readonly controllers: () => Renewed;
  readonly clock: ClockControl;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  readonly webhookCalls: WebhookLog;
}

/** Field managers of the server's own parts. */
const OWN_MANAGERS: ReadonlySet<string> = new Set([
  "kube-apiserver",
  ...controllerDescriptors.map(({ fieldManager }) => fieldManager),
]);

/**
 * Builds the control surface (/egret/v1) with its parts: faults, clock, waits, history, requests, state, transfer.
 */
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
  const transfer = new Transfer({
    store,
    registry: core.registry,
    emptyState: () => state.stateFor("empty"),
    ownManagers: OWN_MANAGERS,
    client: core.clientFor("egret"),
    settled,
    renew: (change) => controllers().renew(change),
  });
  const stateDeps = { store, registry: core.registry, emptyState: () => state.stateFor("empty") };
  const absentOwners = new AbsentOwners(store);
  const imports = new StandingImports({
    ...{ store, registry: core.registry, settled, absentOwners, realClock: systemClock },
    context: ownContext(given),
    renew: (change) => controllers().renew(change),
    emptyState: () => state.stateFor("empty"),
    hints: async (isOfImport) => {
      const objects = await settingObjects({ store, registry: core.registry }, isOfImport);
      return hintsOf(objects, given.options);
    },
  });
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
      // What a client writes is no part of the start, also when controllers are not done with theirs.
      if (!startIsMarked && !READS.has(request.method)) markStart();
      return faults.intercept(request);
    },
    watching: (watch) => faults.watching(watch),
  };
  const requests = new RequestLog();
  const history = new HistoryKeeper({ store, registry: core.registry, requests });
  return {
    /** What looks at requests before the API does. */
    gate,
    faults,
    requests,
    webhookCalls: options.webhookCalls,
    verdicts: openVerdicts(options, history),
    history,
    /** Clients for controllers, which faults can strike. */
    controllerClients: faultyClients(core.clientFor, faults, faultDeps),
    state,
    snapshots: new Snapshots(state),
    branches: new Branches(state),
    transfer,
    imports,
    differ: openDiffer(options, stateDeps.emptyState),
    stateDeps,
    absentOwners,
    waits,
    clock,
    /** The server is ready but for what the controllers have to do first: that, too, is part of the start. Never rejects. */
    markStarted: async (signal: AbortSignal): Promise<void> => {
      await restOf(controllers(), store, signal);
      markStart();
      tellStarted();
    },
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
      const { clusterAnew } = await import("./cluster-anew.ts");
      return clusterAnew({ store, registry, given, facts: factsOf(given.options) });
    },
  };
  return (arrivals, asked) => diffWithSource(arrivals, deps, asked);
}

/** The server itself writes. */
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

/** undefined while the controller of EgressIPs does not run. */
function holdingsOf(controllers: Pick<ControllerManager, "controller">): Holding[] | undefined {
  const running = controllers.controller("egressip") as Running<EgressIps> | undefined; // it is that one
  return running?.memory.holdings();
}

/** Resolves once the controllers have nothing to do, or when that takes long. A fault may keep them from saying so. */
async function restOf(controllers: Renewed, store: Store, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const waiting = new AbortController();
  signal?.addEventListener("abort", () => waiting.abort(), { once: true });
  const late = systemClock.sleep(REST_MS_MAX, waiting.signal);
  await Promise.race([idleTogether(controllers, store, waiting.signal), late]).catch(() => undefined);
  waiting.abort();
  await late.catch(() => undefined);
}

/** What they have written may give others something to do. */
async function idleTogether(controllers: Renewed, store: Store, signal: AbortSignal): Promise<void> {
  let before: number;
  do {
    before = store.revision;
    await controllers.idle();
    await nextTurn();
  } while (store.revision !== before && !signal.aborted);
}

// What a server holds that nobody has given anything to, for a store that was used before this process: another one is
// furnished in memory. What is in the present store under the same name keeps its identity.

/** Takes about as long as a start in memory. Throws what a start throws. */
async function makeEmptyState(present: Store, given: CoreOptions): Promise<SavedState> {
  const options = { ...given.options, inMemory: true };
  await using store = await openMvccStore(createMemoryEngine(), { clock: given.clock });
  const core = openApiCore(store, { ...given, options, observer: undefined });
  try {
    await core.furnish();
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

/** Its identity is its uid and when it was created. What differs in times alone is as it was made then. */
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
