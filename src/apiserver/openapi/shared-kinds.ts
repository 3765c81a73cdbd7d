// DeleteOptions and WatchEvent belong to every group version at once. A document of built-in kinds names the core
// version and its own; one of custom resources names every version that a Kubernetes client knows.

const KNOWN_GROUP_VERSIONS = `
  /v1 admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1
  apps/v1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1 authentication.k8s.io/v1alpha1
  authentication.k8s.io/v1beta1 authorization.k8s.io/v1 authorization.k8s.io/v1beta1 autoscaling/v1 autoscaling/v2
  batch/v1 batch/v1beta1 certificates.k8s.io/v1 certificates.k8s.io/v1alpha1 certificates.k8s.io/v1beta1
  coordination.k8s.io/v1 coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1 discovery.k8s.io/v1
  discovery.k8s.io/v1beta1 events.k8s.io/v1 events.k8s.io/v1beta1 extensions/v1beta1
  flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2
  flowcontrol.apiserver.k8s.io/v1beta3 internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1
  networking.k8s.io/v1beta1 node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1 policy/v1beta1
  rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1
  resource.k8s.io/v1 resource.k8s.io/v1alpha3 resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 scheduling.k8s.io/v1
  scheduling.k8s.io/v1alpha2 scheduling.k8s.io/v1beta1 storage.k8s.io/v1 storage.k8s.io/v1alpha1
  storage.k8s.io/v1beta1 storagemigration.k8s.io/v1beta1`;

interface KindEntry {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

/** x-kubernetes-group-version-kind of such a type where all versions are meant. */
export function allSharedKinds(kind: string): readonly KindEntry[] {
  return KNOWN_GROUP_VERSIONS.trim()
    .split(/\s+/)
    .map((groupVersion) => {
      const slash = groupVersion.indexOf("/");
      return { group: groupVersion.slice(0, slash), kind, version: groupVersion.slice(slash + 1) };
    });
}

/** The same in the document of one built-in group version. */
export function sharedKinds(kind: string, group: string, version: string): readonly KindEntry[] {
  const core: KindEntry = { group: "", kind, version: "v1" };
  return group === "" && version === "v1" ? [core] : [core, { group, kind, version }];
}
