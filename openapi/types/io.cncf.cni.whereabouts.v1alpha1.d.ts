// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Addresses that Whereabouts has given out of one range. */
export interface IPPool {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "whereabouts.cni.cncf.io/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "IPPool";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Range and given out addresses. */
  spec?: {
    /** Given out addresses; the key is the decimal offset from the address written in range. */
    allocations: { [key: string]: {
      /** ID of the container that has the address. */
      id: string;
      /** Interface of the pod that has the address. */
      ifname?: string;
      /** Pod that has the address, as NAMESPACE/NAME. */
      podref: string;
    } };
    /** Range in CIDR notation. */
    range: string;
  };
}

/** Divides one Whereabouts range into slices for the nodes. */
export interface NodeSlicePool {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "whereabouts.cni.cncf.io/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "NodeSlicePool";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Range and size of its slices. */
  spec?: {
    /** Range to divide, in CIDR notation. */
    range: string;
    /** Prefix length of a slice, such as /24. */
    sliceSize: string;
  };
  /** Slices and their nodes. */
  status?: {
    /** One entry per slice. */
    allocations: ({
      /** Node that has the slice; empty while it is free. */
      nodeName: string;
      /** Slice in CIDR notation. */
      sliceRange: string;
    })[];
  };
}

/** Reserves one address across all Whereabouts ranges that contain it; the name is the address, with - for each colon. */
export interface OverlappingRangeIPReservation {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "whereabouts.cni.cncf.io/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "OverlappingRangeIPReservation";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Owner of the address. */
  spec: {
    /** ID of the container that has the address; no longer written by newer releases. */
    containerid?: string;
    /** Interface of the pod that has the address. */
    ifname?: string;
    /** Pod that has the address, as NAMESPACE/NAME. */
    podref: string;
  };
}
