// Written by `npm run types` from the schemas; do not edit.
import type { NodeSelector } from "./io.k8s.api.core.v1.d.ts";
import type { Quantity } from "./io.k8s.apimachinery.pkg.api.resource.d.ts";
import type { Condition, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";
import type { RawExtension } from "./io.k8s.apimachinery.pkg.runtime.d.ts";

/** What its driver reports about a device. */
export interface AllocatedDeviceStatus {
  /** States of the device, each type once. */
  conditions?: Condition[];
  /** What the driver wants to say besides, at most 10 KiB. */
  data?: RawExtension;
  /** The device in the pool. */
  device?: string;
  /** Name of the driver. */
  driver?: string;
  /** Where the device is in a network. */
  networkData?: NetworkDeviceData;
  /** The pool of the device. */
  pool?: string;
  /** Which share of the device, where several claims have it. */
  shareID?: string;
}

/** What was given to a claim. */
export interface AllocationResult {
  /** When it was given. */
  allocationTimestamp?: Time;
  /** The devices. */
  devices?: DeviceAllocationResult;
  /** Nodes on which the devices can be used; all of them if left out. */
  nodeSelector?: NodeSelector;
}

/** An expression about a device. */
export interface CELDeviceSelector {
  /** CEL; the variable device has driver, attributes and capacity. */
  expression?: string;
}

/** In which amounts a capacity can be asked for. */
export interface CapacityRequestPolicy {
  /** What is taken where nothing is asked for. */
  default?: Quantity;
  /** Between which amounts one can be asked for. */
  validRange?: CapacityRequestPolicyRange;
  /** The amounts that can be asked for. */
  validValues?: Quantity[];
}

/** Amounts that can be asked for. */
export interface CapacityRequestPolicyRange {
  /** The most. */
  max?: Quantity;
  /** The least. */
  min: Quantity;
  /** In steps of how much. */
  step?: Quantity;
}

/** How much of a shared device is asked for. */
export interface CapacityRequirements {
  /** Amounts, by name. */
  requests?: { [key: string]: Quantity };
}

/** How much of something there is. */
export interface Counter {
  /** The amount. */
  value: Quantity;
}

/** What several devices share. */
export interface CounterSet {
  /** How much there is, by name. */
  counters: { [key: string]: Counter };
  /** Name of the set. */
  name?: string;
}

/** A device. */
export interface Device {
  /** Whether all nodes can use it. */
  allNodes?: boolean;
  /** Whether several claims can have it. */
  allowMultipleAllocations?: boolean;
  /** What the device is like, by name. */
  attributes?: { [key: string]: DeviceAttribute };
  /** Conditions to wait for before a pod is bound, at most 4. */
  bindingConditions?: string[];
  /** Conditions that end the waiting, at most 4. */
  bindingFailureConditions?: string[];
  /** Whether a claim of it stays on the node. */
  bindsToNode?: boolean;
  /** How much the device has, by name. */
  capacity?: { [key: string]: DeviceCapacity };
  /** What it takes of what is shared. */
  consumesCounters?: DeviceCounterConsumption[];
  /** Name of the device in its pool. */
  name?: string;
  /** What it takes of a node's resources, by resource. */
  nodeAllocatableResourceMappings?: { [key: string]: NodeAllocatableResourceMapping };
  /** The only node that can use it. */
  nodeName?: string;
  /** The nodes that can use it. */
  nodeSelector?: NodeSelector;
  /** What keeps claims away that do not tolerate it, at most 16. */
  taints?: DeviceTaint[];
}

/** Settings for devices that were given. */
export interface DeviceAllocationConfiguration {
  /** Settings that only a driver understands. */
  opaque?: OpaqueDeviceConfiguration;
  /** For which requests; for all if empty. */
  requests?: string[];
  /** FromClass or FromClaim: who said so. */
  source?: "FromClaim" | "FromClass";
}

/** Devices that were given. */
export interface DeviceAllocationResult {
  /** Settings for the devices, of the class and of the claim. */
  config?: DeviceAllocationConfiguration[];
  /** Each device, with the request that it is for. */
  results?: DeviceRequestAllocationResult[];
}

/** A quality of a device; one of the members is set. */
export interface DeviceAttribute {
  /** A fact. */
  bool?: boolean;
  /** Facts. */
  bools?: boolean[];
  /** A number. */
  int?: number;
  /** Numbers. */
  ints?: number[];
  /** A text, at most 64 bytes. */
  string?: string;
  /** Texts. */
  strings?: string[];
  /** A version, as semver.org 2.0.0 has it. */
  version?: string;
  /** Versions. */
  versions?: string[];
}

/** How much of something a device has. */
export interface DeviceCapacity {
  /** In which amounts it can be asked for. */
  requestPolicy?: CapacityRequestPolicy;
  /** The amount. */
  value: Quantity;
}

/** Devices that are asked for. */
export interface DeviceClaim {
  /** Settings for the devices. */
  config?: DeviceClaimConfiguration[];
  /** What the devices must have in common, or must not. */
  constraints?: DeviceConstraint[];
  /** The requests, at most 32; all of them have to be met. */
  requests?: DeviceRequest[];
}

/** Settings for devices of a claim. */
export interface DeviceClaimConfiguration {
  /** Settings that only a driver understands. */
  opaque?: OpaqueDeviceConfiguration;
  /** For which requests; for all if empty. */
  requests?: string[];
}

/** A sort of devices, for claims to ask for. */
export interface DeviceClass {
  /** Version of the API in which this object is written. */
  apiVersion: "resource.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "DeviceClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which devices are of the class, and their settings. */
  spec?: DeviceClassSpec;
}

/** Settings for the devices of a class. */
export interface DeviceClassConfiguration {
  /** Settings that only a driver understands. */
  opaque?: OpaqueDeviceConfiguration;
}

/** Which devices are of a class. */
export interface DeviceClassSpec {
  /** Settings for the devices of the class. */
  config?: DeviceClassConfiguration[];
  /** The extended resource that stands for the class, for pods that ask for one. */
  extendedResourceName?: string;
  /** What a device must be; all of them have to hold. */
  selectors?: DeviceSelector[];
}

/** What devices must have in common, or must not. */
export interface DeviceConstraint {
  /** An attribute, as domain/name, that is another one for each. */
  distinctAttribute?: string;
  /** An attribute, as domain/name, that is the same for all. */
  matchAttribute?: string;
  /** For which requests; for all if empty. */
  requests?: string[];
}

/** What a device takes of what is shared. */
export interface DeviceCounterConsumption {
  /** Name of the set. */
  counterSet?: string;
  /** How much it takes, by name. */
  counters: { [key: string]: Counter };
}

/** A request of a claim: what is asked for exactly, or the first of some that can be met. */
export interface DeviceRequest {
  /** What is asked for. */
  exactly?: ExactDeviceRequest;
  /** What is asked for, best first; at most 8. */
  firstAvailable?: DeviceSubRequest[];
  /** Name of the request in the claim. */
  name?: string;
}

/** A device that was given for a request. */
export interface DeviceRequestAllocationResult {
  /** Whether it was given for looking after it. */
  adminAccess?: boolean;
  /** Conditions of the device to wait for. */
  bindingConditions?: string[];
  /** Conditions of the device that end the waiting. */
  bindingFailureConditions?: string[];
  /** How much of the device it takes, by name. */
  consumedCapacity?: { [key: string]: Quantity };
  /** The device in the pool. */
  device?: string;
  /** Name of the driver. */
  driver?: string;
  /** The pool of the device. */
  pool?: string;
  /** Name of the request, with the subrequest behind a slash. */
  request?: string;
  /** Which share of the device. */
  shareID?: string;
  /** Taints of the device that did not matter. */
  tolerations?: DeviceToleration[];
}

/** What a device must be. */
export interface DeviceSelector {
  /** An expression that is true for it. */
  cel?: CELDeviceSelector;
}

/** One of several ways to meet a request. */
export interface DeviceSubRequest {
  /** ExactCount, the default: so many as count says; All: all that fit. */
  allocationMode?: "All" | "ExactCount";
  /** How much of a shared device is asked for. */
  capacity?: CapacityRequirements;
  /** How many devices, where the mode says so. */
  count?: number;
  /** The class of the devices. */
  deviceClassName?: string;
  /** Name of it in the request. */
  name?: string;
  /** What a device must be; all of them have to hold. */
  selectors?: DeviceSelector[];
  /** Taints of devices that do not matter. */
  tolerations?: DeviceToleration[];
}

/** Keeps claims away that do not tolerate it. */
export interface DeviceTaint {
  /** NoSchedule, NoExecute, or None, which does nothing. */
  effect?: "NoExecute" | "NoSchedule" | "None";
  /** Key of the taint. */
  key?: string;
  /** When it came. */
  timeAdded?: Time;
  /** Value of the taint. */
  value?: string;
}

/** A taint of devices that does not matter. */
export interface DeviceToleration {
  /** Effect of the taint; empty matches all effects. */
  effect?: "NoExecute" | "NoSchedule" | "None";
  /** Key of the taint; empty with Exists matches all taints. */
  key?: string;
  /** How key and value relate: Exists, or Equal, the default. */
  operator?: "Equal" | "Exists";
  /** How long pods may stay after a NoExecute taint appears; for ever if left out. */
  tolerationSeconds?: number;
  /** Value of the taint. */
  value?: string;
}

/** Devices of one class. */
export interface ExactDeviceRequest {
  /** Whether they are asked for to look after them, whoever uses them. */
  adminAccess?: boolean;
  /** ExactCount, the default: so many as count says; All: all that fit. */
  allocationMode?: "All" | "ExactCount";
  /** How much of a shared device is asked for. */
  capacity?: CapacityRequirements;
  /** How many devices, where the mode says so. */
  count?: number;
  /** The class of the devices. */
  deviceClassName?: string;
  /** What a device must be; all of them have to hold. */
  selectors?: DeviceSelector[];
  /** Taints of devices that do not matter. */
  tolerations?: DeviceToleration[];
}

/** Where a device is in a network. */
export interface NetworkDeviceData {
  /** Hardware address, at most 128 bytes. */
  hardwareAddress?: string;
  /** Name of the interface, at most 256 bytes. */
  interfaceName?: string;
  /** Addresses with their prefixes. */
  ips?: string[];
}

/** What a device takes of a resource of its node. */
export interface NodeAllocatableResourceMapping {
  /** How much for each of it. */
  allocationMultiplier?: Quantity;
  /** The capacity that counts. */
  capacityKey?: string;
}

/** Settings that only a driver understands. */
export interface OpaqueDeviceConfiguration {
  /** Name of the driver. */
  driver?: string;
  /** The settings: an object, at most 10 KiB. */
  parameters: RawExtension;
}

/** Asks for devices that pods use. */
export interface ResourceClaim {
  /** Version of the API in which this object is written. */
  apiVersion: "resource.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ResourceClaim";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is asked for; cannot be changed. */
  spec?: ResourceClaimSpec;
  /** What was given, and who uses it. */
  status?: ResourceClaimStatus;
}

/** Who uses a claim. */
export interface ResourceClaimConsumerReference {
  /** API group of the user; empty for the core group. */
  apiGroup?: string;
  /** Name of the user. */
  name?: string;
  /** Resource, as pods. */
  resource?: string;
  /** Uid of the user. */
  uid?: string;
}

/** What a claim asks for. */
export interface ResourceClaimSpec {
  /** The devices. */
  devices?: DeviceClaim;
}

/** What was given to a claim, and who uses it. */
export interface ResourceClaimStatus {
  /** The devices that were given. */
  allocation?: AllocationResult;
  /** What drivers report about the devices. */
  devices?: AllocatedDeviceStatus[];
  /** Who uses the claim, at most 256. */
  reservedFor?: ResourceClaimConsumerReference[];
}

/** What the claims of pods are made from. */
export interface ResourceClaimTemplate {
  /** Version of the API in which this object is written. */
  apiVersion: "resource.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ResourceClaimTemplate";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The claim; cannot be changed. */
  spec?: ResourceClaimTemplateSpec;
}

/** A claim to be made. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations for the claims. */
  metadata?: ObjectMeta;
  /** What the claims ask for. */
  spec?: ResourceClaimSpec;
}

/** Devices that belong together; several slices may tell of them. */
export interface ResourcePool {
  /** Slices with a lower number do not count any more. */
  generation?: number;
  /** Name of the pool; cannot be changed. */
  name?: string;
  /** How many slices of this generation there are. */
  resourceSliceCount?: number;
}

/** Devices of a driver, or a part of them. */
export interface ResourceSlice {
  /** Version of the API in which this object is written. */
  apiVersion: "resource.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ResourceSlice";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The devices, and from where they can be used. */
  spec?: ResourceSliceSpec;
}

/** Devices of a driver. */
export interface ResourceSliceSpec {
  /** Whether all nodes can use them. */
  allNodes?: boolean;
  /** The devices, at most 128. */
  devices?: Device[];
  /** Name of the driver; cannot be changed. */
  driver?: string;
  /** The only node that can use them; cannot be changed. */
  nodeName?: string;
  /** The nodes that can use them. */
  nodeSelector?: NodeSelector;
  /** Whether each device says itself which nodes can use it. */
  perDeviceNodeSelection?: boolean;
  /** The pool that the devices belong to. */
  pool?: ResourcePool;
  /** What several devices share. */
  sharedCounters?: CounterSet[];
}
