// What a published schema does not tell about the Go structs behind built-in kinds, and what shows in their JSON:
//
//   name                  omitempty, plain     "" is left out
//   name?                 omitempty, pointer   "" stays; null is left out
//   required, default ""  no omitempty         "" is written when absent
//
// Required fields with a default follow from the schema; the tables here hold the rest. Types are named by the last
// three words of their full name, because different groups have types of one name.

import { lookupTable } from "../../meta/tables/lookup-table.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Optional scalars and times that are pointers: their zero value counts as given. */
const POINTERS: Readonly<Record<string, ReadonlySet<string>>> = lookupTable({
  "meta.v1.DeleteOptions": words(
    "gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy",
  ),
  "meta.v1.ListMeta": words("remainingItemCount"),
  "meta.v1.ManagedFieldsEntry": words("time"),
  "meta.v1.ObjectMeta": words("deletionGracePeriodSeconds deletionTimestamp"),
  "meta.v1.OwnerReference": words("blockOwnerDeletion controller"),
  "meta.v1.Preconditions": words("resourceVersion uid"),
  "core.v1.AppArmorProfile": words("localhostProfile"),
  "core.v1.AzureDiskVolumeSource": words("cachingMode fsType kind readOnly"),
  "core.v1.AzureFilePersistentVolumeSource": words("secretNamespace"),
  "core.v1.CSIVolumeSource": words("fsType readOnly"),
  "core.v1.ClientIPConfig": words("timeoutSeconds"),
  "core.v1.ClusterTrustBundleProjection": words("name optional signerName"),
  "core.v1.ConfigMap": words("immutable"),
  "core.v1.ConfigMapEnvSource": words("optional"),
  "core.v1.ConfigMapKeySelector": words("optional"),
  "core.v1.ConfigMapProjection": words("optional"),
  "core.v1.ConfigMapVolumeSource": words("defaultMode optional"),
  "core.v1.Container": words("restartPolicy"),
  "core.v1.ContainerStatus": words("started stopSignal"),
  "core.v1.DownwardAPIVolumeFile": words("mode"),
  "core.v1.DownwardAPIVolumeSource": words("defaultMode"),
  "core.v1.EndpointAddress": words("nodeName"),
  "core.v1.EndpointPort": words("appProtocol"),
  "core.v1.EphemeralContainer": words("restartPolicy"),
  "core.v1.FCVolumeSource": words("lun"),
  "core.v1.FileKeySelector": words("optional"),
  "core.v1.GlusterfsPersistentVolumeSource": words("endpointsNamespace"),
  "core.v1.HostPathVolumeSource": words("type"),
  "core.v1.ISCSIPersistentVolumeSource": words("initiatorName"),
  "core.v1.ISCSIVolumeSource": words("initiatorName"),
  "core.v1.KeyToPath": words("mode"),
  "core.v1.Lifecycle": words("stopSignal"),
  "core.v1.LoadBalancerIngress": words("ipMode"),
  "core.v1.LocalVolumeSource": words("fsType"),
  "core.v1.NodeFeatures": words("supplementalGroupsPolicy"),
  "core.v1.NodeRuntimeHandlerFeatures": words("recursiveReadOnlyMounts userNamespaces"),
  "core.v1.NodeSwapStatus": words("capacity"),
  "core.v1.PersistentVolumeClaimSpec": words("storageClassName volumeAttributesClassName volumeMode"),
  "core.v1.PersistentVolumeClaimStatus": words("currentVolumeAttributesClassName"),
  "core.v1.PersistentVolumeSpec": words("volumeAttributesClassName volumeMode"),
  "core.v1.PersistentVolumeStatus": words("lastPhaseTransitionTime"),
  "core.v1.PodCertificateProjection": words("maxExpirationSeconds"),
  "core.v1.PodDNSConfigOption": words("value"),
  "core.v1.PodResourceClaim": words("resourceClaimName resourceClaimTemplateName"),
  "core.v1.PodResourceClaimStatus": words("resourceClaimName"),
  "core.v1.PodSchedulingGroup": words("podGroupName"),
  "core.v1.PodSecurityContext": words(
    "fsGroup fsGroupChangePolicy runAsGroup runAsNonRoot runAsUser seLinuxChangePolicy supplementalGroupsPolicy",
  ),
  "core.v1.PodSpec": words(
    "activeDeadlineSeconds automountServiceAccountToken enableServiceLinks hostUsers hostnameOverride preemptionPolicy priority runtimeClassName setHostnameAsFQDN shareProcessNamespace terminationGracePeriodSeconds",
  ),
  "core.v1.PodStatus": words("startTime"),
  "core.v1.PortStatus": words("error"),
  "core.v1.Probe": words("terminationGracePeriodSeconds"),
  "core.v1.ProjectedVolumeSource": words("defaultMode"),
  "core.v1.ReplicationControllerSpec": words("replicas"),
  "core.v1.ResourceHealth": words("message"),
  "core.v1.SeccompProfile": words("localhostProfile"),
  "core.v1.Secret": words("immutable"),
  "core.v1.SecretEnvSource": words("optional"),
  "core.v1.SecretKeySelector": words("optional"),
  "core.v1.SecretProjection": words("optional"),
  "core.v1.SecretVolumeSource": words("defaultMode optional"),
  "core.v1.SecurityContext": words(
    "allowPrivilegeEscalation privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser",
  ),
  "core.v1.ServiceAccount": words("automountServiceAccountToken"),
  "core.v1.ServiceAccountTokenProjection": words("expirationSeconds"),
  "core.v1.ServicePort": words("appProtocol"),
  "core.v1.ServiceSpec": words(
    "allocateLoadBalancerNodePorts internalTrafficPolicy ipFamilyPolicy loadBalancerClass trafficDistribution",
  ),
  "core.v1.Taint": words("timeAdded"),
  "core.v1.Toleration": words("tolerationSeconds"),
  "core.v1.TopologySpreadConstraint": words("minDomains nodeAffinityPolicy nodeTaintsPolicy"),
  "core.v1.TypedObjectReference": words("namespace"),
  "core.v1.VolumeMount": words("mountPropagation recursiveReadOnly"),
  "core.v1.VolumeMountStatus": words("recursiveReadOnly"),
  "core.v1.WindowsSecurityContextOptions": words(
    "gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName",
  ),
  "admissionregistration.v1.MatchResources": words("matchPolicy"),
  "admissionregistration.v1.MutatingAdmissionPolicySpec": words("failurePolicy"),
  "admissionregistration.v1.MutatingWebhook": words(
    "failurePolicy matchPolicy reinvocationPolicy timeoutSeconds",
  ),
  "admissionregistration.v1.NamedRuleWithOperations": words("scope"),
  "admissionregistration.v1.ParamRef": words("parameterNotFoundAction"),
  "admissionregistration.v1.RuleWithOperations": words("scope"),
  "admissionregistration.v1.ServiceReference": words("path port"),
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": words("failurePolicy"),
  "admissionregistration.v1.ValidatingWebhook": words("failurePolicy matchPolicy timeoutSeconds"),
  "admissionregistration.v1.Validation": words("reason"),
  "admissionregistration.v1.WebhookClientConfig": words("url"),
  "apiextensions.v1.CustomResourceDefinitionVersion": words("deprecationWarning"),
  "apiextensions.v1.CustomResourceSubresourceScale": words("labelSelectorPath"),
  "apiextensions.v1.JSONSchemaProps": words(
    "$ref maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf x-kubernetes-list-type x-kubernetes-map-type x-kubernetes-preserve-unknown-fields",
  ),
  "apiextensions.v1.ServiceReference": words("path port"),
  "apiextensions.v1.ValidationRule": words("optionalOldSelf reason"),
  "apiextensions.v1.WebhookClientConfig": words("url"),
  "apiregistration.v1.ServiceReference": words("port"),
  "apps.v1.DaemonSetSpec": words("revisionHistoryLimit"),
  "apps.v1.DaemonSetStatus": words("collisionCount"),
  "apps.v1.DeploymentSpec": words("progressDeadlineSeconds replicas revisionHistoryLimit"),
  "apps.v1.DeploymentStatus": words("collisionCount terminatingReplicas"),
  "apps.v1.ReplicaSetSpec": words("replicas"),
  "apps.v1.ReplicaSetStatus": words("terminatingReplicas"),
  "apps.v1.RollingUpdateStatefulSetStrategy": words("partition"),
  "apps.v1.StatefulSetSpec": words("replicas revisionHistoryLimit"),
  "apps.v1.StatefulSetStatus": words("collisionCount"),
  "authentication.v1.TokenRequestSpec": words("expirationSeconds"),
  "autoscaling.v1.HorizontalPodAutoscalerSpec": words("minReplicas targetCPUUtilizationPercentage"),
  "autoscaling.v1.HorizontalPodAutoscalerStatus": words(
    "currentCPUUtilizationPercentage lastScaleTime observedGeneration",
  ),
  "autoscaling.v2.HPAScalingRules": words("selectPolicy stabilizationWindowSeconds"),
  "autoscaling.v2.HorizontalPodAutoscalerSpec": words("minReplicas"),
  "autoscaling.v2.HorizontalPodAutoscalerStatus": words("lastScaleTime observedGeneration"),
  "autoscaling.v2.MetricTarget": words("averageUtilization"),
  "autoscaling.v2.MetricValueStatus": words("averageUtilization"),
  "coordination.v1.LeaseSpec": words(
    "acquireTime holderIdentity leaseDurationSeconds leaseTransitions preferredHolder renewTime strategy",
  ),
  "discovery.v1.Endpoint": words("hostname nodeName zone"),
  "discovery.v1.EndpointConditions": words("ready serving terminating"),
  "discovery.v1.EndpointPort": words("appProtocol name port protocol"),
  "networking.v1.IngressClassParametersReference": words("apiGroup namespace scope"),
  "networking.v1.IngressPortStatus": words("error"),
  "networking.v1.IngressSpec": words("ingressClassName"),
  "networking.v1.NetworkPolicyPort": words("endPort protocol"),
  "scheduling.v1.PriorityClass": words("preemptionPolicy"),
});

/** Fields without omitempty that the schema does not require, and required ones without a default: what stands there. */
const ALWAYS_WRITTEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = lookupTable({
  "core.v1.Event": { reportingComponent: "", reportingInstance: "" },
  "core.v1.GRPCAction": { service: null },
  "core.v1.HTTPGetAction": { port: 0 },
  "core.v1.NodeRuntimeHandler": { name: "" },
  "core.v1.ResourceFieldSelector": { divisor: "0" },
  "core.v1.ScaleIOPersistentVolumeSource": { secretRef: null },
  "core.v1.ScaleIOVolumeSource": { secretRef: null },
  "core.v1.TCPSocketAction": { port: 0 },
  "core.v1.TypedLocalObjectReference": { apiGroup: null },
  "core.v1.TypedObjectReference": { apiGroup: null },
  "admissionregistration.v1.MutatingWebhook": { sideEffects: null },
  "admissionregistration.v1.ValidatingWebhook": { sideEffects: null },
  "apiextensions.v1.CustomResourceDefinitionStatus": { conditions: null, storedVersions: null },
  "apps.v1.DaemonSetSpec": { selector: null },
  "apps.v1.DeploymentSpec": { selector: null },
  "apps.v1.ReplicaSetSpec": { selector: null },
  "apps.v1.StatefulSetOrdinals": { start: 0 },
  "apps.v1.StatefulSetSpec": { selector: null, serviceName: "" },
  "apps.v1.StatefulSetStatus": { availableReplicas: 0 },
  "autoscaling.v2.HorizontalPodAutoscalerStatus": { currentMetrics: null },
  "discovery.v1.EndpointSlice": { endpoints: null, ports: null },
  "networking.v1.HTTPIngressPath": { pathType: null },
  "rbac.v1.ClusterRole": { rules: null },
  "rbac.v1.Role": { rules: null },
  "rbac.v1.RoleRef": { apiGroup: "" },
});

/** Times that are left out while zero, although they are no pointers. */
const OMITTED_TIMES = words("meta.v1.ObjectMeta.creationTimestamp");

/**
 * Where an empty list is told from none. One group is stored as JSON, so that it stays one; every other built-in kind
 * passes through protobuf, which has none. In the types that are listed by name it lasts until ownership is recorded.
 */
const KEEPS_EMPTY_LISTS = words(
  "apiextensions.v1 core.v1.LimitRangeSpec discovery.v1.EndpointSlice rbac.v1.ClusterRole rbac.v1.Role",
);

export interface TypeFacts {
  isPointer(field: string): boolean;
  /** What stands in the JSON when the field has no value; undefined: nothing. */
  alwaysWritten(field: string): unknown;
  omitsZeroTime(field: string): boolean;
  readonly keepsEmptyLists: boolean;
}

/** The facts about a Go struct, by its full name. */
export function typeFacts(typeName: string): TypeFacts {
  const name = typeName.split(".").slice(-3).join(".");
  const pointers = POINTERS[name];
  const written = ALWAYS_WRITTEN[name];
  return {
    isPointer: (field) => pointers?.has(field) === true,
    alwaysWritten: (field) =>
      written !== undefined && Object.hasOwn(written, field) ? written[field] : undefined,
    omitsZeroTime: (field) => OMITTED_TIMES.has(`${name}.${field}`),
    keepsEmptyLists:
      KEEPS_EMPTY_LISTS.has(name) || KEEPS_EMPTY_LISTS.has(name.slice(0, name.lastIndexOf("."))),
  };
}
