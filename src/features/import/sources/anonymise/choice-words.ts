// Enumeration values of the Kubernetes and ovn-kubernetes types, and their kinds and resources. A unit test compares
// these lists with the package's schemas. New values of a schema must be added here.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

/** Enumeration values, reasons, condition types and phases. */
export const CHOICES = words(`
  ALL APIService AWS Accepted Access Active Adding Address AddressType Addresses AdminNetworkPolicy
  AdminPolicyBasedExternalRoute AdmissionReview Age All Allocated AllocationFailed Allow
  AllowVolumeExpansion AlreadyExists Always AlwaysAdmit AlwaysAllow AlwaysDeny AlwaysPullImages Apply
  ApplyConfiguration Approved ApprovedAnnotation AsExpected Assigned AttachRequired Attached Attacher
  Attachments Audit Authorizer Available AverageValue Azure BackOff Background BackoffLimitExceeded
  BareMetal BaselineAdminNetworkPolicy BestEffort Bidirectional Binding Block BlockDevice Bound Bridge
  Burstable ByNamespace ByUser CIDROverlap CIDRs CONNECT CREATE CSIDriver CSINode CSIStorageCapacity
  CalculateExpectedPodCountFailed Capacity CephFS CephMonitors CertificateApproval CertificateSigning
  CertificateSigningRequest CertificateSubjectRestriction CharDevice Claim Class ClientIP
  CloudAssignmentFailed CloudAssignmentRetry CloudDeletionFailed CloudPrivateIPConfig CloudResponseError
  CloudResponsePending CloudResponseSuccess CloudUpdateFailed Cluster ClusterConfiguration ClusterFirst
  ClusterFirstWithHostNet ClusterIP ClusterNetworkConnect ClusterRole ClusterRoleBinding
  ClusterTrustBundleAttest ClusterUserDefinedNetwork ClusterUserDefinedNetworks Complete Completed
  Completions CompletionsReached ComponentStatus Condition Conditions ConfigMap ConfigMapProjection
  Conflict Container ContainerCreating ContainerResource Containers ContainersNotInitialized
  ContainersNotReady ContainersReady ContentDeleted ContentDeletionFailed ContentHasNoFinalizers
  ContentRemoved Controller ControllerResizeInProgress ControllerResizeInfeasible ControllerRevision
  ConversionReview Count CrashLoopBackOff Create CreateOptions Created CronJob CrossNamespacePodAffinity
  Current CustomResourceDefinition DELETE DaemonSet Dangling Data DataDiskURI DeadlineExceeded Decision
  Dedicated Default DefaultIngressClass DefaultNetwork DefaultStorageClass DefaultTolerationSeconds
  Degraded Delete DeleteOptions Deleting DeletionByPodGC DeletionByTaintManager Denied Deny
  DenyServiceExternalIPs Deployment DeploymentPaused DeploymentResumed Desired DeviceClass Directory
  DirectoryOrCreate Disabled DiscoveryCHAPAuth DiskPressure DisruptionAllowed DisruptionBudget
  DisruptionTarget DistinguisherMethod DoNotSchedule DoesNotExist Driver DriverName Drivers Duplicate
  Duration EVPN EVPNConfigError EVPNIPv6NotSupported Egress EgressFirewall EgressIP EgressIPConflict
  EgressIPMark EgressQoS EgressRouter EgressRouterError EgressService EgressServices Enabled EndpointSlice
  Endpoints EndpointsName Ephemeral Equal Equivalent Error ErrorAddingResource Established Event
  EventRateLimit EventSource Eviction EvictionByEvictionAPI Exact ExactCount ExecAction Exempt Exists
  ExtendedResourceToleration External ExternalDNS ExternalIP ExternalName FQDN FRRConfiguration Fail
  FailIndex FailJob Failed FailedCreate FailedCreatePodSandBox FailedDaemonPod FailedDelete FailedIndexes
  FailedScheduling FailedToCreateEndpoint FailedToUpdateEndpoint FailedToUpdateEndpointSlices Failure
  FailureTarget FallbackToLogsOnError False FieldValueDuplicate FieldValueForbidden FieldValueInvalid
  FieldValueNotSupported FieldValueRequired FieldsV1 File FileOrCreate Filesystem FlowSchema Forbid
  Forbidden Foreground Found FoundNewReplicaSet FromClaim FromClass GCP GRPCAction Gateway Gateways Geneve
  Group GroupCheck Groups Gt Guaranteed HTTP HTTPGetAction HTTPS HandSize Handler Healthy HighlyAvailable
  Holder Honor HorizontalPodAutoscaler HostIPC HostPID HostToContainer Hostname Hosts IPAddress IPPool
  IPv4 IPv6 IfHealthyBudget IfNeeded IfNotPresent IfPossible Ignore ImagePolicyWebhook ImagePullBackOff
  Images Immediate ImplementationSpecific In InProgress Indexed Infeasible Ingress IngressClass
  InitialNamesAccepted Initialized InstanceDeletionCompleted InstanceDeletionInProgress
  InstanceDeletionPending InsufficientPods InternalDNS InternalError InternalIP Invalid InvalidAnnotation
  InvalidCABundle InvalidEgressIP InvalidIPAddress InvalidSchedule InvalidSpec Issued JSONPatch Job
  JobAlreadyActive JobResumed JobSuspended KindConflict KubeletHasDiskPressure
  KubeletHasInsufficientMemory KubeletHasInsufficientPID KubeletHasNoDiskPressure KubeletHasSufficientDisk
  KubeletHasSufficientMemory KubeletHasSufficientPID KubeletNotReady KubeletReady
  KubernetesAPIApprovalPolicyConformant Layer2 Layer3 Lease Limit LimitPodHardAntiAffinityTopology
  LimitRange LimitRanger Limited List ListKindConflict LoadBalancer LoadBalancerIP Local
  LocalSubjectAccessReview Localhost Localnet Lost Lt Managed ManagedModeNotSupported MatchingPrecedence
  Max MaxFailedIndexesExceeded MaxPods MemoryPressure Merge Message MethodNotAllowed Min MinPods
  MinimumReplicasAvailable MinimumReplicasUnavailable MissSchedule Missing MissingAnnotation MissingJob
  MissingPL MissingUplinkState Modes MountOption Moving Mutating MutatingAdmissionPolicy
  MutatingAdmissionPolicyBinding MutatingAdmissionWebhook MutatingWebhookConfiguration Mutations Name
  NamesAccepted Namespace NamespaceAutoProvision NamespaceContentRemaining NamespaceDeletionContentFailure
  NamespaceDeletionDiscoveryFailure NamespaceExists NamespaceFinalizersRemaining NamespaceLifecycle
  NamespaceTerminating Namespaced Namespaces Network NetworkAllocationFailed NetworkAllocationSucceeded
  NetworkAttachmentDefinition NetworkAttachmentDefinitionCreated NetworkAttachmentDefinitionDeleted
  NetworkAttachmentDefinitionSyncError NetworkAttachmentDefinitions NetworkClusterController
  NetworkCreated NetworkPolicy NetworkQoS NetworkUnavailable Never NeverEstablished NewReplicaSetAvailable
  NewReplicaSetCreated NoConflicts NoExecute NoMatchingNodeFound NoMatchingNodes NoOverlay NoPods
  NoSchedule Node NodeDeclaredFeatureValidator NodeLost NodeNotReady NodePort NodeProxyOptions NodeReady
  NodeResizeInProgress NodeResizeInfeasible NodeResizePending NodeRestriction NodeSelectorOverlap
  NodeStatusNeverUpdated NodeStatusUnknown NominalConcurrencyShares NonIndexed None NoneOnDryRun Normal
  NotAcceptable NotAccepted NotBestEffort NotDeleted NotFound NotImplemented NotIn NotReady NotRequired
  NotTerminating OSImage OVNKubernetes OVSBridge Object ObjectReference OnDelete OnFailure OnRootMismatch
  OpenShiftSDN OpenStack OrderedReady OverlappingRangeIPReservation OwnerRefInvalidNamespace
  OwnerReferencesPermissionEnforcement PDName PIDPressure Parallel ParamKind ParamRef Parameters ParentRef
  ParsedGroupVersions Pass Passthru PathCheck Pending Percent Persistent PersistentVolume
  PersistentVolumeClaim PersistentVolumeClaimResize PersistentVolumeSpec Planned PluralConflict Pod
  PodAttachOptions PodCompleted PodDisruptionBudget PodExecOptions PodFailed PodFailurePolicy
  PodInfoOnMount PodInitializing PodLogOptions PodNetwork PodNodeSelector PodPortForwardOptions
  PodProxyOptions PodReadyToStartContainers PodScheduled PodSecurity PodTemplate PodTolerationRestriction
  PodTopologyLabels Pods PolicyName Pool PortAlreadyAllocated PortNotAllocated PortOutOfRange Ports
  PreemptLowerPriority Preempted PreemptionByScheduler PreemptionPolicy PreferClose PreferDualStack
  PreferNoSchedule PreferSameNode PreferSameZone PreferredDuringScheduling Prefix Primary
  PrimaryUserDefinedNetworks Priority PriorityClass PriorityLevel PriorityLevelConfiguration Private
  ProgressDeadlineExceeded Progressing Provisioner Proxy Pulled Pulling Queue QueueLengthLimit Queues
  RBDImage RBDPool RadosUser ReadOnly ReadOnlyMany ReadWrite ReadWriteMany ReadWriteOnce ReadWriteOncePod
  ReadWriteOnceWithFSType ReadinessGatesNotReady Ready Reason ReclaimPolicy Recreate RecreatingFailedPod
  RecreatingTerminatedPod Recursive Recycle Redirect Reference Refused RegisteredNode Reject Released
  RemovingNode Replace ReplicaFailure ReplicaSet ReplicaSetCreateError ReplicaSetUpdated Replicas
  ReplicationController Request RequestEntityTooLarge RequestedDuration Requestor RequireDualStack
  RequiresRepublish Resolved Resource ResourceAllocationFailed ResourceAllocationSucceeded ResourceCheck
  ResourceClaim ResourceClaimTemplate ResourceQuota ResourceSlice ResourcesDiscovered Restart
  RestartAllContainers RestartContainer Restarts Resumed Retain Revision Role RoleBinding Roles
  RollingUpdate RouteAdvertisementsNotEnabled RouteCreated Rules Running RuntimeClass RuntimeDefault SCTP
  SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE
  SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12 SIGRTMAX-13
  SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8 SIGRTMAX-9
  SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2
  SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7 SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP
  SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
  SawCompletedJob ScalingReplicaSet Schedule ScheduleAnyway Scheduled SchedulingGated Secondary
  SecondaryUserDefinedNetworks Secret SecretProjection SelectingAll Selector SelfSubjectAccessReview
  SelfSubjectReview SelfSubjectRulesReview Service ServiceAccount ServiceAccounts ServiceCIDR
  ServiceNetwork ServiceProxyOptions ServiceUnavailable Services SessionAffinity SessionCHAPAuth Set
  SetupFailed SetupSucceeded Shared ShortNamesConflict SignerName SignerValidationFailure SingleReplica
  SingleStack SingularConflict SleepAction Socket Some SomeFinalizersRemain SomeResourcesRemain Source
  Started State StatefulSet Status StorageCapacity StorageClass StorageOS StorageObjectInUseProtection
  Strict Subdomain SubjectAccessReview Subobject Succeeded SucceededDaemonPod Success SuccessCriteriaMet
  SuccessPolicy SuccessfulCreate SuccessfulDelete SufficientPods Suspend Suspended SyncError SyncFailed
  TCP TCPSocketAction TaintManagerEviction TaintNodesByCondition Targets Terminated Terminating
  TerminatingOrFailed Timezone TokenRequest TokenRequests TokenReview TooManyAddressesToMirror
  TooManyMissedTimes TooManySucceededPods TraceError TransportAccepted True Type UDP UPDATE Unapproved
  UnapprovedAnnotation UnassignedRequest Unauthorized Unconfined UnexpectedJob Unhealthy Unknown
  UnknownTimeZone Unmanaged UnmanagedPods Unmasked UnparseableSchedule Unreachable Unschedulable
  Unsupported UnsupportedMediaType UnsupportedRequest UnsupportedSchedule Update UpdateOptions Upgradeable
  UplinkStateIdentityError UplinkStateNotResolved User UserDefinedNetwork Users Utilization VEPA VIP
  VSphere VTEPNotAccepted VTEPNotFound Validating ValidatingAdmissionPolicy
  ValidatingAdmissionPolicyBinding ValidatingAdmissionWebhook ValidatingWebhookConfiguration Validations
  Value Version Volume VolumeAttachment VolumeAttributesClass VolumeBindingMode VolumeMode VolumeSnapshot
  WWIDs WaitEndedError WaitForFirstConsumer WaitTimeoutError Warn Warning Warnings Webhook Webhooks any
  boolean byte date date-time double edge float int32 int64 integer number passthrough password
  rbac.authorization.k8s.io reencrypt signing string timestamping true v1
`);

/** Values of more than one word. */
export const CHOICES_OF_WORDS: ReadonlySet<string> = new Set([
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
]);

/** Kinds whose objects are public. */
export const KINDS = words(`
  APIService APIServiceList AdminNetworkPolicy AdminPolicyBasedExternalRoute
  AdminPolicyBasedExternalRouteList BaselineAdminNetworkPolicy Binding BindingList CSIDriver CSIDriverList
  CSINode CSINodeList CSIStorageCapacity CSIStorageCapacityList CertificateSigningRequest
  CertificateSigningRequestList CloudPrivateIPConfig CloudPrivateIPConfigList ClusterNetworkConnect
  ClusterNetworkConnectList ClusterOperator ClusterRole ClusterRoleBinding ClusterRoleBindingList
  ClusterRoleList ClusterUserDefinedNetwork ClusterUserDefinedNetworkList ClusterVersion ComponentStatus
  ComponentStatusList ConfigMap ConfigMapList ControllerRevision ControllerRevisionList CronJob
  CronJobList CustomResourceDefinition CustomResourceDefinitionList DNSNameResolver DaemonSet
  DaemonSetList Deployment DeploymentList DeviceClass DeviceClassList EgressFirewall EgressFirewallList
  EgressIP EgressIPList EgressQoS EgressQoSList EgressRouter EgressRouterList EgressService
  EgressServiceList EndpointSlice EndpointSliceList Endpoints EndpointsList Event EventList
  FRRConfiguration FlowSchema FlowSchemaList HorizontalPodAutoscaler HorizontalPodAutoscalerList IPAddress
  IPAddressList IPPool IPPoolList Infrastructure Ingress IngressClass IngressClassList IngressList Job
  JobList Lease LeaseList LimitRange LimitRangeList List LocalSubjectAccessReview
  LocalSubjectAccessReviewList MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
  MutatingAdmissionPolicyBindingList MutatingAdmissionPolicyList MutatingWebhookConfiguration
  MutatingWebhookConfigurationList Namespace NamespaceList Network NetworkAttachmentDefinition
  NetworkAttachmentDefinitionList NetworkPolicy NetworkPolicyList NetworkQoS NetworkQoSList Node NodeList
  NodeSlicePool NodeSlicePoolList OverlappingRangeIPReservation OverlappingRangeIPReservationList
  PersistentVolume PersistentVolumeClaim PersistentVolumeClaimList PersistentVolumeList Pod
  PodDisruptionBudget PodDisruptionBudgetList PodList PodNetworkConnectivityCheck
  PodNetworkConnectivityCheckList PodTemplate PodTemplateList PriorityClass PriorityClassList
  PriorityLevelConfiguration PriorityLevelConfigurationList ReplicaSet ReplicaSetList
  ReplicationController ReplicationControllerList ResourceClaim ResourceClaimList ResourceClaimTemplate
  ResourceClaimTemplateList ResourceQuota ResourceQuotaList ResourceSlice ResourceSliceList Role
  RoleBinding RoleBindingList RoleList Route RouteAdvertisements RouteAdvertisementsList RouteList
  RuntimeClass RuntimeClassList Secret SecretList SelfSubjectAccessReview SelfSubjectAccessReviewList
  SelfSubjectReview SelfSubjectReviewList SelfSubjectRulesReview SelfSubjectRulesReviewList Service
  ServiceAccount ServiceAccountList ServiceCIDR ServiceCIDRList ServiceList StatefulSet StatefulSetList
  Status StorageClass StorageClassList SubjectAccessReview SubjectAccessReviewList TokenReview
  TokenReviewList Uplink UplinkList UplinkState UplinkStateList UserDefinedNetwork UserDefinedNetworkList
  VTEP VTEPList ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
  ValidatingAdmissionPolicyBindingList ValidatingAdmissionPolicyList ValidatingWebhookConfiguration
  ValidatingWebhookConfigurationList VolumeAttachment VolumeAttachmentList VolumeAttributesClass
  VolumeAttributesClassList
`);

/** Resources and subresources that rules may name. */
export const RESOURCES = words(`
  * */* adminnetworkpolicies adminpolicybasedexternalroutes apiservices approval attach
  baselineadminnetworkpolicies binding bindings certificatesigningrequests cloudprivateipconfigs
  clusternetworkconnects clusteroperators clusterrolebindings clusterroles clusteruserdefinednetworks
  clusterversions componentstatuses configmaps controllerrevisions cronjobs csidrivers csinodes
  csistoragecapacities customresourcedefinitions daemonsets deployments deviceclasses dnsnameresolvers
  egressfirewalls egressips egressqoses egressrouters egressservices endpoints endpointslices
  ephemeralcontainers events eviction exec finalize flowschemas frrconfigurations horizontalpodautoscalers
  infrastructures ingressclasses ingresses ipaddresses ippools jobs leases limitranges
  localsubjectaccessreviews log mutatingadmissionpolicies mutatingadmissionpolicybindings
  mutatingwebhookconfigurations namespaces network-attachment-definitions networkpolicies networkqoses
  networks nodes nodeslicepools overlappingrangeipreservations persistentvolumeclaims persistentvolumes
  poddisruptionbudgets podnetworkconnectivitychecks pods podtemplates portforward priorityclasses
  prioritylevelconfigurations proxy replicasets replicationcontrollers resize resourceclaims
  resourceclaimtemplates resourcequotas resourceslices rolebindings roles routeadvertisements routes
  runtimeclasses scale secrets selfsubjectaccessreviews selfsubjectreviews selfsubjectrulesreviews
  serviceaccounts servicecidrs services statefulsets status storageclasses subjectaccessreviews token
  tokenreviews uplinks uplinkstates userdefinednetworks validatingadmissionpolicies
  validatingadmissionpolicybindings validatingwebhookconfigurations volumeattachments
  volumeattributesclasses vteps
`);
