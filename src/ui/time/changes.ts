// Describes changes of objects in words, by comparing two records. Pure.
import { equalJson, type JsonObject, numberAt, objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { readRecord } from "../data/read-record.ts";
import type {
  CloudRequestRecord,
  EgressIpRecord,
  EgressServiceRecord,
  Kind,
  NodeRecord,
  ObjectRecord,
  PodRecord,
} from "../data/records.ts";
import type { ObjectRef } from "../frame/kinds.ts";
import { movesBetween } from "../map/moves.ts";
import type { Entry, EntryMark, Lane } from "./entries.ts";

interface KindWords {
  readonly word: string;
  readonly lane: Lane;
  readonly group: string;
}

const OVN = "k8s.ovn.org";
const CLOUD = "cloud.network.openshift.io";
const WORDS: Readonly<Record<Kind, KindWords>> = {
  namespaces: { word: "Namespace", lane: "others", group: "" },
  nodes: { word: "Node", lane: "nodes", group: "" },
  pods: { word: "Pod", lane: "others", group: "" },
  services: { word: "Service", lane: "others", group: "" },
  egressips: { word: "EgressIP", lane: "egress", group: OVN },
  egressservices: { word: "EgressService", lane: "egress", group: OVN },
  cloudprivateipconfigs: { word: "CloudPrivateIPConfig", lane: "egress", group: CLOUD },
};

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** Description of one change. */
interface Said {
  readonly text: string;
  readonly mark: EntryMark;
  readonly lane?: Lane;
  readonly move?: Entry["move"];
}

/** Converts a watch event into entries, and returns the new record of the object. */
export function readChange(
  kind: Kind,
  type: ChangeType,
  object: JsonObject,
  before: ObjectRecord | undefined,
): { readonly entries: readonly Entry[]; readonly record: ObjectRecord | undefined } {
  const record = readRecord(kind, object);
  if (!record) return { entries: [], record: before };
  const { word, lane, group } = WORDS[kind];
  const { metadata } = object as KubeObject;
  const { uid, revision, namespace, name } = record;
  const of: ObjectRef = { group, version: "v1", resource: kind, namespace, name };
  const title = `${word} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  const writer = lastWriter(metadata.managedFields ?? []);
  const toldMs = type === "DELETED" ? parsedMs(metadata.deletionTimestamp) : writer?.ms;
  const entries = saidOf(kind, type, title, before, record).map((said, index) => ({
    ...{ key: `${revision} ${uid} ${index}`, lane, revision, isExact: false, of },
    ...{ toldMs: toldMs ?? parsedMs(type === "ADDED" ? metadata.creationTimestamp : undefined) },
    by: type === "DELETED" ? "" : (writer?.manager ?? ""),
    ...said,
  }));
  return { entries, record: type === "DELETED" ? undefined : record };
}

function saidOf(
  kind: Kind,
  type: ChangeType,
  title: string,
  before: ObjectRecord | undefined,
  after: ObjectRecord,
): readonly Said[] {
  if (type === "DELETED") return [{ text: `${title} was deleted`, mark: "wait" }];
  if (type === "ADDED" && !before) {
    const more = kind === "egressips" ? ` with ${(after as EgressIpRecord).addresses.join(", ")}` : "";
    return [{ text: `${title} was created${more}`, mark: "plain" }, ...decisions(kind, undefined, after)];
  }
  if (!before) return [{ text: `${title} was changed`, mark: "plain" }];
  const told = [...(TOLD[kind]?.(before as never, after as never) ?? []), ...decisions(kind, before, after)];
  if (told.length === 0) return [{ text: `${title} was changed`, mark: "plain" }];
  return told.map((said) => (said.move ? said : { ...said, text: `${title} ${said.text}` }));
}

const plain = (text: string): Said => ({ text, mark: "plain" });

/** Describes the differences per kind. Empty if only fields changed that the records do not hold. */
const TOLD: { readonly [K in Kind]?: (before: never, after: never) => Said[] } = {
  nodes: (before: NodeRecord, after: NodeRecord) => [
    ...(before.isReady === after.isReady
      ? []
      : [{ text: after.isReady ? "is Ready" : "is not Ready", mark: after.isReady ? "ok" : "bad" } as Said]),
    ...(before.isAssignable === after.isAssignable
      ? []
      : [plain(after.isAssignable ? "is assignable" : "is not assignable any more")]),
    ...(before.isEnding === after.isEnding ? [] : [{ text: "is being deleted", mark: "wait" } as Said]),
    ...(equalJson(before.capacity ?? null, after.capacity ?? null) ? [] : [plain("has another capacity")]),
  ],
  pods: (before: PodRecord, after: PodRecord) => [
    ...(before.node === after.node ? [] : [plain(`is on ${after.node}`)]),
    ...(before.hasEnded || !after.hasEnded ? [] : [plain("has ended")]),
    ...(equalJson(before.labels, after.labels) ? [] : [plain("has other labels")]),
  ],
  namespaces: (before: { labels: object }, after: { labels: object }) =>
    equalJson(before.labels, after.labels) ? [] : [plain("has other labels")],
  egressips: (before: EgressIpRecord, after: EgressIpRecord) => [
    ...(equalJson(before.addresses, after.addresses)
      ? []
      : [plain(`asks for ${after.addresses.join(", ") || "no address"}`)]),
    ...(equalJson(
      [before.namespaceSelector, before.podSelector],
      [after.namespaceSelector, after.podSelector],
    )
      ? []
      : [plain("is for others than before")]),
  ],
  cloudprivateipconfigs: (before: CloudRequestRecord, after: CloudRequestRecord) => [
    ...(before.askedNode === after.askedNode ? [] : [plain(`asks for ${after.askedNode || "no node"}`)]),
    ...(before.grantedNode === after.grantedNode ? [] : [plain(`is on ${after.grantedNode || "no node"}`)]),
    ...(after.problem === "" || before.problem === after.problem
      ? []
      : [{ text: after.problem, mark: "bad" } as Said]),
  ],
};

/** Decisions of controllers: assignments of addresses and hosts. */
function decisions(kind: Kind, before: ObjectRecord | undefined, after: ObjectRecord): Said[] {
  if (kind === "egressips") {
    const old = before as EgressIpRecord | undefined;
    return movesBetween(old ?? { assigned: [] }, after as EgressIpRecord, 0).map(
      ({ egressIp, address, from, to }) => ({
        lane: "decisions",
        mark: to === "" ? "bad" : from === "" ? "ok" : "move",
        text: moveText(egressIp, address, from, to),
        move: { egressIp, address, from, to },
      }),
    );
  }
  if (kind !== "egressservices") return [];
  const [from, to] = [
    (before as EgressServiceRecord | undefined)?.host ?? "",
    (after as EgressServiceRecord).host,
  ];
  if (from === to) return [];
  return [
    { lane: "decisions", mark: to === "" ? "bad" : "ok", text: to === "" ? "has no host" : `is on ${to}` },
  ];
}

function moveText(egressIp: string, address: string, from: string, to: string): string {
  const what = `${address} of EgressIP ${egressIp}`;
  if (to === "") return `${what} lost ${from}, and has no node`;
  return from === "" ? `${what} is on ${to}` : `${what} moved from ${from} to ${to}`;
}

/** The newest entry of managedFields. */
function lastWriter(
  fields: readonly { readonly manager?: string; readonly time?: string }[],
): { readonly manager: string; readonly ms: number } | undefined {
  let last: { manager: string; ms: number } | undefined;
  for (const { manager = "", time } of fields) {
    const ms = parsedMs(time);
    if (ms !== undefined && (!last || ms >= last.ms)) last = { manager, ms };
  }
  return last;
}

function parsedMs(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** An Event object, new or with a higher count. */
export function readEvent(object: JsonObject): Entry | undefined {
  const [metadata, about] = [objectAt(object, "metadata"), objectAt(object, "involvedObject")];
  const revision = Number(textAt(metadata, "resourceVersion"));
  if (!(revision > 0)) return undefined;
  const times = [
    textAt(object, "lastTimestamp"),
    textAt(object, "eventTime"),
    textAt(metadata, "creationTimestamp"),
  ];
  const namespace = textAt(about, "namespace");
  const count = numberAt(object, "count") ?? 1;
  const who = `${textAt(about, "kind")} ${namespace === "" ? "" : `${namespace}/`}${textAt(about, "name")}`;
  return {
    ...{ key: `${revision} ${textAt(metadata, "uid")}`, lane: "events", revision, isExact: false },
    toldMs: times.map(parsedMs).find((ms) => ms !== undefined),
    mark: textAt(object, "type") === "Warning" ? "wait" : "plain",
    text: `${textAt(object, "reason")}: ${who}: ${textAt(object, "message")}${count > 1 ? ` (${count} times)` : ""}`,
    by: textAt(objectAt(object, "source"), "component") || textAt(object, "reportingComponent"),
    of: undefined,
  };
}
