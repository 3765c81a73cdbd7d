// Version detection from cluster objects, and the hints for a server that emulates another release.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { detectFacts } from "../../../../src/ovn/detect/facts.ts";
import { settingHints } from "../../../../src/ovn/detect/hints.ts";
import type { Said } from "../../../../src/ovn/detect/source.ts";
import { detectVersions } from "../../../../src/ovn/detect/versions.ts";
import { leanObject } from "../../../../src/ovn/lean.ts";
import { neededResourceOf } from "../../../../src/ovn/needed-kinds.ts";
import { DEFAULT_FACTS, snapshotOf } from "../../../../src/ovn/snapshot.ts";

const object = (apiVersion: string, kind: string, name: string, more: object = {}, metadata: object = {}) =>
  ({ apiVersion, kind, metadata: { name, ...metadata }, ...more }) satisfies KubeObject;
const snapshot = (...objects: readonly KubeObject[]) =>
  snapshotOf(
    objects.map((one) => leanObject(one)),
    neededResourceOf,
  );
const node = (annotations: Record<string, string> = {}) =>
  object("v1", "Node", "a", { status: { nodeInfo: { kubeletVersion: "v1.27.6+b49f9d1" } } }, { annotations });
const release = (status: object) => object("config.openshift.io/v1", "ClusterVersion", "version", { status });
const daemon = (name: string, annotations = {}) =>
  object("apps/v1", "DaemonSet", name, {}, { namespace: "openshift-ovn-kubernetes", annotations });

describe("versions", () => {
  test("are those that are done, then those that are wanted", () => {
    const history = [
      { state: "Partial", version: "4.15.0" },
      { state: "Completed", version: "4.14.3" },
    ];
    expect(detectVersions(snapshot(release({ history, desired: { version: "4.15.0" } })))).toEqual({
      openshift: "4.14.3",
    });
    expect(detectVersions(snapshot(release({ desired: { version: "4.15.0" } })))).toEqual({
      openshift: "4.15.0",
    });
  });

  test.each([
    [
      "an operator",
      object("config.openshift.io/v1", "ClusterOperator", "network", {
        status: {
          versions: [
            { name: "other", version: "1" },
            { name: "operator", version: "4.12.1" },
          ],
        },
      }),
    ],
    ["the network's own daemon", daemon("ovnkube-node", { "release.openshift.io/version": "4.12.1" })],
  ])("are told by %s, too", (_who, given) => {
    expect(detectVersions(snapshot(given)).openshift).toBe("4.12.1");
  });

  test("of Kubernetes are those of its API, else of a node", () => {
    expect(detectVersions(snapshot(node()))).toEqual({ kubernetes: "v1.27.6+b49f9d1" });
    expect(detectVersions(snapshot(node()), { kubernetesVersion: "v1.28.0" }).kubernetes).toBe("v1.28.0");
  });

  test("tell where the zones are", () => {
    expect(detectVersions(snapshot(daemon("ovnkube-master"))).interconnect).toBe(false);
    expect(detectVersions(snapshot(node({ "k8s.ovn.org/zone-name": "a" }))).interconnect).toBe(true);
    expect(detectVersions(snapshot())).toEqual({});
  });

  test.each([
    ["4.13.9", "openshift-4.13"],
    ["4.10.3", "openshift-4.13"],
    ["4.14.0", undefined],
  ])("of %s behave as %s, whatever the nodes say", (version, product) => {
    const older = node({ "k8s.ovn.org/host-addresses": "[]" });
    expect(detectFacts(snapshot(release({ desired: { version } }), older)).product).toBe(product);
    expect(detectFacts(snapshot(older)).product).toBe("openshift-4.13");
  });
});

describe("networks", () => {
  const program = (name: string, namespace: string, ...command: string[]) =>
    object("v1", "Pod", name, { spec: { containers: [{ name: "c", command }] } }, { namespace });

  test("are told by the command lines of the control plane", () => {
    const given = snapshot(
      program(
        "kube-controller-manager-a",
        "kube-system",
        "kube-controller-manager",
        "--cluster-cidr=10.42.0.0/16,fd42::/48",
      ),
      program("kube-apiserver-a", "openshift-kube-apiserver", "x", "--service-cluster-ip-range=10.43.0.0/16"),
      program("web", "kube-system", "--cluster-cidr=1.2.3.0/24"),
    );
    expect(detectFacts(given)).toMatchObject({
      clusterSubnets: "10.42.0.0/16,fd42::/48",
      serviceSubnets: "10.43.0.0/16",
    });
  });

  test("are told by what a store keeps beside its objects", () => {
    const said: Said = { serviceSubnets: "10.96.0.0/12,fd00:96::/112" };
    expect(detectFacts(snapshot(), said).serviceSubnets).toBe("10.96.0.0/12,fd00:96::/112");
  });

  test("between the parts of the network are told by nodes", () => {
    const given = node({
      "k8s.ovn.org/node-gateway-router-lrp-ifaddr": '{"ipv4":"100.70.0.2/16","ipv6":"fd70::2/64"}',
      "k8s.ovn.org/node-transit-switch-port-ifaddr": '{"ipv4":"100.90.0.2/16"}',
      "k8s.ovn.org/node-masquerade-subnet": '{"ipv4":"169.254.8.0/29"}',
    });
    expect(detectFacts(snapshot(given))).toMatchObject({
      joinSubnets: "100.70.0.0/16,fd70::/64",
      transitSubnets: "100.90.0.0/16",
      masqueradeSubnets: "169.254.8.0/29",
    });
  });

  test("and the platform is told by what the installer was told", () => {
    const config = (platform: string) =>
      object(
        "v1",
        "ConfigMap",
        "cluster-config-v1",
        { data: { "install-config": `a: b\nplatform:\n  ${platform}:\n    region: x\n` } },
        { namespace: "kube-system" },
      );
    expect(detectFacts(snapshot(config("gcp"))).platform).toBe("gcp");
    expect(detectFacts(snapshot(config("baremetal"))).platform).toBe("none");
  });
});

describe("a person is told", () => {
  const settings = { ...DEFAULT_FACTS, platform: "none" } as const;
  const hints = (...objects: readonly KubeObject[]) => {
    const given = snapshot(...objects);
    return settingHints(detectFacts(given), detectVersions(given), settings);
  };

  test("which flags the server wants to be started with", () => {
    const network = object("config.openshift.io/v1", "Network", "cluster", {
      status: {
        ...{ clusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 23 }], serviceNetwork: ["172.30.0.0/16"] },
        networkType: "OpenShiftSDN",
      },
    });
    const infrastructure = object("config.openshift.io/v1", "Infrastructure", "cluster", {
      status: { platformStatus: { type: "AWS" } },
    });
    expect(hints(network, infrastructure, release({ desired: { version: "4.12.0" } }))).toEqual([
      expect.stringMatching(/pods have 10\.132\.0\.0\/14\/23.*say --cluster-subnets=10\.132\.0\.0\/14\/23$/),
      expect.stringMatching(/say --service-cluster-ip-range=172\.30\.0\.0\/16$/),
      "the cluster stands on aws: say --platform=aws",
      "the cluster behaves as openshift-4.13: say --profile=openshift-4.13",
      expect.stringMatching(/OpenShiftSDN/),
    ]);
  });

  test("what nothing says, and nothing where all is as it was", () => {
    expect(hints()).toEqual([
      expect.stringMatching(/nothing says which networks the cluster's pods have.*--cluster-subnets$/),
      expect.stringMatching(/nothing says .* Services have.*--service-cluster-ip-range$/),
    ]);
    const range = object("networking.k8s.io/v1", "ServiceCIDR", "kubernetes", {
      spec: { cidrs: settings.serviceSubnets.split(",") },
    });
    const conf = object(
      "v1",
      "ConfigMap",
      "ovn-config",
      { data: { net_cidr: settings.clusterSubnets } },
      { namespace: "ovn-kubernetes" },
    );
    expect(hints(range, conf)).toEqual([]);
  });
});
