// The history of a template as ControllerRevisions: one for each state that it was in, numbered in the order in which they
// came to be used. A state that comes back gets a new number, not a new object.
import { type JsonObject, numberAt, objectAt } from "../../meta/json.ts";
import { greatest } from "../../meta/lists.ts";
import { byAge, type KubeObject, specOf } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { apiVersionOf } from "../kit/api.ts";
import type { Children } from "./children.ts";
import { revisionHash } from "./hash.ts";
import {
  CONTROLLER_REVISIONS,
  equalTemplates,
  labelsOf,
  nameOf,
  ownerReference,
  statusOf,
  templateOf,
} from "./resources.ts";

const HASH_LABEL = "controller.kubernetes.io/hash";

export interface History {
  /** Of the pods that are there, as far as the rollout has not reached them. */
  readonly current: KubeObject;
  /** Of the template as it is now. */
  readonly update: KubeObject;
  readonly all: readonly KubeObject[];
  readonly collisions: number | undefined;
}

export const revisionNumber = (revision: KubeObject): number => numberAt(revision, "revision") ?? 0;

export const byNumber = (a: KubeObject, b: KubeObject): number =>
  revisionNumber(a) - revisionNumber(b) || byAge(a, b);

export const nextNumber = (revisions: readonly KubeObject[]): number =>
  greatest(revisions.map(revisionNumber), 0) + 1;

/** What a revision keeps: a patch that puts the template back. */
export const dataOf = (owner: KubeObject): JsonObject => ({
  spec: { template: { ...templateOf(owner), $patch: "replace" } },
});

/** The owner with the template of the revision. */
export function withTemplateOf(owner: KubeObject, revision: KubeObject): KubeObject {
  const { $patch: _patch, ...template } =
    objectAt(objectAt(objectAt(revision, "data"), "spec"), "template") ?? templateOf(owner);
  return { ...owner, spec: { ...specOf(owner), template } };
}

/** Makes, or numbers anew, the revision of the template as it is now. */
export async function syncRevisions(
  owner: KubeObject,
  found: readonly KubeObject[],
  children: Children,
  currentName: unknown,
): Promise<History> {
  const sorted = [...found].sort(byNumber);
  const data = dataOf(owner);
  const newest = sorted.at(-1);
  const same = sorted.findLast((revision) => equalTemplates(revision["data"], data));
  const before = numberAt(statusOf(owner), "collisionCount");
  let made: Made = { revision: same, collisions: before };
  if (same === undefined) made = await make(owner, data, nextNumber(sorted), children, before);
  else if (same !== newest) {
    const revision = await children.update({ ...same, revision: nextNumber(sorted) });
    made = { revision, collisions: before };
  }
  const update = made.revision ?? { metadata: {} };
  const all = [...sorted.filter((revision) => revision !== same), update].sort(byNumber);
  const current = all.find((revision) => nameOf(revision) === currentName) ?? update;
  return { current, update, all, collisions: made.collisions };
}

interface Made {
  readonly revision: KubeObject | undefined;
  readonly collisions: number | undefined;
}

const TRIES_MAX = 10;

/** A name that is taken by another state is told apart by the number of collisions. */
async function make(
  owner: KubeObject,
  data: JsonObject,
  revision: number,
  children: Children,
  before: number | undefined,
): Promise<Made> {
  let collisions = before ?? 0;
  for (let tries = 1; ; tries++) {
    const hash = revisionHash(data, collisions);
    try {
      return { revision: await children.create(revisionOf(owner, { data, revision, hash })), collisions };
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists" || tries >= TRIES_MAX)
        throw error;
      collisions++;
    }
  }
}

interface Content {
  readonly data: JsonObject;
  readonly revision: number;
  readonly hash: string;
  readonly label?: string;
}

const NAME_MAX = 223;

export function revisionOf(
  owner: KubeObject,
  { data, revision, hash, label = HASH_LABEL }: Content,
): KubeObject {
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
    data,
    revision,
  };
}

const HISTORY_LENGTH = 10;

/** Of those that nobody is of any more, the oldest that are too many for the history, which may hold others as well. */
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
