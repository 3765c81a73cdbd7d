// Which of a CRD's names it may have: within a group each word is given once, to whoever came first.
import { formatTime } from "../../meta/clock.ts";
import { equalJson, isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export interface Condition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

/** The words that the accepted CRDs of a group hold. */
interface TakenNames {
  readonly resources: Set<string>;
  readonly kinds: Set<string>;
}

/** The status a CRD should have beside those others; the same value when nothing changes. */
export function statusWithNames(
  crd: Readonly<KubeObject>,
  others: readonly Readonly<KubeObject>[],
  nowMs: number,
): JsonObject {
  const wanted = objectAt(objectAt(crd, "spec"), "names") ?? {};
  const status = objectAt(crd, "status") ?? {};
  const { accepted, conflict } = acceptNames(
    wanted,
    objectAt(status, "acceptedNames") ?? {},
    takenBy(crd, others),
  );
  const now = formatTime(nowMs);
  const conditions = conditionsOf(crd);
  const established = conditions.find((item) => item.type === "Established")?.status === "True";
  setCondition(
    conditions,
    conflict ?? {
      type: "NamesAccepted",
      status: "True",
      reason: "NoConflicts",
      message: "no conflicts found",
    },
    now,
  );
  if (conflict === undefined && !established) {
    setCondition(
      conditions,
      {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
      now,
    );
  } else if (conflict !== undefined && !established) {
    setCondition(
      conditions,
      { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
      now,
    );
  }
  const next = { ...status, acceptedNames: accepted, conditions };
  return equalJson(next, status) ? status : next;
}

export function conditionsOf(crd: Readonly<KubeObject>): Condition[] {
  const list = objectAt(crd, "status")?.["conditions"];
  return Array.isArray(list)
    ? list.filter(isObject).map((item) => ({ ...item }) as unknown as Condition)
    : []; // as the schema says
}

export function isEstablished(crd: Readonly<KubeObject>): boolean {
  return conditionsOf(crd).some((item) => item.type === "Established" && item.status === "True");
}

/** Replaces the condition of the type; its time changes only when its status does. */
export function setCondition(conditions: Condition[], next: Condition, now: string): void {
  const index = conditions.findIndex((item) => item.type === next.type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const condition = { ...next, lastTransitionTime };
  if (old === undefined) conditions.push(condition);
  else conditions[index] = condition;
}

function takenBy(crd: Readonly<KubeObject>, others: readonly Readonly<KubeObject>[]): TakenNames {
  const group = objectAt(crd, "spec")?.["group"];
  const taken: TakenNames = { resources: new Set(), kinds: new Set() };
  for (const other of others) {
    if (other.metadata.name === crd.metadata.name || objectAt(other, "spec")?.["group"] !== group) continue;
    const names = objectAt(objectAt(other, "status"), "acceptedNames") ?? {};
    for (const word of [names["plural"], names["singular"], ...shortNames(names)]) add(taken.resources, word);
    for (const word of [names["kind"], names["listKind"]]) add(taken.kinds, word);
  }
  return taken;
}

function acceptNames(
  wanted: JsonObject,
  held: JsonObject,
  taken: TakenNames,
): { accepted: JsonObject; conflict: Condition | undefined } {
  const accepted: JsonObject = { plural: "", kind: "", ...held };
  let conflict: Condition | undefined;
  const refuse = (reason: string, word: unknown) => {
    conflict = {
      type: "NamesAccepted",
      status: "False",
      reason,
      message: `${JSON.stringify(word)} is already in use`,
    };
  };
  const take = (field: string, reason: string, words: ReadonlySet<string>) => {
    const word = wanted[field];
    if (typeof word === "string" && words.has(word)) refuse(reason, word);
    else if (typeof word === "string" && word !== "") accepted[field] = word;
    else if (field !== "plural" && field !== "kind") delete accepted[field];
  };
  take("plural", "PluralConflict", taken.resources);
  take("singular", "SingularConflict", taken.resources);
  const clash = shortNames(wanted).find((word) => taken.resources.has(word));
  if (clash !== undefined) refuse("ShortNamesConflict", clash);
  else if (shortNames(wanted).length > 0) accepted["shortNames"] = shortNames(wanted);
  else delete accepted["shortNames"];
  take("kind", "KindConflict", taken.kinds);
  take("listKind", "ListKindConflict", taken.kinds);
  if (Array.isArray(wanted["categories"]) && wanted["categories"].length > 0)
    accepted["categories"] = wanted["categories"];
  else delete accepted["categories"];
  return { accepted, conflict };
}

function shortNames(names: JsonObject): string[] {
  const list = names["shortNames"];
  return Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
}

function add(words: Set<string>, word: unknown): void {
  if (typeof word === "string" && word !== "") words.add(word);
}
