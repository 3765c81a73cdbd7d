// A made-up cluster whose names are confidential, with many fields that may contain a name or an address.
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import type { KubeObject, ObjectMeta } from "../../src/apimachinery/meta/object-meta.ts";

const object = (
  apiVersion: string,
  kind: string,
  metadata: ObjectMeta,
  more: JsonObject = {},
): KubeObject => ({
  apiVersion,
  kind,
  metadata,
  ...more,
});

const UID = (digit: string) => `${digit.repeat(8)}-aaaa-4bbb-8ccc-${digit.repeat(12)}`;

function node(host: string, last: number, isEgress: boolean): KubeObject {
  const address = `10.0.187.${last}`;
  const gateway = { mode: "shared", "interface-id": `br-ex_${host}`, "mac-address": "06:11:22:33:44:55" };
  return object(
    "v1",
    "Node",
    {
      name: host,
      uid: UID(String(last % 10)),
      labels: {
        "kubernetes.io/hostname": host,
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/payments": "",
        "topology.kubernetes.io/zone": "zurichwest-1a",
        "rack.bankhaus.example/row": "blueberry",
        ...(isEgress ? { "k8s.ovn.org/egress-assignable": "" } : {}),
      },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({
          ipv4: `${address}/24`,
          ipv6: `fd00:187::${last}/64`,
        }),
        "k8s.ovn.org/host-cidrs": JSON.stringify([`${address}/24`, `fd00:187::${last}/64`]),
        "k8s.ovn.org/node-subnets": JSON.stringify({
          default: [`10.130.${last}.0/24`, `fd01:0:0:${last}::/64`],
          "ledger.vaultnet": `10.200.${last}.0/24`,
        }),
        "k8s.ovn.org/l3-gateway-config": JSON.stringify({
          default: { ...gateway, "ip-addresses": [`${address}/24`], "next-hops": ["10.0.187.1"] },
        }),
        "k8s.ovn.org/zone-name": host,
        "k8s.ovn.org/node-id": String(last),
      },
    },
    {
      spec: {
        providerID: `aws:///zurichwest-1a/i-0abc${last}def`,
        taints: [{ key: "bankhaus.example/vault", effect: "NoSchedule" }],
      },
      status: {
        addresses: [
          { type: "InternalIP", address },
          { type: "Hostname", address: host },
        ],
        conditions: [
          { type: "Ready", status: "True", reason: "KubeletReady", message: "the walrus is ready" },
        ],
        nodeInfo: { kubeletVersion: "v1.30.4", machineID: "deadbeefcafe", osImage: "Bankhaus Linux 9" },
        capacity: { cpu: "4", memory: "16393244Ki", "bankhaus.example/vaultcard": "2" },
        images: [{ names: ["registry.bankhaus.example/vault/teller:1.2.3"], sizeBytes: 5 }],
      },
    },
  );
}

function pod(name: string, namespace: string, host: string, address: string, app: string): KubeObject {
  const mac = `0a:58:${address
    .split(".")
    .map((octet) => Number(octet).toString(16).padStart(2, "0"))
    .join(":")}`;
  const networks = {
    default: { ip_addresses: [`${address}/24`], mac_address: mac, gateway_ips: ["10.130.1.1"] },
  };
  return object(
    "v1",
    "Pod",
    {
      ...{ name, namespace, generateName: `${name.slice(0, name.lastIndexOf("-"))}-`, uid: UID("5") },
      labels: { app, "pod-template-hash": "7d4b9c", tier: "Goldkunde" },
      annotations: {
        "k8s.ovn.org/pod-networks": JSON.stringify(networks),
        "bankhaus.example/owner": "walter.muster@bankhaus.example",
        "kubectl.kubernetes.io/last-applied-configuration": '{"metadata":{"name":"topsecretname"}}',
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: name.slice(0, name.lastIndexOf("-")),
          uid: UID("6"),
          controller: true,
        },
      ],
      managedFields: [
        {
          ...{ manager: "bankhaus-deployer", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" },
          fieldsV1: {
            "f:metadata": { "f:labels": { "f:app": {}, "f:bankhaus.example/desk": {} } },
            "f:status": { "f:podIPs": { [`k:{"ip":"${address}"}`]: { "f:ip": {} } } },
          },
        },
      ],
    },
    { spec: podSpec(host, app), status: podStatus(address) },
  );
}

const podSpec = (host: string, app: string): JsonObject => ({
  nodeName: host,
  serviceAccountName: "tellerbot",
  nodeSelector: { "rack.bankhaus.example/row": "blueberry" },
  containers: [
    {
      ...{ name: "tellerd", image: "registry.bankhaus.example/vault/teller:1.2.3" },
      env: [{ name: "DB_PASSWORD", value: "hunter2hunter2" }],
      command: ["/opt/bankhaus/tellerd"],
      resources: { requests: { cpu: "100m", memory: "64Mi" } },
    },
  ],
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: "rack.bankhaus.example/row",
          labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: [app] }] },
        },
      ],
    },
  },
});

const podStatus = (address: string): JsonObject => ({
  phase: "Running",
  podIP: address,
  podIPs: [{ ip: address }],
  hostIP: "10.0.187.18",
  conditions: [{ type: "Ready", status: "True" }],
});

const HOSTS = ["ip-10-0-187-18.zurichwest.compute.internal", "tellernode-b", "tellernode-c"] as const;

export const PRIVATE_CLUSTER: readonly KubeObject[] = [
  ...HOSTS.map((host, at) => node(host, 18 + at, at < 2)),
  object("v1", "Namespace", {
    name: "vaultdesk",
    labels: { "kubernetes.io/metadata.name": "vaultdesk", desk: "moneta" },
  }),
  object("v1", "Namespace", {
    name: "kube-system",
    labels: { "kubernetes.io/metadata.name": "kube-system" },
  }),
  pod("teller-7d4b9c-x2k9p", "vaultdesk", HOSTS[0], "10.130.18.7", "teller"),
  pod("teller-7d4b9c-q8m4z", "vaultdesk", HOSTS[1], "10.130.19.8", "teller"),
  pod("cashier-5c6d7e-w3r5t", "vaultdesk", HOSTS[2], "10.130.20.9", "cashier"),
  object(
    "k8s.ovn.org/v1",
    "EgressIP",
    { name: "moneta-exit" },
    {
      spec: {
        egressIPs: ["10.0.187.101", "fd00:187::101", "172.31.9.9"],
        namespaceSelector: { matchLabels: { desk: "moneta" } },
        podSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["teller"] }] },
      },
      status: {
        items: [
          { egressIP: "10.0.187.101", node: HOSTS[0] },
          { egressIP: "fd00:187::101", node: HOSTS[1] },
        ],
      },
    },
  ),
  object(
    "k8s.ovn.org/v1",
    "EgressIP",
    { name: "moneta-spare" },
    {
      spec: { egressIPs: ["10.0.187.19"], namespaceSelector: { matchLabels: { desk: "moneta" } } },
    },
  ),
  object(
    "k8s.ovn.org/v1",
    "EgressFirewall",
    { name: "default", namespace: "vaultdesk" },
    {
      spec: {
        egress: [
          {
            type: "Allow",
            to: { dnsName: "*.clearing.bankhaus.example" },
            ports: [{ protocol: "TCP", port: 443 }],
          },
          { type: "Deny", to: { cidrSelector: "0.0.0.0/0" } },
          { type: "Deny", to: { cidrSelector: "203.0.113.0/24" } },
        ],
      },
    },
  ),
  object(
    "v1",
    "Service",
    { name: "tellerfront", namespace: "vaultdesk" },
    {
      spec: {
        selector: { app: "teller" },
        clusterIP: "10.96.44.5",
        clusterIPs: ["10.96.44.5"],
        type: "ClusterIP",
        ports: [{ name: "vaultport", port: 80, targetPort: "tellerport" }],
      },
    },
  ),
  object(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    {
      name: "tellerfront-abcde",
      namespace: "vaultdesk",
      labels: { "kubernetes.io/service-name": "tellerfront" },
    },
    {
      addressType: "IPv4",
      endpoints: [
        {
          addresses: ["10.130.18.7"],
          nodeName: HOSTS[0],
          zone: "zurichwest-1a",
          targetRef: { kind: "Pod", name: "teller-7d4b9c-x2k9p", namespace: "vaultdesk" },
        },
      ],
    },
  ),
  object(
    "cloud.network.openshift.io/v1",
    "CloudPrivateIPConfig",
    { name: "fd00.0187.0000.0000.0000.0000.0000.0101" },
    { spec: { node: HOSTS[1] } },
  ),
  object(
    "cloud.network.openshift.io/v1",
    "CloudPrivateIPConfig",
    { name: "10.0.187.101" },
    { spec: { node: HOSTS[0] } },
  ),
  object(
    "k8s.cni.cncf.io/v1",
    "NetworkAttachmentDefinition",
    { name: "vaultnet", namespace: "vaultdesk" },
    {
      spec: {
        config:
          '{"cniVersion":"1.0.0","type":"ovn-k8s-cni-overlay","topology":"layer2","netAttachDefName":"vaultdesk/vaultnet","subnets":"10.200.0.0/16"}',
      },
    },
  ),
  object(
    "v1",
    "Event",
    { name: "teller-7d4b9c-x2k9p.16ea06f2", namespace: "vaultdesk" },
    {
      ...{ reason: "FailedMount", type: "Warning", message: "Unable to reach walnutserver at 10.0.187.44" },
      involvedObject: { kind: "Pod", name: "teller-7d4b9c-x2k9p", namespace: "vaultdesk" },
    },
  ),
  object(
    "v1",
    "Secret",
    { name: "vaultkeys", namespace: "vaultdesk" },
    { data: { password: "aHVudGVyMg==" } },
  ),
  object(
    "v1",
    "ConfigMap",
    { name: "vaultsettings", namespace: "vaultdesk" },
    { data: { "app.ini": "host=walnutserver" } },
  ),
  object(
    "v1",
    "ConfigMap",
    { name: "kubeadm-config", namespace: "kube-system" },
    {
      data: {
        ClusterConfiguration:
          "clusterName: bankhaus\nnetworking:\n  podSubnet: 10.130.0.0/16\n  serviceSubnet: 10.96.0.0/16\n",
      },
    },
  ),
  object(
    "config.openshift.io/v1",
    "Network",
    { name: "cluster" },
    {
      status: {
        clusterNetwork: [{ cidr: "10.130.0.0/16", hostPrefix: 24 }],
        serviceNetwork: ["10.96.0.0/16"],
        networkType: "OVNKubernetes",
      },
    },
  ),
  object(
    "config.openshift.io/v1",
    "Infrastructure",
    { name: "cluster" },
    {
      status: {
        platformStatus: { type: "AWS", aws: { region: "zurichwest-1" } },
        infrastructureName: "bankhaus-x7k2q",
        apiServerURL: "https://api.vault.bankhaus.example:6443",
      },
    },
  ),
  object(
    "rbac.authorization.k8s.io/v1",
    "Role",
    { name: "tellerrole", namespace: "vaultdesk" },
    {
      rules: [{ verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["teller"] }],
    },
  ),
  object(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    { name: "egressips.k8s.ovn.org" },
    { spec: { group: "k8s.ovn.org", names: { kind: "EgressIP", plural: "egressips" } } },
  ),
  object(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    { name: "tellers.bankhaus.example" },
    { spec: { group: "bankhaus.example" } },
  ),
  object("bankhaus.example/v1", "Teller", { name: "frontteller", namespace: "vaultdesk" }),
];

/** Words that must not occur in anonymized output. */
export const PRIVATE_WORDS = [
  ...[
    "teller",
    "cashier",
    "bankhaus",
    "vault",
    "moneta",
    "zurichwest",
    "blueberry",
    "walnutserver",
    "walrus",
    "walter",
  ],
  ...[
    "muster",
    "goldkunde",
    "hunter2",
    "payments",
    "ledger",
    "topsecretname",
    "clearing",
    "7d4b9c",
    "x2k9p",
    "x7k2q",
    "deadbeefcafe",
  ],
  ...[
    "10.0.187.",
    "10-0-187-",
    "10.130.18.",
    "203.0.113.",
    "fd00:187",
    "fd00.0187",
    "0a:58:0a:82:12",
    "06:11:22",
    "aaaa-4bbb",
    "0abc18def",
  ],
];
