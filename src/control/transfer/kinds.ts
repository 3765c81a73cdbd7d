// Which kinds a list of words means, as kubectl reads them: "pods", "cm", "EgressIP", "egressips.k8s.ovn.org".
import { badRequest } from "../../meta/status.ts";
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";

/** The kinds whose objects are kept, with the version that is preferred; namespaces and definitions go first. */
export function keptKinds(registry: ResourceRegistry): ResourceView[] {
  const views = registry.definitions.flatMap((definition) => {
    const version = definition.versions.find(({ served }) => served);
    return version && definition.verbs.includes("list") ? [{ definition, version }] : [];
  });
  return views.sort((a, b) => rankOf(a.definition) - rankOf(b.definition));
}

/** What others need comes before what may need it: where they would live, what nodes there are, who refers to all that. */
export function rankOf({ kind, group }: Pick<ResourceDefinition, "kind" | "group">): number {
  if (kind === "Namespace" || kind === "CustomResourceDefinition") return 0;
  if (kind === "Node" && group === "") return 1;
  return group === "k8s.ovn.org" ? 3 : 2;
}

/** Those that the words name, separated by commas; all for no word. Throws a 400 for a word that names none. */
export function namedKinds(registry: ResourceRegistry, text: string): ResourceView[] {
  const kinds = keptKinds(registry);
  const words = text.split(",").filter((word) => word !== "");
  if (words.length === 0) return kinds;
  const chosen = new Set<ResourceView>();
  for (const word of words) {
    const found = kinds.filter(({ definition }) => isNamed(definition, word.toLowerCase()));
    if (found.length === 0) throw badRequest(`${word} names no kind that is served`);
    for (const view of found) chosen.add(view);
  }
  return kinds.filter((view) => chosen.has(view));
}

function isNamed({ resource, singular, kind, shortNames, group }: ResourceDefinition, word: string): boolean {
  const cut = word.indexOf(".");
  const name = cut < 0 ? word : word.slice(0, cut);
  if (cut >= 0 && word.slice(cut + 1) !== group) return false;
  return [resource, singular, kind.toLowerCase(), ...shortNames].includes(name);
}
