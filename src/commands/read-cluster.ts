// A cluster as verdicts read it from elsewhere: by lists of a Kubernetes API, or from files. Nothing is ever written.
import { groupedBy } from "../meta/lists.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import { describeResource } from "../meta/status.ts";
import { StartError } from "../server/errors.ts";
import { readFiles } from "../sources/files.ts";
import type { SourceLimits } from "../sources/limits.ts";
import { listKinds, pathOf } from "../sources/lists.ts";
import { NewestObjects } from "../sources/newest-objects.ts";
import { SourceError } from "../sources/source.ts";
import type { Said } from "../verdict/detect/source.ts";
import {
  FACT_KINDS,
  NEEDED_KINDS,
  type NeededKind,
  neededKindOf,
  neededResourceOf,
} from "../verdict/needed-kinds.ts";
import { type Snapshot, snapshotOf } from "../verdict/snapshot.ts";
import type { Asked } from "./ask-server.ts";

export interface ReadOptions {
  /** What is kept of each object. */
  readonly keep: (object: KubeObject) => KubeObject;
  /** Whether nothing can be said without the kind. */
  readonly mustHave: (kind: NeededKind) => boolean;
}

export interface ReadCluster {
  readonly snapshot: Snapshot;
  readonly objects: readonly KubeObject[];
  /** What is known besides. */
  readonly said: Said;
  /** What could not be read, for the person who asks. */
  readonly notes: readonly string[];
}

/** All that is needed, in pages; a kind that the cluster does not serve has no objects. Throws StartError. */
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

/** Of files, folders and archives. Throws StartError. */
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

/** As kubectl would apply it: who names no namespace means the usual one. Mutates. */
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

/** What people collect of a cluster often has the platform's namespaces alone. */
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

/** The least that somebody needs to ask for verdicts about a cluster: a ClusterRole that lists, and nothing else. */
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
