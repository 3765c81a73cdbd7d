// The name of the one object to which the field selector of a list or watch restricts it. It is part of the RequestInfo,
// because rules with resourceNames allow such a request (apiserver/pkg/endpoints/request/requestinfo.go).
import { parseFieldSelector } from "../../../apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import { isPathSegmentName } from "../../../apimachinery/meta/names.ts";
import { type Query, readInteger } from "../../../apimachinery/meta/query.ts";

/**
 * Selectors are parsed before authorization, so an anonymous client can send them: longer ones are not parsed here, and
 * the request is authorized for the whole collection. A name has at most 253 characters, each escaped as three.
 */
export const SELECTOR_CHARACTERS_MAX = 4096;

const FIELD = "metadata.name";

/** "" where several objects may be selected, or where a parameter cannot be parsed, which the verb reports later. */
export function narrowedName(query: Query): string {
  const fields = query.get("fieldSelector");
  if (fields === "" || !fields.includes(FIELD)) return "";
  const labels = query.get("labelSelector");
  if (fields.length + labels.length > SELECTOR_CHARACTERS_MAX) return "";
  try {
    readInteger(query, "timeoutSeconds");
    readInteger(query, "limit");
    parseLabelSelector(labels);
    const found = parseFieldSelector(fields).find((item) => item.field === FIELD && item.operator === "=");
    return found !== undefined && isPathSegmentName(found.value, false).length === 0 ? found.value : "";
  } catch {
    return "";
  }
}
