// Settings of an imported cluster, which a server adopts to continue it: networks of pods and Services, platform and
// profile.

import { type Cidr, cidrContains } from "../apimachinery/meta/ip.ts";
import { inSlices } from "../apimachinery/meta/lists.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { decodeInVersion } from "../apiserver/registry/codec/versions.ts";
import { collectionRange } from "../apiserver/registry/definition/view.ts";
import type { ResourceRegistry } from "../apiserver/registry/resource-registry.ts";
import { parseClusterSubnets } from "../cluster/cluster-subnets.ts";
import type { ClusterNotes } from "../features/import/sources/source.ts";
import { readServiceNetwork } from "../kube/core/service/network.ts";
import { networksIn } from "../ovn/cluster/cidr-texts.ts";
import { detectFacts } from "../ovn/detect/facts.ts";
import { settingHints } from "../ovn/detect/hints.ts";
import { detectVersions } from "../ovn/detect/versions.ts";
import { FACT_KINDS, NEEDED_KINDS, neededResourceOf } from "../ovn/needed-kinds.ts";
import { snapshotOf } from "../ovn/snapshot.ts";
import type { KeyValueReader } from "../storage/store.ts";
import type { ServerOptions } from "./options/options.ts";

/** Options that a cluster determines. */
type Setting = "clusterSubnets" | "serviceClusterIpRange" | "serviceNodePortRange" | "platform" | "profile";
export type ClusterSettings = Partial<Pick<ServerOptions, Setting>>;

/** The options that differ in the cluster of these objects. */
export function settingsOf(
  objects: Iterable<KubeObject>,
  notes: ClusterNotes,
  options: Pick<ServerOptions, Setting>,
): ClusterSettings {
  const facts = detectFacts(snapshotOf(objects, neededResourceOf), notes);
  const { clusterSubnets: pods, serviceSubnets: services = notes.serviceSubnets, product, platform } = facts;
  return {
    ...(pods && isReadable(() => parseClusterSubnets(pods)) && !holds(options.clusterSubnets, pods)
      ? { clusterSubnets: pods }
      : {}),
    ...(services && areRanges(services, options) && !isSame(options.serviceClusterIpRange, services)
      ? { serviceClusterIpRange: services }
      : {}),
    ...(notes.nodePorts && notes.nodePorts !== options.serviceNodePortRange
      ? { serviceNodePortRange: notes.nodePorts }
      : {}),
    ...(platform !== "none" && platform !== options.platform ? { platform } : {}),
    ...(product && product !== options.profile ? { profile: product } : {}),
  };
}

/** The options with the cluster's settings; explicitly set options keep their values. */
export function withSettings(
  options: ServerOptions,
  settings: ClusterSettings,
  said: ReadonlySet<string>,
): ServerOptions {
  const free = Object.entries(settings).filter(([name]) => !said.has(name));
  return { ...options, ...Object.fromEntries(free) };
}

/** Hints about settings of the server that differ from those of the cluster of these objects. Empty without Nodes. */
export function hintsOf(objects: readonly KubeObject[], options: ServerOptions): string[] {
  if (!objects.some(({ kind }) => kind === "Node")) return [];
  const snapshot = snapshotOf(objects, neededResourceOf);
  const { clusterSubnets, serviceClusterIpRange: serviceSubnets, platform, profile: product } = options;
  const settings = { clusterSubnets, serviceSubnets, platform, product };
  const facts = detectFacts(snapshot);
  const { clusterSubnets: pods } = facts;
  const isHeld = pods && isReadable(() => parseClusterSubnets(pods)) && holds(clusterSubnets, pods);
  const detected = isHeld ? { ...facts, clusterSubnets } : facts;
  return settingHints(detected, detectVersions(snapshot), settings);
}

/** Objects in the store that determine the settings of their cluster. */
export async function settingObjects(
  { store, registry }: { readonly store: KeyValueReader; readonly registry: ResourceRegistry },
  isWanted: (object: Readonly<KubeObject>) => boolean,
): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { group, resource } of [...TELLING_KINDS, ...FACT_KINDS]) {
    const view = registry.findStorage(group, resource);
    if (view === undefined) continue;
    await inSlices(store.list(collectionRange(view.definition, "")).items, (kv) => {
      const object = decodeInVersion(view, kv) as KubeObject; // it is only read
      if (isWanted(object)) found.push(object);
    });
  }
  return found;
}

const TELLING = new Set(["nodes", "cloudprivateipconfigs"]);
const TELLING_KINDS = NEEDED_KINDS.filter(({ resource }) => TELLING.has(resource));

/** Whether the networks have the same families and node subnet sizes, each within one of the server's. */
function holds(own: string, found: string): boolean {
  const [ours, theirs] = [parseClusterSubnets(own), parseClusterSubnets(found)];
  const families = (all: readonly { readonly cidr: Cidr }[]) =>
    new Set(all.map(({ cidr }) => cidr.family)).size;
  const isHeld = ({ cidr, hostPrefix }: (typeof theirs)[number], text: string) =>
    ours.some(
      (one) =>
        one.cidr.family === cidr.family &&
        one.cidr.prefix <= cidr.prefix &&
        cidrContains(one.cidr, { family: cidr.family, value: cidr.first, text: "", mapped: false }) &&
        (one.hostPrefix === hostPrefix || text.split("/").length < 3),
    );
  const texts = found.split(",");
  return families(ours) === families(theirs) && theirs.every((one, index) => isHeld(one, texts[index] ?? ""));
}

const isSame = (own: string, found: string): boolean =>
  networksIn(own)
    .map(({ text }) => text)
    .join() ===
  networksIn(found)
    .map(({ text }) => text)
    .join();

const areRanges = (text: string, { serviceNodePortRange }: Pick<ServerOptions, Setting>): boolean =>
  isReadable(() => readServiceNetwork(text, serviceNodePortRange));

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
