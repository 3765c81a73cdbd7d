// A label selector as one text: what the status of a Scale says of the objects that are counted.
import { isObject, type JsonObject } from "../../meta/json.ts";

/** A LabelSelector, or a plain map of labels, as a client would write it in labelSelector=. */
export function selectorText(selector: JsonObject): string {
  const { matchLabels, matchExpressions } = selector;
  const isSelector = isObject(matchLabels) || Array.isArray(matchExpressions);
  const labels = isSelector ? (isObject(matchLabels) ? matchLabels : {}) : selector;
  const requirements = Object.entries(labels).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }));
  for (const item of Array.isArray(matchExpressions) ? matchExpressions.filter(isObject) : []) {
    requirements.push({ key: String(item["key"]), text: requirementText(item) });
  }
  requirements.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return requirements.map(({ text }) => text).join(",");
}

function requirementText({ key, operator, values }: JsonObject): string {
  const list = `(${(Array.isArray(values) ? values.map(String).sort() : []).join(",")})`;
  switch (operator) {
    case "In":
      return `${String(key)} in ${list}`;
    case "NotIn":
      return `${String(key)} notin ${list}`;
    case "DoesNotExist":
      return `!${String(key)}`;
    default:
      return String(key);
  }
}
