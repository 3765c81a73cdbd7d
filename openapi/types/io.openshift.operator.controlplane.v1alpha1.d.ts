// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Watches whether a pod can reach a network endpoint and keeps a log of the attempts. */
export interface PodNetworkConnectivityCheck {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "controlplane.operator.openshift.io/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "PodNetworkConnectivityCheck";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Pod and endpoint of the check. */
  spec: {
    /** Name of the pod that connects. */
    sourcePod: string;
    /** Endpoint to connect to, as HOST:PORT. */
    targetEndpoint: string;
    /** Client certificate for the connection; unset means none. */
    tlsClientCert?: {
      /** Name of the Secret with the certificate and key. */
      name: string;
    };
  };
  /** Results of the check. */
  status?: {
    /** Holds the condition Reachable. */
    conditions?: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string | null;
      /** Details for people. */
      message?: string;
      /** One word for programs that tells why status has its value. */
      reason?: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: string;
      /** Name of the condition. */
      type: string;
    })[];
    /** Log of failed attempts. */
    failures?: ({
      /** Time the attempt took, as a duration such as 1.5ms. */
      latency?: string | null;
      /** What happened, for people. */
      message?: string;
      /** What happened, as one word: DNSResolve, DNSError, TCPConnect or TCPConnectError. */
      reason?: string;
      /** Whether the attempt succeeded. */
      success: boolean;
      /** Start of the attempt, as an RFC 3339 time. */
      time: string | null;
    })[];
    /** Periods in which the endpoint could not be reached. */
    outages?: ({
      /** End of the outage, as an RFC 3339 time; unset while it lasts. */
      end?: string | null;
      /** Attempts around the end of the outage. */
      endLogs?: ({
        /** Time the attempt took, as a duration such as 1.5ms. */
        latency?: string | null;
        /** What happened, for people. */
        message?: string;
        /** What happened, as one word: DNSResolve, DNSError, TCPConnect or TCPConnectError. */
        reason?: string;
        /** Whether the attempt succeeded. */
        success: boolean;
        /** Start of the attempt, as an RFC 3339 time. */
        time: string | null;
      })[];
      /** Summary of the outage, for people. */
      message?: string;
      /** Start of the outage, as an RFC 3339 time. */
      start: string | null;
      /** Attempts around the start of the outage. */
      startLogs?: ({
        /** Time the attempt took, as a duration such as 1.5ms. */
        latency?: string | null;
        /** What happened, for people. */
        message?: string;
        /** What happened, as one word: DNSResolve, DNSError, TCPConnect or TCPConnectError. */
        reason?: string;
        /** Whether the attempt succeeded. */
        success: boolean;
        /** Start of the attempt, as an RFC 3339 time. */
        time: string | null;
      })[];
    })[];
    /** Log of successful attempts. */
    successes?: ({
      /** Time the attempt took, as a duration such as 1.5ms. */
      latency?: string | null;
      /** What happened, for people. */
      message?: string;
      /** What happened, as one word: DNSResolve, DNSError, TCPConnect or TCPConnectError. */
      reason?: string;
      /** Whether the attempt succeeded. */
      success: boolean;
      /** Start of the attempt, as an RFC 3339 time. */
      time: string | null;
    })[];
  };
}
