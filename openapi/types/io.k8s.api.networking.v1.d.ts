// Written by `npm run types` from the schemas; do not edit.
import type { TypedLocalObjectReference } from "./io.k8s.api.core.v1.d.ts";
import type { Condition, LabelSelector, ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";
import type { IntOrString } from "./io.k8s.apimachinery.pkg.util.intstr.d.ts";

/** A path, and the backend behind it. */
export interface HTTPIngressPath {
  /** Where requests with this path go. */
  backend?: IngressBackend;
  /** The path to compare with; must begin with a slash unless the type leaves it to the implementation. */
  path?: string;
  /** How paths are compared, as Exact, Prefix or ImplementationSpecific. */
  pathType: "Exact" | "ImplementationSpecific" | "Prefix";
}

/** Paths, and where each leads. */
export interface HTTPIngressRuleValue {
  /** The paths; the longest that fits wins. */
  paths: HTTPIngressPath[];
}

/** An address that somebody holds, so that nobody else gets it. */
export interface IPAddress {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "networking.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "IPAddress";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Who holds the address. */
  spec?: IPAddressSpec;
}

/** Who holds an address. */
export interface IPAddressSpec {
  /** The object that holds the address. */
  parentRef: ParentReference;
}

/** A range of addresses with ranges left out of it. */
export interface IPBlock {
  /** The range. */
  cidr?: string;
  /** Ranges inside it that are left out. */
  except?: string[];
}

/** Rules that lead HTTP traffic from outside to services. */
export interface Ingress {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "networking.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "Ingress";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Where traffic should go. */
  spec?: IngressSpec;
  /** What the system reports about the ingress. */
  status?: IngressStatus;
}

/** Where requests go, a service or another resource. */
export interface IngressBackend {
  /** An object in the namespace of the ingress; not together with a service. */
  resource?: TypedLocalObjectReference;
  /** A service in the namespace of the ingress; not together with a resource. */
  service?: IngressServiceBackend;
}

/** A sort of ingress, and the controller that serves it. */
export interface IngressClass {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "networking.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "IngressClass";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which controller serves the class. */
  spec?: IngressClassSpec;
}

/** Points to an object with settings for a controller. */
export interface IngressClassParametersReference {
  /** Group of the object; left out for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Namespace of the object; given if and only if scope is Namespace. */
  namespace?: string;
  /** Whether the object is of the Cluster or in a Namespace. */
  scope?: string;
}

/** Which controller serves a class, and how. */
export interface IngressClassSpec {
  /** Name of the controller, as a path that begins with a domain; cannot change. */
  controller?: string;
  /** Object with further settings for the controller. */
  parameters?: IngressClassParametersReference;
}

/** A point at which the traffic of an ingress enters. */
export interface IngressLoadBalancerIngress {
  /** Host name of the point, if it is known by name. */
  hostname?: string;
  /** Address of the point, if it is known by address. */
  ip?: string;
  /** What is known about each port of the point. */
  ports?: IngressPortStatus[];
}

/** Where an ingress can be reached. */
export interface IngressLoadBalancerStatus {
  /** The points at which traffic enters. */
  ingress?: IngressLoadBalancerIngress[];
}

/** What is known about one port of a load balancer. */
export interface IngressPortStatus {
  /** Name of the problem with the port, as CamelCase or as a name with a domain. */
  error?: string;
  /** Number of the port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** Leads the requests for one host by their paths. */
export interface IngressRule {
  /** Host name without port, exact or with a first label of *; left out takes all hosts. */
  host?: string;
  /** Where requests go by their path. */
  http?: HTTPIngressRuleValue;
}

/** A service and one of its ports. */
export interface IngressServiceBackend {
  /** Name of the service, in the namespace of the ingress. */
  name?: string;
  /** The port, by name or number. */
  port?: ServiceBackendPort;
}

/** Where the traffic of an ingress should go. */
export interface IngressSpec {
  /** Where requests go that no rule takes; without rules it must be given. */
  defaultBackend?: IngressBackend;
  /** Name of the IngressClass, and so the controller that serves this ingress. */
  ingressClassName?: string;
  /** Rules by host and path; without any all traffic goes to defaultBackend. */
  rules?: IngressRule[];
  /** Hosts that are served with TLS, and their certificates. */
  tls?: IngressTLS[];
}

/** What the system reports about an ingress. */
export interface IngressStatus {
  /** Where the ingress can be reached. */
  loadBalancer?: IngressLoadBalancerStatus;
}

/** Hosts that share a certificate. */
export interface IngressTLS {
  /** Hosts that the certificate is for. */
  hosts?: string[];
  /** Secret with the certificate for port 443; left out lets the host name choose. */
  secretName?: string;
}

/** Which traffic may reach and leave a set of pods. */
export interface NetworkPolicy {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "networking.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "NetworkPolicy";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The pods and the traffic that they are allowed. */
  spec?: NetworkPolicySpec;
}

/** Outgoing traffic that is allowed. */
export interface NetworkPolicyEgressRule {
  /** Ports that it may be for; empty allows all ports. */
  ports?: NetworkPolicyPort[];
  /** Where the traffic may go; empty allows all destinations. */
  to?: NetworkPolicyPeer[];
}

/** Incoming traffic that is allowed. */
export interface NetworkPolicyIngressRule {
  /** Where the traffic may come from; empty allows all sources. */
  from?: NetworkPolicyPeer[];
  /** Ports that it may be for; empty allows all ports. */
  ports?: NetworkPolicyPort[];
}

/** The other side of allowed traffic, given by selectors or by an address block. */
export interface NetworkPolicyPeer {
  /** An address block; not together with selectors. */
  ipBlock?: IPBlock;
  /** Namespaces by their labels; an empty selector takes all. */
  namespaceSelector?: LabelSelector;
  /** Pods by their labels, of the selected namespaces or else of the policy's own. */
  podSelector?: LabelSelector;
}

/** Ports of allowed traffic. */
export interface NetworkPolicyPort {
  /** Last port of a range that begins at port, which then must be a number. */
  endPort?: number;
  /** Number or name of the port; left out allows all. */
  port?: IntOrString;
  /** TCP, UDP or SCTP; TCP unless said otherwise. */
  protocol?: "SCTP" | "TCP" | "UDP";
}

/** The pods of a policy and the traffic that they are allowed. */
export interface NetworkPolicySpec {
  /** Outgoing traffic that is allowed; traffic that any rule of any policy allows passes. */
  egress?: NetworkPolicyEgressRule[];
  /** Incoming traffic that is allowed; traffic that any rule of any policy allows passes. */
  ingress?: NetworkPolicyIngressRule[];
  /** The pods that the policy is about; an empty selector takes all of the namespace. */
  podSelector?: LabelSelector;
  /** Whether the policy is about Ingress, Egress or both; follows from the rules if left out. */
  policyTypes?: ("Egress" | "Ingress")[];
}

/** Points to the object that holds an address. */
export interface ParentReference {
  /** Group of the object; left out for the core group. */
  group?: string;
  /** Name of the object. */
  name: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Resource of the object, in the plural form of URLs. */
  resource: string;
}

/** A port of a service, by name or by number. */
export interface ServiceBackendPort {
  /** Name of the port; not together with a number. */
  name?: string;
  /** Number of the port; not together with a name. */
  number?: number;
}

/** Address ranges from which services get their cluster IPs. */
export interface ServiceCIDR {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "networking.k8s.io/v1";
  /** Name of the type that this object has. */
  kind: "ServiceCIDR";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** The ranges. */
  spec?: ServiceCIDRSpec;
  /** What the system reports about the ranges. */
  status?: ServiceCIDRStatus;
}

/** Address ranges for cluster IPs. */
export interface ServiceCIDRSpec {
  /** The ranges, at most one per IP family; cannot change. */
  cidrs?: string[];
}

/** What the system reports about address ranges for cluster IPs. */
export interface ServiceCIDRStatus {
  /** Named states of the ranges, such as Ready. */
  conditions?: Condition[];
}
