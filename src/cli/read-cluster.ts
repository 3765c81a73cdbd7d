// Reads a cluster for verdicts: through lists of a Kubernetes API, or from files. It never writes.
import { groupedBy } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { describeResource } from "../apimachinery/meta/status.ts";
import { readFiles } from "../features/import/sources/files.ts";
import type { SourceLimits } from "../features/import/sources/limits.ts";
import { listKinds, pathOf } from "../features/import/sources/lists.ts";
import { NewestObjects } from "../features/import/sources/newest-objects.ts";
import { SourceError } from "../features/import/sources/source.ts";
import type { Said } from "../ovn/detect/source.ts";
import {
  FACT_KINDS,
  NEEDED_KINDS,
  type NeededKind,
  neededKindOf,
  neededResourceOf,
} from "../ovn/needed-kinds.ts";
import { type Snapshot, snapshotOf } from "../ovn/snapshot.ts";
import { StartError } from "../server/errors.ts";
import type { Asked } from "./ask-server.ts";

export interface ReadOptions {
  /** Reduces an object to the retained parts. */
  readonly keep: (object: KubeObject) => KubeObject;
  /** Reports whether a verdict is impossible without the kind. */
  readonly mustHave: (kind: NeededKind) => boolean;
}

export interface ReadCluster {
  readonly snapshot: Snapshot;
  readonly objects: readonly KubeObject[];
  /** Facts from other sources than objects. */
  readonly said: Said;
  /** Notes on unreadable parts, for the user. */
  readonly notes: readonly string[];
}

/** Lists all needed kinds, in pages; a kind that is not served has no objects. Throws StartError. */
export async function listedCluster(asked: Asked, { keep, mustHave }: ReadOptions): Promise<ReadCluster> {
  const resources = new Map<KubeObject, string>();
  const lacking: string[] = [];
  const kinds = [...NEEDED_KINDS, ...FACT_KINDS];
  for await (const item of startErrors(listKinds(asked.kubernetes, kinds, keep))) {
    if (item.type === "object") resources.set(item.object, describeResource(item.kind));
    else if (mustHave(item.kind)) throw new StartError(`${rightOf(item.kind)} is missing${HOW_TO_ALLOW}`);
    else if (!FACT_KINDS.includes(item.kind)) lacking.push(rightOf(item.kind));
  }
  const snapshot = snapshotOf(resources.keys(), (object) => resources.get(object));
  const notes = lacking.length === 0 ? [] : [`answered without ${lacking.join(", ")}${HOW_TO_ALLOW}`];
  return { snapshot, objects: [...resources.keys()], said: {}, notes };
}

const HOW_TO_ALLOW = ": egret explain --rbac prints the role that has all rights which are needed";
const rightOf = (kind: NeededKind): string => `the right to list ${describeResource(kind)} (${pathOf(kind)})`;

/** Reads files, folders and archives. Throws StartError. */
export async function filedCluster(
  paths: readonly string[],
  { keep }: ReadOptions,
  limits: SourceLimits,
): Promise<ReadCluster> {
  const newest = new NewestObjects();
  const unread: string[] = [];
  let said: Said = {};
  for (const path of paths) {
    for await (const item of startErrors(readFiles(path, limits))) {
      if (item.type === "skipped") unread.push(`${item.origin}: ${item.reason}`);
      else if (item.type === "notes") said = { ...said, ...item.notes };
      else if (item.type === "object" && neededKindOf(item.object) !== undefined)
        newest.add(keep(inNamespace(item.object)));
    }
  }
  const objects = [...newest.values()];
  const snapshot = snapshotOf(objects, neededResourceOf);
  return { snapshot, objects, said, notes: [...unreadNotes(unread), ...absentNamespaces(snapshot)] };
}

/** Sets the default namespace where none is named, as kubectl apply does. Mutates. */
function inNamespace(object: KubeObject): KubeObject {
  if (neededKindOf(object)?.namespaced === true) object.metadata.namespace ??= "default";
  return object;
}

const NOTES_MAX = 5;

const unreadNotes = (unread: readonly string[]): string[] =>
  unread.length <= NOTES_MAX
    ? unread.map((one) => `not read: ${one}`)
    : [
        ...unread.slice(0, NOTES_MAX).map((one) => `not read: ${one}`),
        `not read: ${unread.length - NOTES_MAX} more`,
      ];

/** Collected dumps often contain only the platform's namespaces. */
function absentNamespaces(snapshot: Snapshot): string[] {
  const used = new Set([...snapshot.list("pods")].map(({ metadata }) => metadata.namespace ?? ""));
  const absent = [...used].filter((name) => snapshot.get("namespaces", "", name) === undefined).sort();
  if (absent.length === 0) return [];
  const names = `${absent.slice(0, NOTES_MAX).join(", ")}${absent.length > NOTES_MAX ? ", …" : ""}`;
  return [
    `the files have pods of namespaces that they do not have: nothing is known of the labels of ${names}`,
  ];
}

async function* startErrors<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof SourceError ? new StartError(error.message, { cause: error }) : error;
  }
}

/** The least permissions for verdicts about a cluster: a ClusterRole that may only list. */
export function minimalRole(): KubeObject {
  const kinds = [...NEEDED_KINDS, ...FACT_KINDS];
  const whole = kinds.filter(({ only }) => only === undefined);
  const rule = (group: string, of: readonly NeededKind[]) => ({
    apiGroups: [group],
    resources: of.map(({ resource }) => resource),
    verbs: ["list"],
  });
  const byGroup = groupedBy(whole, ({ group }) => group);
  const resourceNames = kinds.flatMap(({ only }) => only?.name ?? []);
  const configMaps = { apiGroups: [""], resources: ["configmaps"], resourceNames, verbs: ["list"] };
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "egret-reader" },
    rules: [...Array.from(byGroup, ([group, ofGroup]) => rule(group, ofGroup)), configMaps],
  };
}
