// Sources of facts in order of reliability, and parsers for the objects and texts that contain them.
import {
  lookupTable,
  objectAt,
  objectsAt,
  parsedObject,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { specOf } from "../../apimachinery/meta/object-meta.ts";
import { networkIn } from "../cluster/cidr-texts.ts";
import type { Snapshot } from "../snapshot.ts";

/** Facts from outside of the snapshot: from the store that was copied, or from the cluster's API. */
export interface Said {
  readonly serviceSubnets?: string;
  readonly kubernetesVersion?: string;
}

export type Source<T> = (snapshot: Snapshot, said: Said) => T | undefined;

export function firstOf<T>(
  sources: readonly Source<T>[],
  snapshot: Snapshot,
  said: Said = {},
): T | undefined {
  for (const source of sources) {
    const found = source(snapshot, said);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The valid CIDRs, comma-separated; undefined if there is none. */
export function joined(texts: readonly string[]): string | undefined {
  const networks = texts.map((text) => text.trim()).filter(networkIn);
  return networks.length === 0 ? undefined : networks.join(",");
}

export const named = (snapshot: Snapshot, resource: string, name: string): KubeObject | undefined =>
  snapshot.get(resource, "", name);

/** A value of a ConfigMap; "" if it is absent. */
export const configured = (snapshot: Snapshot, namespace: string, name: string, key: string): string =>
  textAt(objectAt(snapshot.get("configmaps", namespace, name), "data"), key);

/** The CIDRs of a line "key=value" or "key: value", quoted or not, comma-separated. */
export const settingIn = (text: string, key: string): string | undefined =>
  joined((new RegExp(`^\\s*${key}\\s*[=:]\\s*"?([^"\\n]*)"?\\s*$`, "m").exec(text)?.[1] ?? "").split(","));

/** Namespaces with the static pods of control plane components. */
const CONTROL_PLANES = lookupTable<readonly string[]>({
  "kube-controller-manager": ["kube-system", "openshift-kube-controller-manager"],
  "kube-apiserver": ["kube-system", "openshift-kube-apiserver"],
});

/** The CIDRs of a flag on the command line of a control plane component. */
export function argumentOf(snapshot: Snapshot, program: string, flag: string): string | undefined {
  for (const namespace of CONTROL_PLANES[program] ?? [])
    for (const pod of snapshot.list("pods", namespace)) {
      if (!(pod.metadata.name ?? "").startsWith(`${program}-`)) continue;
      const words = objectsAt(specOf(pod), "containers").flatMap((one) => [
        ...textsAt(one, "command"),
        ...textsAt(one, "args"),
      ]);
      const found = words.find((word) => word.startsWith(`--${flag}=`));
      const networks = found && joined(found.slice(flag.length + 3).split(","));
      if (networks) return networks;
    }
  return undefined;
}

/** The IPv4 and IPv6 values of an annotation {"ipv4":…,"ipv6":…}, from the first node that has it. */
export function ofNodes(snapshot: Snapshot, annotation: string): readonly string[] {
  for (const { metadata } of snapshot.list("nodes")) {
    const said = parsedObject(metadata.annotations?.[annotation]);
    if (said !== undefined) return [textAt(said, "ipv4"), textAt(said, "ipv6")];
  }
  return [];
}
