// The spec of a pod as the structs that a real server works on: which members they have, and in which order. Refusals of
// changes show them.
//
//   Name    text          Name?   scalar or object that may be missing (null)    Name=Type    an object
//   Name#   number        Name[]  list of scalars                                Name?=Type   an object or null
//   Name!   truth value   Name{}  map, or an object that is shown as it is       Name[]=Type  list of objects
//   Name~   quantity      +Type   the members of another type
import { lookupTable } from "../../../../meta/lookup-table.ts";

const SOURCE: Readonly<Record<string, string>> = lookupTable({
  PodSpec: `Volumes[]=Volume InitContainers[]=Container Containers[]=Container
    EphemeralContainers[]=EphemeralContainer RestartPolicy TerminationGracePeriodSeconds? ActiveDeadlineSeconds?
    DNSPolicy NodeSelector{} ServiceAccountName AutomountServiceAccountToken? NodeName
    SecurityContext?=PodSecurityContext ImagePullSecrets[]=LocalObjectReference Hostname Subdomain
    SetHostnameAsFQDN? Affinity?=Affinity SchedulerName Tolerations[]=Toleration HostAliases[]=HostAlias
    PriorityClassName Priority? PreemptionPolicy? DNSConfig?=PodDNSConfig ReadinessGates[]=PodReadinessGate
    RuntimeClassName? Overhead{} EnableServiceLinks? TopologySpreadConstraints[]=TopologySpreadConstraint
    OS?=PodOS SchedulingGates[]=PodSchedulingGate ResourceClaims[]=PodResourceClaim
    Resources?=ResourceRequirements HostnameOverride? SchedulingGroup?=PodSchedulingGroup`,
  PodSecurityContext: `HostNetwork! HostPID! HostIPC! ShareProcessNamespace? HostUsers?
    SELinuxOptions?=SELinuxOptions WindowsOptions?=WindowsOptions RunAsUser? RunAsGroup? RunAsNonRoot?
    SupplementalGroups[] SupplementalGroupsPolicy? FSGroup? FSGroupChangePolicy? Sysctls[]=Sysctl
    SeccompProfile?=Profile AppArmorProfile?=Profile SELinuxChangePolicy?`,
  ContainerCommon: `Name Image Command[] Args[] WorkingDir Ports[]=ContainerPort EnvFrom[]=EnvFromSource
    Env[]=EnvVar Resources=ResourceRequirements ResizePolicy[]=ContainerResizePolicy RestartPolicy?
    RestartPolicyRules[]=ContainerRestartRule VolumeMounts[]=VolumeMount VolumeDevices[]=VolumeDevice
    LivenessProbe?=Probe ReadinessProbe?=Probe StartupProbe?=Probe Lifecycle?=Lifecycle TerminationMessagePath
    TerminationMessagePolicy ImagePullPolicy SecurityContext?=SecurityContext Stdin! StdinOnce! TTY!`,
  Container: "+ContainerCommon",
  EphemeralContainer: "+ContainerCommon TargetContainerName",
  ContainerPort: "Name HostPort# ContainerPort# Protocol HostIP",
  EnvFromSource: "Prefix ConfigMapRef?=OptionalReference SecretRef?=OptionalReference",
  OptionalReference: "Name Optional?",
  EnvVar: "Name Value ValueFrom?=EnvVarSource",
  EnvVarSource: `FieldRef?=ObjectFieldSelector ResourceFieldRef?=ResourceFieldSelector
    ConfigMapKeyRef?=KeySelector SecretKeyRef?=KeySelector FileKeyRef?=FileKeySelector`,
  ObjectFieldSelector: "APIVersion FieldPath",
  ResourceFieldSelector: "ContainerName Resource Divisor~",
  KeySelector: "Name Key Optional?",
  FileKeySelector: "VolumeName Path Key Optional?",
  ResourceRequirements: "Limits{} Requests{} Claims[]=ResourceClaim",
  ResourceClaim: "Name Request",
  ContainerResizePolicy: "ResourceName RestartPolicy",
  ContainerRestartRule: "Action ExitCodes?=ExitCodes",
  ExitCodes: "Operator Values[]",
  VolumeMount: "Name ReadOnly! RecursiveReadOnly? MountPath SubPath MountPropagation? SubPathExpr",
  VolumeDevice: "Name DevicePath",
  Probe: `Exec?=Exec HTTPGet?=HTTPGet TCPSocket?=TCPSocket GRPC?=GRPC InitialDelaySeconds# TimeoutSeconds#
    PeriodSeconds# SuccessThreshold# FailureThreshold# TerminationGracePeriodSeconds?`,
  Lifecycle: "PostStart?=Handler PreStop?=Handler StopSignal?",
  Handler: "Exec?=Exec HTTPGet?=HTTPGet TCPSocket?=TCPSocket Sleep?=Sleep",
  Exec: "Command[]",
  HTTPGet: "Path Port? Host Scheme HTTPHeaders[]=NameValue",
  TCPSocket: "Port? Host",
  GRPC: "Port# Service?",
  Sleep: "Seconds#",
  NameValue: "Name Value",
  Sysctl: "Name Value",
  SecurityContext: `Capabilities?=Capabilities Privileged? SELinuxOptions?=SELinuxOptions
    WindowsOptions?=WindowsOptions RunAsUser? RunAsGroup? RunAsNonRoot? ReadOnlyRootFilesystem?
    AllowPrivilegeEscalation? ProcMount? SeccompProfile?=Profile AppArmorProfile?=Profile`,
  Capabilities: "Add[] Drop[]",
  SELinuxOptions: "User Role Type Level",
  WindowsOptions: "GMSACredentialSpecName? GMSACredentialSpec? RunAsUserName? HostProcess?",
  Profile: "Type LocalhostProfile?",
  LocalObjectReference: "Name",
  Affinity: "NodeAffinity?=NodeAffinity PodAffinity?=PodAffinity PodAntiAffinity?=PodAffinity",
  NodeAffinity: `RequiredDuringSchedulingIgnoredDuringExecution?=NodeSelector
    PreferredDuringSchedulingIgnoredDuringExecution[]=PreferredSchedulingTerm`,
  NodeSelector: "NodeSelectorTerms[]=NodeSelectorTerm",
  NodeSelectorTerm: "MatchExpressions[]=Requirement MatchFields[]=Requirement",
  Requirement: "Key Operator Values[]",
  PreferredSchedulingTerm: "Weight# Preference=NodeSelectorTerm",
  PodAffinity: `RequiredDuringSchedulingIgnoredDuringExecution[]=PodAffinityTerm
    PreferredDuringSchedulingIgnoredDuringExecution[]=WeightedPodAffinityTerm`,
  WeightedPodAffinityTerm: "Weight# PodAffinityTerm=PodAffinityTerm",
  PodAffinityTerm:
    "LabelSelector{} Namespaces[] TopologyKey NamespaceSelector{} MatchLabelKeys[] MismatchLabelKeys[]",
  Toleration: "Key Operator Value Effect TolerationSeconds?",
  HostAlias: "IP Hostnames[]",
  PodDNSConfig: "Nameservers[] Searches[] Options[]=DNSOption",
  DNSOption: "Name Value?",
  PodReadinessGate: "ConditionType",
  TopologySpreadConstraint: `MaxSkew# TopologyKey WhenUnsatisfiable LabelSelector{} MinDomains?
    NodeAffinityPolicy? NodeTaintsPolicy? MatchLabelKeys[]`,
  PodOS: "Name",
  PodSchedulingGate: "Name",
  PodSchedulingGroup: "PodGroupName?",
  PodResourceClaim: "Name ResourceClaimName? ResourceClaimTemplateName?",
  Volume: `Name HostPath?=HostPath EmptyDir?=EmptyDir GCEPersistentDisk?=Unknown AWSElasticBlockStore?=Unknown
    GitRepo?=Unknown Secret?=SecretVolume NFS?=NFS ISCSI?=Unknown Glusterfs?=Unknown
    PersistentVolumeClaim?=ClaimVolume RBD?=Unknown Quobyte?=Unknown FlexVolume?=Unknown Cinder?=Unknown
    CephFS?=Unknown Flocker?=Unknown DownwardAPI?=DownwardAPI FC?=Unknown AzureFile?=Unknown
    ConfigMap?=ConfigMapVolume VsphereVolume?=Unknown AzureDisk?=Unknown PhotonPersistentDisk?=Unknown
    Projected?=Projected PortworxVolume?=Unknown ScaleIO?=Unknown StorageOS?=Unknown CSI?=CSI
    Ephemeral?=Unknown Image?=ImageVolume`,
  HostPath: "Path Type?",
  EmptyDir: "Medium SizeLimit?",
  SecretVolume: "SecretName Items[]=KeyToPath DefaultMode? Optional?",
  ConfigMapVolume: "Name Items[]=KeyToPath DefaultMode? Optional?",
  KeyToPath: "Key Path Mode?",
  NFS: "Server Path ReadOnly!",
  ClaimVolume: "ClaimName ReadOnly!",
  DownwardAPI: "Items[]=DownwardFile DefaultMode?",
  DownwardFile: "Path FieldRef?=ObjectFieldSelector ResourceFieldRef?=ResourceFieldSelector Mode?",
  Projected: "Sources[]=Projection DefaultMode?",
  Projection: `Secret?=ReferenceProjection DownwardAPI?=DownwardProjection ConfigMap?=ReferenceProjection
    ServiceAccountToken?=TokenProjection ClusterTrustBundle?=TrustProjection PodCertificate?=Unknown`,
  ReferenceProjection: "Name Items[]=KeyToPath Optional?",
  DownwardProjection: "Items[]=DownwardFile",
  TokenProjection: "Audience ExpirationSeconds# Path",
  TrustProjection: "Name? SignerName? LabelSelector{} Optional? Path",
  CSI: "Driver ReadOnly? FSType? VolumeAttributes{} NodePublishSecretRef?=LocalObjectReference",
  ImageVolume: "Reference PullPolicy",
});

export type MemberForm = "text" | "quantity" | "number" | "truth" | "nullable" | "list" | "map" | "object";

export interface GoMember {
  /** As it is shown. */
  readonly name: string;
  /** As objects have it. */
  readonly key: string;
  readonly form: MemberForm;
  /** Of the object, or of those in the list. */
  readonly type: string | undefined;
}

/** Volumes of kinds that are no longer in use are not taken apart. */
export const UNKNOWN = "Unknown";

const FORMS: Readonly<Record<string, MemberForm>> = lookupTable({
  "": "text",
  "~": "quantity",
  "#": "number",
  "!": "truth",
  "?": "nullable",
  "[]": "list",
  "{}": "map",
});
/** The API writes these in a way of its own. */
const KEYS: Readonly<Record<string, string>> = lookupTable({ CephFS: "cephfs", StorageOS: "storageos" });

const known = new Map<string, readonly GoMember[]>();

export function membersOf(type: string): readonly GoMember[] {
  let members = known.get(type);
  if (members === undefined) {
    members = (SOURCE[type] ?? "").split(/\s+/).flatMap(readMember);
    known.set(type, members);
  }
  return members;
}

function readMember(text: string): readonly GoMember[] {
  if (text.startsWith("+")) return membersOf(text.slice(1));
  const match = /^(\w+)(#|!|~|\?|\[\]|\{\})?(?:=(\w+))?$/.exec(text);
  if (match === null) return [];
  const [, name = "", sign = "", type] = match;
  const form = sign === "" && type !== undefined ? "object" : (FORMS[sign] ?? "text");
  return [{ name, key: KEYS[name] ?? keyOf(name), form, type }];
}

/** HTTPGet is httpGet, and TTY is tty: the capitals in front become small, but for one that begins a word. */
function keyOf(name: string): string {
  const capitals = /^[A-Z]+/.exec(name)?.[0].length ?? 0;
  const small = capitals === name.length ? capitals : Math.max(1, capitals - 1);
  return name.slice(0, small).toLowerCase() + name.slice(small);
}
