// Setup facts that are detected from clusters of all kinds.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { detectFacts } from "../../../../src/ovn/detect/facts.ts";
import { neededResourceOf } from "../../../../src/ovn/needed-kinds.ts";
import { snapshotOf } from "../../../../src/ovn/snapshot.ts";

const detect = (...objects: KubeObject[]) => detectFacts(snapshotOf(objects, neededResourceOf));
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: object,
  namespace?: string,
): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  ...more,
});
const node = (name: string, annotations: Record<string, string>, spec: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Node" },
  ...{ metadata: { name, annotations }, spec },
});
const configMap = (namespace: string, name: string, data: object) =>
  object("v1", "ConfigMap", name, { data }, namespace);

const NETWORK = object("config.openshift.io/v1", "Network", "cluster", {
  status: {
    clusterNetwork: [
      { cidr: "10.128.0.0/14", hostPrefix: 23 },
      { cidr: "fd01::/48", hostPrefix: 64 },
    ],
    serviceNetwork: ["172.30.0.0/16", "fd02::/112"],
  },
});
const OPERATOR = object("operator.openshift.io/v1", "Network", "cluster", {
  spec: {
    clusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 24 }],
    defaultNetwork: {
      ovnKubernetesConfig: {
        ipv4: { internalJoinSubnet: "100.66.0.0/16", internalTransitSwitchSubnet: "100.89.0.0/16" },
        gatewayConfig: { ipv4: { internalMasqueradeSubnet: "169.254.64.0/18" } },
      },
    },
  },
});
const KUBEADM = configMap("kube-system", "kubeadm-config", {
  ClusterConfiguration:
    "networking:\n  dnsDomain: cluster.local\n  podSubnet: 10.244.0.0/16,fd00:10:244::/56\n  serviceSubnet: 10.96.0.0/16\n",
});
const SHARES = [
  node("a", { "k8s.ovn.org/node-subnets": '{"default":["10.244.0.0/24","fd00:10:244:1::/64"]}' }),
  node("b", { "k8s.ovn.org/node-subnets": '{"default":"10.244.5.0/24","blue":"10.9.0.0/16"}' }),
];

describe("networks", () => {
  test("of OpenShift, as it says them itself, and what else it says", () => {
    expect(detect(NETWORK, OPERATOR, KUBEADM, ...SHARES)).toEqual({
      clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
      serviceSubnets: "172.30.0.0/16,fd02::/112",
      joinSubnets: "100.66.0.0/16",
      transitSubnets: "100.89.0.0/16",
      masqueradeSubnets: "169.254.64.0/18",
      platform: "none",
    });
    expect(detect(OPERATOR).clusterSubnets).toBe("10.132.0.0/14/24");
  });

  test("of kubeadm", () => {
    expect(detect(KUBEADM)).toMatchObject({
      clusterSubnets: "10.244.0.0/16,fd00:10:244::/56",
      serviceSubnets: "10.96.0.0/16",
    });
  });

  test("of ovn-kubernetes' own configuration, in both forms", () => {
    const conf =
      '[default]\ncluster-subnets="10.128.0.0/14/23,fd01::/48/64"\n[kubernetes]\nservice-cidrs="172.30.0.0/16"\n';
    expect(
      detect(configMap("openshift-ovn-kubernetes", "ovnkube-config", { "ovnkube.conf": conf })),
    ).toMatchObject({
      clusterSubnets: "10.128.0.0/14/23,fd01::/48/64",
      serviceSubnets: "172.30.0.0/16",
    });
    const data = { net_cidr: "10.244.0.0/16/24", svc_cidr: "10.96.0.0/16" };
    expect(detect(configMap("ovn-kubernetes", "ovn-config", data))).toMatchObject({
      clusterSubnets: "10.244.0.0/16/24",
      serviceSubnets: "10.96.0.0/16",
    });
  });

  test("of Services, of the API itself", () => {
    const range = object("networking.k8s.io/v1", "ServiceCIDR", "kubernetes", {
      spec: { cidrs: ["10.43.0.0/16"] },
    });
    expect(detect(range, KUBEADM).serviceSubnets).toBe("10.43.0.0/16");
  });

  test("that hold the shares of all nodes, where nobody says more", () => {
    expect(detect(...SHARES).clusterSubnets).toBe("10.244.0.0/21,fd00:10:244:1::/64");
  });

  test("are left out where nothing, or nothing readable, says them", () => {
    const wrong = object("config.openshift.io/v1", "Network", "cluster", {
      status: { clusterNetwork: [{}], serviceNetwork: ["x"] },
    });
    expect(detect(wrong, node("a", { "k8s.ovn.org/node-subnets": "?" }))).toEqual({ platform: "none" });
    expect(
      detect(configMap("default", "kubeadm-config", { ClusterConfiguration: "podSubnet: 10.1.0.0/16" })),
    ).toEqual({ platform: "none" });
  });
});

describe("the platform", () => {
  const infrastructure = (type: string) =>
    object("config.openshift.io/v1", "Infrastructure", "cluster", { status: { platformStatus: { type } } });
  const config = (name: string) => ({
    "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([{ interface: name }]),
  });

  test.each([
    ["AWS", "aws"],
    ["GCP", "gcp"],
    ["Azure", "azure"],
    ["OpenStack", "openstack"],
    ["BareMetal", "none"],
    ["constructor", "none"],
  ])("of an Infrastructure on %s", (type, platform) => {
    expect(detect(infrastructure(type)).platform).toBe(platform);
    expect(detect(infrastructure(type), node("a", config("nic0"))).platform).toBe(platform);
  });

  test.each([
    ["eni-0a1b2c3d4e5f60718", "aws"],
    ["nic0", "gcp"],
    ["9ac2d5b8-3f41-4c5e-8f07-0123456789ab", "openstack"],
    ["worker-a_nic", "azure"],
  ])("of nodes with the interface %s", (name, platform) => {
    expect(detect(node("a", config(name))).platform).toBe(platform);
  });

  test("of nodes that a cloud has made, only where addresses are asked of it", () => {
    const made = node("a", {}, { providerID: "azure:///subscriptions/x" });
    expect(detect(made)).toEqual({ platform: "none", doubtful: "azure" });
    const asked = object("cloud.network.openshift.io/v1", "CloudPrivateIPConfig", "10.0.0.9", {});
    expect(detect(made, asked).platform).toBe("azure");
  });
});

test("an older product is known by the annotations of its nodes", () => {
  const older = node("a", { "k8s.ovn.org/host-addresses": '["10.0.0.1"]' });
  expect(detect(older).product).toBe("openshift-4.13");
  expect(detect(older, node("b", { "k8s.ovn.org/host-cidrs": '["10.0.0.2/24"]' }))).not.toHaveProperty(
    "product",
  );
});
