// Demo cluster as plain manifests: six nodes in two zones, four namespaces, eight EgressIPs. One EgressIP requests an
// address outside all node networks, as an example of a failed assignment.
type Manifest = Readonly<Record<string, unknown>>;

const ASSIGNABLE = "k8s.ovn.org/egress-assignable";

function node(index: number): Manifest {
  const name = `node-${"abcdef"[index]}`;
  const zone = index < 3 ? "west" : "east";
  const address = `192.168.126.${11 + index}`;
  return {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": zone,
        ...(index === 3 ? {} : { [ASSIGNABLE]: "" }),
      },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({
          ipv4: `${address}/24`,
          ipv6: `fd00:126::${11 + index}/64`,
        }),
        "k8s.ovn.org/host-cidrs": JSON.stringify([`${address}/24`, `fd00:126::${11 + index}/64`]),
        "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
          {
            interface: "eth0",
            ifaddr: { ipv4: "192.168.126.0/24", ipv6: "fd00:126::/64" },
            capacity: { ipv4: 14, ipv6: 14 },
          },
        ]),
        "k8s.ovn.org/node-subnets": JSON.stringify({
          default: [`10.244.${index}.0/24`, `fd00:10:244:${index}::/64`],
        }),
      },
    },
    spec: {},
    status: {
      addresses: [
        { type: "InternalIP", address },
        { type: "Hostname", address: name },
      ],
      capacity: { cpu: "4", memory: "8Gi", pods: "110" },
      allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
      ],
    },
  };
}

const namespace = (name: string, labels: Readonly<Record<string, string>>): Manifest => ({
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: { name, labels },
});

/** On nodes round-robin, with addresses of the nodes' subnets. */
function pods(inside: string, app: string, count: number, first: number): Manifest[] {
  return Array.from({ length: count }, (_, index) => {
    const at = first + index;
    return {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { namespace: inside, name: `${app}-${index}`, labels: { app } },
      spec: {
        nodeName: `node-${"abcdef"[at % 6]}`,
        containers: [{ name: "main", image: `registry.example.com/${inside}/${app}:1.0` }],
      },
      status: {
        phase: "Running",
        podIPs: [{ ip: `10.244.${at % 6}.${10 + at}` }],
        podIP: `10.244.${at % 6}.${10 + at}`,
      },
    };
  });
}

function egressIp(name: string, egressIPs: readonly string[], team: string, app?: string): Manifest {
  return {
    ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP" },
    metadata: { name },
    spec: {
      egressIPs,
      namespaceSelector: { matchLabels: { team } },
      ...(app === undefined ? {} : { podSelector: { matchLabels: { app } } }),
    },
  };
}

/** As a List, which a single import request applies. */
export function demoObjects(): object {
  const items = [
    ...[0, 1, 2, 3, 4, 5].map(node),
    namespace("shop", { team: "web" }),
    namespace("billing", { team: "pay" }),
    namespace("batch", { team: "batch" }),
    namespace("mail", { team: "mail" }),
    ...pods("shop", "front", 6, 0),
    ...pods("billing", "ledger", 3, 6),
    ...pods("batch", "worker", 9, 9),
    ...pods("mail", "smtp", 2, 18),
    ...pods("mail", "relay", 1, 20),
    egressIp("web", ["192.168.126.101", "192.168.126.102"], "web"),
    egressIp("web-6", ["fd00:126::101"], "web"),
    egressIp("pay", ["192.168.126.103"], "pay"),
    egressIp("batch", ["192.168.126.104"], "batch"),
    egressIp("mail", ["192.168.200.105"], "mail"),
    egressIp("relay", ["192.168.126.106"], "mail", "relay"),
    egressIp("partner", ["192.168.126.107"], "pay", "ledger"),
    egressIp("reports", ["192.168.126.108"], "batch", "reports"),
  ];
  return { apiVersion: "v1", kind: "List", items };
}
