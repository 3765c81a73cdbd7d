// What a source tells of kinds: by discovery, by definitions, by the paths at which objects lay, and by the objects. A kind
// that no server knows can be served by a definition that is derived from it.
import { compareVersions } from "../apiserver/discovery/group-index.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../meta/json.ts";
import { pluralOf } from "../meta/names.ts";
import { type KubeObject, partsOfApiVersion } from "../meta/object-meta.ts";
import type { FoundObject, KindFacts } from "./source.ts";

const keyOf = (group: string, kind: string): string => `${group}/${kind}`;

/** Who says it, the one who knows best last. */
type Witness = "object" | "path" | "discovery" | "definition";
const WITNESSES: readonly Witness[] = ["object", "path", "discovery", "definition"];

interface Known {
  facts: KindFacts;
  witness: Witness;
  readonly versions: Set<string>;
  /** Those in which objects were seen. */
  readonly seen: Set<string>;
}

export class KindTable {
  readonly #known = new Map<string, Known>();

  add(kinds: readonly KindFacts[], witness: Witness = "discovery"): void {
    for (const facts of kinds) this.#learn(facts, witness);
  }

  /** Learns what an object, and the place where it lay, tell. */
  see({ object, place }: Pick<FoundObject, "object" | "place">): void {
    const { kind = "", metadata } = object;
    const [group, version] = partsOfApiVersion(object.apiVersion);
    if (kind === "CustomResourceDefinition") this.add(kindsOfDefinition(object), "definition");
    const known = this.#known.get(keyOf(group, kind));
    const isOfPlace = place?.resource !== undefined && place.group === group;
    const witness: Witness = isOfPlace ? "path" : "object";
    const namespaced = (metadata.namespace ?? "") !== "" || (isOfPlace && place.namespaced === true);
    if (known?.seen.has(version) && isBetter(known.witness, witness)) return;
    const resource = isOfPlace && place.resource !== undefined ? place.resource : pluralOf(kind);
    this.#learn({ group, version, kind, resource, namespaced }, witness).seen.add(version);
  }

  #learn(facts: KindFacts, witness: Witness): Known {
    const key = keyOf(facts.group, facts.kind);
    const known = this.#known.get(key);
    if (known === undefined) {
      const made = { facts, witness, versions: new Set([facts.version]), seen: new Set<string>() };
      this.#known.set(key, made);
      return made;
    }
    known.versions.add(facts.version);
    if (isBetter(witness, known.witness)) Object.assign(known, { facts, witness });
    return known;
  }

  /** What is known of the kind; of its version, what the best witness has named. */
  of(apiVersion: string | undefined, kind: string | undefined): KindFacts | undefined {
    return this.#known.get(keyOf(partsOfApiVersion(apiVersion)[0], kind ?? ""))?.facts;
  }

  /**
   * A CustomResourceDefinition that serves the kind's objects as they are, in all versions in which some were seen. undefined:
   * none can be derived, because nothing is known of the kind, or its group cannot be that of a definition.
   */
  definitionFor(apiVersion: string | undefined, kind: string | undefined): KubeObject | undefined {
    const known = this.#known.get(keyOf(partsOfApiVersion(apiVersion)[0], kind ?? ""));
    if (known === undefined || !known.facts.group.includes(".")) return undefined;
    const versions = known.seen.size > 0 ? known.seen : known.versions;
    return definitionOf(known.facts, [...versions].sort(compareVersions));
  }
}

const isBetter = (one: Witness, other: Witness): boolean => WITNESSES.indexOf(one) > WITNESSES.indexOf(other);

/** Names below these domains are Kubernetes' own, and a definition there has to say who approved it. */
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/;

/** As nothing is known of their members, all of them are kept. The first version is the one that is stored. */
function definitionOf(facts: KindFacts, versions: readonly string[]): KubeObject {
  const { group, kind, resource, namespaced, singular, shortNames = [], categories = [] } = facts;
  const approval = { "api-approved.kubernetes.io": "unapproved: derived from objects of this kind" };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${resource}.${group}`,
      annotations: { [DERIVED]: "true", ...(PROTECTED.test(group) ? approval : {}) },
    },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: {
        ...{ plural: resource, singular: singular || kind.toLowerCase(), kind, listKind: `${kind}List` },
        ...(shortNames.length > 0 ? { shortNames: [...shortNames] } : {}),
        ...(categories.length > 0 ? { categories: [...categories] } : {}),
      },
      versions: versions.map((name, position) => ({
        ...{ name, served: true, storage: position === 0, schema },
        ...(facts.hasStatus === true ? { subresources: { status: {} } } : {}),
      })),
    },
  };
}

/** Marks a definition that was derived, and not found. */
export const DERIVED = "egret.dev/derived";

/** All versions that a definition has, in the form of today and in that of v1beta1. */
export function kindsOfDefinition(crd: Readonly<KubeObject>): KindFacts[] {
  const spec = objectAt(crd, "spec");
  const names = objectAt(spec, "names");
  const [group, kind, resource] = [textAt(spec, "group"), textAt(names, "kind"), textAt(names, "plural")];
  const listed = objectsAt(spec, "versions").map((version) => textAt(version, "name"));
  const versions = listed.length > 0 ? listed : [textAt(spec, "version")];
  return versions.map((version) => ({
    ...{ group, version, kind, resource },
    namespaced: textAt(spec, "scope") === "Namespaced",
    singular: textAt(names, "singular"),
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
  }));
}
