// Written by `npm run types` from the schemas; do not edit.
import type { Quantity } from "./io.k8s.apimachinery.pkg.api.resource.d.ts";
import type { Condition, LabelSelector, MicroTime, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";
import type { IntOrString } from "./io.k8s.apimachinery.pkg.util.intstr.d.ts";

/** A disk of AWS. */
export interface AWSElasticBlockStoreVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Partition to mount; the whole disk if left out. */
  partition?: number;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Identity of the disk. */
  volumeID?: string;
}

/** Rules about the nodes and neighbours that a pod wants. */
export interface Affinity {
  /** Rules about nodes. */
  nodeAffinity?: NodeAffinity;
  /** Pods to be near to. */
  podAffinity?: PodAffinity;
  /** Pods to keep away from. */
  podAntiAffinity?: PodAntiAffinity;
}

/** An AppArmor profile. */
export interface AppArmorProfile {
  /** Name of a profile that is loaded on the node; for type Localhost. */
  localhostProfile?: string;
  /** Localhost, RuntimeDefault or Unconfined. */
  type?: "Localhost" | "RuntimeDefault" | "Unconfined";
}

/** A volume that is attached to a node. */
export interface AttachedVolume {
  /** Path of the device on the node. */
  devicePath?: string;
  /** Name of the volume. */
  name?: string;
}

/** A disk of Azure. */
export interface AzureDiskVolumeSource {
  /** How the host caches: None, ReadOnly or ReadWrite. */
  cachingMode?: "None" | "ReadOnly" | "ReadWrite";
  /** Name of the disk. */
  diskName?: string;
  /** Address of the disk. */
  diskURI?: string;
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Shared, Dedicated or Managed. */
  kind?: "Dedicated" | "Managed" | "Shared";
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
}

/** A file share of Azure. */
export interface AzureFilePersistentVolumeSource {
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the storage account's name and key. */
  secretName?: string;
  /** Namespace of the Secret; the claim's if left out. */
  secretNamespace?: string;
  /** Name of the share. */
  shareName?: string;
}

/** A file share of Azure. */
export interface AzureFileVolumeSource {
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the storage account's name and key. */
  secretName?: string;
  /** Name of the share. */
  shareName?: string;
}

/** Gives a pod to a node. It is posted and not stored. */
export interface Binding {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Binding";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The node. */
  target?: ObjectReference;
}

/** A volume of a CSI driver. */
export interface CSIPersistentVolumeSource {
  /** Secret for making it larger. */
  controllerExpandSecretRef?: SecretReference;
  /** Secret for attaching and detaching it. */
  controllerPublishSecretRef?: SecretReference;
  /** Name of the driver. */
  driver?: string;
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Secret for making its file system larger. */
  nodeExpandSecretRef?: SecretReference;
  /** Secret for mounting it. */
  nodePublishSecretRef?: SecretReference;
  /** Secret for making it ready on a node. */
  nodeStageSecretRef?: SecretReference;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** What the driver wants to know of the volume. */
  volumeAttributes?: { [key: string]: string };
  /** What the driver calls the volume. */
  volumeHandle?: string;
}

/** A volume that a CSI driver makes for a pod. */
export interface CSIVolumeSource {
  /** Name of the driver. */
  driver?: string;
  /** File system to mount; the driver's own choice if left out. */
  fsType?: string;
  /** Secret that is handed to the driver. */
  nodePublishSecretRef?: LocalObjectReference;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Settings for the driver. */
  volumeAttributes?: { [key: string]: string };
}

/** Capabilities that a container gets or loses. */
export interface Capabilities {
  /** Capabilities to add. */
  add?: string[];
  /** Capabilities to drop. */
  drop?: string[];
}

/** A Ceph file system. */
export interface CephFSPersistentVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Root to mount; / if left out. */
  path?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Path of the file with the user's key. */
  secretFile?: string;
  /** Secret with the user's key, which goes before secretFile. */
  secretRef?: SecretReference;
  /** Ceph user; admin if left out. */
  user?: string;
}

/** A Ceph file system. */
export interface CephFSVolumeSource {
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Root to mount; / if left out. */
  path?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Path of the file with the user's key. */
  secretFile?: string;
  /** Secret with the user's key, which goes before secretFile. */
  secretRef?: LocalObjectReference;
  /** Ceph user; admin if left out. */
  user?: string;
}

/** A disk of OpenStack. */
export interface CinderPersistentVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with what is needed to reach OpenStack. */
  secretRef?: SecretReference;
  /** Identity of the disk. */
  volumeID?: string;
}

/** A disk of OpenStack. */
export interface CinderVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with what is needed to reach OpenStack. */
  secretRef?: LocalObjectReference;
  /** Identity of the disk. */
  volumeID?: string;
}

/** Settings of session affinity by client address. */
export interface ClientIPConfig {
  /** How long a client without traffic keeps its pod, up to one day. */
  timeoutSeconds?: number;
}

/** Certificates of trust bundles as one file. */
export interface ClusterTrustBundleProjection {
  /** Labels of the bundles to take; with signerName. */
  labelSelector?: LabelSelector;
  /** Name of one bundle to take. */
  name?: string;
  /** Whether there may be no such bundle. */
  optional?: boolean;
  /** Path of the file within the volume. */
  path?: string;
  /** Signer whose bundles to take. */
  signerName?: string;
}

/** One named state of a component. */
export interface ComponentCondition {
  /** What went wrong with the question. */
  error?: string;
  /** What the component said of itself. */
  message?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state: Healthy. */
  type?: string;
}

/** Whether a component of the cluster is healthy. Nobody should ask any more. */
export interface ComponentStatus {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Named states of the component. */
  conditions?: ComponentCondition[];
  /** Name of the type that this object has. */
  kind: "ComponentStatus";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
}

/** Configuration text and bytes for pods to use. */
export interface ConfigMap {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Bytes by key, written in base64; keys must differ from those of data. */
  binaryData?: { [key: string]: string };
  /** Text by key. */
  data?: { [key: string]: string };
  /** Once true the content can no longer change, and neither can this field. */
  immutable?: boolean;
  /** Name of the type that this object has. */
  kind: "ConfigMap";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
}

/** A ConfigMap whose keys become environment variables. */
export interface ConfigMapEnvSource {
  /** Name of the ConfigMap. */
  name?: string;
  /** Whether the ConfigMap may be missing. */
  optional?: boolean;
}

/** One key of a ConfigMap. */
export interface ConfigMapKeySelector {
  /** The key to read. */
  key?: string;
  /** Name of the ConfigMap. */
  name?: string;
  /** Whether the ConfigMap or the key may be missing. */
  optional?: boolean;
}

/** No longer used; a ConfigMap with the configuration of node agents. */
export interface ConfigMapNodeConfigSource {
  /** Key under which the configuration stood. */
  kubeletConfigKey?: string;
  /** Name of the ConfigMap. */
  name?: string;
  /** Namespace of the ConfigMap. */
  namespace?: string;
  /** State of the ConfigMap that was used. */
  resourceVersion?: string;
  /** Identity of the ConfigMap. */
  uid?: string;
}

/** Keys of a ConfigMap as files. */
export interface ConfigMapProjection {
  /** Keys to show and where; all keys if left out. */
  items?: KeyToPath[];
  /** Name of the ConfigMap. */
  name?: string;
  /** Whether the ConfigMap or its keys may be missing. */
  optional?: boolean;
}

/** Keys of a ConfigMap as files. */
export interface ConfigMapVolumeSource {
  /** Permission bits of files that do not say their own. */
  defaultMode?: number;
  /** Keys to show and where; all keys if left out. */
  items?: KeyToPath[];
  /** Name of the ConfigMap. */
  name?: string;
  /** Whether the ConfigMap or its keys may be missing. */
  optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  /** Arguments of the command; the image's own if left out. */
  args?: string[];
  /** Program to run, without a shell; the image's own entry point if left out. */
  command?: string[];
  /** Environment variables. */
  env?: EnvVar[];
  /** Sources whose keys all become environment variables. */
  envFrom?: EnvFromSource[];
  /** Container image to run. */
  image?: string;
  /** When to pull the image: Always, IfNotPresent or Never. */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** What to do right after the start and before the end. */
  lifecycle?: Lifecycle;
  /** Check that restarts the container when it fails. */
  livenessProbe?: Probe;
  /** Name of the container, unique within the pod. */
  name?: string;
  /** Ports that the container listens on; mostly information. */
  ports?: ContainerPort[];
  /** Check that takes the container out of services while it fails. */
  readinessProbe?: Probe;
  /** What must happen when resources are changed while the container runs. */
  resizePolicy?: ContainerResizePolicy[];
  /** Resources that the container needs and may use at most. */
  resources?: ResourceRequirements;
  /** Restart rule of this container; Always turns an init container into a sidecar. */
  restartPolicy?: string;
  /** Rules by exit code that go before restartPolicy. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Security settings of the container, which go before those of the pod. */
  securityContext?: SecurityContext;
  /** Check that must succeed first; the other checks wait for it. */
  startupProbe?: Probe;
  /** Keeps a buffer for standard input open. */
  stdin?: boolean;
  /** Closes standard input after the first client has gone. */
  stdinOnce?: boolean;
  /** File from which the reason of the end is read. */
  terminationMessagePath?: string;
  /** File reads only that file; FallbackToLogsOnError takes the end of the log if it is empty. */
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  /** Gives the container a terminal; needs stdin. */
  tty?: boolean;
  /** Block devices of volumes that the container uses. */
  volumeDevices?: VolumeDevice[];
  /** Volumes that are mounted into the container. */
  volumeMounts?: VolumeMount[];
  /** Directory in which the command starts. */
  workingDir?: string;
}

/** The request that stands for an extended resource of a container. */
export interface ContainerExtendedResourceRequest {
  /** Name of the container. */
  containerName?: string;
  /** Name of the request in the claim. */
  requestName?: string;
  /** Name of the extended resource. */
  resourceName?: string;
}

/** A container image on a node. */
export interface ContainerImage {
  /** Names by which the image is known. */
  names?: string[];
  /** Size of the image in bytes. */
  sizeBytes?: number;
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** Number of the port inside the pod. */
  containerPort?: number;
  /** Address of the node to bind hostPort to. */
  hostIP?: string;
  /** Port of the node that leads to the container. */
  hostPort?: number;
  /** Name of the port, which services can use. */
  name?: string;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** What a change of one resource means for a running container. */
export interface ContainerResizePolicy {
  /** Name of the resource. */
  resourceName?: string;
  /** Whether the container must be restarted. */
  restartPolicy?: string;
}

/** A rule about a container that has ended. */
export interface ContainerRestartRule {
  /** What to do when the rule matches. */
  action: string;
  /** Exit codes that the rule matches. */
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** Exit codes that a rule matches. */
export interface ContainerRestartRuleOnExitCodes {
  /** Whether the exit code must be in the list or not. */
  operator: string;
  /** The exit codes. */
  values?: number[];
}

/** State of a container; one of the three, waiting if none. */
export interface ContainerState {
  /** Present while the container runs. */
  running?: ContainerStateRunning;
  /** Present once the container has ended. */
  terminated?: ContainerStateTerminated;
  /** Present while the container waits to run. */
  waiting?: ContainerStateWaiting;
}

/** A container that runs. */
export interface ContainerStateRunning {
  /** When it started. */
  startedAt?: Time;
}

/** A container that has ended. */
export interface ContainerStateTerminated {
  /** Identity of the container, as TYPE://ID. */
  containerID?: string;
  /** Exit code of the last run. */
  exitCode?: number;
  /** When it ended. */
  finishedAt?: Time;
  /** Explanation for people. */
  message?: string;
  /** Short word for machines that says why. */
  reason?: string;
  /** Signal that ended it. */
  signal?: number;
  /** When it started. */
  startedAt?: Time;
}

/** A container that waits to run. */
export interface ContainerStateWaiting {
  /** Explanation for people. */
  message?: string;
  /** Short word for machines that says why. */
  reason?: string;
}

/** State of a container. */
export interface ContainerStatus {
  /** Resources that the node has set aside for the container. */
  allocatedResources?: { [key: string]: Quantity };
  /** Health of the devices that the container uses. */
  allocatedResourcesStatus?: ResourceStatus[];
  /** Identity of the container, as TYPE://ID. */
  containerID?: string;
  /** Image that the container runs. */
  image?: string;
  /** Identity of the image. */
  imageID?: string;
  /** State before the last restart. */
  lastState?: ContainerState;
  /** Name of the container. */
  name?: string;
  /** Whether the container passes its readiness check. */
  ready?: boolean;
  /** Resources that the running container has. */
  resources?: ResourceRequirements;
  /** How often the container was restarted. */
  restartCount?: number;
  /** Whether the container has started and passed its startup check. */
  started?: boolean;
  /** Present state. */
  state?: ContainerState;
  /** Signal that tells the container to end. */
  stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
  /** User of the container's first process. */
  user?: ContainerUser;
  /** State of the mounts. */
  volumeMounts?: VolumeMountStatus[];
}

/** User of a container's first process. */
export interface ContainerUser {
  /** User on Linux. */
  linux?: LinuxContainerUser;
}

/** A port of a service on a node. */
export interface DaemonEndpoint {
  /** Number of the port. */
  Port?: number;
}

/** Facts about the pod as files. */
export interface DownwardAPIProjection {
  /** The files. */
  items?: DownwardAPIVolumeFile[];
}

/** A file with one fact about the pod. */
export interface DownwardAPIVolumeFile {
  /** Field of the pod to show. */
  fieldRef?: ObjectFieldSelector;
  /** Permission bits of the file; defaultMode if left out. */
  mode?: number;
  /** Path of the file within the volume. */
  path?: string;
  /** Amount of a container's resources to show. */
  resourceFieldRef?: ResourceFieldSelector;
}

/** Facts about the pod as files. */
export interface DownwardAPIVolumeSource {
  /** Permission bits of files that do not say their own. */
  defaultMode?: number;
  /** The files. */
  items?: DownwardAPIVolumeFile[];
}

/** A directory that lives as long as its pod. */
export interface EmptyDirVolumeSource {
  /** Empty for the node's disk, Memory for a memory file system. */
  medium?: string;
  /** How large it may become. */
  sizeLimit?: Quantity;
}

/** One address behind a Service. */
export interface EndpointAddress {
  /** Name that the address gets in DNS below the Service. */
  hostname?: string;
  /** The IP address; loopback, link-local and multicast ones are not allowed. */
  ip?: string;
  /** Node that hosts the address. */
  nodeName?: string;
  /** Object that the address belongs to, mostly a Pod. */
  targetRef?: ObjectReference;
}

/** One port behind a Service. */
export interface EndpointPort {
  /** Application protocol spoken on the port, as a hint. */
  appProtocol?: string;
  /** Name of the port, as in the Service. */
  name?: string;
  /** Number of the port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** Addresses that offer the same ports; each address goes with each port. */
export interface EndpointSubset {
  /** Addresses that are ready for traffic. */
  addresses?: EndpointAddress[];
  /** Addresses that are not ready for traffic yet or any more. */
  notReadyAddresses?: EndpointAddress[];
  /** Ports that all these addresses offer. */
  ports?: EndpointPort[];
}

/** The addresses behind a Service, in the older form that EndpointSlice replaces. */
export interface Endpoints {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Endpoints";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Groups of addresses that share their ports. */
  subsets?: EndpointSubset[];
}

/** A source whose keys all become environment variables. */
export interface EnvFromSource {
  /** ConfigMap to read. */
  configMapRef?: ConfigMapEnvSource;
  /** Text to put in front of each key. */
  prefix?: string;
  /** Secret to read. */
  secretRef?: SecretEnvSource;
}

/** One environment variable. */
export interface EnvVar {
  /** Name of the variable. */
  name?: string;
  /** Value, in which $(NAME) stands for variables defined before. */
  value?: string;
  /** Where the value comes from instead. */
  valueFrom?: EnvVarSource;
}

/** Where the value of an environment variable comes from. */
export interface EnvVarSource {
  /** A key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector;
  /** A field of the pod. */
  fieldRef?: ObjectFieldSelector;
  /** A variable in a file of a volume. */
  fileKeyRef?: FileKeySelector;
  /** An amount of a container's resources. */
  resourceFieldRef?: ResourceFieldSelector;
  /** A key of a Secret. */
  secretKeyRef?: SecretKeySelector;
}

/** A container added to a running pod for debugging; never restarted. */
export interface EphemeralContainer {
  /** Arguments of the command; the image's own if left out. */
  args?: string[];
  /** Program to run, without a shell; the image's own entry point if left out. */
  command?: string[];
  /** Environment variables. */
  env?: EnvVar[];
  /** Sources whose keys all become environment variables. */
  envFrom?: EnvFromSource[];
  /** Container image to run. */
  image?: string;
  /** When to pull the image: Always, IfNotPresent or Never. */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** What to do right after the start and before the end. */
  lifecycle?: Lifecycle;
  /** Check that restarts the container when it fails. */
  livenessProbe?: Probe;
  /** Name of the container, unique within the pod. */
  name?: string;
  /** Ports that the container listens on; mostly information. */
  ports?: ContainerPort[];
  /** Check that takes the container out of services while it fails. */
  readinessProbe?: Probe;
  /** What must happen when resources are changed while the container runs. */
  resizePolicy?: ContainerResizePolicy[];
  /** Resources that the container needs and may use at most. */
  resources?: ResourceRequirements;
  /** Restart rule of this container; Always turns an init container into a sidecar. */
  restartPolicy?: string;
  /** Rules by exit code that go before restartPolicy. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Security settings of the container, which go before those of the pod. */
  securityContext?: SecurityContext;
  /** Check that must succeed first; the other checks wait for it. */
  startupProbe?: Probe;
  /** Keeps a buffer for standard input open. */
  stdin?: boolean;
  /** Closes standard input after the first client has gone. */
  stdinOnce?: boolean;
  /** Container of the pod whose namespaces the ephemeral container joins. */
  targetContainerName?: string;
  /** File from which the reason of the end is read. */
  terminationMessagePath?: string;
  /** File reads only that file; FallbackToLogsOnError takes the end of the log if it is empty. */
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  /** Gives the container a terminal; needs stdin. */
  tty?: boolean;
  /** Block devices of volumes that the container uses. */
  volumeDevices?: VolumeDevice[];
  /** Volumes that are mounted into the container. */
  volumeMounts?: VolumeMount[];
  /** Directory in which the command starts. */
  workingDir?: string;
}

/** A volume whose claim is made for its pod. */
export interface EphemeralVolumeSource {
  /** The claim to make. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** A report that something happened to an object; kept for a limited time. */
export interface Event {
  /** What was done or failed. */
  action?: string;
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** How often it happened. */
  count?: number;
  /** When it was first seen, in the newer form. */
  eventTime?: MicroTime;
  /** When it was first recorded. */
  firstTimestamp?: Time;
  /** The object that the report is about. */
  involvedObject?: ObjectReference;
  /** Name of the type that this object has. */
  kind: "Event";
  /** When it last happened. */
  lastTimestamp?: Time;
  /** What happened, for people. */
  message?: string;
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Short word that says what happened. */
  reason?: string;
  /** A second object that took part. */
  related?: ObjectReference;
  /** Name of the controller that reports. */
  reportingComponent?: string;
  /** Instance of the controller that reports. */
  reportingInstance?: string;
  /** Present if it happened several times, in the newer form. */
  series?: EventSeries;
  /** Component and host that report, in the older form. */
  source?: EventSource;
  /** Normal or Warning. */
  type?: string;
}

/** Repetitions of an event. */
export interface EventSeries {
  /** How often it happened up to the last time seen. */
  count?: number;
  /** When it was last seen. */
  lastObservedTime?: MicroTime;
}

/** Who reports an event. */
export interface EventSource {
  /** Component that reports. */
  component?: string;
  /** Node from which it reports. */
  host?: string;
}

/** A command to run in a container. */
export interface ExecAction {
  /** Program and arguments, without a shell; exit code 0 is success. */
  command?: string[];
}

/** A Fibre Channel device. */
export interface FCVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Number of the logical unit. */
  lun?: number;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** World wide names of the targets. */
  targetWWNs?: string[];
  /** World wide identifiers of the device; instead of targetWWNs and lun. */
  wwids?: string[];
}

/** One variable in a file of a volume. */
export interface FileKeySelector {
  /** Name of the variable in the file. */
  key?: string;
  /** Whether the file or the variable may be missing. */
  optional?: boolean;
  /** Path of the file within the volume. */
  path?: string;
  /** Name of the volume. */
  volumeName?: string;
}

/** A volume of an exec-based driver. */
export interface FlexPersistentVolumeSource {
  /** Name of the driver. */
  driver?: string;
  /** File system to mount; the driver's own choice if left out. */
  fsType?: string;
  /** Settings for the driver. */
  options?: { [key: string]: string };
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret that is handed to the driver. */
  secretRef?: SecretReference;
}

/** A volume of an exec-based driver. */
export interface FlexVolumeSource {
  /** Name of the driver. */
  driver?: string;
  /** File system to mount; the driver's own choice if left out. */
  fsType?: string;
  /** Settings for the driver. */
  options?: { [key: string]: string };
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret that is handed to the driver. */
  secretRef?: LocalObjectReference;
}

/** A Flocker volume. */
export interface FlockerVolumeSource {
  /** Name of the dataset; deprecated. */
  datasetName?: string;
  /** Identity of the dataset. */
  datasetUUID?: string;
}

/** A disk of Google Compute Engine. */
export interface GCEPersistentDiskVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Partition to mount; the whole disk if left out. */
  partition?: number;
  /** Name of the disk. */
  pdName?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
}

/** A gRPC health check. */
export interface GRPCAction {
  /** Port of the gRPC service. */
  port?: number;
  /** Name to ask the health service about. */
  service?: string;
}

/** A git checkout made at the start. */
export interface GitRepoVolumeSource {
  /** Directory to check out into. */
  directory?: string;
  /** Address of the repository. */
  repository?: string;
  /** Commit to check out. */
  revision?: string;
}

/** A Glusterfs volume. */
export interface GlusterfsPersistentVolumeSource {
  /** Name of the Endpoints with the servers. */
  endpoints?: string;
  /** Namespace of the Endpoints; the claim's if left out. */
  endpointsNamespace?: string;
  /** Path of the volume. */
  path?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
}

/** A Glusterfs volume. */
export interface GlusterfsVolumeSource {
  /** Name of the Endpoints with the servers. */
  endpoints?: string;
  /** Path of the volume. */
  path?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
}

/** An HTTP GET request. */
export interface HTTPGetAction {
  /** Host to ask; the pod's address if left out. */
  host?: string;
  /** Headers to send. */
  httpHeaders?: HTTPHeader[];
  /** Path to ask for. */
  path?: string;
  /** Port by number or by name. */
  port: IntOrString;
  /** HTTP or HTTPS. */
  scheme?: "HTTP" | "HTTPS";
}

/** One header of an HTTP request. */
export interface HTTPHeader {
  /** Name of the header. */
  name?: string;
  /** Value of the header. */
  value?: string;
}

/** One line of a hosts file. */
export interface HostAlias {
  /** Names that the address gets. */
  hostnames?: string[];
  /** The address. */
  ip?: string;
}

/** An address of a node. */
export interface HostIP {
  /** The address. */
  ip?: string;
}

/** A path of the node. */
export interface HostPathVolumeSource {
  /** The path; links are followed. */
  path?: string;
  /** What must be there or is made, for example Directory or FileOrCreate; empty for no check. */
  type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";
}

/** An iSCSI device. */
export interface ISCSIPersistentVolumeSource {
  /** Whether discovery uses CHAP. */
  chapAuthDiscovery?: boolean;
  /** Whether the session uses CHAP. */
  chapAuthSession?: boolean;
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Name of the initiator. */
  initiatorName?: string;
  /** Qualified name of the target. */
  iqn?: string;
  /** Interface that the initiator uses. */
  iscsiInterface?: string;
  /** Number of the logical unit. */
  lun?: number;
  /** Further portals of the target. */
  portals?: string[];
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the CHAP credentials. */
  secretRef?: SecretReference;
  /** Address of the target portal. */
  targetPortal?: string;
}

/** An iSCSI device. */
export interface ISCSIVolumeSource {
  /** Whether discovery uses CHAP. */
  chapAuthDiscovery?: boolean;
  /** Whether the session uses CHAP. */
  chapAuthSession?: boolean;
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Name of the initiator. */
  initiatorName?: string;
  /** Qualified name of the target. */
  iqn?: string;
  /** Interface that the initiator uses. */
  iscsiInterface?: string;
  /** Number of the logical unit. */
  lun?: number;
  /** Further portals of the target. */
  portals?: string[];
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the CHAP credentials. */
  secretRef?: LocalObjectReference;
  /** Address of the target portal. */
  targetPortal?: string;
}

/** The content of an OCI image or artifact. */
export interface ImageVolumeSource {
  /** When to pull it: Always, IfNotPresent or Never. */
  pullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** Image or artifact to use. */
  reference?: string;
}

/** State of an image volume. */
export interface ImageVolumeStatus {
  /** Digest of the image that is mounted. */
  imageRef: string;
}

/** Shows one key as a file. */
export interface KeyToPath {
  /** The key to show. */
  key?: string;
  /** Permission bits of the file; defaultMode if left out. */
  mode?: number;
  /** Path of the file within the volume. */
  path?: string;
}

/** What to do at the start and the end of a container. */
export interface Lifecycle {
  /** Runs right after the start; if it fails the container is killed. */
  postStart?: LifecycleHandler;
  /** Runs before the container is told to end. */
  preStop?: LifecycleHandler;
  /** Signal that tells the container to end; the image's own if left out. */
  stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
}

/** One thing to do at the start or end of a container. */
export interface LifecycleHandler {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction;
  /** Waits. */
  sleep?: SleepAction;
  /** Not supported; a handler with it fails when it runs. */
  tcpSocket?: TCPSocketAction;
}

/** Limits what single objects of a namespace may ask for. */
export interface LimitRange {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "LimitRange";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The limits. */
  spec?: LimitRangeSpec;
}

/** Limits for one sort of object. */
export interface LimitRangeItem {
  /** Limits that containers get that say none. */
  default?: { [key: string]: Quantity };
  /** Requests that containers get that say none. */
  defaultRequest?: { [key: string]: Quantity };
  /** Greatest amounts by resource. */
  max?: { [key: string]: Quantity };
  /** How many times its request a limit may be. */
  maxLimitRequestRatio?: { [key: string]: Quantity };
  /** Smallest amounts by resource. */
  min?: { [key: string]: Quantity };
  /** Sort of object, such as Pod, Container or PersistentVolumeClaim. */
  type?: string;
}

/** Limits of what single objects may ask for. */
export interface LimitRangeSpec {
  /** The limits, by sort of object. */
  limits: LimitRangeItem[];
}

/** User and groups on Linux. */
export interface LinuxContainerUser {
  /** Main group id. */
  gid?: number;
  /** Further group ids. */
  supplementalGroups?: number[];
  /** User id. */
  uid?: number;
}

/** One point at which traffic to a load balancer enters. */
export interface LoadBalancerIngress {
  /** DNS name of the point. */
  hostname?: string;
  /** IP address of the point. */
  ip?: string;
  /** Whether traffic arrives with the load balancer's address (VIP) or is already translated (Proxy). */
  ipMode?: string;
  /** State of single ports. */
  ports?: PortStatus[];
}

/** State of a load balancer. */
export interface LoadBalancerStatus {
  /** Points at which traffic to the load balancer enters. */
  ingress?: LoadBalancerIngress[];
}

/** Points to an object in the same namespace. */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string;
}

/** A disk or directory of a node. */
export interface LocalVolumeSource {
  /** File system that a device gets. */
  fsType?: string;
  /** Path of the directory or of the device. */
  path?: string;
}

/** How far a change of a volume's attributes has come. */
export interface ModifyVolumeStatus {
  /** Pending, InProgress or Infeasible. */
  status?: "InProgress" | "Infeasible" | "Pending";
  /** Class that the volume is changed to. */
  targetVolumeAttributesClassName?: string;
}

/** An NFS share. */
export interface NFSVolumeSource {
  /** Path that the server exports. */
  path?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Name or address of the server. */
  server?: string;
}

/** A named space in which other objects live. */
export interface Namespace {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Namespace";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** How the namespace behaves. */
  spec?: NamespaceSpec;
  /** The state that the namespace is in. */
  status?: NamespaceStatus;
}

/** One named state of a namespace, most of all why its removal takes time. */
export interface NamespaceCondition {
  /** When the status of this condition last changed. */
  lastTransitionTime?: Time;
  /** Explanation for people. */
  message?: string;
  /** Short word for machines that says why. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** How a namespace behaves. */
export interface NamespaceSpec {
  /** Those who must finish before the content counts as removed. */
  finalizers?: string[];
}

/** The state of a namespace. */
export interface NamespaceStatus {
  /** Named states of this object, each True, False or Unknown. */
  conditions?: NamespaceCondition[];
  /** Active, or Terminating once its deletion was asked for. */
  phase?: "Active" | "Terminating";
}

/** A machine of the cluster on which pods run. */
export interface Node {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Node";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted of the node. */
  spec?: NodeSpec;
  /** What the node last reported. */
  status?: NodeStatus;
}

/** One address of a node. */
export interface NodeAddress {
  /** The address itself. */
  address?: string;
  /** What kind of address it is, for example InternalIP or Hostname. */
  type?: string;
}

/** Rules about the nodes that a pod wants. */
export interface NodeAffinity {
  /** Nodes to prefer, with weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  /** What a node must be for the pod to go there. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

/** Node resources that a claim takes. */
export interface NodeAllocatableResourceClaimStatus {
  /** Containers that use the claim. */
  containers?: string[];
  /** Name of the claim. */
  resourceClaimName?: string;
  /** Amounts by resource. */
  resources: { [key: string]: Quantity };
}

/** One named state of a node, such as Ready. */
export interface NodeCondition {
  /** When the node last reported this condition. */
  lastHeartbeatTime?: Time;
  /** When the status of this condition last changed. */
  lastTransitionTime?: Time;
  /** Explanation for people. */
  message?: string;
  /** Short word for machines that says why. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** No longer used; source of a node agent's configuration. */
export interface NodeConfigSource {
  /** ConfigMap that held the configuration. */
  configMap?: ConfigMapNodeConfigSource;
}

/** No longer used; state of a node agent's configuration. */
export interface NodeConfigStatus {
  /** Configuration in use. */
  active?: NodeConfigSource;
  /** Configuration that the node will try to use. */
  assigned?: NodeConfigSource;
  /** What went wrong with the assigned configuration. */
  error?: string;
  /** Configuration to fall back to. */
  lastKnownGood?: NodeConfigSource;
}

/** Ports of the services on a node. */
export interface NodeDaemonEndpoints {
  /** Port of the node agent. */
  kubeletEndpoint?: DaemonEndpoint;
}

/** Abilities of the container runtime that do not depend on a handler. */
export interface NodeFeatures {
  /** Whether the runtime honours supplementalGroupsPolicy and reports users of containers. */
  supplementalGroupsPolicy?: boolean;
}

/** One handler of the container runtime. */
export interface NodeRuntimeHandler {
  /** What this handler can do. */
  features?: NodeRuntimeHandlerFeatures;
  /** Name of the handler; empty for the default one. */
  name?: string;
}

/** What a handler of the container runtime can do. */
export interface NodeRuntimeHandlerFeatures {
  /** Whether mounts can be read-only at every depth. */
  recursiveReadOnlyMounts?: boolean;
  /** Whether pods can run in user namespaces, with volumes too. */
  userNamespaces?: boolean;
}

/** Terms of which one has to hold for a node. */
export interface NodeSelector {
  /** The terms; one that holds is enough. */
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** One requirement on a label or field of a node. */
export interface NodeSelectorRequirement {
  /** Label key or field that is meant. */
  key?: string;
  /** How key and values relate: In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator?: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  /** Values for the operator; one number for Gt and Lt, none for Exists and DoesNotExist. */
  values?: string[];
}

/** Requirements that all have to hold for a node. */
export interface NodeSelectorTerm {
  /** Requirements on the node's labels. */
  matchExpressions?: NodeSelectorRequirement[];
  /** Requirements on the node's fields. */
  matchFields?: NodeSelectorRequirement[];
}

/** What is wanted of a node. */
export interface NodeSpec {
  /** No longer used; was the source of the node agent's configuration. */
  configSource?: NodeConfigSource;
  /** No longer used; some old clients still set it. */
  externalID?: string;
  /** Network from which pods on this node get addresses. */
  podCIDR?: string;
  /** The same networks, at most one per IP family; the first equals podCIDR. */
  podCIDRs?: string[];
  /** Identity of the machine at its cloud provider, as PROVIDER://ID. */
  providerID?: string;
  /** Marks that keep pods without a matching toleration away. */
  taints?: Taint[];
  /** Keeps new pods away from the node. */
  unschedulable?: boolean;
}

/** What a node last reported. */
export interface NodeStatus {
  /** Addresses under which the node can be reached. */
  addresses?: NodeAddress[];
  /** Amounts of resources that pods may use. */
  allocatable?: { [key: string]: Quantity };
  /** Amounts of resources that the machine has. */
  capacity?: { [key: string]: Quantity };
  /** Named states of this object, each True, False or Unknown. */
  conditions?: NodeCondition[];
  /** No longer used; state of the configuration from configSource. */
  config?: NodeConfigStatus;
  /** Ports on which the node's own services listen. */
  daemonEndpoints?: NodeDaemonEndpoints;
  /** Names of features that the node says it has. */
  declaredFeatures?: string[];
  /** Optional abilities of the container runtime. */
  features?: NodeFeatures;
  /** Container images that are on the node. */
  images?: ContainerImage[];
  /** Identity and software of the machine. */
  nodeInfo?: NodeSystemInfo;
  /** No longer used. */
  phase?: "Pending" | "Running" | "Terminated";
  /** Handlers that the container runtime offers. */
  runtimeHandlers?: NodeRuntimeHandler[];
  /** Volumes that are attached to the node. */
  volumesAttached?: AttachedVolume[];
  /** Volumes that are attached and mounted. */
  volumesInUse?: string[];
}

/** Swap space of a machine. */
export interface NodeSwapStatus {
  /** Size of the swap space in bytes. */
  capacity?: number;
}

/** Identity and software of a machine. */
export interface NodeSystemInfo {
  /** Processor architecture that the node reports. */
  architecture?: string;
  /** Identity of the current boot. */
  bootID?: string;
  /** Container runtime and its version. */
  containerRuntimeVersion?: string;
  /** Version of the operating system's kernel. */
  kernelVersion?: string;
  /** No longer filled in. */
  kubeProxyVersion?: string;
  /** Version of the node agent. */
  kubeletVersion?: string;
  /** Identity of the machine as its operating system has it. */
  machineID?: string;
  /** Operating system that the node reports. */
  operatingSystem?: string;
  /** Name and version of the operating system's distribution. */
  osImage?: string;
  /** Swap space of the machine. */
  swap?: NodeSwapStatus;
  /** Identity of the machine as its firmware has it. */
  systemUUID?: string;
}

/** One field of the pod. */
export interface ObjectFieldSelector {
  /** API version in which the path is written. */
  apiVersion?: string;
  /** Path of the field, for example metadata.name. */
  fieldPath?: string;
}

/** Points to an object, or to a part of it. */
export interface ObjectReference {
  /** API version of the object. */
  apiVersion?: string;
  /** Part of the object that is meant, as a path such as spec.containers{name}. */
  fieldPath?: string;
  /** Type of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Namespace of the object. */
  namespace?: string;
  /** State of the object that is meant. */
  resourceVersion?: string;
  /** Identity of the object. */
  uid?: string;
}

/** A volume that lasts longer than pods; claims are bound to it. */
export interface PersistentVolume {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "PersistentVolume";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Where the volume is, and how it may be used. */
  spec?: PersistentVolumeSpec;
  /** What the system reports about it. */
  status?: PersistentVolumeStatus;
}

/** Asks for a volume that lasts longer than a pod. */
export interface PersistentVolumeClaim {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "PersistentVolumeClaim";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which volume is asked for. */
  spec?: PersistentVolumeClaimSpec;
  /** What the system reports about the claim. */
  status?: PersistentVolumeClaimStatus;
}

/** One named state of a volume claim. */
export interface PersistentVolumeClaimCondition {
  /** When it was last looked at. */
  lastProbeTime?: Time;
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** What storage is asked for. */
export interface PersistentVolumeClaimSpec {
  /** How the volume will be used, for example ReadWriteOnce. */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** Snapshot or claim to fill the volume from. */
  dataSource?: TypedLocalObjectReference;
  /** Object of any type to fill the volume from. */
  dataSourceRef?: TypedObjectReference;
  /** How large the volume must be. */
  resources?: VolumeResourceRequirements;
  /** Labels of the volumes that may be taken. */
  selector?: LabelSelector;
  /** Storage class; empty text asks for none. */
  storageClassName?: string;
  /** Class of changeable attributes for the volume. */
  volumeAttributesClassName?: string;
  /** Filesystem or Block. */
  volumeMode?: "Block" | "Filesystem";
  /** Volume that is bound to the claim. */
  volumeName?: string;
}

/** What the system reports about a volume claim. */
export interface PersistentVolumeClaimStatus {
  /** How the volume that is bound can be used. */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** How far a change of size has come, by resource. */
  allocatedResourceStatuses?: { [key: string]: "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizeInProgress" | "NodeResizeInfeasible" | "NodeResizePending" };
  /** Amounts that are set aside, which may be more than is there yet. */
  allocatedResources?: { [key: string]: Quantity };
  /** Amounts that the volume has. */
  capacity?: { [key: string]: Quantity };
  /** Named states of the claim, while its volume is changed. */
  conditions?: PersistentVolumeClaimCondition[];
  /** Class of changeable attributes that the volume has now. */
  currentVolumeAttributesClassName?: string;
  /** How far a change of the attributes has come. */
  modifyVolumeStatus?: ModifyVolumeStatus;
  /** Pending, Bound or Lost. */
  phase?: "Bound" | "Lost" | "Pending";
}

/** A claim to make for a pod. */
export interface PersistentVolumeClaimTemplate {
  /** Labels and annotations of the claim. */
  metadata?: ObjectMeta;
  /** The claim itself. */
  spec?: PersistentVolumeClaimSpec;
}

/** A claim in the same namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  claimName?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
}

/** Where a volume is, and how it may be used; exactly one source is given. */
export interface PersistentVolumeSpec {
  /** How it can be used, for example ReadWriteOnce. */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** An AWS disk; deprecated and redirected to its CSI driver. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** An Azure disk; deprecated and redirected to its CSI driver. */
  azureDisk?: AzureDiskVolumeSource;
  /** An Azure file share; deprecated and redirected to its CSI driver. */
  azureFile?: AzureFilePersistentVolumeSource;
  /** How large the volume is. */
  capacity?: { [key: string]: Quantity };
  /** A Ceph file system; no longer supported. */
  cephfs?: CephFSPersistentVolumeSource;
  /** A Cinder disk; deprecated and redirected to its CSI driver. */
  cinder?: CinderPersistentVolumeSource;
  /** The claim that it is bound to. */
  claimRef?: ObjectReference;
  /** A volume of a CSI driver. */
  csi?: CSIPersistentVolumeSource;
  /** A Fibre Channel device. */
  fc?: FCVolumeSource;
  /** A volume of an exec-based driver; deprecated in favour of CSI. */
  flexVolume?: FlexPersistentVolumeSource;
  /** A Flocker volume; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** A Google disk; deprecated and redirected to its CSI driver. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** A path of a node, for tests on one machine. */
  hostPath?: HostPathVolumeSource;
  /** An iSCSI device. */
  iscsi?: ISCSIPersistentVolumeSource;
  /** A disk or directory of a node. */
  local?: LocalVolumeSource;
  /** Options with which it is mounted. */
  mountOptions?: string[];
  /** An NFS share. */
  nfs?: NFSVolumeSource;
  /** Nodes that can reach it. */
  nodeAffinity?: VolumeNodeAffinity;
  /** What becomes of it without its claim: Retain, the default, or Delete; Recycle is deprecated. */
  persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  /** A Photon disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A Portworx volume; deprecated and redirected to its CSI driver. */
  portworxVolume?: PortworxVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDPersistentVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /** Storage class that it belongs to; none if empty. */
  storageClassName?: string;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSPersistentVolumeSource;
  /** Class of changeable attributes that it has. */
  volumeAttributesClassName?: string;
  /** Filesystem, the default, or Block. */
  volumeMode?: "Block" | "Filesystem";
  /** A vSphere disk; deprecated and redirected to its CSI driver. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** What the system reports about a volume. */
export interface PersistentVolumeStatus {
  /** When the phase last changed. */
  lastPhaseTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Pending, Available, Bound, Released or Failed. */
  phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  /** Word for the cause of a failure. */
  reason?: string;
}

/** A Photon disk. */
export interface PhotonPersistentDiskVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Identity of the disk. */
  pdID?: string;
}

/** One or more containers that run together on one node. */
export interface Pod {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Pod";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What the pod should run, and how. */
  spec?: PodSpec;
  /** What was last seen of the pod. */
  status?: PodStatus;
}

/** Pods to be near to. */
export interface PodAffinity {
  /** Pods that it is good to be near to, with weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /** Pods that it must be near to. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** Selects pods, and says what near means. */
export interface PodAffinityTerm {
  /** Labels of the pods. */
  labelSelector?: LabelSelector;
  /** Label keys whose value must be the same as the new pod's. */
  matchLabelKeys?: string[];
  /** Label keys whose value must differ from the new pod's. */
  mismatchLabelKeys?: string[];
  /** Labels of the namespaces to look in. */
  namespaceSelector?: LabelSelector;
  /** Names of the namespaces to look in; the pod's own if nothing is said. */
  namespaces?: string[];
  /** Node label whose equal value means near. */
  topologyKey?: string;
}

/** Pods to keep away from. */
export interface PodAntiAffinity {
  /** Pods that it is good to keep away from, with weights. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /** Pods that it must keep away from. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** A key and a certificate made for the pod as files. */
export interface PodCertificateProjection {
  /** File for the certificate chain. */
  certificateChainPath?: string;
  /** File for key and certificate chain together. */
  credentialBundlePath?: string;
  /** File for the key. */
  keyPath?: string;
  /** Kind of key to make. */
  keyType: string;
  /** How long the certificate may be valid at most. */
  maxExpirationSeconds?: number;
  /** Signer that is asked for the certificate. */
  signerName: string;
  /** Further facts for the signer. */
  userAnnotations?: { [key: string]: string };
}

/** One named state of a pod, such as Ready. */
export interface PodCondition {
  /** When the condition was last checked. */
  lastProbeTime?: Time;
  /** When the status of this condition last changed. */
  lastTransitionTime?: Time;
  /** Explanation for people. */
  message?: string;
  /** Generation of the pod that the condition speaks of. */
  observedGeneration?: number;
  /** Short word for machines that says why. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** DNS settings of a pod. */
export interface PodDNSConfig {
  /** Addresses of name servers. */
  nameservers?: string[];
  /** Options of the resolver. */
  options?: PodDNSConfigOption[];
  /** Domains in which short names are looked up. */
  searches?: string[];
}

/** One option of the resolver. */
export interface PodDNSConfigOption {
  /** Name of the option. */
  name?: string;
  /** Value of the option. */
  value?: string;
}

/** The claim that was made for extended resources. */
export interface PodExtendedResourceClaimStatus {
  /** Which request of the claim stands for which resource of which container. */
  requestMappings: ContainerExtendedResourceRequest[];
  /** Name of the claim. */
  resourceClaimName?: string;
}

/** An address of a pod. */
export interface PodIP {
  /** The address. */
  ip?: string;
}

/** Operating system of a pod. */
export interface PodOS {
  /** The operating system: linux or windows. */
  name?: string;
}

/** A condition that must be True for a pod to be ready. */
export interface PodReadinessGate {
  /** Name of the condition. */
  conditionType?: string;
}

/** A device claim that a pod uses; one of claim or template is given. */
export interface PodResourceClaim {
  /** Name by which containers refer to it. */
  name?: string;
  /** Existing claim in the same namespace. */
  resourceClaimName?: string;
  /** Template in the same namespace from which a claim is made. */
  resourceClaimTemplateName?: string;
}

/** The claim that was made for an entry of a pod. */
export interface PodResourceClaimStatus {
  /** Name of the entry in the pod. */
  name?: string;
  /** Claim that was made; none if none was needed. */
  resourceClaimName?: string;
}

/** Something that holds back the scheduling of a pod. */
export interface PodSchedulingGate {
  /** Name of the gate. */
  name?: string;
}

/** The group of pods that a pod is scheduled with. */
export interface PodSchedulingGroup {
  /** Name of the pod group. */
  podGroupName?: string;
}

/** Security settings of a pod and defaults for its containers. */
export interface PodSecurityContext {
  /** AppArmor profile of the containers. */
  appArmorProfile?: AppArmorProfile;
  /** Group that owns the files of volumes where the volume allows it. */
  fsGroup?: number;
  /** Whether ownership is changed always or only if the root differs. */
  fsGroupChangePolicy?: "Always" | "OnRootMismatch";
  /** Group id of the processes. */
  runAsGroup?: number;
  /** Refuses to start containers that would run as root. */
  runAsNonRoot?: boolean;
  /** User id of the processes. */
  runAsUser?: number;
  /** How SELinux labels get onto the files of volumes. */
  seLinuxChangePolicy?: string;
  /** SELinux labels of the containers. */
  seLinuxOptions?: SELinuxOptions;
  /** Seccomp profile of the containers. */
  seccompProfile?: SeccompProfile;
  /** Further groups of the processes. */
  supplementalGroups?: number[];
  /** Whether groups named in the image are merged in. */
  supplementalGroupsPolicy?: "Merge" | "Strict";
  /** Kernel settings for the pod. */
  sysctls?: Sysctl[];
  /** Settings for Windows containers. */
  windowsOptions?: WindowsSecurityContextOptions;
}

/** What a pod should run, and how. */
export interface PodSpec {
  /** Seconds after its start at which the pod is ended and counted as failed. */
  activeDeadlineSeconds?: number;
  /** Rules about the nodes and neighbours that the pod wants. */
  affinity?: Affinity;
  /** Whether a token of the service account is mounted. */
  automountServiceAccountToken?: boolean;
  /** Containers of the pod; at least one, and the list cannot change. */
  containers: Container[];
  /** DNS settings that are merged with those of dnsPolicy. */
  dnsConfig?: PodDNSConfig;
  /** Where DNS settings come from: ClusterFirst, ClusterFirstWithHostNet, Default or None. */
  dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  /** Whether addresses of services are put into environment variables. */
  enableServiceLinks?: boolean;
  /** Containers added to the running pod for debugging; only through their subresource. */
  ephemeralContainers?: EphemeralContainer[];
  /** Lines to add to the pod's hosts file. */
  hostAliases?: HostAlias[];
  /** Uses the IPC namespace of the node. */
  hostIPC?: boolean;
  /** Uses the network of the node. */
  hostNetwork?: boolean;
  /** Uses the process namespace of the node. */
  hostPID?: boolean;
  /** Whether the pod uses the node's user namespace; false gives it one of its own. */
  hostUsers?: boolean;
  /** Host name of the pod; its own name if left out. */
  hostname?: string;
  /** Exact host name inside the pod, over all other rules. */
  hostnameOverride?: string;
  /** Secrets in the same namespace for pulling images. */
  imagePullSecrets?: LocalObjectReference[];
  /** Containers that run to their end one after the other before the others start. */
  initContainers?: Container[];
  /** Node that the pod runs on; set when it is scheduled. */
  nodeName?: string;
  /** Labels that the node must have. */
  nodeSelector?: { [key: string]: string };
  /** Operating system that the containers need. */
  os?: PodOS;
  /** Resources that running the pod costs beside those of its containers; from the runtime class. */
  overhead?: { [key: string]: Quantity };
  /** Whether pods of lower priority may be removed to make room. */
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
  /** Priority as a number; higher goes first. */
  priority?: number;
  /** Name of the class that the priority comes from. */
  priorityClassName?: string;
  /** Further conditions that must be True for the pod to be ready. */
  readinessGates?: PodReadinessGate[];
  /** Claims on devices that must be met before the pod may start. */
  resourceClaims?: PodResourceClaim[];
  /** Resources for the pod as a whole. */
  resources?: ResourceRequirements;
  /** What happens when a container ends: Always, OnFailure or Never. */
  restartPolicy?: "Always" | "Never" | "OnFailure";
  /** Runtime class with which the pod should run. */
  runtimeClassName?: string;
  /** Scheduler that should place the pod. */
  schedulerName?: string;
  /** While any is left, the pod is not scheduled. */
  schedulingGates?: PodSchedulingGate[];
  /** Group of pods that are scheduled together. */
  schedulingGroup?: PodSchedulingGroup;
  /** Security settings for the pod and defaults for its containers. */
  securityContext?: PodSecurityContext;
  /** Old name of serviceAccountName. */
  serviceAccount?: string;
  /** Service account that the pod runs as. */
  serviceAccountName?: string;
  /** Uses the full domain name as host name. */
  setHostnameAsFQDN?: boolean;
  /** Lets all containers of the pod see each other's processes. */
  shareProcessNamespace?: boolean;
  /** Subdomain of the pod's full name, which is HOSTNAME.SUBDOMAIN.NAMESPACE.svc.DOMAIN. */
  subdomain?: string;
  /** Seconds that processes get to end before they are killed. */
  terminationGracePeriodSeconds?: number;
  /** Taints of nodes that the pod tolerates. */
  tolerations?: Toleration[];
  /** How pods of a kind should spread over zones, nodes and the like. */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /** Volumes that containers of the pod can mount. */
  volumes?: Volume[];
}

/** What was last seen of a pod. */
export interface PodStatus {
  /** Resources that the node has set aside for the pod. */
  allocatedResources?: { [key: string]: Quantity };
  /** Named states of this object, each True, False or Unknown. */
  conditions?: PodCondition[];
  /** State of each container. */
  containerStatuses?: ContainerStatus[];
  /** State of each ephemeral container. */
  ephemeralContainerStatuses?: ContainerStatus[];
  /** State of the claim that was made for extended resources of the pod. */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /** Address of the node. */
  hostIP?: string;
  /** Addresses of the node, at most one per IP family. */
  hostIPs?: HostIP[];
  /** State of each init container. */
  initContainerStatuses?: ContainerStatus[];
  /** Explanation for people. */
  message?: string;
  /** Node resources that the pod's claims take. */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  /** Node that room is being made on for this pod. */
  nominatedNodeName?: string;
  /** Generation of the pod that this status speaks of. */
  observedGeneration?: number;
  /** Where the pod is in its life: Pending, Running, Succeeded, Failed or Unknown. */
  phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  /** Address of the pod. */
  podIP?: string;
  /** Addresses of the pod, at most one per IP family; the first equals podIP. */
  podIPs?: PodIP[];
  /** Class by the resources that were asked for: Guaranteed, Burstable or BestEffort. */
  qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  /** Short word for machines that says why. */
  reason?: string;
  /** Deprecated state of a change of resources; conditions tell it now. */
  resize?: string;
  /** Claims that were made from the pod's templates. */
  resourceClaimStatuses?: PodResourceClaimStatus[];
  /** Resources that the pod has as a whole. */
  resources?: ResourceRequirements;
  /** When the node took the pod on. */
  startTime?: Time;
}

/** Keeps what pods are made from, for whoever wants to make some. */
export interface PodTemplate {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "PodTemplate";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What pods are made from. */
  template?: PodTemplateSpec;
}

/** What new pods are made from. */
export interface PodTemplateSpec {
  /** Labels and annotations that the pods get. */
  metadata?: ObjectMeta;
  /** What the pods should run, and how. */
  spec?: PodSpec;
}

/** State of one port of a load balancer. */
export interface PortStatus {
  /** What is wrong with the port, as a word. */
  error?: string;
  /** Number of the port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** A Portworx volume. */
export interface PortworxVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Identity of the volume. */
  volumeID?: string;
}

/** Nodes to prefer, with a weight. */
export interface PreferredSchedulingTerm {
  /** The nodes to prefer. */
  preference?: NodeSelectorTerm;
  /** How much they count, from 1 to 100. */
  weight?: number;
}

/** A repeated check of a container. */
export interface Probe {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** How many failures in a row count as failed. */
  failureThreshold?: number;
  /** Asks a gRPC health service. */
  grpc?: GRPCAction;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction;
  /** Seconds after the start before the first check. */
  initialDelaySeconds?: number;
  /** Seconds between checks. */
  periodSeconds?: number;
  /** How many successes in a row count as well again. */
  successThreshold?: number;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction;
  /** Seconds that the container gets to end when the check fails. */
  terminationGracePeriodSeconds?: number;
  /** Seconds after which a check without answer has failed. */
  timeoutSeconds?: number;
}

/** Several sources in one directory. */
export interface ProjectedVolumeSource {
  /** Permission bits of files that do not say their own. */
  defaultMode?: number;
  /** The sources. */
  sources?: VolumeProjection[];
}

/** A Quobyte volume. */
export interface QuobyteVolumeSource {
  /** Group to map access to. */
  group?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Addresses of the registry services. */
  registry?: string;
  /** Tenant that owns the volume. */
  tenant?: string;
  /** User to map access to. */
  user?: string;
  /** Name of the volume. */
  volume?: string;
}

/** A Ceph block device. */
export interface RBDPersistentVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Name of the image. */
  image?: string;
  /** Path of the user's key ring. */
  keyring?: string;
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Pool of the image. */
  pool?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the user's key, which goes before keyring. */
  secretRef?: SecretReference;
  /** Ceph user. */
  user?: string;
}

/** A Ceph block device. */
export interface RBDVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Name of the image. */
  image?: string;
  /** Path of the user's key ring. */
  keyring?: string;
  /** Addresses of the Ceph monitors. */
  monitors: string[];
  /** Pool of the image. */
  pool?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the user's key, which goes before keyring. */
  secretRef?: LocalObjectReference;
  /** Ceph user. */
  user?: string;
}

/** Keeps a number of like pods; ReplicaSets came after it. */
export interface ReplicationController {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "ReplicationController";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run, and how often. */
  spec?: ReplicationControllerSpec;
  /** What was last seen of the replication controller. */
  status?: ReplicationControllerStatus;
}

/** One named state of a replication controller. */
export interface ReplicationControllerCondition {
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** What a replication controller should run, and how often. */
export interface ReplicationControllerSpec {
  /** Seconds for which a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many pods should run; 1 unless said otherwise. */
  replicas?: number;
  /** Labels of the pods that count; those of the template if left out. */
  selector?: { [key: string]: string };
  /** What each missing pod is made from. */
  template?: PodTemplateSpec;
}

/** What was last seen of a replication controller. */
export interface ReplicationControllerStatus {
  /** How many pods have been ready for long enough. */
  availableReplicas?: number;
  /** Named states of the replication controller. */
  conditions?: ReplicationControllerCondition[];
  /** How many pods have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** Generation that the controller has seen. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are that do not end. */
  replicas?: number;
}

/** A device claim of the pod. */
export interface ResourceClaim {
  /** Name of the claim in the pod. */
  name?: string;
  /** One request of the claim; all of them if left out. */
  request?: string;
}

/** One amount of a container's resources. */
export interface ResourceFieldSelector {
  /** Container that is meant; needed in volumes. */
  containerName?: string;
  /** Unit in which the amount is given. */
  divisor?: Quantity;
  /** Name of the amount, for example limits.cpu. */
  resource?: string;
}

/** Health of one device. */
export interface ResourceHealth {
  /** Healthy, Unhealthy or Unknown. */
  health?: string;
  /** Explanation for people. */
  message?: string;
  /** Identity of the device. */
  resourceID?: string;
}

/** Limits what a namespace may use together. */
export interface ResourceQuota {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "ResourceQuota";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The limits. */
  spec?: ResourceQuotaSpec;
  /** The limits in force, and what is used. */
  status?: ResourceQuotaStatus;
}

/** Limits of what a namespace may use together. */
export interface ResourceQuotaSpec {
  /** Amounts by resource that may not be exceeded. */
  hard?: { [key: string]: Quantity };
  /** Which pods and claims count, by scopes with values. */
  scopeSelector?: ScopeSelector;
  /** Which pods count, as scopes that all have to hold. */
  scopes?: ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass")[];
}

/** The limits in force, and what is used. */
export interface ResourceQuotaStatus {
  /** The limits in force. */
  hard?: { [key: string]: Quantity };
  /** What is used at present. */
  used?: { [key: string]: Quantity };
}

/** Resources that something needs and may use at most. */
export interface ResourceRequirements {
  /** Device claims of the pod that are used. */
  claims?: ResourceClaim[];
  /** Amounts that may be used at most. */
  limits?: { [key: string]: Quantity };
  /** Amounts that are set aside; the limits if left out. */
  requests?: { [key: string]: Quantity };
}

/** Health of the devices of one resource. */
export interface ResourceStatus {
  /** Name of the resource or claim. */
  name?: string;
  /** Health of each device. */
  resources?: ResourceHealth[];
}

/** SELinux labels. */
export interface SELinuxOptions {
  /** Level label. */
  level?: string;
  /** Role label. */
  role?: string;
  /** Type label. */
  type?: string;
  /** User label. */
  user?: string;
}

/** A ScaleIO volume. */
export interface ScaleIOPersistentVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Address of the API gateway. */
  gateway?: string;
  /** Protection domain of the storage. */
  protectionDomain?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the credentials. */
  secretRef: SecretReference;
  /** Whether the gateway is reached over SSL. */
  sslEnabled?: boolean;
  /** ThickProvisioned or ThinProvisioned. */
  storageMode?: string;
  /** Storage pool of the protection domain. */
  storagePool?: string;
  /** Name of the storage system. */
  system?: string;
  /** Name of the volume. */
  volumeName?: string;
}

/** A ScaleIO volume. */
export interface ScaleIOVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Address of the API gateway. */
  gateway?: string;
  /** Protection domain of the storage. */
  protectionDomain?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret in the same namespace that holds the credentials. */
  secretRef: LocalObjectReference;
  /** Whether the gateway is reached over SSL. */
  sslEnabled?: boolean;
  /** ThickProvisioned or ThinProvisioned. */
  storageMode?: string;
  /** Storage pool of the protection domain. */
  storagePool?: string;
  /** Name of the storage system. */
  system?: string;
  /** Name of the volume. */
  volumeName?: string;
}

/** Selects what counts for a quota. */
export interface ScopeSelector {
  /** Conditions that all have to hold. */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** One condition on what counts for a quota. */
export interface ScopedResourceSelectorRequirement {
  /** In, NotIn, Exists or DoesNotExist. */
  operator?: "DoesNotExist" | "Exists" | "In" | "NotIn";
  /** Name of the scope. */
  scopeName?: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass";
  /** Values that In and NotIn compare with. */
  values?: string[];
}

/** A seccomp profile. */
export interface SeccompProfile {
  /** File on the node with the profile; for type Localhost. */
  localhostProfile?: string;
  /** Localhost, RuntimeDefault or Unconfined. */
  type?: "Localhost" | "RuntimeDefault" | "Unconfined";
}

/** Confidential bytes by key. */
export interface Secret {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Bytes by key, written in base64. */
  data?: { [key: string]: string };
  /** Once true the content can no longer change, and neither can this field. */
  immutable?: boolean;
  /** Name of the type that this object has. */
  kind: "Secret";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Plain text by key that a write merges into data; never returned. */
  stringData?: { [key: string]: string };
  /** Says what the content is for, and which keys are expected. */
  type?: string;
}

/** A Secret whose keys become environment variables. */
export interface SecretEnvSource {
  /** Name of the Secret. */
  name?: string;
  /** Whether the Secret may be missing. */
  optional?: boolean;
}

/** One key of a Secret. */
export interface SecretKeySelector {
  /** The key to read. */
  key?: string;
  /** Name of the Secret. */
  name?: string;
  /** Whether the Secret or the key may be missing. */
  optional?: boolean;
}

/** Keys of a Secret as files. */
export interface SecretProjection {
  /** Keys to show and where; all keys if left out. */
  items?: KeyToPath[];
  /** Name of the Secret. */
  name?: string;
  /** Whether the Secret or its keys may be missing. */
  optional?: boolean;
}

/** Points to a Secret in any namespace. */
export interface SecretReference {
  /** Name of the Secret. */
  name?: string;
  /** Namespace of the Secret. */
  namespace?: string;
}

/** Keys of a Secret as files. */
export interface SecretVolumeSource {
  /** Permission bits of files that do not say their own. */
  defaultMode?: number;
  /** Keys to show and where; all keys if left out. */
  items?: KeyToPath[];
  /** Whether the Secret or its keys may be missing. */
  optional?: boolean;
  /** Name of the Secret. */
  secretName?: string;
}

/** Security settings of a container. */
export interface SecurityContext {
  /** Whether a process can get more rights than its parent. */
  allowPrivilegeEscalation?: boolean;
  /** AppArmor profile of the container. */
  appArmorProfile?: AppArmorProfile;
  /** Capabilities to add and to drop. */
  capabilities?: Capabilities;
  /** Gives processes nearly the rights of root on the node. */
  privileged?: boolean;
  /** Which form of /proc the container gets. */
  procMount?: "Default" | "Unmasked";
  /** Whether the root file system cannot be written. */
  readOnlyRootFilesystem?: boolean;
  /** Group id of the container's processes. */
  runAsGroup?: number;
  /** Refuses to start a container that would run as root. */
  runAsNonRoot?: boolean;
  /** User id of the container's processes. */
  runAsUser?: number;
  /** SELinux labels of the container. */
  seLinuxOptions?: SELinuxOptions;
  /** Seccomp profile of the container. */
  seccompProfile?: SeccompProfile;
  /** Settings for Windows containers. */
  windowsOptions?: WindowsSecurityContextOptions;
}

/** A stable name and address in front of pods or of something outside. */
export interface Service {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Name of the type that this object has. */
  kind: "Service";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** How the service is offered. */
  spec?: ServiceSpec;
  /** What the system reports about the service. */
  status?: ServiceStatus;
}

/** An identity for processes that run in pods. */
export interface ServiceAccount {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "v1";
  /** Whether pods with this account get a token mounted unless they say otherwise. */
  automountServiceAccountToken?: boolean;
  /** Secrets for pulling images that pods with this account get. */
  imagePullSecrets?: LocalObjectReference[];
  /** Name of the type that this object has. */
  kind: "ServiceAccount";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Secrets that pods with this account may use. */
  secrets?: ObjectReference[];
}

/** A token of the pod's service account as a file. */
export interface ServiceAccountTokenProjection {
  /** Whom the token is for; the API server if left out. */
  audience?: string;
  /** How long the token is valid; it is renewed before. */
  expirationSeconds?: number;
  /** Path of the file within the volume. */
  path?: string;
}

/** One port of a service. */
export interface ServicePort {
  /** Application protocol spoken on the port, as a hint. */
  appProtocol?: string;
  /** Name of the port; needed if there are several. */
  name?: string;
  /** Port under which every node offers the service. */
  nodePort?: number;
  /** Port under which the service is offered. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Port of the pods, by number or by name; the same number as port if left out. */
  targetPort?: IntOrString;
}

/** How a service is offered. */
export interface ServiceSpec {
  /** Whether a LoadBalancer service gets node ports; true unless said otherwise. */
  allocateLoadBalancerNodePorts?: boolean;
  /** Address of the service inside the cluster; None for a headless service, given by the server if left out. */
  clusterIP?: string;
  /** The addresses of the service, at most one per IP family; the first equals clusterIP. */
  clusterIPs?: string[];
  /** Further addresses whose traffic nodes accept for this service; the system does not manage them. */
  externalIPs?: string[];
  /** DNS name that an ExternalName service stands for. */
  externalName?: string;
  /** Cluster lets any node forward outside traffic anywhere; Local keeps it on the node and keeps the client address. */
  externalTrafficPolicy?: "Cluster" | "Local";
  /** Node port that tells load balancers which nodes have local endpoints. */
  healthCheckNodePort?: number;
  /** Cluster uses all endpoints for traffic from inside; Local only those on the same node. */
  internalTrafficPolicy?: "Cluster" | "Local";
  /** IP families of the service, the preferred one first. */
  ipFamilies?: ("" | "IPv4" | "IPv6")[];
  /** SingleStack, PreferDualStack or RequireDualStack. */
  ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
  /** Which load balancer implementation is responsible; cannot change once set. */
  loadBalancerClass?: string;
  /** Deprecated wish for a load balancer address, with meaning that differs by provider. */
  loadBalancerIP?: string;
  /** Networks from which clients may use the load balancer, where the provider supports it. */
  loadBalancerSourceRanges?: string[];
  /** Ports of the service. */
  ports?: ServicePort[];
  /** Whether endpoints that are not ready count as ready. */
  publishNotReadyAddresses?: boolean;
  /** Labels of the pods behind the service; without it the endpoints are managed by hand. */
  selector?: { [key: string]: string };
  /** ClientIP sends a client always to the same pod, None does not. */
  sessionAffinity?: "ClientIP" | "None";
  /** Settings of the session affinity. */
  sessionAffinityConfig?: SessionAffinityConfig;
  /** Preference for close endpoints: PreferSameZone, PreferSameNode or the older PreferClose. */
  trafficDistribution?: string;
  /** ClusterIP, NodePort, LoadBalancer or ExternalName. */
  type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
}

/** What the system reports about a service. */
export interface ServiceStatus {
  /** Named states of this object, each True, False or Unknown. */
  conditions?: Condition[];
  /** State of the load balancer. */
  loadBalancer?: LoadBalancerStatus;
}

/** Settings of session affinity. */
export interface SessionAffinityConfig {
  /** Settings of affinity by client address. */
  clientIP?: ClientIPConfig;
}

/** A pause. */
export interface SleepAction {
  /** Length of the pause in seconds. */
  seconds?: number;
}

/** A StorageOS volume. */
export interface StorageOSPersistentVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret with the credentials. */
  secretRef?: ObjectReference;
  /** Name of the volume. */
  volumeName?: string;
  /** Namespace of the volume in StorageOS; the claim's if left out. */
  volumeNamespace?: string;
}

/** A StorageOS volume. */
export interface StorageOSVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Mounts the volume so that it cannot be written. */
  readOnly?: boolean;
  /** Secret in the same namespace that holds the credentials. */
  secretRef?: LocalObjectReference;
  /** Name of the volume. */
  volumeName?: string;
  /** Namespace of the volume in StorageOS; the pod's if left out. */
  volumeNamespace?: string;
}

/** A kernel setting. */
export interface Sysctl {
  /** Name of the setting. */
  name?: string;
  /** Value of the setting. */
  value?: string;
}

/** A TCP connection to open. */
export interface TCPSocketAction {
  /** Host to connect to; the pod's address if left out. */
  host?: string;
  /** Port by number or by name. */
  port: IntOrString;
}

/** A mark on a node that pods have to tolerate. */
export interface Taint {
  /** What happens to pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute. */
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  /** Key of the mark. */
  key?: string;
  /** When the mark was put on. */
  timeAdded?: Time;
  /** Value that belongs to the key. */
  value?: string;
}

/** Lets a pod onto nodes with matching taints. */
export interface Toleration {
  /** Effect of the taint; empty matches all effects. */
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  /** Key of the taint; empty with Exists matches all taints. */
  key?: string;
  /** How key and value relate: Equal, Exists, or Lt and Gt for numbers. */
  operator?: "Equal" | "Exists" | "Gt" | "Lt";
  /** How long the pod may stay after a NoExecute taint appears; for ever if left out. */
  tolerationSeconds?: number;
  /** Value of the taint. */
  value?: string;
}

/** A label that a place must have, with one of some values. */
export interface TopologySelectorLabelRequirement {
  /** The label. */
  key?: string;
  /** The values; one of them is enough. */
  values: string[];
}

/** Requirements on the place of a volume, which all have to hold. */
export interface TopologySelectorTerm {
  /** The requirements. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** How pods should spread over parts of the cluster. */
export interface TopologySpreadConstraint {
  /** Labels of the pods that are counted. */
  labelSelector?: LabelSelector;
  /** Label keys whose value must be the same as the new pod's. */
  matchLabelKeys?: string[];
  /** By how much the numbers of pods in two parts may differ. */
  maxSkew?: number;
  /** How many parts there should be at least. */
  minDomains?: number;
  /** Whether the pod's node affinity decides which nodes count: Honor or Ignore. */
  nodeAffinityPolicy?: "Honor" | "Ignore";
  /** Whether taints decide which nodes count: Honor or Ignore. */
  nodeTaintsPolicy?: "Honor" | "Ignore";
  /** Node label whose equal value means the same part. */
  topologyKey?: string;
  /** What to do if it cannot hold: DoNotSchedule or ScheduleAnyway. */
  whenUnsatisfiable?: "DoNotSchedule" | "ScheduleAnyway";
}

/** Points to an object of any type in the same namespace. */
export interface TypedLocalObjectReference {
  /** Group of the object's type; empty for the core group. */
  apiGroup?: string;
  /** Type of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
}

/** Points to an object of any type, possibly in another namespace. */
export interface TypedObjectReference {
  /** Group of the object's type; empty for the core group. */
  apiGroup?: string;
  /** Type of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Namespace of the object; reaching into another one needs a grant there. */
  namespace?: string;
}

/** A volume that containers of a pod can mount; besides the name exactly one source is given. */
export interface Volume {
  /** An AWS disk; deprecated and redirected to its CSI driver. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** An Azure disk; deprecated and redirected to its CSI driver. */
  azureDisk?: AzureDiskVolumeSource;
  /** An Azure file share; deprecated and redirected to its CSI driver. */
  azureFile?: AzureFileVolumeSource;
  /** A Ceph file system; no longer supported. */
  cephfs?: CephFSVolumeSource;
  /** A Cinder disk; deprecated and redirected to its CSI driver. */
  cinder?: CinderVolumeSource;
  /** Keys of a ConfigMap as files. */
  configMap?: ConfigMapVolumeSource;
  /** A volume that a CSI driver makes for this pod. */
  csi?: CSIVolumeSource;
  /** Facts about the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource;
  /** A directory that lives as long as the pod. */
  emptyDir?: EmptyDirVolumeSource;
  /** A volume whose claim is made for this pod and goes with it. */
  ephemeral?: EphemeralVolumeSource;
  /** A Fibre Channel device. */
  fc?: FCVolumeSource;
  /** A volume of an exec-based driver; deprecated in favour of CSI. */
  flexVolume?: FlexVolumeSource;
  /** A Flocker volume; no longer supported. */
  flocker?: FlockerVolumeSource;
  /** A Google disk; deprecated and redirected to its CSI driver. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** A git checkout; deprecated in favour of an init container. */
  gitRepo?: GitRepoVolumeSource;
  /** A Glusterfs volume; no longer supported. */
  glusterfs?: GlusterfsVolumeSource;
  /** A path of the node. */
  hostPath?: HostPathVolumeSource;
  /** The content of an OCI image or artifact. */
  image?: ImageVolumeSource;
  /** An iSCSI device. */
  iscsi?: ISCSIVolumeSource;
  /** Name of the volume, unique within the pod. */
  name?: string;
  /** An NFS share. */
  nfs?: NFSVolumeSource;
  /** A claim in the same namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /** A Photon disk; no longer supported. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A Portworx volume; deprecated and redirected to its CSI driver. */
  portworxVolume?: PortworxVolumeSource;
  /** Several sources in one directory. */
  projected?: ProjectedVolumeSource;
  /** A Quobyte volume; no longer supported. */
  quobyte?: QuobyteVolumeSource;
  /** A Ceph block device; no longer supported. */
  rbd?: RBDVolumeSource;
  /** A ScaleIO volume; no longer supported. */
  scaleIO?: ScaleIOVolumeSource;
  /** Keys of a Secret as files. */
  secret?: SecretVolumeSource;
  /** A StorageOS volume; no longer supported. */
  storageos?: StorageOSVolumeSource;
  /** A vSphere disk; deprecated and redirected to its CSI driver. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** Gives a container the block device of a volume. */
export interface VolumeDevice {
  /** Where in the container the device appears. */
  devicePath?: string;
  /** Name of the volume claim in the pod. */
  name?: string;
}

/** Mounts a volume into a container. */
export interface VolumeMount {
  /** Where in the container to mount it. */
  mountPath?: string;
  /** How mounts spread between node and container: None, HostToContainer or Bidirectional. */
  mountPropagation?: "Bidirectional" | "HostToContainer" | "None";
  /** Name of the volume. */
  name?: string;
  /** Mounts it so that it cannot be written. */
  readOnly?: boolean;
  /** Whether mounts below must be read-only too: Disabled, IfPossible or Enabled. */
  recursiveReadOnly?: string;
  /** Path in the volume to mount instead of its root. */
  subPath?: string;
  /** Like subPath, with $(NAME) for environment variables. */
  subPathExpr?: string;
}

/** State of a mount. */
export interface VolumeMountStatus {
  /** Where in the container it is mounted. */
  mountPath?: string;
  /** Name of the volume. */
  name?: string;
  /** Whether it cannot be written. */
  readOnly?: boolean;
  /** Whether mounts below are read-only too. */
  recursiveReadOnly?: string;
  /** More about the volume itself. */
  volumeStatus?: VolumeStatus;
}

/** Nodes that can reach a volume. */
export interface VolumeNodeAffinity {
  /** What must hold for a node. */
  required?: NodeSelector;
}

/** One source of a projected volume; exactly one is given. */
export interface VolumeProjection {
  /** Certificates of trust bundles. */
  clusterTrustBundle?: ClusterTrustBundleProjection;
  /** Keys of a ConfigMap. */
  configMap?: ConfigMapProjection;
  /** Facts about the pod. */
  downwardAPI?: DownwardAPIProjection;
  /** A key and a certificate made for the pod. */
  podCertificate?: PodCertificateProjection;
  /** Keys of a Secret. */
  secret?: SecretProjection;
  /** A token of the pod's service account. */
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** How large a volume must be. */
export interface VolumeResourceRequirements {
  /** Size that it may have at most. */
  limits?: { [key: string]: Quantity };
  /** Size that it must have at least. */
  requests?: { [key: string]: Quantity };
}

/** State of a mounted volume. */
export interface VolumeStatus {
  /** State of an image volume. */
  image?: ImageVolumeStatus;
}

/** A vSphere disk. */
export interface VsphereVirtualDiskVolumeSource {
  /** File system of the volume, for example ext4. */
  fsType?: string;
  /** Identity of the storage policy. */
  storagePolicyID?: string;
  /** Name of the storage policy. */
  storagePolicyName?: string;
  /** Path of the disk. */
  volumePath?: string;
}

/** Selects pods, with a weight. */
export interface WeightedPodAffinityTerm {
  /** The pods. */
  podAffinityTerm?: PodAffinityTerm;
  /** How much they count, from 1 to 100. */
  weight?: number;
}

/** Security settings for Windows. */
export interface WindowsSecurityContextOptions {
  /** The GMSA credential spec itself. */
  gmsaCredentialSpec?: string;
  /** Name of the GMSA credential spec to use. */
  gmsaCredentialSpecName?: string;
  /** Whether the container runs as a process of the host. */
  hostProcess?: boolean;
  /** User name of the processes. */
  runAsUserName?: string;
}
