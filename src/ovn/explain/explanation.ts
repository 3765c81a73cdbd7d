// The structure of every explanation: a summary sentence, tables, and remedies.
import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { Reason } from "../reason.ts";

export interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Compares rows by the first column. */
export const byFirst = ([a = ""]: readonly string[], [b = ""]: readonly string[]): number => (a < b ? -1 : 1);

export interface Explanation {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly summary: string;
  /** Reasons why the object has no effect, the decisive one first. */
  readonly reasons: readonly Reason[];
  readonly sections: readonly Section[];
  readonly advice: readonly string[];
}

/** Builds an explanation; sections without rows are omitted, and remedies of the reasons are added to the advice. */
export function explained(
  kind: string,
  { metadata }: KubeObject,
  summary: string,
  { reasons = [], sections = [], advice = [] }: Partial<Pick<Explanation, "reasons" | "sections" | "advice">>,
): Explanation {
  const { namespace, name = "" } = metadata;
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    summary,
    reasons,
    sections: sections.filter(({ rows }) => rows.length > 0),
    advice: [...new Set([...reasons.flatMap(({ remedy }) => remedy ?? []), ...advice])],
  };
}

export const conditionsSection = (object: KubeObject): Section => ({
  title: "Conditions",
  columns: ["TYPE", "STATUS", "REASON", "MESSAGE"],
  rows: objectsAt(objectAt(object, "status"), "conditions").map((one) =>
    ["type", "status", "reason", "message"].map((key) => textAt(one, key)),
  ),
});

/** Reports of zones, from status.messages in the form "<zone>: <text>". */
export function zonesSection(object: KubeObject): Section {
  const messages = objectAt(object, "status")?.["messages"];
  const texts = Array.isArray(messages) ? messages.filter((text) => typeof text === "string") : [];
  const rows = texts.map((text) => [
    text.slice(0, text.indexOf(":")),
    text.slice(text.indexOf(":") + 1).trim(),
  ]);
  return { title: "What the zones say", columns: ["ZONE", "MESSAGE"], rows };
}

/** "1 pod", "2 pods". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
