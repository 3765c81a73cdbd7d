// Which resource a person means: its plural, singular, short name or kind, in any case, with the group behind a dot or
// named beside it, as kubectl takes them.
import { badRequest, describeResource, type StatusError } from "../../meta/status.ts";
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";
import { storageView } from "../../registry/definition/view.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";

/** In its storage version. Throws a 400 for what names none or several. */
export function findResource(registry: ResourceRegistry, text: string, group?: string): ResourceView {
  const cut = text.indexOf(".");
  const word = (cut < 0 ? text : text.slice(0, cut)).toLowerCase();
  const wanted = group ?? (cut < 0 ? undefined : text.slice(cut + 1));
  const kept = registry.definitions.filter(
    (definition) => definition.review === undefined && (wanted === undefined || definition.group === wanted),
  );
  // The resource itself comes before what else it may be called; kinds of the core group before all others.
  const found = [
    kept.filter(({ resource }) => resource === word),
    kept.filter((definition) => namesOf(definition).includes(word)),
  ].find((definitions) => definitions.length > 0);
  const [first, ...more] = found?.filter(({ group: own }) => own === "") ?? [];
  const chosen = first ?? found?.[0];
  if (chosen === undefined) throw none(text, wanted);
  const rivals = first === undefined ? (found ?? []).slice(1) : more;
  if (rivals.length > 0) throw several(text, [chosen, ...rivals]);
  return storageView(chosen);
}

const namesOf = ({ singular, shortNames, kind }: ResourceDefinition): readonly string[] => [
  singular,
  ...shortNames,
  kind.toLowerCase(),
];

function none(text: string, group: string | undefined): StatusError {
  const where = group === undefined ? "" : ` in the group ${JSON.stringify(group)}`;
  return badRequest(`no resource ${JSON.stringify(text)} is served${where}`);
}

function several(text: string, definitions: readonly ResourceDefinition[]): StatusError {
  const names = definitions.map(describeResource).sort().join(", ");
  return badRequest(`${JSON.stringify(text)} can be ${names}: name the group, too`);
}
