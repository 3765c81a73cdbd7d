// Anonymisation of CustomResourceDefinitions of public kinds: schemas of public members. Descriptions are left out,
// other texts are changed word by word. Private members are renamed as in the objects. Rules and patterns, which are
// languages of their own, are left out.
import { isObject, type JsonObject, setOwn } from "../../../../apimachinery/json/json.ts";
import { CHOICES, KINDS, RESOURCES } from "./choice-words.ts";
import { FIELDS } from "./field-words.ts";
import { isPublicDomain } from "./public-words.ts";
import type { Texts } from "./texts.ts";

const LEFT_OUT = new Set([
  "pattern",
  "x-kubernetes-validations",
  "externalDocs",
  "example",
  "title",
  "caBundle",
]);
const WORD = /[\p{L}\p{N}]+/gu;
/** Short names of resources, and words of JSON Schema, as far as they are no members. */
const WORDS = new Set(
  "eip cpipc cudn udn nad ra cnc apbexternalroute egressrouter list set map granular atomic".split(" "),
);

/** The value of that member of a CustomResourceDefinition. undefined: it is left out. */
export function definitionUnder(value: unknown, member: string, texts: Texts): unknown {
  if (LEFT_OUT.has(member)) return undefined;
  if (member === "description" || member === "message") return typeof value === "string" ? "left out" : value;
  if (typeof value === "string") return textUnder(value, texts);
  if (typeof value === "number" || typeof value === "bigint") return texts.numbers.number(value, member);
  if (Array.isArray(value)) return value.map((item) => definitionUnder(item, member, texts));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) {
    const isNamed = member === "properties";
    const changed = isNamed ? propertyUnder(value[key], key, texts) : definitionUnder(value[key], key, texts);
    if (changed !== undefined) setOwn(out, nameUnder(key, texts), changed);
  }
  return out;
}

/** A property may have the name of a keyword. */
const propertyUnder = (value: unknown, _name: string, texts: Texts): unknown =>
  definitionUnder(value, "", texts);

const nameUnder = (key: string, texts: Texts): string =>
  FIELDS.has(key) || key.startsWith("x-kubernetes-") ? key : texts.key(key);

/** `.status.items[*].node`, `EgressIP`, `k8s.ovn.org` */
function textUnder(text: string, texts: Texts): string {
  if (text.includes(".") && isPublicDomain(text)) return text;
  if (RESOURCES.has(text) || KINDS.has(text)) return text;
  return text.replace(WORD, (word) =>
    FIELDS.has(word) || CHOICES.has(word) || WORDS.has(word) ? word : texts.text(word),
  );
}
