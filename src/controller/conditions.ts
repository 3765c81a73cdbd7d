// Conditions (metav1.Condition) in the status of an object. The controller applies them under its own field manager,
// and only if they differ from the live ones.

import { type JsonObject, objectAt } from "../apimachinery/json/json.ts";
import { formatTime } from "../apimachinery/meta/clock.ts";
import { conditionOf, isConditionTrue, transitionTime } from "../apimachinery/meta/conditions.ts";
import { InvalidSelectorError } from "../apimachinery/meta/label-requirement.ts";
import { type LabelSelector, readLabelSelector } from "../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { ignoring, placeOf } from "./api.ts";
import type { Client, ResourceName } from "./client.ts";
import type { Kit } from "./definition.ts";
import { errorText } from "./logging.ts";

// A user error in the spec of an object, with the message that its status shows. Each caller puts the place of the
// error in front.

export class Complaint extends Error {}

/** Prefixes the failure with the place where it happened. The original error is kept as cause. */
export const within = (where: string, error: unknown): Complaint =>
  new Complaint(`${where}: ${errorText(error)}`, { cause: error });

/** Returns the result of `work`, or throws its failure prefixed with `where`. */
export function telling<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw within(where, error);
  }
}

/** The asynchronous variant of the function above. */
export const tellingLater = <T>(where: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw within(where, error);
  });

/** Returns the result of `work`, or the Complaint that it throws. Other errors are rethrown. */
export function attempt<T>(work: () => T): T | Complaint {
  try {
    return work();
  } catch (error) {
    if (error instanceof Complaint) return error;
    throw error;
  }
}

/** Returns the Complaint that the check throws; undefined if it throws none. */
export function complaintOf(check: () => unknown): Complaint | undefined {
  const made = attempt(check);
  return made instanceof Complaint ? made : undefined;
}

/**
 * Parses a label selector. A missing one is parsed as `absent`: by default it selects everything. Throws a Complaint.
 */
export function selectorOf(selector: unknown, absent: unknown = {}): LabelSelector {
  const read = readLabelSelector(selector ?? absent);
  if (read instanceof InvalidSelectorError) throw new Complaint(read.message);
  return read;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  /** Truncated to MESSAGE_MAX characters when it is applied. */
  readonly message: string;
  readonly observedGeneration?: number;
}

/** Reason and message of a condition, without its status. */
export type Said = Pick<Condition, "reason" | "message">;

/** The condition of that type: False with the problem, or True with the reason and message of `well`. */
export const conditionFor = (type: string, problem: Said | undefined, well: Said): Condition =>
  problem ? { type, status: "False", ...problem } : { type, status: "True", ...well };

const MESSAGE_MAX = 32_767;

/**
 * Applies the conditions and the given status fields under the client's field manager. Returns true if it wrote.
 * Without force the server rejects the apply if another field manager owns a field. An object that is gone is ignored.
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

/**
 * Applies the status under the client's field manager. Fields that this manager applied before and omits now are
 * removed. undefined: the object is gone.
 */
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

/** Reports whether the condition differs from the live one; lastTransitionTime is not compared. */
function isNews(object: KubeObject, condition: Condition): boolean {
  const said = conditionOf(objectAt(object, "status"), condition.type);
  const members = ["status", "reason", "message", "observedGeneration"] as const;
  return members.some((member) => said?.[member] !== condition[member]);
}

/** Adds lastTransitionTime, which is kept as long as the status is unchanged. */
export function timed(object: KubeObject, condition: Condition, now: string): JsonObject {
  const said = conditionOf(objectAt(object, "status"), condition.type);
  return { ...condition, lastTransitionTime: transitionTime(said, condition.status, now) };
}
