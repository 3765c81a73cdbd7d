// The history of a template as ControllerRevisions: one per distinct content, numbered in order of use. A rollback
// renumbers the existing revision and creates none.
import { type JsonObject, numberAt, objectAt } from "../../apimachinery/json/json.ts";
import { greatest } from "../../apimachinery/meta/lists.ts";
import { byAge, type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { apiVersionOf } from "../../controller/api.ts";
import type { Watch } from "../../controller/definition.ts";
import type { Children } from "./children.ts";
import { revisionHash } from "./hash.ts";
import {
  CONTROLLER_REVISIONS,
  countAt,
  equalTemplates,
  labelsOf,
  nameOf,
  ownerReference,
  statusOf,
  templateOf,
  uidOf,
} from "./resources.ts";

const HASH_LABEL = "controller.kubernetes.io/hash";

export interface History {
  /** The revision of the pods that the rollout has not reached. */
  readonly current: KubeObject;
  /** The revision of the current template. */
  readonly update: KubeObject;
  readonly all: readonly KubeObject[];
  readonly collisions: number | undefined;
}

export const revisionNumber = (revision: KubeObject): number => numberAt(revision, "revision") ?? 0;

export const byNumber = (a: KubeObject, b: KubeObject): number =>
  revisionNumber(a) - revisionNumber(b) || byAge(a, b);

export const nextNumber = (revisions: readonly KubeObject[]): number =>
  greatest(revisions.map(revisionNumber), 0) + 1;

/** The data of a revision: a patch that restores the template. */
export const dataOf = (owner: KubeObject): JsonObject => ({
  spec: { template: { ...templateOf(owner), $patch: "replace" } },
});

/** The owner with the template of the revision. */
export function withTemplateOf(owner: KubeObject, revision: KubeObject): KubeObject {
  const { $patch: _patch, ...template } =
    objectAt(objectAt(objectAt(revision, "data"), "spec"), "template") ?? templateOf(owner);
  return { ...owner, spec: { ...specOf(owner), template } };
}

/** The watch of the revisions; their changes enqueue no owner. */
export const revisionsWatch: Watch<{ readonly memory: { readonly revisions: Children } }> = {
  resource: CONTROLLER_REVISIONS,
  take: (change, { memory }) => void memory.revisions.observe(change),
  toKeys: () => [],
};

/** Returns the history, in which the revision of the current template has the highest number. */
export async function syncRevisions(
  owner: KubeObject,
  found: readonly KubeObject[],
  children: Children,
  currentName: unknown,
): Promise<History> {
  const sorted = [...found].sort(byNumber);
  const { revision: update, collisions } = await syncNewest(owner, sorted, children);
  const all = [...sorted.filter((revision) => uidOf(revision) !== uidOf(update)), update].sort(byNumber);
  const current = all.find((revision) => nameOf(revision) === currentName) ?? update;
  return { current, update, all, collisions };
}

/** Creates or renumbers the revision of the current template. */
async function syncNewest(
  owner: KubeObject,
  sorted: readonly KubeObject[],
  children: Children,
): Promise<Made> {
  const data = dataOf(owner);
  const same = sorted.findLast((revision) => equalTemplates(revision["data"], data));
  const collisions = countAt(statusOf(owner), "collisionCount");
  if (same === undefined) {
    const hashOf = (count: number | undefined): string => revisionHash(data, count);
    return makeRevision(owner, nextNumber(sorted), children, { collisions, hashOf, label: HASH_LABEL });
  }
  if (same === sorted.at(-1)) return { revision: same, collisions };
  return { revision: await children.update({ ...same, revision: nextNumber(sorted) }), collisions };
}

/** How a kind names and labels its revisions. */
interface Naming {
  /** The number of name collisions so far. */
  readonly collisions: number | undefined;
  readonly hashOf: (collisions: number | undefined) => string;
  /** The label that holds the hash. */
  readonly label: string;
}

interface Made {
  readonly revision: KubeObject;
  readonly collisions: number | undefined;
}

const TRIES_MAX = 10;

/** Creates a revision. If another content has the name, the collision count increments and yields another name. */
export async function makeRevision(
  owner: KubeObject,
  revision: number,
  children: Children,
  { collisions: before, hashOf, label }: Naming,
): Promise<Made> {
  let collisions = before;
  for (let tries = 1; ; tries++) {
    const planned = revisionOf(owner, { revision, hash: hashOf(collisions), label });
    try {
      return { revision: await children.create(planned), collisions };
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists" || tries >= TRIES_MAX)
        throw error;
      collisions = (collisions ?? 0) + 1;
    }
  }
}

interface Content {
  readonly revision: number;
  readonly hash: string;
  readonly label: string;
}

const NAME_MAX = 223;

function revisionOf(owner: KubeObject, { revision, hash, label }: Content): KubeObject {
  const { apiVersion = "", kind = "", metadata } = owner;
  const { annotations } = metadata;
  return {
    ...{ apiVersion: apiVersionOf(CONTROLLER_REVISIONS), kind: "ControllerRevision" },
    metadata: {
      name: `${nameOf(owner).slice(0, NAME_MAX)}-${hash}`,
      namespace: metadata.namespace ?? "",
      labels: { ...labelsOf(templateOf(owner)), [label]: hash },
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ownerReferences: [ownerReference(owner, { apiVersion, kind })],
    },
    data: dataOf(owner),
    revision,
  };
}

const HISTORY_LENGTH = 10;

/**
 * Deletes the oldest unused revisions beyond revisionHistoryLimit. `others` is the number of revisions that count
 * against the limit but are kept.
 */
export async function forgetRevisions(
  owner: KubeObject,
  unused: readonly KubeObject[],
  children: Children,
  others = 0,
): Promise<void> {
  const limit = numberAt(specOf(owner), "revisionHistoryLimit") ?? HISTORY_LENGTH;
  const surplus = limit < 0 ? 0 : Math.max(unused.length + others - limit, 0);
  for (const revision of [...unused].sort(byNumber).slice(0, surplus)) await children.delete(revision);
}
