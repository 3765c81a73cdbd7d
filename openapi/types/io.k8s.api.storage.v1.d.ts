// Written by `npm run types` from the schemas; do not edit.
import type { PersistentVolumeSpec, TopologySelectorTerm } from "./io.k8s.api.core.v1.d.ts";
import type { Quantity } from "./io.k8s.apimachinery.pkg.api.resource.d.ts";
import type { LabelSelector, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** What a CSI driver on this cluster wants and can do; its name is the name of the driver. */
export interface CSIDriver {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "CSIDriver";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What it wants and can do. */
  spec?: CSIDriverSpec;
}

/** What a CSI driver wants and can do. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached to a node before they are mounted; the default. */
  attachRequired?: boolean;
  /** Whether files of a volume get the group of the pod: File, None or ReadWriteOnceWithFSType, the default. */
  fsGroupPolicy?: string;
  /** How often the number of volumes that a node can take is asked for again; only once if left out. */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /** Whether the driver is told which pod a volume is mounted for. */
  podInfoOnMount?: boolean;
  /** Whether pods with volumes of the driver keep away from nodes on which it does not run. */
  preventPodSchedulingIfMissing?: boolean;
  /** Whether the driver is called again from time to time while a volume is mounted. */
  requiresRepublish?: boolean;
  /** Whether volumes can be mounted with an SELinux context. */
  seLinuxMount?: boolean;
  /** Whether the tokens are handed over among the secrets instead of among the attributes of the volume. */
  serviceAccountTokenInSecrets?: boolean;
  /** Whether pods wait for CSIStorageCapacity objects that say where there is room. */
  storageCapacity?: boolean;
  /** Tokens of the pod's service account that the driver gets. */
  tokenRequests?: TokenRequest[];
  /** Which volumes it offers: Persistent, the default, and Ephemeral, which come and go with a pod. */
  volumeLifecycleModes?: string[];
}

/** The CSI drivers on a node; its name is the name of the node. */
export interface CSINode {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "CSINode";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The drivers. */
  spec?: CSINodeSpec;
}

/** A CSI driver on a node. */
export interface CSINodeDriver {
  /** What the node can take. */
  allocatable?: VolumeNodeResources;
  /** Name of the driver. */
  name?: string;
  /** What the driver calls the node. */
  nodeID?: string;
  /** Labels of the node that say where it stands, as far as the driver cares. */
  topologyKeys?: string[];
}

/** The CSI drivers on a node. */
export interface CSINodeSpec {
  /** The drivers, by name. */
  drivers: CSINodeDriver[];
}

/** How much room a CSI driver has for volumes of a class, in one place. */
export interface CSIStorageCapacity {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Room that is left. */
  capacity?: Quantity;
  /** Name of the type that this object has. */
  kind: "CSIStorageCapacity";
  /** How large a volume can be. */
  maximumVolumeSize?: Quantity;
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Nodes that can reach the place; none if left out, all if empty. */
  nodeTopology?: LabelSelector;
  /** Class of the volumes. */
  storageClassName?: string;
}

/** Says how volumes of a sort are made. */
export interface StorageClass {
  /** Whether claims may ask for more once they are bound. */
  allowVolumeExpansion?: boolean;
  /** Where volumes may be made; anywhere if left out. */
  allowedTopologies?: TopologySelectorTerm[];
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "StorageClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Options with which the volumes are mounted. */
  mountOptions?: string[];
  /** Settings for the provisioner. */
  parameters?: { [key: string]: string };
  /** Who makes the volumes. */
  provisioner?: string;
  /** What becomes of a volume without its claim: Delete, the default, or Retain. */
  reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  /** When a claim gets its volume: Immediate, the default, or WaitForFirstConsumer. */
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
}

/** A token of a service account that a driver gets. */
export interface TokenRequest {
  /** Whom the token is for; the API server if empty. */
  audience?: string;
  /** How long it is valid; an hour if left out. */
  expirationSeconds?: number;
}

/** Asks for a volume to be attached to a node. */
export interface VolumeAttachment {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "VolumeAttachment";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which volume, and which node. */
  spec?: VolumeAttachmentSpec;
  /** How far it has come. */
  status?: VolumeAttachmentStatus;
}

/** The volume; exactly one member is given. */
export interface VolumeAttachmentSource {
  /** The spec of a volume that there is no object of. */
  inlineVolumeSpec?: PersistentVolumeSpec;
  /** Name of a PersistentVolume. */
  persistentVolumeName?: string;
}

/** Which volume is to be attached to which node. */
export interface VolumeAttachmentSpec {
  /** Driver that does it. */
  attacher?: string;
  /** The node. */
  nodeName?: string;
  /** The volume. */
  source?: VolumeAttachmentSource;
}

/** How far the attachment of a volume has come. */
export interface VolumeAttachmentStatus {
  /** What went wrong last as it was attached. */
  attachError?: VolumeError;
  /** Whether the volume is attached. */
  attached?: boolean;
  /** What mounting the volume needs to know of it. */
  attachmentMetadata?: { [key: string]: string };
  /** What went wrong last as it was detached. */
  detachError?: VolumeError;
}

/** Attributes of volumes that can be changed while these are used. */
export interface VolumeAttributesClass {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "storage.k8s.io/v1";
  /** Driver that knows the attributes. */
  driverName?: string;
  /** Name of the type that this object has. */
  kind: "VolumeAttributesClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The attributes; they stay as they were made. */
  parameters?: { [key: string]: string };
}

/** What went wrong with a volume. */
export interface VolumeError {
  /** Code of the driver's answer. */
  errorCode?: number;
  /** Details for people. */
  message?: string;
  /** When it did. */
  time?: Time;
}

/** What a node can take of the volumes of a driver. */
export interface VolumeNodeResources {
  /** How many volumes; as many as are wanted if left out. */
  count?: number;
}
