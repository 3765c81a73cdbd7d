// Converts entries of the request log into timeline entries. Pure.
import type { RequestLogEntry } from "../../features/request-log/request-log.ts";
import { clientOf, whatOf } from "../traffic/analysis.ts";
import type { Entry } from "./entries.ts";

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Reads of browsers, the web UI included, are left out: they would hide the requests of clients. */
export const isShown = (entry: RequestLogEntry): boolean =>
  entry.stage !== "ended" && !(READS.has(entry.verb) && clientOf(entry) === "a browser");

export function requestEntry(entry: RequestLogEntry): Entry {
  const { sequence, time, verb, status, namespace, name, resourceVersion } = entry;
  const what = [whatOf(entry), [namespace, name].filter(Boolean).join("/")].filter(Boolean).join(" ");
  const answer = status === 0 ? "no answer" : String(status);
  const hasWritten = !READS.has(verb) && status < 300 && resourceVersion !== undefined;
  return {
    ...{ key: `request ${sequence}`, lane: "requests", by: clientOf(entry), of: undefined },
    revision: hasWritten ? Number(resourceVersion) : undefined,
    ...{ toldMs: Date.parse(time), isExact: true },
    mark: status >= 500 || status === 0 ? "bad" : status >= 400 ? "wait" : READS.has(verb) ? "plain" : "ok",
    text: `${verb} ${what} → ${answer}`,
  };
}
