// Where a fact may stand, the best place first, and how objects and texts say it.
import { lookupTable, objectAt, objectsAt, parsedObject, textAt, textsAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { specOf } from "../../meta/object-meta.ts";
import { networkIn } from "../cluster/cidr-texts.ts";
import type { Snapshot } from "../snapshot.ts";

/** What is known of a cluster besides its objects: from the store that they were copied from, or from its API. */
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

/** The texts that are networks, joined; undefined for none. */
export function joined(texts: readonly string[]): string | undefined {
  const networks = texts.map((text) => text.trim()).filter(networkIn);
  return networks.length === 0 ? undefined : networks.join(",");
}

export const named = (snapshot: Snapshot, resource: string, name: string): KubeObject | undefined =>
  snapshot.get(resource, "", name);

/** A text of a ConfigMap; "" where it is not there. */
export const configured = (snapshot: Snapshot, namespace: string, name: string, key: string): string =>
  textAt(objectAt(snapshot.get("configmaps", namespace, name), "data"), key);

/** The value of a line "key=value", or "key: value", with quotes or without; a list with commas. */
export const settingIn = (text: string, key: string): string | undefined =>
  joined((new RegExp(`^\\s*${key}\\s*[=:]\\s*"?([^"\\n]*)"?\\s*$`, "m").exec(text)?.[1] ?? "").split(","));

/** Where the programs of a control plane run as pods of its nodes. */
const CONTROL_PLANES = lookupTable<readonly string[]>({
  "kube-controller-manager": ["kube-system", "openshift-kube-controller-manager"],
  "kube-apiserver": ["kube-system", "openshift-kube-apiserver"],
});

/** The networks that a program of the control plane is told on its command line. */
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

/** What an annotation of the first node that has it says, as {"ipv4":…,"ipv6":…}. */
export function ofNodes(snapshot: Snapshot, annotation: string): readonly string[] {
  for (const { metadata } of snapshot.list("nodes")) {
    const said = parsedObject(metadata.annotations?.[annotation]);
    if (said !== undefined) return [textAt(said, "ipv4"), textAt(said, "ipv6")];
  }
  return [];
}
