// How Go prints the types of struct fields: "string", "[]v1.OwnerReference", "map[string]string", "v1.Protocol". Most
// follow from the schema; named strings do not, and are listed by struct and field.
import { lookupTable } from "../../meta/json.ts";
import type { SchemaNode } from "../schema-node.ts";

const NAMED: Readonly<Record<string, string>> = lookupTable({
  "ManagedFieldsEntry.operation": "v1.ManagedFieldsOperationType",
  "ObjectMeta.uid": "types.UID",
  "OwnerReference.uid": "types.UID",
  "Preconditions.uid": "types.UID",
  "DeleteOptions.propagationPolicy": "v1.DeletionPropagation",
  "Condition.status": "v1.ConditionStatus",
  "LabelSelectorRequirement.operator": "v1.LabelSelectorOperator",
  "ObjectReference.uid": "types.UID",
  "AzureDiskVolumeSource.cachingMode": "v1.AzureDataDiskCachingMode",
  "AzureDiskVolumeSource.kind": "v1.AzureDataDiskKind",
  "Capabilities.add": "[]v1.Capability",
  "Capabilities.drop": "[]v1.Capability",
  "Capabilities.add[]": "v1.Capability",
  "Capabilities.drop[]": "v1.Capability",
  "Container.imagePullPolicy": "v1.PullPolicy",
  "Container.restartPolicy": "v1.ContainerRestartPolicy",
  "Container.terminationMessagePolicy": "v1.TerminationMessagePolicy",
  "ContainerPort.protocol": "v1.Protocol",
  "ContainerResizePolicy.resourceName": "v1.ResourceName",
  "ContainerResizePolicy.restartPolicy": "v1.ResourceResizeRestartPolicy",
  "EmptyDirVolumeSource.medium": "v1.StorageMedium",
  "EndpointPort.protocol": "v1.Protocol",
  "EndpointSlice.addressType": "v1.AddressType",
  "EphemeralContainer.imagePullPolicy": "v1.PullPolicy",
  "EphemeralContainer.terminationMessagePolicy": "v1.TerminationMessagePolicy",
  "HTTPGetAction.scheme": "v1.URIScheme",
  "HTTPIngressPath.pathType": "v1.PathType",
  "HostPathVolumeSource.type": "v1.HostPathType",
  "LoadBalancerIngress.ipMode": "v1.LoadBalancerIPMode",
  "NamespaceCondition.status": "v1.ConditionStatus",
  "NamespaceCondition.type": "v1.NamespaceConditionType",
  "NamespaceSpec.finalizers": "[]v1.FinalizerName",
  "NamespaceSpec.finalizers[]": "v1.FinalizerName",
  "NamespaceStatus.phase": "v1.NamespacePhase",
  "NetworkPolicyPort.protocol": "v1.Protocol",
  "NetworkPolicySpec.policyTypes": "[]v1.PolicyType",
  "NetworkPolicySpec.policyTypes[]": "v1.PolicyType",
  "NodeAddress.type": "v1.NodeAddressType",
  "NodeCondition.status": "v1.ConditionStatus",
  "NodeCondition.type": "v1.NodeConditionType",
  "NodeSelectorRequirement.operator": "v1.NodeSelectorOperator",
  "NodeStatus.phase": "v1.NodePhase",
  "PersistentVolumeClaimSpec.accessModes": "[]v1.PersistentVolumeAccessMode",
  "PersistentVolumeClaimSpec.accessModes[]": "v1.PersistentVolumeAccessMode",
  "PersistentVolumeClaimSpec.volumeMode": "v1.PersistentVolumeMode",
  "PodCondition.status": "v1.ConditionStatus",
  "PodCondition.type": "v1.PodConditionType",
  "PodOS.name": "v1.OSName",
  "PodSpec.dnsPolicy": "v1.DNSPolicy",
  "PodSpec.preemptionPolicy": "v1.PreemptionPolicy",
  "PodSpec.restartPolicy": "v1.RestartPolicy",
  "PodStatus.phase": "v1.PodPhase",
  "PodStatus.qosClass": "v1.PodQOSClass",
  "PortStatus.protocol": "v1.Protocol",
  "SeccompProfile.type": "v1.SeccompProfileType",
  "Secret.type": "v1.SecretType",
  "ServicePort.protocol": "v1.Protocol",
  "ServiceSpec.externalTrafficPolicy": "v1.ServiceExternalTrafficPolicy",
  "ServiceSpec.internalTrafficPolicy": "v1.ServiceInternalTrafficPolicy",
  "ServiceSpec.ipFamilies": "[]v1.IPFamily",
  "ServiceSpec.ipFamilies[]": "v1.IPFamily",
  "ServiceSpec.ipFamilyPolicy": "v1.IPFamilyPolicy",
  "ServiceSpec.sessionAffinity": "v1.ServiceAffinity",
  "ServiceSpec.type": "v1.ServiceType",
  "Taint.effect": "v1.TaintEffect",
  "Toleration.effect": "v1.TaintEffect",
  "Toleration.operator": "v1.TolerationOperator",
  "TopologySpreadConstraint.whenUnsatisfiable": "v1.UnsatisfiableConstraintAction",
  "VolumeMount.mountPropagation": "v1.MountPropagationMode",
  "CustomResourceConversion.strategy": "v1.ConversionStrategyType",
  "CustomResourceDefinitionCondition.status": "v1.ConditionStatus",
  "CustomResourceDefinitionCondition.type": "v1.CustomResourceDefinitionConditionType",
  "CustomResourceDefinitionSpec.scope": "v1.ResourceScope",
  "JSONSchemaProps.$schema": "v1.JSONSchemaURL",
  "ValidationRule.reason": "v1.FieldValueErrorReason",
  "DaemonSetCondition.status": "v1.ConditionStatus",
  "DaemonSetCondition.type": "v1.DaemonSetConditionType",
  "DaemonSetUpdateStrategy.type": "v1.DaemonSetUpdateStrategyType",
  "DeploymentCondition.status": "v1.ConditionStatus",
  "DeploymentCondition.type": "v1.DeploymentConditionType",
  "DeploymentStrategy.type": "v1.DeploymentStrategyType",
  "IngressPortStatus.protocol": "v1.Protocol",
  "LimitRangeItem.type": "v1.LimitType",
  "ModifyVolumeStatus.status": "v1.PersistentVolumeClaimModifyVolumeStatus",
  "PersistentVolumeClaimCondition.status": "v1.ConditionStatus",
  "PersistentVolumeClaimCondition.type": "v1.PersistentVolumeClaimConditionType",
  "PersistentVolumeClaimStatus.accessModes": "[]v1.PersistentVolumeAccessMode",
  "PersistentVolumeClaimStatus.accessModes[]": "v1.PersistentVolumeAccessMode",
  "PersistentVolumeClaimStatus.allocatedResourceStatuses": "map[v1.ResourceName]v1.ClaimResourceStatus",
  "PersistentVolumeClaimStatus.allocatedResourceStatuses{}": "v1.ClaimResourceStatus",
  "PersistentVolumeClaimStatus.phase": "v1.PersistentVolumeClaimPhase",
  "ReplicaSetCondition.status": "v1.ConditionStatus",
  "ReplicaSetCondition.type": "v1.ReplicaSetConditionType",
  "ResourceQuotaSpec.scopes": "[]v1.ResourceQuotaScope",
  "ResourceQuotaSpec.scopes[]": "v1.ResourceQuotaScope",
  "ScopedResourceSelectorRequirement.operator": "v1.ScopeSelectorOperator",
  "ScopedResourceSelectorRequirement.scopeName": "v1.ResourceQuotaScope",
  "StatefulSetCondition.status": "v1.ConditionStatus",
  "StatefulSetCondition.type": "v1.StatefulSetConditionType",
  "StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted":
    "v1.PersistentVolumeClaimRetentionPolicyType",
  "StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled": "v1.PersistentVolumeClaimRetentionPolicyType",
  "StatefulSetSpec.podManagementPolicy": "v1.PodManagementPolicyType",
  "StatefulSetUpdateStrategy.type": "v1.StatefulSetUpdateStrategyType",
});

/** The Go type of a node; place is "Struct.field" where it stands, with "[]" for its items. */
export function goTypeName(node: SchemaNode, place: string): string {
  const named = NAMED[place];
  if (named !== undefined) return named;
  if (node.typeName !== undefined) return structName(node.typeName);
  switch (node.type) {
    case "array":
      return `[]${node.items === undefined ? "interface {}" : goTypeName(node.items, `${place}[]`)}`;
    case "object":
      return mapName(node, place);
    case "string":
      return node.format === "byte" ? "[]uint8" : "string";
    case "integer":
      return node.format === "int32" ? "int32" : "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return "interface {}";
  }
}

/** "io.k8s.api.core.v1.Pod" is v1.Pod, "io.k8s.apimachinery.pkg.api.resource.Quantity" is resource.Quantity. */
const structName = (typeName: string): string => typeName.split(".").slice(-2).join(".");

function mapName(node: SchemaNode, place: string): string {
  const { additionalProperties } = node;
  if (typeof additionalProperties !== "object") return "map[string]interface {}";
  if (additionalProperties.goType === "Quantity") return "v1.ResourceList";
  return `map[string]${goTypeName(additionalProperties, `${place}{}`)}`;
}
