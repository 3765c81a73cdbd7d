// Looking for a field along a path of which any part may be missing.
import { isMap, OPTIONAL_NONE, Optional, type Value } from "../values/value.ts";

/** The field of what may be there: an optional without a value if anything on the way is missing. */
export function selectOptional(value: Value, field: string): Value {
  const inner = value instanceof Optional ? value.value : value;
  const found = inner !== undefined && isMap(inner) ? inner.find(field) : undefined;
  if (found === undefined) return OPTIONAL_NONE;
  return found instanceof Optional ? found : new Optional(found);
}
