// Tells an object's owner in conditions (metav1.Condition), which are applied to the status in the controller's name, and
// only where they are news.

import type { Client, ResourceName } from "../../client/client.ts";
import { formatTime } from "../../meta/clock.ts";
import { conditionOf, isConditionTrue, transitionTime } from "../../meta/conditions.ts";
import { type JsonObject, objectAt } from "../../meta/json.ts";
import { InvalidSelectorError } from "../../meta/label-requirement.ts";
import { type LabelSelector, readLabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, placeOf } from "./api.ts";
import type { Kit } from "./definition.ts";
import { errorText } from "./logging.ts";

// What is wrong with an object as its owner wrote it, in the words that he gets to read in its status. Where it went wrong
// is told in front.

export class Complaint extends Error {}

/** The same failure, told with where it happened; the cause is kept. */
export const within = (where: string, error: unknown): Complaint =>
  new Complaint(`${where}: ${errorText(error)}`, { cause: error });

/** What work gives, or its failure within where it happened. */
export function telling<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(where, error);
  }
}

/** The same of work that takes its time. */
export const tellingLater = <T>(where: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw within(where, error);
  });

/** What work gives, or the complaint that it throws. */
export function attempt<T>(work: () => T): T | Complaint {
  try {
    return work();
  } catch (error) {
    if (error instanceof Complaint) return error;
    throw error;
  }
}

/** The complaint that the check throws; undefined if it throws none. */
export function complaintOf(check: () => unknown): Complaint | undefined {
  const made = attempt(check);
  return made instanceof Complaint ? made : undefined;
}

/** Reads a selector; one that is left out selects everything unless `absent` says otherwise. Throws a Complaint. */
export function selectorOf(selector: unknown, absent: unknown = {}): LabelSelector {
  const read = readLabelSelector(selector ?? absent);
  if (read instanceof InvalidSelectorError) throw new Complaint(read.message);
  return read;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  /** What is too long for a condition is cut off. */
  readonly message: string;
  readonly observedGeneration?: number;
}

/** What a condition says beside yes or no. */
export type Said = Pick<Condition, "reason" | "message">;

/** The condition of the type: False with the problem, else True with what is told of what is well. */
export const conditionFor = (type: string, problem: Said | undefined, well: Said): Condition =>
  problem ? { type, status: "False", ...problem } : { type, status: "True", ...well };

const MESSAGE_MAX = 32_767;

/**
 * Applied in the name of the client, with what else belongs to the status; true if something was written. Without force
 * what another manager took over stays as that one wrote it, and the write fails. An object that is gone by now needs no
 * status.
 */
export async function applyConditions(
  { client, clock }: Pick<Kit, "client" | "clock">,
  resource: ResourceName,
  object: KubeObject,
  conditions: readonly Condition[],
  { force = true, status = {} }: { readonly force?: boolean; readonly status?: JsonObject } = {},
): Promise<boolean> {
  const fitting = conditions.map((item) => ({ ...item, message: item.message.slice(0, MESSAGE_MAX) }));
  if (!fitting.some((condition) => isNews(object, condition))) return false;
  const now = formatTime(clock.now());
  const timedOnes = fitting.map((condition) => timed(object, condition, now));
  const content = { status: { ...status, conditions: timedOnes } };
  return (await applyStatus(client, resource, object, content, force)) !== undefined;
}

/** What the client's name had applied before and leaves out now is taken away. Undefined: the object has gone. */
export function applyStatus(
  client: Client,
  resource: ResourceName,
  object: KubeObject,
  content: { readonly status?: unknown },
  force = true,
): Promise<KubeObject | undefined> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const body = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, ...content };
  const options = { type: "apply", subresource: "status", force, body } as const;
  return ignoring([404], client.patch(resource, placeOf(object), options));
}

export const isTrue = (object: KubeObject, type: string): boolean =>
  isConditionTrue(objectAt(object, "status"), type);

/** When it began to be so does not count. */
function isNews(object: KubeObject, condition: Condition): boolean {
  const said = conditionOf(objectAt(object, "status"), condition.type);
  const members = ["status", "reason", "message", "observedGeneration"] as const;
  return members.some((member) => said?.[member] !== condition[member]);
}

/** With the time of its last transition, which is kept as long as the status stays the same. */
export function timed(object: KubeObject, condition: Condition, now: string): JsonObject {
  const said = conditionOf(objectAt(object, "status"), condition.type);
  return { ...condition, lastTransitionTime: transitionTime(said, condition.status, now) };
}
