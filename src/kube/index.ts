// All built-in kinds, in the order of discovery. A new kind is one schema file, one definition file and one line here.

import { customResourceDefinitions } from "../apiserver/apiextensions/customresourcedefinitions.ts";
import type { ResourceDefinition } from "../apiserver/registry/definition/resource-definition.ts";
import {
  mutatingAdmissionPolicies,
  validatingAdmissionPolicies,
} from "./admissionregistration.k8s.io/policies.ts";
import {
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicyBindings,
} from "./admissionregistration.k8s.io/policybindings.ts";
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from "./admissionregistration.k8s.io/webhooks.ts";
import { apiServices } from "./apiregistration.k8s.io/apiservices.ts";
import { daemonSets } from "./apps/daemonsets.ts";
import { deployments, replicaSets } from "./apps/deployments.ts";
import { controllerRevisions, statefulSets } from "./apps/statefulsets.ts";
import { selfSubjectReviews, tokenReviews } from "./authentication.k8s.io/userreviews.ts";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./authorization.k8s.io/accessreviews.ts";
import { horizontalPodAutoscalers } from "./autoscaling/horizontalpodautoscalers.ts";
import { cronJobs } from "./batch/cronjobs.ts";
import { jobs } from "./batch/jobs.ts";
import { certificateSigningRequests } from "./certificates.k8s.io/certificatesigningrequests.ts";
import { leases } from "./coordination.k8s.io/leases.ts";
import { componentStatuses } from "./core/componentstatuses.ts";
import { configMaps, secrets } from "./core/configmaps.ts";
import { endpoints } from "./core/endpoints.ts";
import { events } from "./core/events.ts";
import { limitRanges } from "./core/limitranges.ts";
import { namespaces } from "./core/namespaces.ts";
import { nodes } from "./core/nodes.ts";
import { persistentVolumeClaims } from "./core/persistentvolumeclaims.ts";
import { persistentVolumes } from "./core/persistentvolumes.ts";
import { bindings } from "./core/pod/posted.ts";
import { pods } from "./core/pods.ts";
import { podTemplates } from "./core/podtemplates.ts";
import { replicationControllers } from "./core/replicationcontrollers.ts";
import { resourceQuotas } from "./core/resourcequotas.ts";
import { serviceAccounts } from "./core/serviceaccounts.ts";
import { services } from "./core/services.ts";
import { endpointSlices } from "./discovery.k8s.io/endpointslices.ts";
import { eventsV1 } from "./events.k8s.io/events.ts";
import { flowSchemas } from "./flowcontrol.apiserver.k8s.io/flowschemas.ts";
import { priorityLevels } from "./flowcontrol.apiserver.k8s.io/prioritylevels.ts";
import { ingressClasses, ingresses } from "./networking.k8s.io/ingresses.ts";
import { networkPolicies } from "./networking.k8s.io/networkpolicies.ts";
import { ipAddresses, serviceCidrs } from "./networking.k8s.io/servicecidrs.ts";
import { runtimeClasses } from "./node.k8s.io/runtimeclasses.ts";
import { podDisruptionBudgets } from "./policy/poddisruptionbudgets.ts";
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from "./rbac.authorization.k8s.io/roles.ts";
import { deviceClasses, resourceClaims, resourceClaimTemplates } from "./resource.k8s.io/claims.ts";
import { resourceSlices } from "./resource.k8s.io/resourceslices.ts";
import { priorityClasses } from "./scheduling.k8s.io/priorityclasses.ts";
import { csiDrivers, csiNodes, csiStorageCapacities } from "./storage.k8s.io/csi.ts";
import { storageClasses, volumeAttributesClasses } from "./storage.k8s.io/storageclasses.ts";
import { volumeAttachments } from "./storage.k8s.io/volumeattachments.ts";

export const BUILT_IN_RESOURCES: readonly ResourceDefinition[] = [
  bindings,
  componentStatuses,
  configMaps,
  endpoints,
  events,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  apiServices,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  certificateSigningRequests,
  leases,
  endpointSlices,
  eventsV1,
  flowSchemas,
  priorityLevels,
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
  runtimeClasses,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  priorityClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];
