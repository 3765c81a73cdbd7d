// Aggregated discovery (apidiscovery.k8s.io/v2): one document of all groups. It is assembled from the encoded texts
// of its resources, each of which is cached: a change of one definition among a thousand costs little.
import { createHash } from "node:crypto";
import { encodeJson, escapeHtml } from "../../../apimachinery/json/json-encode.ts";
import { mapInSlices } from "../../../apimachinery/meta/lists.ts";
import { lazy, memoize } from "../../../apimachinery/meta/memoize.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { ResourceDefinition, ResourceView } from "../../registry/definition/resource-definition.ts";
import type { GroupEntry } from "./group-index.ts";
import { resourceDiscoveryOf } from "./resources.ts";

export interface AggregatedDocument {
  /** The JSON as sent, in one line. Shared: it must not be changed. */
  readonly line: Buffer;
  /** The value of its ETag header, quotes included. */
  readonly etag: string;
  /** The value, for other media types. */
  body(): ReturnType<typeof bodyOf>;
}

const API_VERSION = "apidiscovery.k8s.io/v2";
const KIND = "APIGroupDiscoveryList";
const FRESHNESS = "Current";

/** Yields to other requests. */
export async function aggregatedDocument(groups: readonly GroupEntry[]): Promise<AggregatedDocument> {
  const items: string[] = [];
  await yieldIfDue(); // the groups may just have been sorted
  for (const { name, versions } of groups) {
    const texts: string[] = [];
    for (const { version, views } of versions) {
      const resources = (await mapInSlices(views, textOf)).join();
      texts.push(`{"freshness":"${FRESHNESS}","resources":[${resources}],"version":${encodeJson(version)}}`);
    }
    items.push(`{"metadata":${encodeJson(metadataOf(name))},"versions":[${texts.join()}]}`);
  }
  const text = `{"apiVersion":"${API_VERSION}","items":[${items.join()}],"kind":"${KIND}","metadata":{}}`;
  await yieldIfDue();
  const hash = createHash("sha512").update(text).digest("hex").toUpperCase();
  const line = Buffer.from(`${escapeHtml(text)}\n`);
  return { line, etag: `"${hash}"`, body: lazy(() => bodyOf(groups)) };
}

const textsOf = memoize((_definition: ResourceDefinition) => new Map<string, string>());

function textOf(view: ResourceView): string {
  const texts = textsOf(view.definition);
  const text = texts.get(view.version.name) ?? encodeJson(resourceDiscoveryOf(view));
  texts.set(view.version.name, text);
  return text;
}

const metadataOf = (name: string): { readonly name?: string } => (name === "" ? {} : { name });

function bodyOf(groups: readonly GroupEntry[]) {
  return {
    kind: KIND,
    apiVersion: API_VERSION,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: metadataOf(name),
      versions: versions.map(({ version, views }) => ({
        version,
        resources: views.map(resourceDiscoveryOf),
        freshness: FRESHNESS,
      })),
    })),
  };
}
