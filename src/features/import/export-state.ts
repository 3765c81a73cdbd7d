// The server's state in the format of imports: every object with uid and status, except unchanged bootstrap objects.
// resourceVersions are omitted, because they differ in every store. Order and bytes depend only on the state, so that
// exports can be compared as text.

import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { parseLabelSelector } from "../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { encodeObject } from "../../apiserver/registry/codec/object-codec.ts";
import { decodeInVersion, prepareVersions, storedOrder } from "../../apiserver/registry/codec/versions.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import { collectionRange, resourcePrefix, storageView } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import type { KeyValue, KeyValueReader } from "../../storage/store.ts";
import { questionOf } from "../control-surface/caller.ts";
import {
  type ControlRoute,
  flag,
  LINES_TYPE,
  oneOf,
  route,
  text,
  WholeAnswer,
} from "../control-surface/control-route.ts";
import { namedKinds, rankOf } from "../control-surface/kinds.ts";
import type { SavedState } from "../state/state-keeper.ts";

export interface StateOptions {
  /** Resource names as kubectl accepts them, separated by commas; absent: all. */
  readonly kinds?: string;
  /** Only objects of this namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly secrets?: boolean;
  /** An error that it throws ends the export before the first object. */
  readonly mayShow?: (view: ResourceView) => boolean;
}

export interface StateDeps {
  readonly store: KeyValueReader;
  readonly registry: ResourceRegistry;
  /** The bootstrap state of every server. */
  readonly emptyState: () => Promise<SavedState>;
}

/** An object of the state. */
export interface StateItem {
  readonly view: ResourceView;
  readonly kv: KeyValue;
  /** Without its resourceVersion. */
  readonly object: Readonly<KubeObject>;
}

/** Label of objects that the server maintains and recreates. */
const AUTOMANAGED = "kube-aggregator.kubernetes.io/automanaged";

/** The state at one revision. Throws a 400 for a kind that is not served. */
export async function* stateItems(
  { store, registry, emptyState }: StateDeps,
  { kinds = "", namespace = "", labelSelector = "", secrets = false, mayShow = () => true }: StateOptions,
): AsyncGenerator<StateItem, void, undefined> {
  const labels = labelSelector === "" ? undefined : parseLabelSelector(labelSelector);
  const empty = await emptyState();
  const views = sorted(namedKinds(registry, kinds))
    .map(({ definition }) => storageView(definition))
    .filter(({ definition }) => namespace === "" || definition.namespaceScoped)
    .filter(({ definition: { group, kind } }) => secrets || group !== "" || kind !== "Secret")
    .filter(mayShow)
    .filter(isFirstAtItsPlace());
  const lists = views.map((view) => ({ view, ...store.list(collectionRange(view.definition, namespace)) }));
  for (const { view, items } of lists) {
    await prepareVersions(view, items);
    for (const kv of items) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      const atFirst = empty.items.get(kv.key);
      if (atFirst !== undefined && Buffer.compare(atFirst.value, kv.value) === 0) continue;
      const object = decodeInVersion(view, kv);
      if (object.metadata.labels?.[AUTOMANAGED] !== undefined) continue;
      if (labels?.matches(object.metadata.labels ?? {}) === false) continue;
      yield { view, kv, object: withoutVersion(object) };
    }
  }
}

/** Two groups serve Events from one storage prefix: they are exported once, in the form of the first group. */
function isFirstAtItsPlace(): (view: ResourceView) => boolean {
  const places = new Set<string>();
  return ({ definition }) => places.size < places.add(resourcePrefix(definition)).size;
}

/** In dependency order, then by group and name: the order of registration has no influence. */
const sorted = (views: readonly ResourceView[]): ResourceView[] =>
  [...views].sort(
    ({ definition: a }, { definition: b }) =>
      rankOf(a) - rankOf(b) || (`${a.group}/${a.resource}` < `${b.group}/${b.resource}` ? -1 : 1),
  );

export function withoutVersion(object: Readonly<KubeObject>): Readonly<KubeObject> {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The path of must-gather for the object. */
export function pathOf({ view: { definition }, object }: StateItem): string {
  const { group, resource, namespaceScoped, kind } = definition;
  const { name = "", namespace = "" } = object.metadata;
  const place = `${group === "" ? "core" : group}/${resource}/${name}.yaml`;
  if (group === "" && kind === "Namespace") return `namespaces/${name}/${name}.yaml`;
  return namespaceScoped ? `namespaces/${namespace}/${place}` : `cluster-scoped-resources/${place}`;
}

export const stateRoute = (deps: StateDeps): ControlRoute =>
  route("GET /state", "exportState", {
    summary: "The state as POST /import takes it: objects as they stand, without what every server has.",
    access: "own rights",
    query: {
      kinds: text("Kinds as kubectl names them, separated by commas: cm,egressips"),
      namespace: text("Objects of this namespace alone."),
      labelSelector: text("Objects with these labels alone: app=web,tier!=db"),
      secrets: flag("Secrets, too.", { default: false }),
      format: {
        ...oneOf(
          ["lines", "paths"],
          "An object on each line; or the object, and where in a tree of files it belongs.",
        ),
        default: "lines",
      },
    },
    answer: ["One line of JSON for each object.", LINES_TYPE],
    handle: ({ caller, raw: { query } }) => {
      const [kinds, namespace] = [query.get("kinds"), query.get("namespace")];
      const mayShow = (view: ResourceView) => {
        caller.demand(questionOf(caller, { verb: "list", view, namespace }));
        return true;
      };
      const options = { kinds, namespace, labelSelector: query.get("labelSelector"), mayShow };
      const items = stateItems(deps, { ...options, secrets: query.flag("secrets") });
      return streamed(items, query.get("format") === "paths");
    },
  });

/** A forbidden kind rejects the request before the first line. */
async function streamed(
  items: AsyncGenerator<StateItem, void, undefined>,
  withPaths: boolean,
): Promise<WholeAnswer> {
  let next = await items.next();
  return new WholeAnswer({
    status: 200,
    headers: { "content-type": LINES_TYPE },
    body: async (sink, signal) => {
      for (; !next.done && !signal.aborted; next = await items.next()) {
        const json = encodeObject(next.value.object, storedOrder(next.value.view.definition));
        const line = withPaths ? `{"path":${encodeJson(pathOf(next.value))},"object":${json}}` : json;
        await sink.write(Buffer.from(`${line}\n`));
      }
    },
  });
}
