import { describe, expect, it } from "vitest";
import type { ResourceDefinition } from "../../../src/apiserver/registry/definition/resource-definition.ts";
import { resourcePrefix } from "../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { definitionOf, nameErrors } from "./passage.ts";

/**
 * The resource, and what a real server's discovery and its answers show of it:
 *
 *   short=, categories=, singular=, verbs=   as discovery lists them
 *   versions=      the served ones, best first; the first is stored
 *   prefix=        where objects are stored, unless under the name of the resource
 *   cluster        not in namespaces
 *   creates        PUT makes what is missing
 *   replaces       PUT without a resourceVersion
 *   status, scale  the subresources
 *   generation     is counted
 *   answersObject  DELETE does so
 *   posted         and not kept: a question, or something to be done
 */
const EXPECTED: readonly (readonly [kind: string, resource: string, facts: string])[] = [
  ["Binding", "bindings", "posted"],
  ["ComponentStatus", "componentstatuses", "short=cs cluster verbs=get,list"],
  ["ConfigMap", "configmaps", "short=cm replaces"],
  ["Endpoints", "endpoints", "short=ep creates replaces prefix=services/endpoints"],
  ["Event", "events", "short=ev creates replaces"],
  ["LimitRange", "limitranges", "short=limits creates replaces"],
  [
    "Namespace",
    "namespaces",
    "short=ns cluster verbs=create,delete,get,list,patch,update,watch replaces status",
  ],
  ["Node", "nodes", "short=no cluster replaces status prefix=minions"],
  ["PersistentVolumeClaim", "persistentvolumeclaims", "short=pvc replaces status answersObject"],
  ["PersistentVolume", "persistentvolumes", "short=pv cluster replaces status answersObject"],
  ["Pod", "pods", "short=po categories=all replaces status generation answersObject"],
  ["PodTemplate", "podtemplates", "replaces generation answersObject"],
  [
    "ReplicationController",
    "replicationcontrollers",
    "short=rc categories=all replaces status scale generation prefix=controllers",
  ],
  ["ResourceQuota", "resourcequotas", "short=quota replaces status answersObject"],
  ["Secret", "secrets", "replaces"],
  ["ServiceAccount", "serviceaccounts", "short=sa replaces answersObject"],
  [
    "Service",
    "services",
    "short=svc categories=all creates replaces status answersObject prefix=services/specs",
  ],
  [
    "admissionregistration.k8s.io/MutatingAdmissionPolicy",
    "mutatingadmissionpolicies",
    "categories=api-extensions cluster generation",
  ],
  [
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicybindings",
    "categories=api-extensions cluster generation",
  ],
  [
    "admissionregistration.k8s.io/MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    "categories=api-extensions cluster generation",
  ],
  [
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    "categories=api-extensions cluster status generation",
  ],
  [
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    "categories=api-extensions cluster generation",
  ],
  [
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    "categories=api-extensions cluster generation",
  ],
  [
    "apiextensions.k8s.io/CustomResourceDefinition",
    "customresourcedefinitions",
    "short=crd,crds categories=api-extensions cluster status generation prefix=apiextensions.k8s.io/customresourcedefinitions",
  ],
  [
    "apiregistration.k8s.io/APIService",
    "apiservices",
    "categories=api-extensions cluster status prefix=apiregistration.k8s.io/apiservices",
  ],
  ["apps/ControllerRevision", "controllerrevisions", "replaces"],
  ["apps/DaemonSet", "daemonsets", "short=ds categories=all replaces status generation"],
  ["apps/Deployment", "deployments", "short=deploy categories=all replaces status scale generation"],
  ["apps/ReplicaSet", "replicasets", "short=rs categories=all replaces status scale generation"],
  ["apps/StatefulSet", "statefulsets", "short=sts categories=all replaces status scale generation"],
  ["authentication.k8s.io/SelfSubjectReview", "selfsubjectreviews", "cluster posted"],
  ["authentication.k8s.io/TokenReview", "tokenreviews", "cluster posted"],
  ["authorization.k8s.io/LocalSubjectAccessReview", "localsubjectaccessreviews", "posted"],
  ["authorization.k8s.io/SelfSubjectAccessReview", "selfsubjectaccessreviews", "cluster posted"],
  ["authorization.k8s.io/SelfSubjectRulesReview", "selfsubjectrulesreviews", "cluster posted"],
  ["authorization.k8s.io/SubjectAccessReview", "subjectaccessreviews", "cluster posted"],
  [
    "autoscaling/HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    "short=hpa categories=all versions=v2,v1 replaces status",
  ],
  ["batch/CronJob", "cronjobs", "short=cj categories=all replaces status generation"],
  ["batch/Job", "jobs", "categories=all replaces status generation"],
  [
    "certificates.k8s.io/CertificateSigningRequest",
    "certificatesigningrequests",
    "short=csr cluster replaces status",
  ],
  ["coordination.k8s.io/Lease", "leases", "creates"],
  ["discovery.k8s.io/EndpointSlice", "endpointslices", "replaces generation"],
  ["events.k8s.io/Event", "events", "short=ev creates replaces"],
  ["flowcontrol.apiserver.k8s.io/FlowSchema", "flowschemas", "cluster replaces status generation"],
  [
    "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
    "prioritylevelconfigurations",
    "cluster replaces status generation",
  ],
  ["networking.k8s.io/IngressClass", "ingressclasses", "cluster replaces generation"],
  ["networking.k8s.io/Ingress", "ingresses", "short=ing replaces status generation prefix=ingress"],
  ["networking.k8s.io/IPAddress", "ipaddresses", "short=ip cluster replaces"],
  ["networking.k8s.io/NetworkPolicy", "networkpolicies", "short=netpol replaces generation"],
  ["networking.k8s.io/ServiceCIDR", "servicecidrs", "cluster replaces status"],
  ["node.k8s.io/RuntimeClass", "runtimeclasses", "cluster creates"],
  ["policy/PodDisruptionBudget", "poddisruptionbudgets", "short=pdb status generation"],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", "clusterrolebindings", "cluster creates replaces"],
  ["rbac.authorization.k8s.io/ClusterRole", "clusterroles", "cluster creates replaces"],
  ["rbac.authorization.k8s.io/RoleBinding", "rolebindings", "creates replaces"],
  ["rbac.authorization.k8s.io/Role", "roles", "creates replaces"],
  ["resource.k8s.io/DeviceClass", "deviceclasses", "cluster replaces generation answersObject"],
  ["resource.k8s.io/ResourceClaim", "resourceclaims", "replaces status answersObject"],
  ["resource.k8s.io/ResourceClaimTemplate", "resourceclaimtemplates", "replaces answersObject"],
  ["resource.k8s.io/ResourceSlice", "resourceslices", "cluster replaces generation answersObject"],
  ["scheduling.k8s.io/PriorityClass", "priorityclasses", "short=pc cluster replaces"],
  ["storage.k8s.io/CSIDriver", "csidrivers", "cluster answersObject"],
  ["storage.k8s.io/CSINode", "csinodes", "cluster answersObject"],
  ["storage.k8s.io/CSIStorageCapacity", "csistoragecapacities", ""],
  ["storage.k8s.io/StorageClass", "storageclasses", "short=sc cluster replaces answersObject"],
  ["storage.k8s.io/VolumeAttachment", "volumeattachments", "cluster status answersObject"],
  [
    "storage.k8s.io/VolumeAttributesClass",
    "volumeattributesclasses",
    "short=vac cluster replaces answersObject",
  ],
];

const ALL_VERBS = "create,delete,deletecollection,get,list,patch,update,watch";

/** The facts of a definition in the form of the table, without those that go without saying. */
function factsOf(definition: ResourceDefinition): Set<string> {
  const { resource, kind, strategy, versions, review, action } = definition;
  const isPosted = review !== undefined || action !== undefined;
  const unless = (usual: string, name: string, words: readonly string[]): string[] =>
    words.join() === usual ? [] : [`${name}=${words.join()}`];
  const flags: Readonly<Record<string, boolean | undefined>> = {
    cluster: !definition.namespaceScoped,
    creates: strategy.allowCreateOnUpdate,
    replaces: strategy.allowUnconditionalUpdate,
    status: versions.every((version) => version.status),
    scale: versions.every((version) => version.scale),
    generation: strategy.hasGeneration,
    answersObject: definition.returnsDeletedObject,
    posted: isPosted,
  };
  const prefix = resourcePrefix(definition).slice("/registry/".length, -1);
  return new Set([
    ...unless("", "short", definition.shortNames),
    ...unless("", "categories", definition.categories),
    ...unless(kind.toLowerCase(), "singular", [definition.singular]),
    ...unless(isPosted ? "create" : ALL_VERBS, "verbs", definition.verbs),
    ...unless(
      "v1",
      "versions",
      versions.map(({ name }) => name),
    ),
    ...unless(resource, "prefix", [prefix]),
    ...Object.keys(flags).filter((flag) => flags[flag]),
  ]);
}

describe("the definitions of the built-in kinds", () => {
  it("are those of this table", () => {
    const names = BUILT_IN_RESOURCES.map(({ group, kind }) => (group ? `${group}/${kind}` : kind));
    expect(names).toEqual(EXPECTED.map(([kind]) => kind));
  });

  it.each(EXPECTED)("%s is named and behaves as in a real server", (kind, resource, facts) => {
    const definition = definitionOf(kind);
    const kindName = kind.slice(kind.indexOf("/") + 1);
    expect(definition).toMatchObject({ resource, listKind: `${kindName}List`, custom: false });
    expect(factsOf(definition)).toEqual(new Set(facts.split(" ").filter(Boolean)));
  });

  it.each(EXPECTED)(
    "%s is served in all versions, and their compiled schemas know kind and metadata",
    (kind) => {
      const { versions } = definitionOf(kind);
      expect(versions.map(({ storage }) => storage)).toEqual(versions.map((_, index) => index === 0));
      for (const { served, node } of versions) {
        expect(served).toBe(true);
        expect([...node.properties.keys()]).toEqual(
          expect.arrayContaining(["apiVersion", "kind", "metadata"]),
        );
      }
    },
  );

  it("deprecate Endpoints and ComponentStatus, and nothing else", () => {
    const versions = BUILT_IN_RESOURCES.flatMap(({ kind, versions }) =>
      versions.map((item) => ({ kind, ...item })),
    );
    const deprecated = versions.filter((version) => version.deprecated);
    expect(deprecated.map(({ kind, deprecationWarning }) => [kind, deprecationWarning])).toEqual([
      ["ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"],
      ["Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
    ]);
  });
});

describe("names", () => {
  it.each([
    ["Namespace", "a.b", ["must not contain dots"]],
    ["Service", "a.b", ["must not contain dots"]],
    ["Service", "1a", []],
    ["ConfigMap", "a.b", []],
    ["Event", "Any_Thing", []],
    ["Event", "a/b", ["may not contain '/'"]],
  ])("of a %s: %s", (kind, name, complaints) => {
    expect(nameErrors(definitionOf(kind), name)).toEqual(complaints);
  });

  it("of new events are DNS subdomains", () => {
    expect(nameErrors(definitionOf("events.k8s.io/Event"), "Any_Thing")).toHaveLength(1);
  });
});
