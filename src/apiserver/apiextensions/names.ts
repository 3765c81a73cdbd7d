// Naming of CRDs: within a group each name is assigned once, first come, first served. A CRD keeps the names that it has
// accepted. Where a new name conflicts, the accepted one stays.

import { goQuote } from "../../apimachinery/go/strconv.ts";
import {
  equalJson,
  type JsonObject,
  objectAt,
  textAt,
  textOf,
  textsAt,
  textsOf,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { caBundleError } from "../registry/webhook.ts";
import { approvalOf, type Condition, conditionsOf, isEstablished, setCondition } from "./conditions.ts";

/** Accepted names of the other CRDs of a group. */
interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Result of naming one CRD beside the others. */
export interface GivenNames {
  /** The resulting status; the same value when nothing changes. */
  readonly status: JsonObject;
  /** Whether another CRD has one of its names. */
  readonly hasConflict: boolean;
}

export function statusWithNames(
  crd: Readonly<KubeObject>,
  all: readonly Readonly<KubeObject>[],
  nowMs: number,
): GivenNames {
  const wanted = objectAt(objectAt(crd, "spec"), "names") ?? {};
  const status = objectAt(crd, "status") ?? {};
  const held = objectAt(status, "acceptedNames") ?? {};
  const { accepted, conflict } = acceptNames(wanted, held, () => takenIn(crd, all));
  const now = formatTime(nowMs);
  const conditions = conditionsOf(crd);
  setCondition(conditions, conflict ?? NO_CONFLICT, now);
  if (!isEstablished(crd)) setCondition(conditions, establishedCondition(crd, conflict), now);
  const approval = approvalCondition(crd);
  if (approval !== undefined) setCondition(conditions, approval, now);
  const next = { ...status, acceptedNames: accepted, conditions };
  return { status: equalJson(next, status) ? status : next, hasConflict: conflict !== undefined };
}

const NO_CONFLICT: Condition = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
};

function establishedCondition(crd: Readonly<KubeObject>, conflict: Condition | undefined): Condition {
  const type = "Established";
  if (conflict !== undefined)
    return { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  const webhook = objectAt(objectAt(objectAt(crd, "spec"), "conversion"), "webhook");
  const caBundle = textAt(objectAt(webhook, "clientConfig"), "caBundle");
  const unreadable = caBundleError(caBundle);
  if (unreadable === undefined) {
    const message = "the initial names have been accepted";
    return { type, status: "True", reason: "InitialNamesAccepted", message };
  }
  const field = "spec.conversion.webhook.clientConfig.caBundle";
  const message = `${field}: Invalid value: ${goQuote(caBundle)}: unable to load root certificates: ${unreadable}`;
  return { type, status: "False", reason: "InvalidCABundle", message };
}

const APPROVAL = {
  Approved: ["True", "ApprovedAnnotation"],
  Unapproved: ["False", "UnapprovedAnnotation"],
  Missing: ["False", "MissingAnnotation"],
  Invalid: ["False", "InvalidAnnotation"],
} as const;

function approvalCondition(crd: Readonly<KubeObject>): Condition | undefined {
  const approval = approvalOf(crd);
  if (approval === undefined) return undefined;
  const [status, reason] = APPROVAL[approval.state];
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason, message: approval.reason };
}

function takenIn(crd: Readonly<KubeObject>, all: readonly Readonly<KubeObject>[]): TakenNames {
  const group = objectAt(crd, "spec")?.["group"];
  const held = all
    .filter((other) => objectAt(other, "spec")?.["group"] === group)
    .map((other) => objectAt(objectAt(other, "status"), "acceptedNames"));
  const given = (...members: string[]) =>
    held.flatMap((names) => members.map((member) => textAt(names, member)).filter((word) => word !== ""));
  const shortNames = held.flatMap((names) => textsAt(names, "shortNames"));
  return {
    resources: new Set([...given("plural", "singular"), ...shortNames]),
    kinds: new Set(given("kind", "listKind")),
  };
}

const WORDS = [
  ["plural", "PluralConflict", "resources"],
  ["singular", "SingularConflict", "resources"],
  ["shortNames", "ShortNamesConflict", "resources"],
  ["kind", "KindConflict", "kinds"],
  ["listKind", "ListKindConflict", "kinds"],
] as const;

/** Of several conflicts the condition reports the last one. */
function acceptNames(
  wanted: JsonObject,
  held: JsonObject,
  takenNames: () => TakenNames,
): { accepted: JsonObject; conflict: Condition | undefined } {
  const accepted: JsonObject = { plural: "", kind: "", ...held };
  let conflict: Condition | undefined;
  let taken: TakenNames | undefined;
  for (const [member, reason, words] of WORDS) {
    if (equalJson(wanted[member], held[member])) continue;
    taken ??= takenNames();
    const clashes = newWords(wanted[member], held[member]).filter((word) => taken?.[words].has(word));
    if (clashes.length > 0) {
      conflict = { type: "NamesAccepted", status: "False", reason, message: inUse(clashes) };
    } else put(accepted, member, wanted[member]);
  }
  put(accepted, "categories", wanted["categories"]);
  return { accepted, conflict };
}

function newWords(wanted: unknown, held: unknown): string[] {
  if (!Array.isArray(wanted)) return textOf(wanted) === "" ? [] : [textOf(wanted)];
  const own = textsOf(held);
  return textsOf(wanted).filter((word) => !own.includes(word));
}

function inUse(words: readonly string[]): string {
  const texts = words.map((word) => `${goQuote(word)} is already in use`);
  return texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
}

function put(names: JsonObject, member: string, value: unknown): void {
  const isEmpty = Array.isArray(value) ? value.length === 0 : textOf(value) === "";
  if (!isEmpty) names[member] = value;
  else if (member !== "plural" && member !== "kind") delete names[member];
}
