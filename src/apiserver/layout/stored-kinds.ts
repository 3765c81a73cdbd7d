// The built-in kind of a key, and the version and encoding in which a kube-apiserver stores it: mostly the storage
// version of Egret, in protobuf. The exceptions come from the source of Kubernetes:
// pkg/controlplane/apiserver/apiextensions.go (definitions, in their smaller form),
// pkg/controlplane/apiserver/aggregator.go (APIServices), and pkg/kubeapiserver/default_storage_factory_builder.go
// (policies that a server one version older must read).
import { lookupTable } from "../../apimachinery/json/json.ts";
import type { MemberOrder } from "../../apimachinery/json/json-encode.ts";
import { joinApiVersion } from "../../apimachinery/meta/object-meta.ts";
import type { TypeIdentity } from "../endpoints/protobuf/value-types.ts";
import { memberOrder } from "../registry/codec/object-codec.ts";
import type { StoredKindFacts } from "../registry/codec/stored-form.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import { apiVersionOf, resourcePrefix, storageView } from "../registry/definition/view.ts";

export interface StoredKind {
  readonly definition: ResourceDefinition;
  /** Constraints of its values. */
  readonly facts: StoredKindFacts;
  /** Its type in the store. */
  readonly identity: TypeIdentity;
  /** Its member order in the store. */
  readonly order: MemberOrder | undefined;
  /** Its type in etcd. */
  readonly written: TypeIdentity;
  readonly form: "protobuf" | "json";
}

/** By "group/Kind". */
const WRITTEN_VERSIONS: Readonly<Record<string, string>> = lookupTable({
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": "v1beta1",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": "v1beta1",
  "apiextensions.k8s.io/CustomResourceDefinition": "v1beta1",
});

/** The version in which a kube-apiserver stores the kind; `kept` is the storage version of Egret. */
export const writtenVersion = (
  { group, kind }: Pick<ResourceDefinition, "group" | "kind">,
  kept: string,
): string => WRITTEN_VERSIONS[`${group}/${kind}`] ?? kept;

/** Groups of the extension servers within a kube-apiserver, which store JSON. */
const GROUPS_IN_JSON: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

export class StoredKinds {
  /** By the part of the key between "/registry/" and the namespace or name. */
  readonly #kinds = new Map<string, StoredKind>();

  /** Of two kinds with one key prefix, the one whose storage form is its own takes precedence. */
  constructor(builtIn: readonly ResourceDefinition[]) {
    for (const definition of builtIn) {
      const { version } = storageView(definition);
      if (version.storedForm === undefined)
        this.#kinds.set(resourcePrefix(definition), storedKind(definition));
    }
  }

  /** The kind of a store key; undefined: a custom kind. */
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
