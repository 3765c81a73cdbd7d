// The feature gates of a kube-apiserver v1.36 for `--feature-gates`: stage, default, and whether the value is
// locked. Source: the list that the program prints.

export type FeatureStage = "alpha" | "beta" | "deprecated" | "GA";

export interface FeatureGate {
  readonly stage: FeatureStage;
  readonly isOn: boolean;
  /** Whether only this value is accepted. */
  readonly isLocked: boolean;
}

interface Gates extends FeatureGate {
  /** Separated by white space. */
  readonly names: string;
}

const GATES: readonly Gates[] = [
  {
    stage: "alpha",
    isOn: false,
    isLocked: false,
    names: `
APIServingWithRoutine AllAlpha AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR
CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
ContainerStopSignals CrossNamespaceVolumeDataSource DRAListTypeAttributes
DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims EventedPLEG
GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest
InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
KubeletInUserNamespace ManifestBasedAdmissionControlConfig MemoryQoS MutablePVNodeAffinity
PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay
RuntimeClassInImageCriApi ShardedListAndWatch StorageCapacityScoring StorageVersionAPI
TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions
UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
WorkloadAwarePreemption WorkloadWithJob`,
  },
  {
    stage: "beta",
    isOn: true,
    isLocked: false,
    names: `
APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions
CRDObservedGenerationTracking ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz ConstrainedImpersonation ContainerCheckpoint
ContainerRestartRules DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints
DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus
DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet
GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance
HostnameOverride InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures
NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist
PodDeletionCost PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission
PortForwardWebsockets PreventStaticPodAPIReferences RelaxedServiceNameValidation
ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile RemoteRequestHeaderUID
ResourceHealthStatus ResourceHealthStatusMessage RestartAllContainersOnContainerExits
RotateKubeletServerCertificate SchedulerAsyncPreemption SchedulerPopFromBackoffQ
ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet
StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash
StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO
WatchCacheInitializationPostStartHook WatchList WatchListClient WindowsGracefulNodeShutdown`,
  },
  {
    stage: "beta",
    isOn: false,
    isLocked: false,
    names: `
AllBeta ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode
CoordinatedLeaderElection DRADeviceTaintRules LocalStorageCapacityIsolationFSQuotaMonitoring
MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls
StorageVersionMigrator`,
  },
  {
    stage: "deprecated",
    isOn: true,
    isLocked: true,
    names: `
AggregatedDiscoveryRemoveBetaType DisableNodeKubeProxyVersion`,
  },
  {
    stage: "deprecated",
    isOn: false,
    isLocked: false,
    names: `
AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover KMSv1
KubeletRegistrationGetOnExistsOnly WindowsHostNetwork`,
  },
  {
    stage: "deprecated",
    isOn: false,
    isLocked: true,
    names: `
AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC`,
  },
  {
    stage: "deprecated",
    isOn: true,
    isLocked: false,
    names: `
DisableCPUQuotaWithExclusiveCPUs KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping
StorageNamespaceIndex`,
  },
  {
    stage: "GA",
    isOn: true,
    isLocked: true,
    names: `
APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess
DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers
InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy
JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI
KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing LogarithmicScaleDown
MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap
OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero
PodObservedGenerationTracking PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType
RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints
SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
StructuredAuthenticationConfiguration SupplementalGroupsPolicy SystemdWatchdog
TopologyManagerPolicyOptions UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay`,
  },
  {
    stage: "GA",
    isOn: true,
    isLocked: false,
    names: `
AllowServiceExternalIPs CustomCPUCFSQuotaPeriod DRAPrioritizedList InformerResourceVersion
MutatingAdmissionPolicy`,
  },
];

export const FEATURE_GATES: ReadonlyMap<string, FeatureGate> = new Map(
  GATES.flatMap(({ names, stage, isOn, isLocked }) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, FeatureGate] => [name, { stage, isOn, isLocked }]),
  ),
);
