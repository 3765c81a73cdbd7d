// FRRConfigurations of the cluster, and the objects written for a RouteAdvertisements: generated FRRConfigurations, and an
// annotation with its name on the NetworkAttachmentDefinitions (NADs) of its networks.

import { equalJson, parsedJson } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { ignoring, keyOfObject, NADS, placeOf, resourceIn } from "../../../controller/api.ts";
import type { Client } from "../../../controller/client.ts";
import { informerFor } from "../../../controller/define-controller.ts";
import type { Change, Kit } from "../../../controller/definition.ts";
import type { Informer } from "../../../controller/informer.ts";
import { ROUTE_ADVERTISEMENTS_KEY } from "./generate.ts";

export const FRR_CONFIGURATIONS = resourceIn("frrk8s.metallb.io", "v1beta1", "frrconfigurations");
const CRDS = resourceIn("apiextensions.k8s.io", "v1", "customresourcedefinitions");
const CRD_NAME = `${FRR_CONFIGURATIONS.resource}.${FRR_CONFIGURATIONS.group}`;

/** Watch of the CRD, to detect when the kind is served. */
export const FRR_DEFINITION = { resource: CRDS, list: { fieldSelector: `metadata.name=${CRD_NAME}` } };

/** FRRConfigurations from an informer that runs while the CRD is established; otherwise the list is empty. */
export function frrSource(kit: Kit, onChange: (configuration: KubeObject) => void) {
  let informer: Informer | undefined;
  let stop = new AbortController();
  kit.signal.addEventListener("abort", () => stop.abort(), { once: true });
  const list = (): KubeObject[] => [...(informer?.list() ?? [])];
  return {
    list,
    /** Resolves when the informer has caught up. */
    caughtUp: async (): Promise<void> => informer?.caughtUp(),
    takeDefinition({ type, object }: Change): void {
      if (object.metadata.name !== CRD_NAME) return;
      if (type === "delete") {
        const gone = list();
        stop.abort();
        informer = undefined;
        for (const configuration of gone) onChange(configuration);
      } else if (!informer && isEstablished(object) && !kit.signal.aborted) {
        stop = new AbortController();
        informer = informerFor(kit, FRR_CONFIGURATIONS);
        informer.addHandlers({ add: onChange, update: (_old, now) => onChange(now), delete: onChange });
        informer.start(stop.signal);
      }
    },
  };
}

const isEstablished = ({ status }: KubeObject): boolean =>
  JSON.stringify(status ?? {}).includes('"type":"Established"');

/** Creates, updates and deletes the generated FRRConfigurations of one RouteAdvertisements. */
export async function writeConfigurations(
  client: Client,
  wanted: readonly KubeObject[],
  existing: readonly KubeObject[],
): Promise<void> {
  const left = new Set(existing);
  for (const configuration of wanted) {
    const old = existing.find((item) => left.has(item) && madeFrom(item) === madeFrom(configuration));
    if (!old) {
      await client.create(FRR_CONFIGURATIONS, configuration);
      continue;
    }
    left.delete(old);
    if (equalJson(old["spec"], configuration["spec"])) continue;
    await client.update(FRR_CONFIGURATIONS, { ...old, spec: configuration["spec"] });
  }
  for (const old of left) await ignoring([404], client.delete(FRR_CONFIGURATIONS, placeOf(old)));
}

const madeFrom = ({ metadata }: KubeObject): string => metadata.annotations?.[ROUTE_ADVERTISEMENTS_KEY] ?? "";

/** The RouteAdvertisements names in the annotation of a NAD. */
export function annotatedNames({ metadata }: KubeObject): string[] {
  const names = parsedJson(metadata.annotations?.[ROUTE_ADVERTISEMENTS_KEY]);
  return Array.isArray(names) ? names.map(String) : [];
}

/** Adds the name to the annotation of the selected NADs, and removes it from all others. */
export async function annotateNads(
  client: Client,
  name: string,
  chosen: readonly KubeObject[],
  all: Iterable<KubeObject>,
): Promise<void> {
  const keys = new Set(chosen.map(keyOfObject));
  for (const nad of [...all].sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1))) {
    const names = annotatedNames(nad);
    const isChosen = keys.has(keyOfObject(nad));
    if (names.includes(name) === isChosen) continue;
    const next = isChosen ? [...names, name].sort() : names.filter((item) => item !== name);
    const body = { metadata: { annotations: { [ROUTE_ADVERTISEMENTS_KEY]: JSON.stringify(next) } } };
    await ignoring([404], client.patch(NADS, placeOf(nad), { type: "merge", body }));
  }
}
