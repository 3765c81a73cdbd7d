// LimitRanger: bounds the resources of Pods, containers and volume claims in a namespace. Containers without
// requests or limits get the defaults of the LimitRanges. Values outside of the bounds are rejected.
import { type Amount, amountOf, showQuantity } from "../../apimachinery/go/quantity.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import type { Store } from "../../storage/store.ts";
import { type Amounts, readAmounts } from "../quota/amounts.ts";
import { podResources } from "../quota/pod-resources.ts";
import { type FullPlugin, isAbout, objectsBelow, type PluginDeps } from "./about.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

export const createLimitRanger = ({ store }: PluginDeps): FullPlugin => ({
  name: "LimitRanger",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "", "pods") || !object) return;
    for (const range of rangesAround(store, attributes)) fillIn(object, range);
  },
  validate(attributes) {
    const { operation, object, oldObject } = attributes;
    const ofPod = operation === "CREATE" && isAbout(attributes, "", "pods");
    const ofClaim = operation !== "DELETE" && isAbout(attributes, "", "persistentvolumeclaims");
    if ((!ofPod && !ofClaim) || !object || oldObject?.metadata.deletionTimestamp) return;
    for (const range of rangesAround(store, attributes)) {
      const complaints = new Set(limitsOf(range).flatMap((limit) => complaintsOf(limit, object, ofPod)));
      if (complaints.size === 0) continue;
      const told = [...complaints].join(", ");
      throw refuse(attributes, complaints.size === 1 ? told : `[${told}]`);
    }
  },
});

const rangesAround = (store: Store, { namespace }: AdmissionAttributes): Readonly<KubeObject>[] =>
  objectsBelow(store, `/registry/limitranges/${namespace}/`);

const limitsOf = (range: Readonly<KubeObject>): JsonObject[] => objectsAt(specOf(range), "limits");

/** Sets missing requests and limits of containers, and records them in an annotation. */
function fillIn(pod: KubeObject, range: Readonly<KubeObject>): void {
  const ofContainers = limitsOf(range).filter((limit) => limit["type"] === "Container");
  const defaultsOf = (member: string): JsonObject =>
    Object.fromEntries(ofContainers.flatMap((limit) => Object.entries(objectAt(limit, member) ?? {})));
  const wanted = { requests: defaultsOf("defaultRequest"), limits: defaultsOf("default") };
  const lists = { containers: "container", initContainers: "init container" };
  const notes = Object.entries(lists).flatMap(([list, word]) =>
    objectsAt(specOf(pod), list).flatMap((container) =>
      (["requests", "limits"] as const).flatMap((part) => {
        const set = fillPart(container, part, wanted[part]);
        const what = `${set.join(", ")} ${part.slice(0, -1)} for ${word} ${textAt(container, "name")}`;
        return set.length > 0 ? [what] : [];
      }),
    ),
  );
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join("; ")}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: text };
}

/** Returns the names of the resources that were set. */
function fillPart(container: JsonObject, part: "requests" | "limits", wanted: JsonObject): string[] {
  const resources = objectAt(container, "resources") ?? {};
  const given = objectAt(resources, part) ?? {};
  const missing = Object.keys(wanted)
    .filter((name) => given[name] === undefined)
    .sort();
  if (missing.length === 0) return [];
  container["resources"] = { ...resources, [part]: { ...wanted, ...given } };
  return missing;
}

/** Resource requests and limits. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** Requests or limits, with their name in messages. */
type Counted = readonly [word: "request" | "limit", amounts: Amounts];

function complaintsOf(limit: JsonObject, object: Readonly<KubeObject>, ofPod: boolean): string[] {
  const spec = specOf(object);
  const type = textAt(limit, "type");
  if (!ofPod) {
    if (type !== "PersistentVolumeClaim") return [];
    const requests = readAmounts(objectAt(objectAt(spec, "resources"), "requests"));
    // Volume claims have only requests.
    const request: Counted = ["request", requests];
    return [...outOfBounds(limit, "min", [request]), ...outOfBounds(limit, "max", [request])];
  }
  const all = (asked: Asked): string[] => {
    const request: Counted = ["request", asked.requests];
    const most: Counted = ["limit", asked.limits];
    return [
      ...outOfBounds(limit, "min", [request, most]),
      ...outOfBounds(limit, "max", [most, request]),
      ...outOfRatio(limit, asked),
    ];
  };
  if (type === "Pod")
    return all({ requests: podResources(spec, "requests"), limits: podResources(spec, "limits") });
  if (type !== "Container") return [];
  return ["containers", "initContainers"].flatMap((list) =>
    objectsAt(spec, list).flatMap((container) => {
      const resources = objectAt(container, "resources");
      const amounts = (part: string) => readAmounts(objectAt(resources, part));
      return all({ requests: amounts("requests"), limits: amounts("limits") });
    }),
  );
}

/** At most one violation per resource, sorted by name. */
function eachNamed(
  limit: JsonObject,
  member: string,
  complain: (name: string, bound: Amount) => string | undefined,
): string[] {
  return Object.entries(objectAt(limit, member) ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => complain(name, amountOf(text)))
    .filter((complaint) => complaint !== undefined);
}

/** Violations of `min` or `max`. The first of `counted` is required. */
function outOfBounds(limit: JsonObject, member: "min" | "max", counted: readonly Counted[]): string[] {
  const isOut = ({ nanos }: Amount, bound: Amount): boolean =>
    member === "min" ? nanos < bound.nanos : nanos > bound.nanos;
  return eachNamed(limit, member, (name, bound) => {
    const head = `${member}imum ${name} usage per ${limit["type"]} is ${showQuantity(bound)}`;
    for (const [index, [word, amounts]] of counted.entries()) {
      const amount = amounts.get(name);
      if (amount === undefined && index === 0) return `${head}.  No ${word} is specified`;
      if (amount && isOut(amount, bound)) return `${head}, but ${word} is ${showQuantity(amount)}`;
    }
    return undefined;
  });
}

const outOfRatio = (limit: JsonObject, { requests, limits }: Asked): string[] =>
  eachNamed(limit, "maxLimitRequestRatio", (name, bound) => {
    const head = `${name} max limit to request ratio per ${limit["type"]} is ${showQuantity(bound)}`;
    const [request = 0, most = 0] = [requests.get(name), limits.get(name)].map(
      (amount) => amount && Number(amount.nanos),
    );
    if (request === 0) return `${head}, but no request is specified or request is 0`;
    if (most === 0) return `${head}, but no limit is specified or limit is 0`;
    const ratio = most / request;
    return ratio * 1e9 > Number(bound.nanos)
      ? `${head}, but provided ratio is ${ratio.toFixed(6)}`
      : undefined;
  });
