// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Marks traffic sent by pods of its namespace with DSCP values and limits its rate. */
export interface NetworkQoS {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "NetworkQoS";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Pods and networks covered, and the rules for them. */
  spec?: {
    /** At most 20 rules; of several that match, the later one wins. */
    egress: ({
      /** Rate limit for matching traffic; unset means no limit. */
      bandwidth?: {
        /** Kilobits that may be sent above the rate for a moment, 1 to 4294967295. */
        burst?: number;
        /** Rate in kilobits per second, 1 to 4294967295. */
        rate?: number;
      };
      /** Traffic the rule covers; unset means all. */
      classifier?: {
        /** Protocols and destination ports; empty or unset means all. */
        ports?: ({
          /** Destination port, 1 to 65535; unset means any. */
          port?: number;
          /** Transport protocol: TCP, UDP or SCTP. */
          protocol?: string;
        })[];
        /** Destinations, one of which must match; empty or unset means any. */
        to?: ({
          /** Destination range; cannot be combined with the selectors. */
          ipBlock?: {
            /** Range in CIDR notation, such as 192.0.2.0/24. */
            cidr: string;
            /** Parts of cidr that do not match, in CIDR notation. */
            except?: string[];
          };
          /** Labels of the namespaces of destination pods; {} means all. */
          namespaceSelector?: {
            /** Conditions on labels; all of them and matchLabels must hold. */
            matchExpressions?: ({
              /** Label key the condition is about. */
              key: string;
              /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
              operator: string;
              /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
              values?: string[];
            })[];
            /** Labels and the values they must have. */
            matchLabels?: { [key: string]: string };
          };
          /** Labels of the destination pods; {} means all. */
          podSelector?: {
            /** Conditions on labels; all of them and matchLabels must hold. */
            matchExpressions?: ({
              /** Label key the condition is about. */
              key: string;
              /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
              operator: string;
              /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
              values?: string[];
            })[];
            /** Labels and the values they must have. */
            matchLabels?: { [key: string]: string };
          };
        })[];
      };
      /** DSCP value written to matching packets, 0 to 63. */
      dscp: number;
    })[];
    /** Networks the rules hold on, one entry per type: ClusterUserDefinedNetworks or NetworkAttachmentDefinitions. Immutable. */
    networkSelectors?: ({
      /** Picks ClusterUserDefinedNetworks; set with networkSelectionType ClusterUserDefinedNetworks only. */
      clusterUserDefinedNetworkSelector?: {
        /** Labels of the ClusterUserDefinedNetworks; {} picks all. */
        networkSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
      };
      /** Picks NetworkAttachmentDefinitions; set with networkSelectionType NetworkAttachmentDefinitions only. */
      networkAttachmentDefinitionSelector?: {
        /** Labels of the namespaces to look in; {} means all. */
        namespaceSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
        /** Labels of the NetworkAttachmentDefinitions; {} picks all. */
        networkSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
      };
      /** Sort of network this entry selects; it decides which selector must be set with it (DefaultNetwork needs none). */
      networkSelectionType: "DefaultNetwork" | "ClusterUserDefinedNetworks" | "PrimaryUserDefinedNetworks" | "SecondaryUserDefinedNetworks" | "NetworkAttachmentDefinitions";
      /** Picks primary UserDefinedNetworks; set with networkSelectionType PrimaryUserDefinedNetworks only. */
      primaryUserDefinedNetworkSelector?: {
        /** Labels of the namespaces whose primary network is meant; {} means all. */
        namespaceSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
      };
      /** Picks secondary UserDefinedNetworks; set with networkSelectionType SecondaryUserDefinedNetworks only. */
      secondaryUserDefinedNetworkSelector?: {
        /** Labels of the namespaces to look in; {} means all. */
        namespaceSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
        /** Labels of the UserDefinedNetworks; {} picks all. */
        networkSelector: {
          /** Conditions on labels; all of them and matchLabels must hold. */
          matchExpressions?: ({
            /** Label key the condition is about. */
            key: string;
            /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
            operator: string;
            /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
            values?: string[];
          })[];
          /** Labels and the values they must have. */
          matchLabels?: { [key: string]: string };
        };
      };
    })[];
    /** Labels of the pods covered; unset or {} means all pods of the namespace. */
    podSelector?: {
      /** Conditions on labels; all of them and matchLabels must hold. */
      matchExpressions?: ({
        /** Label key the condition is about. */
        key: string;
        /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
        operator: string;
        /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
        values?: string[];
      })[];
      /** Labels and the values they must have. */
      matchLabels?: { [key: string]: string };
    };
    /** Precedence among NetworkQoS objects, 0 to 100; higher wins. */
    priority: number;
  };
  /** How far the rules have taken effect. */
  status?: {
    /** One condition of type Ready-In-Zone-ZONE for every zone that reported. */
    conditions?: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string;
      /** Details for people. */
      message: string;
      /** Value of metadata.generation when the condition was computed. */
      observedGeneration?: number;
      /** One word for programs that tells why status has its value. */
      reason: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: "True" | "False" | "Unknown";
      /** Name of the condition. */
      type: string;
    })[];
    /** Summary over all zones; empty until every zone has reported. */
    status?: string;
  };
}

/** Names the host interfaces by which user-defined networks leave the nodes. */
export interface Uplink {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "Uplink";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Interfaces on the nodes. */
  spec: {
    /** One entry per group of nodes, 1 to 64; groups must not overlap. */
    nodeConfigs: ({
      /** Name of the interface on these nodes, 1 to 15 characters without space and slash. */
      hostInterfaceName: string;
      /** Labels of the nodes the entry is for; {} means all. */
      nodeSelector: {
        /** Conditions on labels; all of them and matchLabels must hold. */
        matchExpressions?: ({
          /** Label key the condition is about. */
          key: string;
          /** Kind of condition: In, NotIn, Exists or DoesNotExist. */
          operator: string;
          /** Label values to compare with; one or more with In and NotIn, none with Exists and DoesNotExist. */
          values?: string[];
        })[];
        /** Labels and the values they must have. */
        matchLabels?: { [key: string]: string };
      };
      /** What the interface is; OVSBridge is the only type. */
      type: "OVSBridge";
    })[];
  };
  /** Whether the uplink works on its nodes. */
  status?: {
    /** Holds the condition Ready. */
    conditions?: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string;
      /** Details for people. */
      message: string;
      /** Value of metadata.generation when the condition was computed. */
      observedGeneration?: number;
      /** One word for programs that tells why status has its value. */
      reason: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: "True" | "False" | "Unknown";
      /** Name of the condition. */
      type: string;
    })[];
  };
}

/** What one node reports about one Uplink. */
export interface UplinkState {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1alpha1";
  /** Kind is the name of the type that this object has. */
  kind: "UplinkState";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Node and Uplink the report is about. */
  spec: {
    /** Name of the node. Immutable. */
    nodeName: string;
    /** Name of the Uplink. Immutable. */
    uplinkName: string;
  };
  /** What the node found. */
  status?: {
    /** Holds the conditions Resolved and HostDataReady. */
    conditions?: ({
      /** Time at which status last changed, in RFC 3339 form. */
      lastTransitionTime: string;
      /** Details for people. */
      message: string;
      /** Value of metadata.generation when the condition was computed. */
      observedGeneration?: number;
      /** One word for programs that tells why status has its value. */
      reason: string;
      /** Whether the condition holds: True, False or Unknown. */
      status: "True" | "False" | "Unknown";
      /** Name of the condition. */
      type: string;
    })[];
    /** Addresses of the default gateways behind the interface, at most two. */
    defaultGateways?: string[];
    /** PCI function behind the interface, where there is one. */
    hostFunction?: {
      /** Number of the physical function. */
      pfID: number;
      /** Number of the virtual function; unset for a physical function. */
      vfID?: number;
    };
    /** Name of the interface that was found. */
    hostInterfaceName?: string;
    /** Addresses of the interface with prefix length, at most two. */
    ipAddresses?: string[];
    /** Hardware address of the interface, such as 0a:58:0a:80:00:01. */
    macAddress?: string;
    /** Open vSwitch bridge the interface belongs to. */
    ovsBridge?: {
      /** Name of the bridge, 1 to 15 characters. */
      name?: string;
    };
    /** What the interface is; OVSBridge is the only type. */
    type?: "OVSBridge";
  };
}
