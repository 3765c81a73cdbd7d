// Which item of a list is which: the step to an item of a set or of a list map.
import { isObject } from "../../../meta/json.ts";
import { keyMember, valueText } from "../fields/field-path.ts";
import type { ListForm } from "./type-forms.ts";

/** Why an item cannot be told from others. */
export class ListItemError extends Error {}

/** The step to an item of a list that is not atomic. Throws ListItemError. */
export function itemStep(list: ListForm, item: unknown): string {
  return list.kind === "map" ? keyedItemStep(list, item) : setItemStep(item);
}

function keyedItemStep(list: ListForm, item: unknown): string {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list with keys may not have a null element");
  }
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  let members = "";
  for (const key of list.keys) {
    const own = Object.hasOwn(item, key.name) ? item[key.name] : undefined;
    const value = own === undefined ? key.default : own;
    if (value === undefined) continue;
    members += members === "" ? keyMember(key.name, value) : `,${keyMember(key.name, value)}`;
  }
  if (members !== "") return `k:{${members}}`;
  const names = list.declaredKeys.map((name) => JSON.stringify(name)).join(" ");
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setItemStep(item: unknown): string {
  if (item === null || item === undefined) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) {
    throw new ListItemError("not supported: associative list with lists as elements");
  }
  if (isObject(item)) {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return valueText(item);
}
