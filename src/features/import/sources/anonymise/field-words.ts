// Names of members that are the same in every cluster. A unit test compares these lists with the package's schemas. New
// members of a schema must be added here.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

/** Members of Kubernetes, of ovn-kubernetes and of the configurations that verdicts use. */
export const FIELDS = words(`
  $ref $schema Port acceptedNames acceptedTypes access accessModes acquireTime action actions active
  activeDeadlineSeconds add additionalItems additionalPrinterColumns additionalProperties address
  addressType addresses adminAccess admissionReviewVersions advertisements affinity aggregationRule
  allNodes allOf allocatable allocateLoadBalancerNodePorts allocatedResourceStatuses allocatedResources
  allocatedResourcesStatus allocation allocationMode allocationMultiplier allocationTimestamp allocations
  allowMultipleAllocations allowPersistentIPs allowPrivilegeEscalation allowVolumeExpansion allowed
  allowedTopologies alternateBackends annotations anyOf apiGroup apiGroups apiVersion apiVersions
  appArmorProfile appProtocol applyConfiguration architecture args asn assigned attachError attachRequired
  attached attacher attachmentMetadata attributes audience audiences auditAnnotations authenticated
  automountServiceAccountToken availableReplicas availableUpdates averageUtilization averageValue
  awsElasticBlockStore azureDisk azureFile backend backoffLimit backoffLimitPerIndex bandwidth behavior
  bfdEnabled bfdProfiles bgp binaryData bindingConditions bindingFailureConditions bindsToNode
  blockOwnerDeletion bool bools bootID borrowingLimitPercent boundObjectRef bridge bridge-id buildDate
  burst caBundle caCertificate cachingMode capabilities capacity capacityKey categories causes cel cells
  cephfs certificate certificateChainPath chapAuthDiscovery chapAuthSession cidr cidrSelector cidrs cinder
  claimName claimRef claims classifier clientCIDR clientConfig clientIP clusterIP clusterIPs
  clusterNetwork clusterNetworkMTU clusterRoleSelectors clusterScope clusterTrustBundle
  clusterUserDefinedNetworkSelector cniVersion code collisionCount columnDefinitions command compiler
  completedIndexes completionMode completionTime completions component concurrencyPolicy conditionType
  conditions config configMap configMapKeyRef configMapRef configSource connectSubnets connectTime
  connectivity constraints consumedCapacity consumesCounters container containerID containerName
  containerPort containerResource containerRuntimeVersion containerStatuses containerid containers
  continue controlPlaneTopology controller controllerExpandSecretRef controllerPublishSecretRef conversion
  conversionReviewVersions count counterSet counters creationTimestamp credentialBundlePath csi current
  currentCPUUtilizationPercentage currentHealthy currentMetrics currentNumberScheduled currentReplicas
  currentRevision currentVolumeAttributesClassName daemonEndpoints data dataSource dataSourceRef
  datasetName datasetUUID declaredFeatures default default-route defaultBackend defaultGatewayIPs
  defaultGateways defaultMode defaultNetwork defaultRequest definitions delegates deleteOptions
  deletionGracePeriodSeconds deletionTimestamp denied dependencies deprecated deprecatedCount
  deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedSource deprecatedTopology deprecationWarning
  describedObject description desired desiredHealthy desiredNumberScheduled desiredReplicas dest
  destinationCACertificate destinationIP detachError details detectMultiplier device deviceClassName
  devicePath devices directory diskName diskURI disruptedPods disruptionsAllowed distinctAttribute
  distinguisherMethod divisor dns dnsConfig dnsName dnsPolicy domainNames downwardAPI driver driverName
  drivers drop dryRun dscp dst dstCIDR dynamic dynamicASN ebgpMultiHop effect egress egressIP egressIPs
  emptyDir emulationMajor emulationMinor enableServiceLinks end endLogs endPort endpoints
  endpointsNamespace enum env envFrom ephemeral ephemeralContainerStatuses ephemeralContainers error
  errorCode evaluationError eventTime evpn exactly example except excludeResourceRules excludeSubnets
  exclusiveMaximum exclusiveMinimum exec exempt exgw-interface-id exgw-ip-addresses exgw-mac-address
  exitCode exitCodes expectedPods expirationSeconds expirationTimestamp expression expressionWarnings
  extendedResourceClaimStatus extendedResourceName external externalCertificate externalDocs externalID
  externalIPs externalName externalTrafficPolicy extra failed failedIndexes failedJobsHistoryLimit
  failurePolicy failureThreshold failures fallbackIP fc features field fieldPath fieldRef fieldSelector
  fieldsType fieldsV1 fileKeyRef finalizers finishedAt firstAvailable firstTimestamp flexVolume flocker
  forNodes forZones format freshness from frrConfigurationSelector fsGroup fsGroupChangePolicy
  fsGroupPolicy fsType fullyLabeledReplicas gateway gatewayConfig gateway_ip gateway_ips gcePersistentDisk
  generateName generation genevePort gid gitCommit gitRepo gitTreeState gitVersion globalDefault glusterfs
  gmsaCredentialSpec gmsaCredentialSpecName goVersion gracePeriodSeconds group groupPriorityMinimum
  groupVersion groups grpc gw handSize handler hard hardwareAddress health healthCheckNodePort hints
  history holdTime holderIdentity host hostAliases hostFunction hostIP hostIPC hostIPs hostInterfaceName
  hostNetwork hostPID hostPath hostPort hostPrefix hostProcess hostSubnet hostUsers hostname
  hostnameOverride hostnames hosts http httpGet httpHeaders id ifaddr ifname
  ignoreStoreReadErrorWithClusterBreakingPotential image imageID imagePullPolicy imagePullSecrets imageRef
  images immutable incomplete infrastructureSubnets infrastructureTopology ingress ingressClassName
  initContainerStatuses initContainers initialDelaySeconds initiatorName inlineVolumeSpec
  insecureEdgeTerminationPolicy insecureSkipTLSVerify int interface interface-id interfaceName
  internalJoinSubnet internalMasqueradeSubnet internalTrafficPolicy internalTransitSwitchSubnet ints
  involvedObject ip ip-addresses ipAddresses ipBlock ipFamilies ipFamilyPolicy ipForwarding ipMode ipVRF
  ip_address ip_addresses ipam ips ipv4 ipv6 iqn isGateway iscsi iscsiInterface items jobTemplate
  joinSubnet joinSubnets jsonPatch jsonPath keepaliveTime kernelVersion key keyPath keyType keyring kind
  kubeProxyVersion kubeletConfigKey kubeletEndpoint kubeletVersion labelSelector labelSelectorPath labels
  lastHeartbeatTime lastKnownGood lastLookupTime lastObservedTime lastPhaseTransitionTime lastProbeTime
  lastScaleTime lastScheduleTime lastState lastSuccessfulTime lastTimestamp lastTransitionTime
  lastUpdateTime latency layer2 layer3 leaseDurationSeconds leaseTransitions lendablePercent level
  lifecycle limitResponse limited limits linux listKind livenessProbe loadBalancer loadBalancerClass
  loadBalancerIP loadBalancerSourceRanges local localASN localhostProfile localnet lun mac mac-address
  macAddress macVRF mac_address machineID macvlan major managedBy managedFields manager manualSelector
  master matchAttribute matchConditions matchConstraints matchExpressions matchFields
  matchLabelExpressions matchLabelKeys matchLabels matchPolicy matchResources matchingPrecedence max
  maxExpirationSeconds maxFailedIndexes maxItems maxLength maxLimitRequestRatio maxProperties maxReplicas
  maxSkew maxSurge maxUnavailable maximum maximumVolumeSize medium message messageExpression messages
  metadata metric metrics min minAvailable minCompatibilityMajor minCompatibilityMinor minDomains minItems
  minLength minProperties minReadySeconds minReplicas minimum minor mismatchLabelKeys mode
  modifyVolumeStatus monitors mountOptions mountPath mountPropagation mtu multipleOf mutations myASN name
  namedPort names nameservers namespace namespaceSelector namespaced namespaces neighbors netAttachDefName
  network networkAttachmentDefinitionSelector networkAttachmentName networkData networkInterface
  networkPrefix networkSelectionType networkSelector networkSelectors networkType network_id next-hop
  next-hops nextHop nextHops nfs noOverlay node node-port-enable nodeAffinity nodeAffinityPolicy
  nodeAllocatableResourceClaimStatuses nodeAllocatableResourceMappings nodeAllocatableUpdatePeriodSeconds
  nodeConfigs nodeExpandSecretRef nodeID nodeInfo nodeName nodePort nodePublishSecretRef nodeSelector
  nodeSelectorTerms nodeStageSecretRef nodeTaintsPolicy nodeTopology nominalConcurrencyShares
  nominatedNodeName nonResourceAttributes nonResourceRules nonResourceURLs not notReadyAddresses note
  nullable number numberAvailable numberMisscheduled numberReady numberUnavailable object objectSelector
  observedGeneration onExitCodes onPodConditions oneOf opaque openAPIV3Schema operatingSystem operation
  operations operator optional optionalOldSelf options ordinals orphanDependents os osImage outages
  outboundSNAT overhead ovnKubernetesConfig ovsBridge ownerReferences parallelism paramKind paramRef
  parameterNotFoundAction parameters parentRef partition patchType path pathType paths pattern
  patternProperties paused pdID pdName peerASN perDeviceNodeSelection periodSeconds persistentVolumeClaim
  persistentVolumeClaimRetentionPolicy persistentVolumeName persistentVolumeReclaimPolicy pfID phase
  photonPersistentDisk physicalNetworkName platform platformSpec platformStatus plugins plural podAffinity
  podAffinityTerm podAntiAffinity podCIDR podCIDRs podCertificate podFailurePolicy podFixed podGroupName
  podIP podIPs podInfoOnMount podManagementPolicy podReplacementPolicy podSelector podref pods policies
  policyName policyTypes pool port portNumber portRange portals ports portworxVolume postStart preStop
  preconditions preemptionPolicy preference preferredDuringSchedulingIgnoredDuringExecution
  preferredHolder preferredVersion prefix prefixes preserveUnknownFields preventPodSchedulingIfMissing
  primaryUserDefinedNetworkSelector priority priorityClassName priorityLevelConfiguration privileged
  procMount progressDeadlineSeconds projected propagationPolicy properties protectionDomain protocol
  providerID provisioner publishNotReadyAddresses pullPolicy qosClass queueLengthLimit queues queuing
  quobyte range rate raw rawConfig rawSelector rbd readOnly readOnlyRootFilesystem readinessGates
  readinessProbe ready readyReplicas reason receiveInterval reclaimPolicy recursiveReadOnly
  recursiveReadOnlyMounts redirect redirectRules reference regarding registry reinvocationPolicy related
  remainingItemCount renewTime replicas reportingComponent reportingController reportingInstance
  repository request requestMappings requestName requestPolicy requests required
  requiredDuringSchedulingIgnoredDuringExecution requirements requiresRepublish reservedFor
  reservedSubnets resize resizePolicy resolutionFailures resolvedAddresses resolvedNames resource
  resourceAttributes resourceClaimName resourceClaimStatuses resourceClaimTemplateName resourceClaims
  resourceFieldRef resourceID resourceName resourceNames resourceRules resourceSliceCount resourceVersion
  resources response responseKind restartCount restartPolicy restartPolicyRules results retryAfterSeconds
  revision revisionHistoryLimit role roleRef rollingUpdate routeTarget routerCanonicalHostname routerName
  routers routes routing routingViaHost rows rule rules runAsGroup runAsNonRoot runAsUser runAsUserName
  running runtimeClassName runtimeHandlers scale scaleDown scaleIO scaleTargetRef scaleUp schedule
  schedulerName scheduling schedulingGates schedulingGroup schema scheme scope scopeName scopeSelector
  scopes seLinuxChangePolicy seLinuxMount seLinuxOptions searches seccompProfile
  secondaryUserDefinedNetworkSelector seconds secret secretFile secretKeyRef secretName secretNamespace
  secretRef secrets securityContext selectPolicy selectableFields selector selectors selfLink series
  served server serverAddress serverAddressByClientCIDRs service serviceAccount serviceAccountName
  serviceAccountToken serviceAccountTokenInSecrets serviceName serviceNetwork serving sessionAffinity
  sessionAffinityConfig set setHostnameAsFQDN shardInfo shareID shareName shareProcessNamespace
  sharedCounters shortNames sideEffects signal signerName singular singularName singularResource sizeBytes
  sizeLimit sleep sliceRange sliceSize source sourceAddress sourceIPBy sourcePod sources spec
  specReplicasPath sslEnabled stabilizationWindowSeconds start startLogs startTime started startedAt
  startingDeadlineSeconds startupProbe state static status statusReplicasPath stdin stdinOnce step
  stopSignal storage storageCapacity storageClassName storageMode storagePolicyID storagePolicyName
  storagePool storageVersionHash storageos storedVersions strategy string stringData strings subPath
  subPathExpr subdomain subject subjects subnets subresource subresources subsets succeeded succeededCount
  succeededIndexes success successPolicy successThreshold successes successfulJobsHistoryLimit
  supplementalGroups supplementalGroupsPolicy suspend swap sysctls system systemUUID taints target
  targetCPUUtilizationPercentage targetContainerName targetEndpoint targetPort targetPortal targetRef
  targetVRF targetVolumeAttributesClassName targetWWNs tcpSocket template tenant terminated terminating
  terminatingReplicas termination terminationGracePeriodSeconds terminationMessagePath
  terminationMessagePolicy time timeAdded timeZone timeoutSeconds title tls tlsClientCert to toAdvertise
  toReceive token tokenRequests tolerance tolerationSeconds tolerations topology topologyKey topologyKeys
  topologySpreadConstraints trafficDistribution transmitInterval transport ttlSeconds
  ttlSecondsAfterFinished tty tunnel_id type typeChecking uid unavailableReplicas uncountedTerminatedPods
  unhealthyPodEvictionPolicy uniqueItems unschedulable updateRevision updateStrategy
  updatedNumberScheduled updatedReplicas uplinkName uplinks url usages used user userAnnotations userInfo
  userNamespaces username validRange validValues validationActions validations value valueExpression
  valueFrom values variables verb verbs version versionPriority versions vfID vlan vlan-id vlanID vni
  volume volumeAttributes volumeAttributesClassName volumeBindingMode volumeClaimTemplate
  volumeClaimTemplates volumeDevices volumeHandle volumeID volumeLifecycleModes volumeMode volumeMounts
  volumeName volumeNamespace volumePath volumeStatus volumes volumesAttached volumesInUse vrf
  vsphereVolume vtep waiting warning webhook webhooks weight whenDeleted whenScaled whenUnsatisfiable
  wildcardPolicy windowsOptions workingDir wwids x-kubernetes-embedded-resource x-kubernetes-int-or-string
  x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type
  x-kubernetes-preserve-unknown-fields x-kubernetes-validations zone
`);

/** Members whose numbers are counts, limits, priorities or ports: these are kept. See numbers.ts for the others. */
export const NUMBERS = words(`
  Port active activeDeadlineSeconds availableReplicas averageUtilization backoffLimit backoffLimitPerIndex
  borrowingLimitPercent burst capacity clusterNetworkMTU collisionCount completions containerPort count
  currentCPUUtilizationPercentage currentHealthy currentNumberScheduled currentReplicas defaultMode
  deletionGracePeriodSeconds deprecatedCount desiredHealthy desiredNumberScheduled desiredReplicas
  detectMultiplier disruptionsAllowed dscp endPort errorCode exitCode expectedPods expirationSeconds
  failed failedJobsHistoryLimit failureThreshold fullyLabeledReplicas generation genevePort
  groupPriorityMinimum handSize healthCheckNodePort hostPort hostPrefix hostSubnet initialDelaySeconds int
  ints ip ipv4 ipv6 leaseDurationSeconds leaseTransitions lendablePercent lun matchingPrecedence
  maxExpirationSeconds maxFailedIndexes maxItems maxLength maxProperties maxReplicas maxSkew maximum
  minDomains minItems minLength minProperties minReadySeconds minReplicas minimum mode mtu multipleOf
  networkID networkPrefix nodeAllocatableUpdatePeriodSeconds nodePort nominalConcurrencyShares number
  numberAvailable numberMisscheduled numberReady numberUnavailable observedGeneration parallelism
  partition periodSeconds pfID port priority progressDeadlineSeconds queueLengthLimit queues rate ready
  readyReplicas receiveInterval replicas resourceSliceCount restartCount revision revisionHistoryLimit
  seconds signal stabilizationWindowSeconds start startingDeadlineSeconds succeeded succeededCount
  successThreshold successfulJobsHistoryLimit targetCPUUtilizationPercentage targetPort terminating
  terminatingReplicas terminationGracePeriodSeconds timeoutSeconds tolerationSeconds transmitInterval
  ttlSecondsAfterFinished tunnel_id unavailableReplicas updatedNumberScheduled updatedReplicas value
  values versionPriority vfID vni weight
`);

/** Members that hold a time. */
export const TIMES = words(`
  *disruptedPods acquireTime allocationTimestamp completionTime creationTimestamp deletionTimestamp
  deprecatedFirstTimestamp deprecatedLastTimestamp end eventTime finishedAt firstTimestamp
  lastHeartbeatTime lastObservedTime lastPhaseTransitionTime lastProbeTime lastScaleTime lastScheduleTime
  lastSuccessfulTime lastTimestamp lastTransitionTime lastUpdateTime renewTime start startTime startedAt
  time timeAdded
`);

/** Members that hold a quantity, or a map of quantities by resource name. */
export const QUANTITIES = words(`
  allocatable allocatedResources allocationMultiplier averageValue capacity consumedCapacity default
  defaultRequest divisor hard limits max maxLimitRequestRatio maximumVolumeSize min overhead podFixed
  requests resources sizeLimit step tolerance used validValues
`);

/** Members whose keys are resource names. */
export const QUANTITY_MAPS = words(`
  allocatable allocatedResources capacity consumedCapacity default defaultRequest hard limits max
  maxLimitRequestRatio min overhead podFixed requests resources used
`);
