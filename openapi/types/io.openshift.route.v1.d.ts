// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Makes a Service reachable from outside under a host name, with or without TLS. */
export interface Route {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "route.openshift.io/v1";
  /** Kind is the name of the type that this object has. */
  kind: "Route";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Host name, backends and TLS settings. */
  spec: {
    /** Up to three more Services that share the requests with to, by weight. */
    alternateBackends?: ({
      /** Kind of the backend; Service is the only one. */
      kind?: "Service" | "";
      /** Name of the Service, in the namespace of the route. */
      name: string;
      /** Share of the requests relative to the other backends, 0 to 256; 0 sends none. Default 100. */
      weight?: number;
    })[];
    /** Host name clients use, up to 253 characters. */
    host?: string;
    /** Changes to HTTP headers; not possible with TLS termination passthrough. */
    httpHeaders?: {
      /** Header changes, for requests and responses apart. */
      actions?: {
        /** Changes to request headers, at most 20, carried out in order. */
        request?: ({
          /** What to do with the header. */
          action: {
            /** New value; required with type Set, forbidden otherwise. */
            set?: {
              /** Header value, up to 16384 characters; may use HAProxy format expressions in %[]. */
              value: string;
            };
            /** Set writes the header, Delete removes it. */
            type: "Set" | "Delete";
          };
          /** Header to change, in any letter case; some headers, such as Cookie, may not be changed. */
          name: string;
        })[];
        /** Changes to response headers, at most 20, carried out in order. */
        response?: ({
          /** What to do with the header. */
          action: {
            /** New value; required with type Set, forbidden otherwise. */
            set?: {
              /** Header value, up to 16384 characters; may use HAProxy format expressions in %[]. */
              value: string;
            };
            /** Set writes the header, Delete removes it. */
            type: "Set" | "Delete";
          };
          /** Header to change, in any letter case; some headers, such as Cookie, may not be changed. */
          name: string;
        })[];
      };
    };
    /** Path prefix the route serves, starting with a slash; not possible with TLS termination passthrough. */
    path?: string;
    /** Port of the backends; unset means all ports of the endpoints. */
    port?: {
      /** Port of the pods, as a number or as the name of a Service port; not 0 and not empty. */
      targetPort: number | string;
    };
    /** Part of the host name below the domain of the router; used when host is unset. */
    subdomain?: string;
    /** TLS settings; unset means plain HTTP. */
    tls?: {
      /** PEM certificates that complete the chain of certificate. */
      caCertificate?: string;
      /** PEM certificate shown to clients; not together with externalCertificate. */
      certificate?: string;
      /** PEM certificates that verify the backend; with termination reencrypt only. */
      destinationCACertificate?: string;
      /** Secret with the certificate and key; not together with certificate. */
      externalCertificate?: {
        /** Name of the Secret, in the namespace of the route. */
        name?: string;
      };
      /** Plain HTTP requests are served (Allow), refused (None or empty) or sent to HTTPS (Redirect). */
      insecureEdgeTerminationPolicy?: "Allow" | "None" | "Redirect" | "";
      /** PEM private key of certificate. */
      key?: string;
      /** Where TLS ends: edge at the router, passthrough at the pod, reencrypt at both. */
      termination: "edge" | "reencrypt" | "passthrough";
    };
    /** Main backend. */
    to: {
      /** Kind of the backend; Service is the only one. */
      kind?: "Service" | "";
      /** Name of the Service, in the namespace of the route. */
      name: string;
      /** Share of the requests relative to the other backends, 0 to 256; 0 sends none. Default 100. */
      weight?: number;
    };
    /** None (the default) serves the host only, Subdomain all names of its domain. */
    wildcardPolicy?: "None" | "Subdomain" | "";
  };
  /** How the routers treat the route. */
  status?: {
    /** One entry per router that has seen the route. */
    ingress?: ({
      /** Holds the condition Admitted of this router. */
      conditions?: ({
        /** Time at which status last changed, in RFC 3339 form. */
        lastTransitionTime?: string;
        /** Details for people. */
        message?: string;
        /** One word for programs that tells why status has its value. */
        reason?: string;
        /** Whether the condition holds: True, False or Unknown. */
        status: string;
        /** Name of the condition. */
        type: string;
      })[];
      /** Host name under which the router serves the route. */
      host?: string;
      /** Host name of the router itself, useful as target of a DNS alias. */
      routerCanonicalHostname?: string;
      /** Name of the router. */
      routerName?: string;
      /** Wildcard policy the router applies. */
      wildcardPolicy?: string;
    })[];
  };
}
