// Collects the contents of a source: one state of each object, in current versions.
import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import { type KubeObject, partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { builtInForms } from "./built-in-forms.ts";
import { KindTable } from "./kinds.ts";
import { NewestObjects } from "./newest-objects.ts";
import type { ClusterNotes, SkippedPart, SourceItem } from "./source.ts";

export interface Collected {
  readonly objects: readonly KubeObject[];
  readonly kinds: KindTable;
  readonly notes: ClusterNotes;
  readonly skipped: SkipSummary;
}

/** Counts skipped parts by reason, with the first few origins. */
export class SkipSummary {
  readonly #byReason = new Map<string, { count: number; origins: string[] }>();

  add({ reason, origin }: Pick<SkippedPart, "reason" | "origin">): void {
    const known = this.#byReason.get(reason) ?? { count: 0, origins: [] };
    known.count++;
    if (known.origins.length < ORIGINS_MAX) known.origins.push(origin);
    this.#byReason.set(reason, known);
  }

  /** The most frequent first. */
  get reasons(): readonly { reason: string; count: number; origins: readonly string[] }[] {
    return [...this.#byReason]
      .map(([reason, rest]) => ({ reason, ...rest }))
      .sort((a, b) => b.count - a.count);
  }

  get count(): number {
    return [...this.#byReason.values()].reduce((sum, { count }) => sum + count, 0);
  }
}

const ORIGINS_MAX = 5;
const OTHER_STATE = "holds another state of an object that was found before: the newer one counts";

/** Reads the whole source. Of each object only the result of `keep` is held; undefined: nothing. */
export async function collect(
  items: AsyncIterable<SourceItem>,
  keep: (object: KubeObject) => KubeObject | undefined = (object) => object,
): Promise<Collected> {
  const [newest, kinds, skips] = [new NewestObjects(), new KindTable(), new SkipSummary()];
  let notes: ClusterNotes = {};
  for await (const item of items) {
    if (item.type === "skipped") skips.add(item);
    else if (item.type === "notes") notes = { ...notes, ...item.notes };
    else if (item.type === "kinds") kinds.add(item.kinds);
    else {
      const formed = asToday(item.object);
      if ("reason" in formed) skips.add({ reason: formed.reason, origin: item.origin });
      else {
        kinds.see({ ...item, object: formed.object });
        const kept = keep(formed.object);
        if (kept !== undefined && newest.add(kept)) skips.add({ reason: OTHER_STATE, origin: item.origin });
      }
    }
  }
  return { objects: [...newest.values()], kinds, notes, skipped: skips };
}

function asToday(object: KubeObject): { readonly object: KubeObject } | { readonly reason: string } {
  const reason = whyLeftOut(object);
  return reason === undefined ? (builtInForms.ofServed(object) ?? { object }) : { reason };
}

/** Kinds whose objects are computed on request and never stored. */
const COMPUTED_GROUPS =
  /^((custom\.|external\.)?metrics\.k8s\.io|authentication\.k8s\.io|authorization\.k8s\.io)$/;

/** Members of metadata that identify an object. Null counts as absent. */
const IDENTITY = ["name", "namespace", "uid", "resourceVersion"] as const;

/** The first identifying member with a wrong type; undefined: none. No schema has validated them yet. */
function identityComplaint({ apiVersion, kind, metadata }: Readonly<JsonObject>): string | undefined {
  if (typeof apiVersion !== "string" || apiVersion === "") return "has an apiVersion that is no text";
  if (typeof kind !== "string" || kind === "") return "has a kind that is no text";
  if (!isObject(metadata)) return "has metadata that is no object";
  const wrong = IDENTITY.find((member) => typeof (metadata[member] ?? "") !== "string");
  return wrong === undefined ? undefined : `has a metadata.${wrong} that is no text`;
}

/** Why an object that was read is none that a store holds. */
export function whyLeftOut(object: Readonly<KubeObject>): string | undefined {
  const complaint = identityComplaint({ ...object });
  if (complaint !== undefined) return complaint;
  const { apiVersion, kind = "" } = object;
  const [group] = partsOfApiVersion(apiVersion);
  const isComputed = COMPUTED_GROUPS.test(group) || (group === "" && kind === "ComponentStatus");
  return isComputed ? `is a ${kind}, which servers compute and do not keep` : undefined;
}
