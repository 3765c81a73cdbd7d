// `egret import`: raw import of a cluster from files into a running server, with uid and status.

import { encodeJson } from "../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { Status } from "../apimachinery/meta/status.ts";
import { LINES_TYPE } from "../features/control-surface/control-route.ts";
import type { ImportReport } from "../features/import/report.ts";
import { StartError } from "../server/errors.ts";
import { type Asked, queryOf } from "./ask-server.ts";
import { importText } from "./import-text.ts";
import { print, printDocument } from "./output.ts";
import { readAsked } from "./read-sources.ts";
import { Progress } from "./terminal.ts";

/** The lines of the response: progress, then the report or an error. */
type Told =
  | { readonly done: number; readonly total: number }
  | { readonly report: ImportReport }
  | { readonly error: Status };

/** Throws UsageError and StartError. */
export async function importCommand(asked: Asked): Promise<number> {
  using progress = new Progress("read");
  const { objects, skipped } = await readAsked(asked, (count) => progress.show(count, 0));
  if (objects.length === 0) throw new StartError("nothing was found to import");
  const report = await send(asked, objects);
  progress.clear();
  const whole = { ...report, skipped: [...skipped, ...report.skipped].sort((a, b) => b.count - a.count) };
  if (asked.text("output") === "json") printDocument(`${JSON.stringify(whole, null, 2)}\n`);
  else print(importText(whole));
  return 0;
}

async function send(asked: Asked, objects: readonly KubeObject[]): Promise<ImportReport> {
  const wants = (name: string) => (asked.isSet(name) ? "true" : undefined);
  const query = queryOf({ progress: "true", secrets: wants("secrets"), webhooks: wants("webhooks") });
  using sent = new Progress("sent");
  using written = new Progress("written");
  let report: ImportReport | undefined;
  const hear = (line: string) => {
    const told: Told = JSON.parse(line); // the response of POST /import
    if ("error" in told) throw new StartError(told.error.message ?? "the import has failed");
    if ("report" in told) report = told.report;
    else written.show(told.done, told.total);
  };
  const withSecrets = asked.isSet("secrets");
  const body = objectLines(objects, { withSecrets, onSent: (count) => sent.show(count, objects.length) });
  const question = { method: "POST", path: `/import?${query}`, body, contentType: LINES_TYPE } as const;
  await asked.lines(question, hear);
  written.clear();
  if (report === undefined) throw new StartError("the server has ended its answer too early");
  return report;
}

const PART_CHARACTERS = 256 * 1024;

interface LinesOptions {
  /** If false, only the names of Secrets are sent; their values never leave the process. */
  readonly withSecrets: boolean;
  readonly onSent?: (count: number) => void;
}

export async function* objectLines(
  objects: readonly KubeObject[],
  { withSecrets, onSent }: LinesOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let part = "";
  for (const [index, object] of objects.entries()) {
    part += `${encodeJson(withSecrets ? object : withoutValues(object))}\n`;
    if (part.length < PART_CHARACTERS) continue;
    onSent?.(index + 1);
    yield Buffer.from(part);
    part = "";
  }
  if (part !== "") yield Buffer.from(part);
}

function withoutValues(object: KubeObject): KubeObject {
  if (object.kind !== "Secret") return object;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as KubeObject; // fewer members
}
