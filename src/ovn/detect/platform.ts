// Detects the cloud platform, and whether egress addresses are requested by CloudPrivateIPConfigs.
import { isObject, lookupTable, objectAt, parsedObject, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { Platform } from "../../controller/emulated-release.ts";
import { EGRESS_IP_CONFIG } from "../assignment/cidr-lists.ts";
import type { Snapshot } from "../snapshot.ts";
import { configured, firstOf, named, type Source } from "./source.ts";

/** Platform types of an Infrastructure; all others assign without a cloud (src/ovn/rules.md R100). */
const CLOUDS = lookupTable<Platform>({ AWS: "aws", GCP: "gcp", Azure: "azure", OpenStack: "openstack" });
const PROVIDERS = lookupTable<Platform>({ aws: "aws", gce: "gcp", azure: "azure", openstack: "openstack" });

const PLATFORM: readonly Source<Platform>[] = [
  (snapshot) => {
    const status = objectAt(named(snapshot, "infrastructures.config.openshift.io", "cluster"), "status");
    const word = textAt(objectAt(status, "platformStatus"), "type") || textAt(status, "platform");
    return word === "" ? undefined : (CLOUDS[word] ?? "none");
  },
  (snapshot) => {
    const asksCloud =
      [...snapshot.list("cloudprivateipconfigs.cloud.network.openshift.io")].length > 0 ||
      [...snapshot.list("nodes")].some(
        ({ metadata }) => metadata.annotations?.[EGRESS_IP_CONFIG] !== undefined,
      );
    return asksCloud ? (platformOfNodes(snapshot) ?? "aws") : undefined;
  },
  installedOn,
];

/** From install-config: the key below `platform` is the platform's name in lower case. */
function installedOn(snapshot: Snapshot): Platform | undefined {
  const config = configured(snapshot, "kube-system", "cluster-config-v1", "install-config");
  const [, word = ""] = /^platform:\n +(\w+):/m.exec(config) ?? [];
  return word === "" ? undefined : (PROVIDERS[word === "gcp" ? "gce" : word] ?? "none");
}

export interface DetectedPlatform {
  readonly platform: Platform;
  /** The platform of the nodes, if no object shows that EgressIPs use this cloud. */
  readonly doubtful?: Platform;
}

export function detectPlatform(snapshot: Snapshot): DetectedPlatform {
  const platform = firstOf(PLATFORM, snapshot);
  const doubtful = platform === undefined ? platformOfNodes(snapshot) : undefined;
  return { platform: platform ?? "none", ...(doubtful === undefined ? {} : { doubtful }) };
}

function platformOfNodes(snapshot: Snapshot): Platform | undefined {
  for (const node of snapshot.list("nodes")) {
    const [scheme = ""] = textAt(specOf(node), "providerID").split(":");
    const known = PROVIDERS[scheme] ?? platformOfInterface(node);
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Derives the cloud from the form of interface names in egress-ipconfig. */
function platformOfInterface({ metadata }: KubeObject): Platform | undefined {
  const text = metadata.annotations?.[EGRESS_IP_CONFIG];
  const list = text === undefined ? undefined : parsedObject(`{"list":${text}}`)?.["list"];
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  const name = isObject(first) ? textAt(first, "interface") : "";
  if (name.startsWith("eni-")) return "aws";
  if (/^nic\d+$/.test(name)) return "gcp";
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) return "openstack";
  return name === "" ? undefined : "azure";
}
