// Compares a source with the server's state: objects, and above all decisions. Objects of the source are compared in
// their stored form, so that defaults are not differences. Fields that change by themselves, such as heartbeats, are
// ignored.
import { isObject, type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { describeResource, StatusError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { collectionRange, storageView } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { Cluster } from "../../ovn/cluster/cluster.ts";
import { compareAddresses, servicesThatMove } from "../../ovn/compare.ts";
import { explain, explainableBy } from "../../ovn/explain/explain.ts";
import { leanObject } from "../../ovn/lean.ts";
import { neededResourceOf } from "../../ovn/needed-kinds.ts";
import { snapshotOf } from "../../ovn/snapshot.ts";
import type { KeyValue, KeyValueReader } from "../../storage/store.ts";
import { namedKinds } from "../control-surface/kinds.ts";
import { changesBetween, pathText } from "../history/field-changes.ts";
import type { SavedState } from "../state/state-keeper.ts";
import { type Arrivals, isDefinition } from "./arrivals.ts";
import type { SourceDifference } from "./diff-report.ts";
import { type Placed, placeAll } from "./place.ts";
import { standingObject, standingView, Undecodable } from "./stored-form.ts";

export interface DiffDeps {
  readonly store: KeyValueReader;
  readonly registry: ResourceRegistry;
  readonly context: RequestContext;
  readonly emptyState: () => Promise<SavedState>;
  /** Reports whether a user or an external client created or changed an object. */
  readonly isGiven: (kv: KeyValue, object: Readonly<KubeObject>, empty: SavedState) => boolean;
  readonly clusterNow: () => Cluster;
  /** The cluster as the controllers would decide without earlier decisions. */
  readonly clusterAnew: () => Promise<Cluster>;
}

export interface DiffOptions {
  readonly secrets?: boolean;
  readonly recompute?: boolean;
}

/** Maximum number of reported items per list; the counts are complete. */
const TOLD_MAX = 1000;

export async function diffWithSource(
  arrivals: Arrivals,
  deps: DiffDeps,
  { secrets = false, recompute = false }: DiffOptions = {},
): Promise<SourceDifference> {
  const differing = new Differing(deps, secrets);
  await differing.read(arrivals);
  const { counts, added, removed, changed } = differing;
  const now = deps.clusterNow();
  const recorded = new Cluster(snapshotOf(differing.recorded, neededResourceOf), now.facts);
  const anew = recompute ? decisionsBetween(recorded, await deps.clusterAnew()) : undefined;
  const decisions = decisionsBetween(recorded, now);
  const differs = [counts.added, counts.removed, counts.changed].some((count) => count > 0);
  const isOther = (found: typeof decisions) => found.moved.length + found.services.length > 0;
  return {
    differs: differs || isOther(decisions) || (anew !== undefined && isOther(anew)),
    ...{ counts, added, removed, changed, decisions },
    ...(anew === undefined ? {} : { anew }),
    skipped: arrivals.skips.reasons,
  };
}

/** Reasons come from the cluster with the other decision. */
function decisionsBetween(recorded: Cluster, other: Cluster): SourceDifference["decisions"] {
  const reasonOf = (word: string, namespace: string, name: string): string => {
    const what = explainableBy(word);
    return (what && explain(other, what, namespace, name)?.summary) ?? "it is not there";
  };
  const services = servicesThatMove(recorded, other).map((one) => {
    const [namespace = "", name = ""] = one.egressService.split("/");
    return { ...one, why: reasonOf("egressservice", namespace, name) };
  });
  const moved = compareAddresses(recorded, other).map(({ from = "", to = "", ...one }) => ({
    ...{ ...one, from, to },
    why: reasonOf("egressip", "", one.egressIp),
  }));
  return { moved, services };
}

class Differing {
  readonly #deps: DiffDeps;
  readonly #secrets: boolean;
  readonly added: string[] = [];
  readonly removed: string[] = [];
  readonly changed: SourceDifference["changed"][number][] = [];
  readonly counts = { added: 0, removed: 0, changed: 0 };
  /** Objects of the source that verdicts read. */
  readonly recorded: KubeObject[] = [];

  constructor(deps: DiffDeps, secrets: boolean) {
    this.#deps = deps;
    this.#secrets = secrets;
  }

  async read(arrivals: Arrivals): Promise<void> {
    const { registry, context, emptyState } = this.#deps;
    const empty = await emptyState();
    const own = new Set<string>();
    const isOwn = (key: string) => {
      own.add(key);
      return empty.items.has(key);
    };
    const definitions: Placed[] = [];
    const define = async (placed: readonly Placed[]) => {
      for (const one of placed) if (!one.arrived.isDerived) definitions.push(one);
    };
    for (const one of arrivals.all) {
      if (isDefinition(one) || standingView(registry, one) !== undefined) continue;
      this.#tell("removed", `${one.kind} ${one.namespace === "" ? "" : `${one.namespace}/`}${one.name}`);
    }
    const { objects } = await placeAll(arrivals, {
      registry,
      context,
      secrets: this.#secrets,
      isOwn,
      define,
    });
    const placed = [...definitions, ...objects];
    for (const one of placed) await this.#compare(one, arrivals);
    await this.#findAdded(new Set([...placed.map(({ key }) => key), ...own]), empty);
  }

  async #compare({ arrived, view, key }: Placed, arrivals: Arrivals): Promise<void> {
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    const { store, context } = this.#deps;
    const kv = store.get(key);
    try {
      const given = await standingObject(view, arrived.read(), context);
      if (neededResourceOf(given) !== undefined) this.recorded.push(leanObject(given));
      const name = nameOf(view, given);
      if (kv === undefined) return this.#tell("removed", name);
      const fields = fieldsThatDiffer(given, decodeStored(kv), view, arrived.uid !== "");
      if (fields.length === 0) return;
      this.counts.changed++;
      if (this.changed.length < TOLD_MAX) this.changed.push({ object: name, fields });
    } catch (error) {
      if (!(error instanceof Undecodable || error instanceof StatusError)) throw error;
      arrivals.skips.add({ reason: error.message, origin: `${arrived.kind} ${arrived.name}` });
    }
  }

  /** Ignores objects that the server and its controllers create. */
  async #findAdded(known: ReadonlySet<string>, empty: SavedState): Promise<void> {
    const { store, registry, isGiven } = this.#deps;
    for (const { definition } of namedKinds(registry, "")) {
      const { group, kind } = definition;
      if (PASSING.has(kind) || (group === "" && kind === "Secret" && !this.#secrets)) continue;
      for (const kv of store.list(collectionRange(definition, "")).items) {
        const pause = yieldIfDue();
        if (pause !== undefined) await pause;
        if (known.has(kv.key)) continue;
        const object = decodeStored(kv);
        if (isGiven(kv, object, empty)) this.#tell("added", nameOf({ definition }, object));
      }
    }
  }

  #tell(list: "added" | "removed", name: string): void {
    this.counts[list]++;
    if (this[list].length < TOLD_MAX) this[list].push(name);
  }
}

/** Kinds whose objects appear and expire without any change of the cluster. */
const PASSING = new Set(["Event", "Lease"]);

const nameOf = (
  { definition }: Pick<ResourceView, "definition">,
  { metadata }: Readonly<KubeObject>,
): string =>
  `${describeResource(definition)} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;

type Fields = SourceDifference["changed"][number]["fields"];

/** An object that was never in a server has no uid and no timestamps of its own. */
function fieldsThatDiffer(
  given: KubeObject,
  live: Readonly<KubeObject>,
  { definition }: ResourceView,
  wasInServer: boolean,
): Fields {
  const [before, after] = [quiet(given, wasInServer), quiet(live, wasInServer)];
  return changesBetween(before, after, storageView(definition).version.node).map((change) => ({
    path: pathText(change.path),
    ...(change.before === undefined ? {} : { recorded: change.before }),
    ...(change.after === undefined ? {} : { now: change.after }),
  }));
}

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** Removes fields that change by themselves. The result shares members with the object. */
function quiet(object: Readonly<KubeObject>, wasInServer: boolean): KubeObject {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  if (!wasInServer)
    for (const member of ["uid", "creationTimestamp", "generation"] as const) delete metadata[member];
  if (metadata.annotations?.[TRIGGER_TIME] !== undefined) {
    const { [TRIGGER_TIME]: _time, ...annotations } = metadata.annotations;
    metadata.annotations = annotations;
  }
  const still: KubeObject = { ...object, metadata };
  if (object.kind === "Lease") still["spec"] = without(objectAt(object, "spec"), "renewTime");
  if (object.kind === "Node") still["status"] = withoutHeartbeats(objectAt(object, "status"));
  return still;
}

function withoutHeartbeats(status: JsonObject | undefined): JsonObject | undefined {
  const conditions = status?.["conditions"];
  if (!Array.isArray(conditions)) return status;
  const still = conditions.map((one: unknown) => (isObject(one) ? without(one, "lastHeartbeatTime") : one));
  return { ...status, conditions: still };
}

function without(object: JsonObject | undefined, member: string): JsonObject | undefined {
  if (object === undefined) return undefined;
  const { [member]: _left, ...rest } = object;
  return rest;
}
