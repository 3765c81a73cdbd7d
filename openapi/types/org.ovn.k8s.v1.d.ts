// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Routes traffic from the pods of selected namespaces through external gateways. */
export interface AdminPolicyBasedExternalRoute {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "AdminPolicyBasedExternalRoute";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Pods covered and gateways used. */
  spec: {
    /** Where the traffic comes from. */
    from: {
      /** Labels of the namespaces whose pods are covered; {} means all. */
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
    /** Gateways to use; static, dynamic or both. */
    nextHops: {
      /** Gateways that run as pods, found by their labels. */
      dynamic?: ({
        /** Whether BFD probes the gateway so that a dead one is left out. Default false. */
        bfdEnabled?: boolean;
        /** Labels of the namespaces in which gateway pods are looked for; {} means all. */
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
        /** Secondary network whose pod addresses are the gateways; empty means the host address of host-network pods. */
        networkAttachmentName?: string;
        /** Labels of the gateway pods. */
        podSelector: {
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
      /** Gateways given by their addresses. */
      static?: ({
        /** Whether BFD probes the gateway so that a dead one is left out. Default false. */
        bfdEnabled?: boolean;
        /** Address of the gateway, IPv4 or IPv6. */
        ip: string;
      })[];
    };
  };
  /** Outcome of the policy. */
  status?: {
    /** Time of the latest report, in RFC 3339 form. */
    lastTransitionTime?: string;
    /** One line per zone: the gateway addresses it uses, or why it failed. */
    messages?: string[];
    /** Success or Fail over all zones; empty until every zone has reported. */
    status?: string;
  };
}

/** Lets pods of selected user-defined networks reach each other. */
export interface ClusterNetworkConnect {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "ClusterNetworkConnect";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Networks to connect, and what they open to each other. */
  spec: {
    /** Internal ranges for the links between the networks, one per IP family. Immutable. */
    connectSubnets: ({
      /** Range in CIDR notation, without host bits. */
      cidr: string;
      /** Prefix length of the piece each network gets; longer than that of cidr. */
      networkPrefix: number;
    })[];
    /** What the networks open to each other: PodNetwork, ServiceNetwork or both. */
    connectivity: ("PodNetwork" | "ServiceNetwork")[];
    /** Networks to connect, one entry per type; only ClusterUserDefinedNetworks and PrimaryUserDefinedNetworks are allowed. */
    networkSelectors: ({
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
  };
  /** Whether the connection was accepted. */
  status?: {
    /** Holds the condition Accepted. */
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
    /** Success or Failure. */
    status?: "Success" | "Failure";
  };
}

/** A network shared by the pods of all selected namespaces. */
export interface ClusterUserDefinedNetwork {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "ClusterUserDefinedNetwork";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Namespaces that get the network, and its shape. */
  spec: {
    /** Labels of the namespaces that get the network; {} means all. May be changed later. */
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
    /** Shape of the network. */
    network: {
      /** EVPN settings; required with transport EVPN, forbidden otherwise. */
      evpn?: {
        /** Routed part of the EVPN; required with topology Layer3. */
        ipVRF?: {
          /** BGP route target ADMINISTRATOR:NUMBER; the administrator is an AS number, an IPv4 address or *. */
          routeTarget?: string;
          /** VXLAN network identifier, 1 to 16777215; not the same for macVRF and ipVRF. */
          vni: number;
        };
        /** Bridged part of the EVPN; required with topology Layer2, forbidden with Layer3. */
        macVRF?: {
          /** BGP route target ADMINISTRATOR:NUMBER; the administrator is an AS number, an IPv4 address or *. */
          routeTarget?: string;
          /** VXLAN network identifier, 1 to 16777215; not the same for macVRF and ipVRF. */
          vni: number;
        };
        /** Name of the VTEP that provides the tunnel endpoints. */
        vtep: string;
      };
      /** Settings of a Layer2 network; required with topology Layer2, forbidden otherwise. Immutable. */
      layer2?: {
        /** Gateway address for each IP family of subnets; primary networks only. When unset, one is taken from subnets. */
        defaultGatewayIPs?: string[];
        /** Parts of subnets that supply gateway and management addresses and no pod addresses; primary networks only. */
        infrastructureSubnets?: string[];
        /** How pods on this network get their addresses. */
        ipam?: {
          /** Persistent keeps the address of a virtual machine across restarts and migration; when unset it is freed with the pod. */
          lifecycle?: "Persistent";
          /** Enabled (the default) hands out addresses from subnets; Disabled hands out none and is for secondary networks. */
          mode?: "Enabled" | "Disabled";
        };
        /** Internal ranges linking the routers of a primary network, one per IP family; default 100.65.0.0/16 and fd99::/64. */
        joinSubnets?: string[];
        /** Largest packet in bytes, 576 to 65536; 1280 or more if a subnet is IPv6. */
        mtu?: number;
        /** Parts of subnets whose addresses are given out on explicit request only; primary networks only. */
        reservedSubnets?: string[];
        /** Primary makes it the main network of its pods, Secondary adds an interface to them. */
        role: "Primary" | "Secondary";
        /** CIDR ranges of the network, at most one per IP family; required unless ipam.mode is Disabled. */
        subnets?: string[];
      };
      /** Settings of a Layer3 network; required with topology Layer3, forbidden otherwise. */
      layer3?: {
        /** Internal ranges linking the routers of a primary network, one per IP family; default 100.65.0.0/16 and fd99::/64. Immutable. */
        joinSubnets?: string[];
        /** Largest packet in bytes, 576 to 65536; 1280 or more if a subnet is IPv6. Immutable. */
        mtu?: number;
        /** Primary makes it the main network of its pods, Secondary adds an interface to them. Immutable. */
        role: "Primary" | "Secondary";
        /** Ranges shared out among the nodes. Entries cannot be removed; only primary networks may add some. */
        subnets: ({
          /** Range in CIDR notation from which every node gets a piece. */
          cidr: string;
          /** Prefix length of the piece a node gets; longer than that of cidr and equal within an IP family. */
          hostSubnet?: number;
        })[];
      };
      /** Settings of a Localnet network; required with topology Localnet, forbidden otherwise. Immutable. */
      localnet?: {
        /** Parts of subnets from which pods get no address. */
        excludeSubnets?: string[];
        /** How pods on this network get their addresses. */
        ipam?: {
          /** Persistent keeps the address of a virtual machine across restarts and migration; when unset it is freed with the pod. */
          lifecycle?: "Persistent";
          /** Enabled (the default) hands out addresses from subnets; Disabled hands out none. */
          mode?: "Enabled" | "Disabled";
        };
        /** Largest packet in bytes, 576 to 65536; 1280 or more if a subnet is IPv6. */
        mtu?: number;
        /** Name the nodes' OVN bridge mappings have for the physical network; without comma and colon. */
        physicalNetworkName: string;
        /** Always Secondary: the network adds an interface to its pods. */
        role: "Secondary";
        /** CIDR ranges of the network, at most one per IP family; required unless ipam.mode is Disabled. */
        subnets?: string[];
        /** VLAN on the physical network; unset means untagged traffic. */
        vlan?: {
          /** Settings of mode Access; required with it. */
          access?: {
            /** VLAN ID, 1 to 4094. */
            id: number;
          };
          /** Access puts all traffic of the network into one VLAN. */
          mode: "Access";
        };
      };
      /** Settings for transport NoOverlay; required with it, forbidden otherwise. Immutable. */
      noOverlay?: {
        /** Enabled: traffic leaving the cluster takes the address of its node. Disabled: it keeps the pod address. */
        outboundSNAT: "Enabled" | "Disabled";
        /** Managed: routes between the nodes are set up for you. Unmanaged: you provide them. */
        routing: "Managed" | "Unmanaged";
      };
      /** Layer2: one segment. Layer3: one subnet per node. Localnet: a segment of a physical network. Immutable. */
      topology: "Layer2" | "Layer3" | "Localnet";
      /** NoOverlay routes packets between nodes as they are, EVPN announces them by BGP; unset means Geneve tunnels. Immutable. */
      transport?: "NoOverlay" | "EVPN";
    };
    /** Name of the Uplink, at most one, by which a primary Layer2 or Layer3 network leaves the nodes. Immutable. */
    uplinks?: string[];
  };
  /** State of the network as its controllers report it. */
  status?: {
    /** Conditions of the network, such as NetworkCreated and NetworkAllocationSucceeded. */
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

/** Allows or denies traffic from the pods of its namespace to destinations outside the cluster. */
export interface EgressFirewall {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "EgressFirewall";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Rules of the firewall. */
  spec: {
    /** Rules in order of precedence: the first match decides, and traffic without a match is allowed. */
    egress: ({
      /** Protocols and ports the rule covers; empty or unset means all. */
      ports?: ({
        /** Destination port, 1 to 65535. */
        port: number;
        /** Transport protocol: TCP, UDP or SCTP. */
        protocol: string;
      })[];
      /** Destination of the rule: exactly one of cidrSelector, dnsName and nodeSelector. */
      to: {
        /** Destination range in CIDR notation, such as 192.0.2.0/24. Syntax is not checked here. */
        cidrSelector?: string;
        /** Domain name whose resolved addresses match; *. in front covers the names one label below. */
        dnsName?: string;
        /** Labels of the nodes whose host addresses match; {} means all nodes. */
        nodeSelector?: {
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
      /** What happens to matching traffic: Allow or Deny. */
      type: string;
    })[];
  };
  /** How far the rules have taken effect. */
  status?: {
    /** One line per zone, ZONE: RESULT, saying whether it applied the rules. */
    messages?: string[];
    /** Summary over all zones; empty until every zone has reported. */
    status?: string;
  };
}

/** Gives traffic that selected pods send out of the cluster fixed source addresses, hosted by egress nodes. */
export interface EgressIP {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "EgressIP";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Wanted addresses and the pods that use them. */
  spec: {
    /** Source addresses, IPv4 or IPv6, each hosted by a different node labelled k8s.ovn.org/egress-assignable. Syntax is not checked here. */
    egressIPs: string[];
    /** Labels of the namespaces whose pods use the addresses; {} means all. */
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
    /** Labels of the pods that use the addresses; unset or {} means all pods of the namespaces. */
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
  };
  /** Nodes that host the addresses now; written by the controller. */
  status?: {
    /** One entry per address that has a node; addresses still waiting for one are left out. */
    items: ({
      /** Hosted address in its canonical spelling. */
      egressIP: string;
      /** Name of the node hosting the address. */
      node: string;
    })[];
  };
}

/** Marks traffic that pods of its namespace send out of the cluster with DSCP values. */
export interface EgressQoS {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "EgressQoS";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Marking rules. */
  spec?: {
    /** Rules in order of precedence; the first match decides. */
    egress: ({
      /** DSCP value written to matching packets, 0 to 63. */
      dscp: number;
      /** Destination range in CIDR notation; unset means any destination. */
      dstCIDR?: string;
      /** Labels of the pods the rule covers; unset or {} means all pods of the namespace. */
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

/** Controls source address and node of traffic leaving the cluster from the pods behind the Service of the same name. */
export interface EgressService {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "EgressService";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** How the traffic leaves the cluster. */
  spec?: {
    /** VRF or routing table, by name or number, for the traffic; unset means the main routing of the host. */
    network?: string;
    /** Labels of the nodes that may be chosen to carry the traffic; unset or {} means all. */
    nodeSelector?: {
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
    /** LoadBalancerIP (also if unset): the address of the Service, through one node. Network: an address of the pod's own node in that network. */
    sourceIPBy?: "LoadBalancerIP" | "Network";
  };
  /** Node chosen for the traffic. */
  status?: {
    /** Node that carries the traffic: ALL with sourceIPBy Network, empty while none is chosen. */
    host: string;
  };
}

/** Announces addresses of selected networks to BGP neighbours. */
export interface RouteAdvertisements {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "RouteAdvertisements";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is announced, for which networks, and from where. */
  spec?: {
    /** What to announce: PodNetwork, EgressIP or both. */
    advertisements: ("PodNetwork" | "EgressIP")[];
    /** Labels of the FRRConfigurations that serve as base for the generated ones; {} means all. */
    frrConfigurationSelector: {
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
    /** Networks to announce, one entry per type; only DefaultNetwork and ClusterUserDefinedNetworks are allowed. */
    networkSelectors: ({
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
    /** Labels of the nodes that announce; must be {} when PodNetwork is announced. */
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
    /** VRF in which to announce; unset means the default one, auto the VRF of each network. */
    targetVRF?: string;
  };
  /** Whether the announcement was accepted. */
  status?: {
    /** Holds the condition Accepted. */
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
    /** Accepted, or Not Accepted with the cause. */
    status?: string;
  };
}

/** A network for the pods of its namespace, built as one segment (Layer2) or as one subnet per node (Layer3). */
export interface UserDefinedNetwork {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "UserDefinedNetwork";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Shape of the network. */
  spec: {
    /** Settings of a Layer2 network; required with topology Layer2, forbidden otherwise. Immutable. */
    layer2?: {
      /** Gateway address for each IP family of subnets; primary networks only. When unset, one is taken from subnets. */
      defaultGatewayIPs?: string[];
      /** Parts of subnets that supply gateway and management addresses and no pod addresses; primary networks only. */
      infrastructureSubnets?: string[];
      /** How pods on this network get their addresses. */
      ipam?: {
        /** Persistent keeps the address of a virtual machine across restarts and migration; when unset it is freed with the pod. */
        lifecycle?: "Persistent";
        /** Enabled (the default) hands out addresses from subnets; Disabled hands out none and is for secondary networks. */
        mode?: "Enabled" | "Disabled";
      };
      /** Internal ranges linking the routers of a primary network, one per IP family; default 100.65.0.0/16 and fd99::/64. */
      joinSubnets?: string[];
      /** Largest packet in bytes, 576 to 65536; 1280 or more if a subnet is IPv6. */
      mtu?: number;
      /** Parts of subnets whose addresses are given out on explicit request only; primary networks only. */
      reservedSubnets?: string[];
      /** Primary makes it the main network of its pods, Secondary adds an interface to them. */
      role: "Primary" | "Secondary";
      /** CIDR ranges of the network, at most one per IP family; required unless ipam.mode is Disabled. */
      subnets?: string[];
    };
    /** Settings of a Layer3 network; required with topology Layer3, forbidden otherwise. */
    layer3?: {
      /** Internal ranges linking the routers of a primary network, one per IP family; default 100.65.0.0/16 and fd99::/64. Immutable. */
      joinSubnets?: string[];
      /** Largest packet in bytes, 576 to 65536; 1280 or more if a subnet is IPv6. Immutable. */
      mtu?: number;
      /** Primary makes it the main network of its pods, Secondary adds an interface to them. Immutable. */
      role: "Primary" | "Secondary";
      /** Ranges shared out among the nodes. Entries cannot be removed; only primary networks may add some. */
      subnets: ({
        /** Range in CIDR notation from which every node gets a piece. */
        cidr: string;
        /** Prefix length of the piece a node gets; longer than that of cidr and equal within an IP family. */
        hostSubnet?: number;
      })[];
    };
    /** Layer2: one segment over all nodes. Layer3: a subnet on each node, with routing in between. Immutable. */
    topology: "Layer2" | "Layer3";
  };
  /** State of the network as its controllers report it. */
  status?: {
    /** Conditions of the network, such as NetworkCreated and NetworkAllocationSucceeded. */
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

/** Provides the tunnel endpoint addresses of nodes for networks with EVPN transport. */
export interface VTEP {
  /** APIVersion defines the version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "k8s.ovn.org/v1";
  /** Kind is the name of the type that this object has. */
  kind: "VTEP";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Address ranges and how they are used. */
  spec: {
    /** Up to 20 ranges for endpoint addresses, without host bits or overlap; in mode Managed they can only grow. */
    cidrs: string[];
    /** Managed (the default): nodes get addresses from cidrs. Unmanaged: addresses in cidrs that nodes already have are used. */
    mode?: string;
  };
  /** Whether the endpoints are usable. */
  status?: {
    /** Holds the condition Accepted. */
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
