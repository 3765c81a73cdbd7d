// Reads kinds from stored discovery responses in all their formats: the aggregated format in both versions, the
// resource list of one group and version, and lists of those.

import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  objectsOf,
  textAt,
  textsAt,
} from "../../../apimachinery/json/json.ts";
import { partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import type { KindFacts } from "./source.ts";

/** undefined: the value is no discovery response. */
export function kindsInDiscovery(value: unknown): KindFacts[] | undefined {
  if (Array.isArray(value)) {
    const lists = objectsOf(value);
    if (lists.length === 0 || lists.length < value.length || !lists.every(isResourceList)) return undefined;
    return lists.flatMap(kindsOfList);
  }
  if (!isObject(value)) return undefined;
  if (value["kind"] === "APIGroupDiscoveryList") return objectsAt(value, "items").flatMap(kindsOfGroup);
  if (value["kind"] === "APIGroupList" || value["kind"] === "APIVersions") return [];
  return isResourceList(value) ? kindsOfList(value) : undefined;
}

const isResourceList = (value: JsonObject): boolean =>
  typeof value["groupVersion"] === "string" && Array.isArray(value["resources"]);

/** The core group's name is omitted. */
function kindsOfGroup(item: JsonObject): KindFacts[] {
  const group = textAt(objectAt(item, "metadata"), "name");
  return objectsAt(item, "versions").flatMap((version) =>
    objectsAt(version, "resources").map((resource): KindFacts => {
      const kind = objectAt(resource, "responseKind");
      return {
        group,
        version: textAt(version, "version"),
        kind: textAt(kind, "kind"),
        resource: textAt(resource, "resource"),
        namespaced: textAt(resource, "scope") === "Namespaced",
        singular: textAt(resource, "singularResource"),
        shortNames: textsAt(resource, "shortNames"),
        categories: textsAt(resource, "categories"),
        verbs: textsAt(resource, "verbs"),
        hasStatus: objectsAt(resource, "subresources").some((one) => textAt(one, "subresource") === "status"),
      };
    }),
  );
}

/** Subresources are listed beside their resources: "pods/status". */
function kindsOfList(list: JsonObject): KindFacts[] {
  const [group, version] = partsOfApiVersion(textAt(list, "groupVersion"));
  const resources = objectsAt(list, "resources");
  const names = new Set(resources.map((resource) => textAt(resource, "name")));
  return resources
    .filter((resource) => !textAt(resource, "name").includes("/"))
    .map((resource): KindFacts => {
      const name = textAt(resource, "name");
      return {
        group: textAt(resource, "group") || group,
        version: textAt(resource, "version") || version,
        kind: textAt(resource, "kind"),
        resource: name,
        namespaced: resource["namespaced"] === true,
        singular: textAt(resource, "singularName"),
        shortNames: textsAt(resource, "shortNames"),
        categories: textsAt(resource, "categories"),
        verbs: textsAt(resource, "verbs"),
        hasStatus: names.has(`${name}/status`),
      };
    });
}
