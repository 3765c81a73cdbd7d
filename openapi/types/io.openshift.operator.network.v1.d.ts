// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Runs a pod with an address of its own that redirects connections to external servers. */
export interface EgressRouter {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "network.operator.openshift.io/v1";
  /** Kind is the name of the type that this object has. */
  kind: "EgressRouter";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Address, interface and destinations of the router. */
  spec: {
    /** Addresses of the router; only the first is used. */
    addresses: ({
      /** Address of the next hop for traffic of the router. */
      gateway?: string;
      /** Address with prefix length, such as 192.0.2.10/24. */
      ip: string;
    })[];
    /** What the router does with traffic; Redirect is the default and the only mode. */
    mode?: "Redirect";
    /** Interface of the router; by default a macvlan in Bridge mode. */
    networkInterface?: {
      /** Settings of the macvlan interface. */
      macvlan?: {
        /** Host interface under the macvlan; unset leaves the choice to the plugin. */
        master?: string;
        /** How macvlans on one host interface see each other: Bridge (the default), Private, VEPA or Passthru. */
        mode?: "Bridge" | "Private" | "VEPA" | "Passthru";
      };
    };
    /** Destinations of connections; required with mode Redirect. */
    redirect?: {
      /** Destination of connections that no rule covers; if unset, they are rejected. */
      fallbackIP?: string;
      /** Ports of the router and the servers behind them. */
      redirectRules?: ({
        /** Address of the server, IPv4 or IPv6. */
        destinationIP: string;
        /** Port on which the router takes the connection, 1 to 65535. */
        port: number;
        /** Transport protocol: TCP, UDP or SCTP. */
        protocol: "TCP" | "UDP" | "SCTP";
        /** Port of the server, 1 to 65535; unset means the same as port. */
        targetPort?: number;
      })[];
    };
  };
  /** State of the router. */
  status?: {
    /** Conditions of types Available, Progressing and Degraded. */
    conditions: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string | null;
      /** Details for people. */
      message?: string;
      /** One word for programs that tells why status has its value. */
      reason?: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: "True" | "False" | "Unknown";
      /** Name of the condition. */
      type: "Available" | "Progressing" | "Degraded";
    })[];
  };
}
