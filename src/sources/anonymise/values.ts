// The values of an object, by the members in which they stand: what is a word of Kubernetes stays, what people have written is
// changed, and what may hold anything is left out.

import { parseIp } from "../../meta/ip.ts";
import { isObject, type JsonObject, parsedJson, setOwn, textAt, textsAt } from "../../meta/json.ts";
import { partsOfApiVersion } from "../../meta/object-meta.ts";
import { isPublicDomain } from "./public-words.ts";
import { macOf, type Texts } from "./texts.ts";

/** May hold anything. */
const LEFT_OUT = new Set([
  ...["env", "envFrom", "args", "caBundle", "stringData", "systemUUID", "machineID", "bootID", "userData"],
  ...["ca.crt", "token", "password", "kubectl.kubernetes.io/last-applied-configuration"],
]);
/** May hold anything, and have to be there: what stands in their place. */
const IN_PLACE = new Map<string, unknown>([
  ...["message", "note", "description"].map((member) => [member, "left out"] as const),
  ["command", ["left-out"]],
  ["expression", "true"],
]);

/** From keys that people choose to values that they choose. */
const LABELS = new Set([
  "labels",
  "matchLabels",
  "nodeSelector",
  "annotations",
  "parameters",
  "selector",
  "deprecatedTopology",
]);
/** From keys that people may choose to what is no text of theirs. */
const BY_KEY = new Set([
  "capacity",
  "allocatable",
  "requests",
  "limits",
  "hard",
  "used",
  "allocatedResources",
]);
/** Their values are keys of labels. */
const KEYS = new Set(["topologyKey", "finalizers", "labelKey"]);

/** Times, quantities, durations. */
const MEASURES =
  /^(\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)|[+-]?\d+(\.\d+)?([eE]\d+)?(m|k|u|n|[KMGTPE]i?|s|h|ms|us|ns)?|(\d+(\.\d+)?(h|m|s|ms))+|\d+%)$/;
/** Words that types choose from. */
const CHOICE = /^[A-Z][A-Za-z0-9]*$/;
const VERSION = /^v?\d+\.\d+\.\d+/;

export class Values {
  readonly #texts: Texts;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** The value of that member. undefined: it is left out. */
  value(value: unknown, member: string): unknown {
    if (LEFT_OUT.has(member)) return undefined;
    if (value !== "" && !isObject(value) && IN_PLACE.has(member)) return IN_PLACE.get(member);
    if (typeof value === "string") return this.#text(value, member);
    if (Array.isArray(value)) return value.map((item) => this.value(item, member));
    if (!isObject(value)) return value;
    if (LABELS.has(member) && !isLabelSelector(value)) return this.#labels(value);
    return this.#members(value, BY_KEY.has(member));
  }

  #members(value: JsonObject, areKeys: boolean): JsonObject {
    const out: JsonObject = {};
    const isRule = isPublicRule(value);
    for (const member of Object.keys(value)) {
      const changed = isRule && OF_RULES.has(member) ? value[member] : this.value(value[member], member);
      if (changed !== undefined) setOwn(out, areKeys ? this.#texts.resourceKey(member) : member, changed);
    }
    return this.#withType(withRequirement(out, value, this.#texts), value);
  }

  /** What names a kind of others names it by its group. */
  #withType(out: JsonObject, { apiVersion, kind, apiGroup }: JsonObject): JsonObject {
    const group =
      typeof apiGroup === "string"
        ? apiGroup
        : partsOfApiVersion(typeof apiVersion === "string" ? apiVersion : "")[0];
    if (typeof kind !== "string" || isPublicDomain(group)) return out;
    return { ...out, kind: this.#texts.text(kind) };
  }

  #text(text: string, member: string): string {
    if (member === "apiVersion" || member === "apiGroup" || member === "apiGroups" || member === "group") {
      const [group] = member === "apiVersion" ? partsOfApiVersion(text) : [text];
      return isPublicDomain(group) ? text : this.#texts.text(text);
    }
    if (KEYS.has(member)) return this.#texts.key(text);
    const json = jsonIn(text);
    if (json !== undefined) return JSON.stringify(this.value(json, member));
    if (!NAMES.test(member) && (MEASURES.test(text) || CHOICE.test(text))) return text;
    if (VERSION.test(text) && /version/i.test(member)) return VERSION.exec(text)?.[0] ?? "";
    return this.#texts.text(text);
  }

  #labels(labels: JsonObject): JsonObject {
    const out: JsonObject = {};
    for (const key of Object.keys(labels)) {
      const value = labels[key];
      if (LEFT_OUT.has(key)) continue;
      setOwn(
        out,
        this.#texts.key(key),
        typeof value === "string" ? this.#labelValue(value) : this.value(value, ""),
      );
    }
    return out;
  }

  /** A text of people, or JSON of programs. */
  #labelValue(text: string): string {
    const json = /^\s*[{[]/.test(text) ? parsedJson(text) : undefined;
    return typeof json === "object" && json !== null
      ? JSON.stringify(this.#json(json))
      : this.#texts.text(text);
  }

  /** In annotations members may be named by people, too. */
  #json(value: unknown): unknown {
    if (typeof value === "string") return MEASURES.test(value) ? value : this.#texts.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#json(item));
    if (!isObject(value)) return value;
    const out: JsonObject = {};
    for (const key of Object.keys(value)) setOwn(out, this.#texts.key(key), this.#json(value[key]));
    return this.#withMac(out, value);
  }

  /** A pod with addresses of IPv6 alone has its MAC of a hash of the first. */
  #withMac(out: JsonObject, given: JsonObject): JsonObject {
    const mac = textAt(given, "mac_address");
    const [first] = textsAt(given, "ip_addresses").flatMap((text) => parseIp(text.split("/")[0] ?? "") ?? []);
    if (first === undefined || mac.toLowerCase() !== macOf(first)) return out;
    return { ...out, mac_address: macOf(this.#texts.address(first)) };
  }
}

/** Where a measure, or a word with a capital at its beginning, may be somebody's name. */
const NAMES = /^(values?|text|user|key)$|names?(paces?)?$|host$/i;

/** What a rule of a role lists is no name, but for groups of somebody. */
const OF_RULES = new Set(["verbs", "resources", "apiGroups"]);
const isPublicRule = (value: JsonObject): boolean =>
  Array.isArray(value["verbs"]) && textsAt(value, "apiGroups").every(isPublicDomain);

/** undefined: it is no JSON that holds anything. */
function jsonIn(text: string): object | undefined {
  const json = /^\s*[{[]/.test(text) ? parsedJson(text) : undefined;
  return typeof json === "object" && json !== null ? json : undefined;
}

const isLabelSelector = (value: JsonObject): boolean => "matchLabels" in value || "matchExpressions" in value;

/** {key, operator, values}: what labels are asked for, or what taints are tolerated. */
function withRequirement(out: JsonObject, { key }: JsonObject, texts: Texts): JsonObject {
  return typeof key === "string" ? { ...out, key: texts.key(key) } : out;
}
