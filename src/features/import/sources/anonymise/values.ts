// Anonymisation of the values of an object, by their members. Only listed values are kept: members and enumerations of
// Kubernetes, and times, quantities and versions where the types have them. Other values are changed, and members with
// arbitrary content are left out.

import {
  isObject,
  type JsonObject,
  parsedJson,
  setOwn,
  textAt,
  textsAt,
} from "../../../../apimachinery/json/json.ts";
import { parseIp } from "../../../../apimachinery/meta/ip.ts";
import { partsOfApiVersion } from "../../../../apimachinery/meta/object-meta.ts";
import { CHOICES, CHOICES_OF_WORDS, KINDS, RESOURCES } from "./choice-words.ts";
import { FIELDS, QUANTITIES, QUANTITY_MAPS, TIMES } from "./field-words.ts";
import { isPublicDomain } from "./public-words.ts";
import { macOf, type Texts } from "./texts.ts";

/** Arbitrary content, or a fingerprint. */
const LEFT_OUT = new Set([
  ...["env", "envFrom", "args", "caBundle", "stringData", "systemUUID", "machineID", "bootID", "userData"],
  ...["ca.crt", "token", "password", "kubectl.kubernetes.io/last-applied-configuration", "images"],
]);
/** Arbitrary content of required members, with the replacement. */
const IN_PLACE = new Map<string, unknown>([
  ...["message", "note", "description"].map((member) => [member, "left out"] as const),
  ["command", ["left-out"]],
  ["expression", "true"],
]);

/** Maps from user-defined keys to user-defined values. */
const LABELS = new Set([
  ...["labels", "matchLabels", "nodeSelector", "annotations", "selector", "deprecatedTopology"],
  ...[
    "userAnnotations",
    "options",
    "volumeAttributes",
    "attachmentMetadata",
    "extra",
    "attributes",
    "counters",
  ],
  ...["disruptedPods", "nodeAllocatableResourceMappings", "allocations"],
]);
/** Members whose values are label keys. */
const KEYS = new Set(["topologyKey", "finalizers", "labelKey", "topologyKeys", "matchLabelKeys"]);

const VERBS = new Set([
  ...["*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind"],
  ...["escalate", "impersonate", "approve", "sign", "attest", "proxy", "post", "put", "head", "options"],
]);

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;
const QUANTITY = /^[+-]?\d+(\.\d+)?([eE]\d+)?(m|k|u|n|[KMGTPE]i?)?$/;
const PERCENT = /^\d{1,3}%$/;
const VERSIONS = new Set([
  ...["kubeletVersion", "kubeProxyVersion", "containerRuntimeVersion", "kernelVersion", "cniVersion"],
  ...["version", "kubernetesVersion"],
]);
const VERSION = /^v?\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d)/;
const API_VERSION = /^v\d{1,2}((alpha|beta)\d{1,2})?$/;

/** Annotations and labels with ids that ovn-kubernetes and controllers count from 0 or 50000. */
const COUNTED =
  /^(k8s\.ovn\.org\/(node-id|network-id|egressip-mark)|deployment\.kubernetes\.io\/(revision|desired-replicas|max-replicas)|controller\.kubernetes\.io\/pod-deletion-cost|apps\.kubernetes\.io\/pod-index)$/;
/** The same by the name of a network: {"default":"0"}. */
const COUNTED_BY_NETWORK = /^k8s\.ovn\.org\/(network-ids|udn-layer2-node-gateway-router-lrp-tunnel-ids)$/;
const NUMBER = /^-?\d{1,10}$/;

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
    if (typeof value === "number" || typeof value === "bigint")
      return this.#texts.numbers.number(value, member);
    // A list is no map of quantities, whatever its name is: devices.requests.
    if (Array.isArray(value))
      return value.map((item) => this.value(item, QUANTITY_MAPS.has(member) ? "" : member));
    if (!isObject(value)) return value;
    if (hasKeysOfPeople(member, value)) return this.#labels(value, member);
    return this.#members(value, member);
  }

  /** The name of a member; `parent` is the member that holds it. undefined: it is left out. */
  name(name: string, parent: string, isMap: boolean): string | undefined {
    if (LEFT_OUT.has(name)) return undefined;
    if (QUANTITY_MAPS.has(parent)) return FIELDS.has(name) ? name : this.#texts.resourceKey(name);
    return !isMap && FIELDS.has(name) ? name : this.#texts.key(name);
  }

  #members(value: JsonObject, parent: string): JsonObject {
    const out: JsonObject = {};
    const isRule = Array.isArray(value["resources"]) && Array.isArray(value["apiGroups"]);
    for (const member of Object.keys(value)) {
      const name = this.name(member, parent, false);
      if (name === undefined) continue;
      const changed = this.#member(value[member], member, { parent, isRule });
      if (changed !== undefined) setOwn(out, name, changed);
    }
    return this.#withType(withRequirement(out, value, this.#texts), value);
  }

  #member(value: unknown, member: string, { parent, isRule }: { parent: string; isRule: boolean }): unknown {
    if (isRule && member === "resources") return textsAt({ member: value }, "member").map(this.#resource);
    if (parent === "access" && member === "id" && (typeof value === "number" || typeof value === "bigint"))
      return this.#texts.numbers.vlan(value);
    // In a quantity map the values are quantities, whatever the keys are.
    if (!QUANTITY_MAPS.has(parent) || LEFT_OUT.has(member)) return this.value(value, member);
    return isObject(value) ? this.#members(value, parent) : this.value(value, parent);
  }

  /** Resources of a role or a webhook: "pods", "pods/status", "*". */
  #resource = (text: string): string => {
    const parts = text.split("/");
    return parts.every((part) => RESOURCES.has(part)) ? text : this.#texts.text(text);
  };

  /** A reference to another kind names it together with its group. */
  #withType(out: JsonObject, { apiVersion, kind, apiGroup }: JsonObject): JsonObject {
    const group =
      typeof apiGroup === "string"
        ? apiGroup
        : partsOfApiVersion(typeof apiVersion === "string" ? apiVersion : "")[0];
    if (typeof kind !== "string") return out;
    const isPublic = isPublicDomain(group) && (KINDS.has(kind) || CHOICES.has(kind));
    return { ...out, kind: isPublic ? kind : this.#texts.text(kind) };
  }

  #text(text: string, member: string): string {
    if (member === "apiVersion" || member === "apiGroup" || member === "apiGroups" || member === "group") {
      const [group, version] = member === "apiVersion" ? partsOfApiVersion(text) : [text, "v1"];
      return isPublicDomain(group) && API_VERSION.test(version) ? text : this.#texts.text(text);
    }
    if (KEYS.has(member)) return this.#texts.key(text);
    if (member === "verbs" && VERBS.has(text)) return text;
    const json = jsonIn(text);
    if (json !== undefined) return JSON.stringify(this.value(json, ""));
    if (CHOICES.has(text) || CHOICES_OF_WORDS.has(text) || PERCENT.test(text)) return text;
    if (TIMES.has(member) && TIME.test(text)) return text;
    if (QUANTITIES.has(member) && QUANTITY.test(text)) return text;
    if (VERSIONS.has(member) && VERSION.test(text)) return VERSION.exec(text)?.[0] ?? "";
    return this.#texts.text(text);
  }

  #labels(labels: JsonObject, member: string): JsonObject {
    const out: JsonObject = {};
    for (const key of Object.keys(labels)) {
      const name = this.name(key, "", true);
      if (name !== undefined) setOwn(out, name, this.#ofLabel(labels[key], key, member));
    }
    return out;
  }

  #ofLabel(value: unknown, key: string, member: string): unknown {
    if (typeof value === "string") return this.#labelValue(value, key);
    return member === "counters" && isObject(value)
      ? this.#members(value, "capacity")
      : this.value(value, "");
  }

  /** Free text of a user, or JSON of a program. */
  #labelValue(text: string, key: string): string {
    if (COUNTED.test(key) && NUMBER.test(text)) return text;
    const json = jsonIn(text);
    if (json === undefined) return this.#texts.text(text);
    const isCounted = COUNTED_BY_NETWORK.test(key) && isObject(json);
    return JSON.stringify(isCounted ? this.#countedByNetwork(json) : this.#json(json, ""));
  }

  /** In annotations users may define members, too. */
  #json(value: unknown, member: string): unknown {
    if (typeof value === "string") return this.#jsonText(value, member);
    if (typeof value === "number") return this.#texts.numbers.number(value, member);
    if (Array.isArray(value)) return value.map((item) => this.#json(item, member));
    if (!isObject(value)) return value;
    const out: JsonObject = {};
    for (const key of Object.keys(value)) setOwn(out, this.#texts.key(key), this.#json(value[key], key));
    return this.#withMac(out, value);
  }

  #countedByNetwork(value: JsonObject): JsonObject {
    const out: JsonObject = {};
    for (const key of Object.keys(value)) {
      const id = value[key];
      const isId = (typeof id === "string" && NUMBER.test(id)) || typeof id === "number";
      setOwn(out, this.#texts.key(key), isId ? id : this.#json(id, key));
    }
    return out;
  }

  /** ovn-kubernetes writes the tag of a VLAN as a text. */
  #jsonText(text: string, member: string): string {
    return member === "vlan-id" && NUMBER.test(text)
      ? String(this.#texts.numbers.number(Number(text), member))
      : this.#texts.text(text);
  }

  /** The MAC of a pod with IPv6 addresses only is derived from a hash of the first address. */
  #withMac(out: JsonObject, given: JsonObject): JsonObject {
    const mac = textAt(given, "mac_address");
    const [first] = textsAt(given, "ip_addresses").flatMap((text) => parseIp(text.split("/")[0] ?? "") ?? []);
    if (first === undefined || mac.toLowerCase() !== macOf(first)) return out;
    return { ...out, mac_address: macOf(this.#texts.address(first)) };
  }
}

/** undefined: it is no JSON object or list. */
function jsonIn(text: string): object | undefined {
  const json = /^\s*[{[]/.test(text) ? parsedJson(text) : undefined;
  return typeof json === "object" && json !== null ? json : undefined;
}

/** Some members are maps in one type and structs in another: nodeSelector, selector, options. */
export const isMapOfPeople = (member: string): boolean => LABELS.has(member);

function hasKeysOfPeople(member: string, value: JsonObject): boolean {
  if (!LABELS.has(member)) return false;
  return !("matchLabels" in value || "matchExpressions" in value || "nodeSelectorTerms" in value);
}

/** {key, operator, values}: a label requirement or a toleration. */
function withRequirement(out: JsonObject, { key }: JsonObject, texts: Texts): JsonObject {
  return typeof key === "string" ? { ...out, key: texts.key(key) } : out;
}
