// `egret requests --webhooks`: the webhook log, as text or as reviews that can be sent again.

import { encodeJson } from "../apimachinery/json/json-encode.ts";
import { shownInLine } from "../apimachinery/meta/terminal-text.ts";
import { yamlParts } from "../apiserver/endpoints/response/to-yaml.ts";
import type { ChangedField } from "../features/history/field-changes.ts";
import type { WebhookLogEntry } from "../features/webhook-calls/webhook-log.ts";
import { StartError, UsageError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { printDocument } from "./output.ts";

/** Flags that require --webhooks. */
export const WEBHOOK_FLAGS = ["webhook", "verdict", "operation"];
const FILTERS = [...WEBHOOK_FLAGS, "group", "resource", "namespace", "name", "user", "since", "limit"];
/** Request filters that webhook calls do not support. */
const OF_REQUESTS = ["verb", "status", "user-agent"];
const PATH = "/requests/webhooks";
const VALUE_LENGTH_MAX = 200;

interface Calls {
  readonly items: readonly WebhookLogEntry[];
}

/** Throws UsageError and StartError. */
export async function webhookCalls(asked: Asked): Promise<void> {
  for (const flag of OF_REQUESTS)
    if (asked.text(flag) !== undefined)
      throw new UsageError(`--${flag} goes without --webhooks; there are --${FILTERS.join(", --")}`);
  const filter = Object.fromEntries(FILTERS.map((name) => [name, asked.text(name)]));
  const query = queryOf(filter);
  if (asked.isSet("clear")) {
    if (query !== "") throw new UsageError("--clear forgets all calls, so it goes with no filter");
    await asked.ask({ method: "DELETE", path: PATH });
    return;
  }
  const form = asked.text("output");
  if (form !== "yaml" && form !== "review") return await asked.print<Calls>(`${PATH}?${query}`, callsText);
  const { items } = await asked.json<Calls>(`${PATH}?${queryOf({ ...filter, reviews: "true" })}`);
  const reviews = items.flatMap(({ review }) => (review === undefined ? [] : [review]));
  if (reviews.length === 0) throw new StartError(noReview(items));
  if (form === "review") printDocument(`${encodeJson(reviews.at(-1))}\n`);
  else printDocument(reviews.map((review) => [...yamlParts(review, Object.keys)].join("")).join("---\n"));
}

function noReview(items: readonly WebhookLogEntry[]): string {
  const last = items.at(-1);
  if (last === undefined) return "no webhook was called in a request that the filters let pass";
  return `call ${last.sequence} of ${last.webhook} has no review: ${last.omitted ?? "it was not kept"}`;
}

/** One line per call, followed by its messages and changes. */
function callsText({ items }: Calls): string {
  const lines = items.flatMap((call) => [headOf(call), ...detailsOf(call).map((line) => `    ${line}`)]);
  return lines.map((line) => `${shownInLine(line)}\n`).join("");
}

function headOf(call: WebhookLogEntry): string {
  const { sequence, time, webhook, type, reinvoked, durationMs, verdict, operation, dryRun } = call;
  const how = [type, ...(reinvoked ? ["again"] : [])].join(", ");
  const about = `${operation} ${objectOf(call)}${dryRun ? " (dry run)" : ""}`;
  return [sequence, time, `${webhook} (${how})`, `${durationMs} ms`, verdict, about].join("  ");
}

function objectOf({ resource, group, subresource, namespace, name }: WebhookLogEntry): string {
  const what = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
  return [what, [namespace, name].filter((part) => part !== "").join("/")].join(" ").trimEnd();
}

function detailsOf({ code, message, warnings = [], changes, omitted }: WebhookLogEntry): string[] {
  return [
    ...(message === undefined ? [] : [code === 0 ? message : `${code}: ${message}`]),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...changes.flatMap(changeLines),
    ...(omitted === undefined ? [] : [`no review: ${omitted}`]),
  ];
}

/** As in a diff: the old value with a minus, the new value with a plus. */
function changeLines({ path, before, after }: ChangedField): string[] {
  return [
    ...(before === undefined ? [] : [`- ${path}: ${valueText(before)}`]),
    ...(after === undefined ? [] : [`+ ${path}: ${valueText(after)}`]),
  ];
}

function valueText(value: unknown): string {
  const text = encodeJson(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
