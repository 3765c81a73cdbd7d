// Kinds of a source, collected from discovery, CustomResourceDefinitions, paths and objects. For a kind that no server
// knows, a CustomResourceDefinition is derived.

import { objectAt, objectsAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { pluralOf } from "../../../apimachinery/meta/names.ts";
import { type KubeObject, partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { compareVersions } from "../../../apiserver/endpoints/discovery/group-index.ts";
import type { FoundObject, KindFacts } from "./source.ts";

const keyOf = (group: string, kind: string): string => `${group}/${kind}`;

/** Where the facts come from, the most reliable last. */
type Witness = "object" | "path" | "discovery" | "definition";
const WITNESSES: readonly Witness[] = ["object", "path", "discovery", "definition"];

interface Known {
  facts: KindFacts;
  witness: Witness;
  readonly versions: Set<string>;
  /** Versions in which objects were found. */
  readonly seen: Set<string>;
}

export class KindTable {
  readonly #known = new Map<string, Known>();

  add(kinds: readonly KindFacts[], witness: Witness = "discovery"): void {
    for (const facts of kinds) this.#learn(facts, witness);
  }

  /** Adds the facts that an object and its path imply. */
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

  /** The facts about a kind; those that depend on the version are from the most reliable witness. */
  of(apiVersion: string | undefined, kind: string | undefined): KindFacts | undefined {
    return this.#known.get(keyOf(partsOfApiVersion(apiVersion)[0], kind ?? ""))?.facts;
  }

  /**
   * A CustomResourceDefinition that serves the kind's objects unchanged, in all versions that were found. undefined:
   * none can be derived, because the kind is unknown, or its group is not valid for a CustomResourceDefinition.
   */
  definitionFor(apiVersion: string | undefined, kind: string | undefined): KubeObject | undefined {
    const known = this.#known.get(keyOf(partsOfApiVersion(apiVersion)[0], kind ?? ""));
    if (known === undefined || !known.facts.group.includes(".")) return undefined;
    const versions = known.seen.size > 0 ? known.seen : known.versions;
    return definitionOf(known.facts, [...versions].sort(compareVersions));
  }
}

const isBetter = (one: Witness, other: Witness): boolean => WITNESSES.indexOf(one) > WITNESSES.indexOf(other);

/** Protected domains: a CustomResourceDefinition below them needs the annotation with its API approval. */
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/;

/** Unknown fields are preserved, since the schema is unknown. The first version is the storage version. */
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

/** Marks a derived CustomResourceDefinition. */
export const DERIVED = "egret.dev/derived";

/** All versions of a CustomResourceDefinition, in the v1 format and in that of v1beta1. */
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
