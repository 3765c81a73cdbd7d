// What a RouteAdvertisements leaves behind: generated FRRConfigurations, and on the NetworkAttachmentDefinitions of its
// networks a note of its name for the agents on the nodes.

import type { Client } from "../../client/client.ts";
import { equalJson } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { ignoring, NADS } from "../kit/api.ts";
import { FRR_CONFIGURATIONS } from "./frr-source.ts";
import { ROUTE_ADVERTISEMENTS_KEY } from "./generate.ts";

/** Brings the generated FRRConfigurations of one RouteAdvertisements in line. */
export async function writeConfigurations(
  client: Client,
  wanted: readonly KubeObject[],
  existing: readonly KubeObject[],
): Promise<void> {
  const left = new Set(existing);
  for (const configuration of wanted) {
    const old = existing.find((item) => left.has(item) && keyOf(item) === keyOf(configuration));
    if (!old) {
      await client.create(FRR_CONFIGURATIONS, configuration);
      continue;
    }
    left.delete(old);
    if (equalJson(old["spec"], configuration["spec"])) continue;
    await client.update(FRR_CONFIGURATIONS, { ...old, spec: configuration["spec"] });
  }
  for (const { metadata } of left) {
    const key = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
    await ignoring([404], client.delete(FRR_CONFIGURATIONS, key));
  }
}

const keyOf = ({ metadata }: KubeObject): string => metadata.annotations?.[ROUTE_ADVERTISEMENTS_KEY] ?? "";

/** The names noted on a NetworkAttachmentDefinition. */
export function annotatedNames({ metadata }: KubeObject): string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[ROUTE_ADVERTISEMENTS_KEY] ?? "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

/** Notes the name on the chosen NetworkAttachmentDefinitions, and takes it from all others. */
export async function annotateNads(
  client: Client,
  name: string,
  chosen: readonly KubeObject[],
  all: Iterable<KubeObject>,
): Promise<void> {
  const keys = new Set(chosen.map(pathOf));
  for (const nad of [...all].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
    const names = annotatedNames(nad);
    if (names.includes(name) === keys.has(pathOf(nad))) continue;
    const next = keys.has(pathOf(nad)) ? [...names, name].sort() : names.filter((item) => item !== name);
    const body = { metadata: { annotations: { [ROUTE_ADVERTISEMENTS_KEY]: JSON.stringify(next) } } };
    const key = { namespace: nad.metadata.namespace ?? "", name: nad.metadata.name ?? "" };
    await ignoring([404], client.patch(NADS, key, { type: "merge", body }));
  }
}

const pathOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
