// Detects versions of the cluster's components from its objects, the most reliable source first.
import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { Snapshot } from "../snapshot.ts";
import { firstOf, named, type Said, type Source } from "./source.ts";

export interface DetectedVersions {
  /** "v1.30.4". */
  readonly kubernetes?: string;
  /** "4.14.3". */
  readonly openshift?: string;
  /** The network plugin: "OVNKubernetes". */
  readonly networkType?: string;
  /** True with one OVN database for each zone (interconnect); false with a central database. */
  readonly interconnect?: boolean;
}

const filled = (text: string): string | undefined => text || undefined;

const KUBERNETES: readonly Source<string>[] = [
  (_snapshot, { kubernetesVersion }) => kubernetesVersion,
  (snapshot) => {
    for (const node of snapshot.list("nodes")) {
      const version = textAt(objectAt(objectAt(node, "status"), "nodeInfo"), "kubeletVersion");
      if (version !== "") return version;
    }
    return undefined;
  },
];

const RELEASE = "release.openshift.io/version";

const OPENSHIFT: readonly Source<string>[] = [
  (snapshot) => {
    const status = objectAt(named(snapshot, "clusterversions.config.openshift.io", "version"), "status");
    const done = objectsAt(status, "history").find((one) => textAt(one, "state") === "Completed");
    return filled(textAt(done, "version") || textAt(objectAt(status, "desired"), "version"));
  },
  (snapshot) => {
    const operator = named(snapshot, "clusteroperators.config.openshift.io", "network");
    const versions = objectsAt(objectAt(operator, "status"), "versions");
    return filled(
      textAt(
        versions.find((one) => textAt(one, "name") === "operator"),
        "version",
      ),
    );
  },
  (snapshot) => filled(ovnDaemon(snapshot, "ovnkube-node")?.metadata.annotations?.[RELEASE] ?? ""),
];

const ovnDaemon = (snapshot: Snapshot, name: string) =>
  ["openshift-ovn-kubernetes", "ovn-kubernetes"]
    .map((namespace) => snapshot.get("daemonsets.apps", namespace, name))
    .find((found) => found !== undefined);

const NETWORK_TYPE: readonly Source<string>[] = [
  (snapshot) =>
    filled(
      textAt(objectAt(named(snapshot, "networks.config.openshift.io", "cluster"), "status"), "networkType"),
    ),
];

const ZONE = "k8s.ovn.org/zone-name";

const INTERCONNECT: readonly Source<boolean>[] = [
  (snapshot) => (ovnDaemon(snapshot, "ovnkube-master") === undefined ? undefined : false),
  (snapshot) =>
    [...snapshot.list("nodes")].some(({ metadata }) => metadata.annotations?.[ZONE] !== undefined)
      ? true
      : undefined,
];

export function detectVersions(snapshot: Snapshot, said: Said = {}): DetectedVersions {
  const found = {
    kubernetes: firstOf(KUBERNETES, snapshot, said),
    openshift: firstOf(OPENSHIFT, snapshot),
    networkType: firstOf(NETWORK_TYPE, snapshot),
    interconnect: firstOf(INTERCONNECT, snapshot),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The last OpenShift 4 minor that uses profile openshift-4.13. */
const OLDER_MINOR_MAX = 13;

/** Reports whether the cluster has an older release: by version, or else by node addresses without prefix lengths. */
export function isOlder(snapshot: Snapshot): boolean {
  const [, minor] = /^4\.(\d+)\./.exec(firstOf(OPENSHIFT, snapshot) ?? "") ?? [];
  if (minor !== undefined) return Number(minor) <= OLDER_MINOR_MAX;
  const nodes = [...snapshot.list("nodes")].map(({ metadata }) => metadata.annotations ?? {});
  const has = (key: string) => nodes.some((annotations) => annotations[key] !== undefined);
  return has("k8s.ovn.org/host-addresses") && !has("k8s.ovn.org/host-cidrs");
}
