// Resolves kinds in user input: as group, version and kind as objects have them ("k8s.ovn.org/v1/EgressIP",
// "v1/ConfigMap"), or as a resource name that kubectl accepts ("pods", "cm", "EgressIP", "egressips.k8s.ovn.org").
import { badRequest, describeResource } from "../../apimachinery/meta/status.ts";
import type {
  ResourceDefinition,
  ResourceView,
} from "../../apiserver/registry/definition/resource-definition.ts";
import { storageView } from "../../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";

/** Throws a 400 for any other format. */
export function parseKindReference(text: string): { readonly apiVersion: string; readonly kind: string } {
  const cut = text.lastIndexOf("/");
  const apiVersion = text.slice(0, Math.max(cut, 0));
  const kind = text.slice(cut + 1);
  if (apiVersion === "" || kind === "") {
    throw badRequest(`${text} names no kind; write it as "v1/ConfigMap" or "k8s.ovn.org/v1/EgressIP"`);
  }
  return { apiVersion, kind };
}

/** Throws a 400 for a kind that is not served. */
export function viewOfKind(registry: ResourceRegistry, text: string): ResourceView {
  const { apiVersion, kind } = parseKindReference(text);
  const view = registry.findByKind(apiVersion, kind);
  if (view === undefined) throw badRequest(`no kind ${kind} of ${apiVersion} is served`);
  return view;
}

/** Parses a resource name as kubectl does: plural, singular, short name or kind, with the group behind a dot. */
function readWord(word: string): { readonly name: string; readonly group: string | undefined } {
  const cut = word.indexOf(".");
  return cut < 0
    ? { name: word.toLowerCase(), group: undefined }
    : { name: word.slice(0, cut).toLowerCase(), group: word.slice(cut + 1) };
}

const isMeant = (
  { resource, singular, kind, shortNames, group }: ResourceDefinition,
  word: ReturnType<typeof readWord>,
): boolean =>
  [resource, singular, kind.toLowerCase(), ...shortNames].includes(word.name) &&
  (word.group ?? group) === group;

/** The items that pass the test, or all if none does. */
function preferred<T>(list: readonly T[], test: (item: T) => boolean): readonly T[] {
  const some = list.filter(test);
  return some.length > 0 ? some : list;
}

/**
 * Resolves a resource name in any case, with the group in it or in `group`, to its storage version. Throws a 400 for an
 * unknown or ambiguous name.
 */
export function findResource(registry: ResourceRegistry, text: string, group?: string): ResourceView {
  const { name, group: wanted } = { ...readWord(text), ...(group === undefined ? {} : { group }) };
  const called = registry.definitions.filter(
    (definition) => definition.review === undefined && isMeant(definition, { name, group: wanted }),
  );
  // An exact plural name precedes singular, short name and kind; the core group precedes all others.
  const named = preferred(called, ({ resource }) => resource === name);
  const [chosen, ...rivals] = preferred(named, (definition) => definition.group === "");
  if (chosen === undefined) {
    const where = wanted === undefined ? "" : ` in the group ${JSON.stringify(wanted)}`;
    throw badRequest(`no resource ${JSON.stringify(text)} is served${where}`);
  }
  if (rivals.length > 0) {
    const names = [chosen, ...rivals].map(describeResource).sort().join(", ");
    throw badRequest(`${JSON.stringify(text)} can be ${names}: name the group, too`);
  }
  return storageView(chosen);
}

/** Rank in dependency order: namespaces and CRDs first, then nodes, other kinds, and kinds that refer to those. */
export function rankOf({ kind, group }: Pick<ResourceDefinition, "kind" | "group">): number {
  if (kind === "Namespace" || kind === "CustomResourceDefinition") return 0;
  if (kind === "Node" && group === "") return 1;
  return group === "k8s.ovn.org" ? 3 : 2;
}

/**
 * Resolves a comma-separated list of resource names to the kinds that can be listed; an empty text selects all. Each
 * has its preferred version, in dependency order. Throws a 400 for an unknown name.
 */
export function namedKinds(registry: ResourceRegistry, text: string): ResourceView[] {
  const served = registry.definitions.flatMap((definition) => {
    const version = definition.versions.find(({ served }) => served);
    return version && definition.verbs.includes("list") ? [{ definition, version }] : [];
  });
  const kinds = served.sort((a, b) => rankOf(a.definition) - rankOf(b.definition));
  const words = text.split(",").filter((word) => word !== "");
  if (words.length === 0) return kinds;
  const chosen = new Set<ResourceView>();
  for (const word of words) {
    const found = kinds.filter(({ definition }) => isMeant(definition, readWord(word.toLowerCase())));
    if (found.length === 0) throw badRequest(`${word} names no kind that is served`);
    for (const view of found) chosen.add(view);
  }
  return kinds.filter((view) => chosen.has(view));
}
