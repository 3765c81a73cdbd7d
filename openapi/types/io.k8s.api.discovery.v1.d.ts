// Written by `npm run types` from the schemas; do not edit.
import type { ObjectReference } from "./io.k8s.api.core.v1.d.ts";
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** One endpoint behind a Service. */
export interface Endpoint {
  /** Addresses of the endpoint, of which clients use the first. */
  addresses: string[];
  /** Whether the endpoint should get traffic. */
  conditions?: EndpointConditions;
  /** Older form of topology facts, kept so that nothing is lost; not used. */
  deprecatedTopology?: { [key: string]: string };
  /** Where traffic to this endpoint should come from. */
  hints?: EndpointHints;
  /** Name that the endpoint gets in DNS below the Service. */
  hostname?: string;
  /** Node that hosts the endpoint. */
  nodeName?: string;
  /** Object that the endpoint belongs to, mostly a Pod. */
  targetRef?: ObjectReference;
  /** Zone that the endpoint is in. */
  zone?: string;
}

/** Whether an endpoint should get traffic. */
export interface EndpointConditions {
  /** Whether the endpoint accepts traffic; left out counts as true. */
  ready?: boolean;
  /** Like ready, but stays true while a healthy endpoint terminates. */
  serving?: boolean;
  /** Whether the endpoint is ending. */
  terminating?: boolean;
}

/** Where traffic to an endpoint should come from. */
export interface EndpointHints {
  /** Nodes that should use this endpoint. */
  forNodes?: ForNode[];
  /** Zones that should use this endpoint. */
  forZones?: ForZone[];
}

/** A port that the endpoints of a slice offer. */
export interface EndpointPort {
  /** Application protocol spoken on the port, as a hint. */
  appProtocol?: string;
  /** Name of the port, unique within the slice; may be empty. */
  name?: string;
  /** Number of the port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** A part of the endpoints of a Service. */
export interface EndpointSlice {
  /** Kind of all addresses in the slice: IPv4, IPv6 or FQDN; it cannot change. */
  addressType?: "FQDN" | "IPv4" | "IPv6";
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "discovery.k8s.io/v1";
  /** The endpoints of this slice, at most 1000. */
  endpoints?: Endpoint[];
  /** Name of the type that this object has. */
  kind: "EndpointSlice";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Ports that every endpoint of this slice offers, at most 100. */
  ports?: EndpointPort[];
}

/** A node that should use an endpoint. */
export interface ForNode {
  /** Name of the node. */
  name?: string;
}

/** A zone that should use an endpoint. */
export interface ForZone {
  /** Name of the zone. */
  name?: string;
}
