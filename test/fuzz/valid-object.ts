// A valid object of a kind as the basis of requests: its fixture if there is one, else the required fields of its schema.
import { isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { validFixture } from "../support/fixtures.ts";
import { Random } from "../support/random.ts";
import { ValueDrawer } from "./draw-value.ts";
import type { ServedKind } from "./served-api.ts";

/** A name of this form has no meaning for its kind and is replaced by one of the case's own. */
const PLAIN_NAME = /^[a-z]+(?:-[a-z]+)*$/;

/** Its name is `f`, or `f-{{id}}` for a cluster-scoped kind that takes any name. */
export function validObject(kind: ServedKind): JsonObject {
  const { group, version } = kind;
  const own = validFixture(group, version, kind.kind) ?? requiredOf(kind);
  const metadata: JsonObject = isObject(own["metadata"]) ? { ...own["metadata"] } : {};
  delete metadata["namespace"];
  const name = typeof metadata["name"] === "string" ? metadata["name"] : "f";
  metadata["name"] = PLAIN_NAME.test(name) ? (kind.namespaced ? "f" : "f-{{id}}") : name;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...own, apiVersion, kind: kind.kind, metadata };
}

function requiredOf({ schema = {}, resolve }: ServedKind): JsonObject {
  const drawer = new ValueDrawer(new Random(1), resolve);
  const { properties = {}, required = [] } = schema;
  const members = required.filter((name) => name !== "metadata" && properties[name] !== undefined);
  return Object.fromEntries(members.map((name) => [name, drawer.fitting(properties[name] ?? {})]));
}
