// Which built-in kind lies at a key, and in which version and form a kube-apiserver writes it. That is mostly the version in
// which it is kept here, in protobuf. The exceptions come from the source of Kubernetes: pkg/controlplane/apiserver/
// apiextensions.go (definitions, in their smaller form), pkg/controlplane/apiserver/aggregator.go (APIServices), and
// pkg/kubeapiserver/default_storage_factory_builder.go (policies that a server one version older has to read).
import { lookupTable } from "../../meta/json.ts";
import type { MemberOrder } from "../../meta/json-encode.ts";
import { joinApiVersion } from "../../meta/object-meta.ts";
import { memberOrder } from "../../registry/codec/object-codec.ts";
import type { StoredKindFacts } from "../../registry/codec/stored-form.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf, resourcePrefix, storageView } from "../../registry/definition/view.ts";
import type { TypeIdentity } from "../protobuf/value-types.ts";

export interface StoredKind {
  readonly definition: ResourceDefinition;
  /** What its values must be. */
  readonly facts: StoredKindFacts;
  /** As it is kept in the store. */
  readonly identity: TypeIdentity;
  /** Of its members in the store. */
  readonly order: MemberOrder | undefined;
  /** As it says itself in etcd. */
  readonly written: TypeIdentity;
  readonly form: "protobuf" | "json";
}

/** By "group/Kind". */
const WRITTEN_VERSIONS: Readonly<Record<string, string>> = lookupTable({
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": "v1beta1",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": "v1beta1",
  "apiextensions.k8s.io/CustomResourceDefinition": "v1beta1",
});

/** The name of the version in which a kube-apiserver writes the kind; `kept` is the one in which it is kept here. */
export const writtenVersion = (
  { group, kind }: Pick<ResourceDefinition, "group" | "kind">,
  kept: string,
): string => WRITTEN_VERSIONS[`${group}/${kind}`] ?? kept;

/** Two servers of their own within a kube-apiserver, which have no protobuf in etcd. */
const GROUPS_IN_JSON: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

export class StoredKinds {
  /** By what stands between "/registry/" and the namespace or name. */
  readonly #kinds = new Map<string, StoredKind>();

  /** Of two kinds behind one key that counts which is stored as it is. */
  constructor(builtIn: readonly ResourceDefinition[]) {
    for (const definition of builtIn) {
      const { version } = storageView(definition);
      if (version.storedForm === undefined)
        this.#kinds.set(resourcePrefix(definition), storedKind(definition));
    }
  }

  /** Of the kind at a key of the store; undefined: it is a custom one. */
  at(key: string): StoredKind | undefined {
    const first = key.indexOf("/", REGISTRY) + 1;
    if (first === 0) return undefined;
    return this.#kinds.get(key.slice(0, first)) ?? this.#kinds.get(key.slice(0, key.indexOf("/", first) + 1));
  }

  get all(): Iterable<StoredKind> {
    return this.#kinds.values();
  }
}

const REGISTRY = "/registry/".length;

function storedKind(definition: ResourceDefinition): StoredKind {
  const view = storageView(definition);
  const { group, kind } = definition;
  const apiVersion = apiVersionOf(view);
  const written = joinApiVersion(group, writtenVersion(definition, view.version.name));
  return {
    definition,
    facts: { group, builtIn: { kind, node: view.version.node } },
    identity: { apiVersion, kind },
    order: memberOrder(view),
    written: { apiVersion: written, kind },
    form: GROUPS_IN_JSON.has(group) ? "json" : "protobuf",
  };
}
