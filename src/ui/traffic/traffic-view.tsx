// Requests by client, with warnings about problematic patterns.
import "./traffic.css";
import { type Signal, useSignal } from "@preact/signals";
import type { RequestLogEntry } from "../../features/request-log/request-log.ts";
import type { WebhookLogEntry } from "../../features/webhook-calls/webhook-log.ts";
import { ask } from "../frame/ask.ts";
import { usePolled } from "../frame/polled.ts";
import type { Route } from "../frame/route.ts";
import { Table } from "../frame/table.tsx";
import { TellStatus } from "../frame/told-status.tsx";
import { Moment } from "../object/moment.tsx";
import { clientOf, trafficRows, WARNINGS, whatOf } from "./analysis.ts";
import { WebhookCalls } from "./webhook-calls.tsx";

/** Answer of the request log or of the webhook log. */
interface Logged<Entry> {
  readonly items: readonly Entry[];
  readonly last: number;
}

const EVERY_MS = 1000;
/** The size of the server's log. */
const ENTRIES_MAX = 1000;
const LATEST = 50;

export function TrafficView({ route }: { route: Route }) {
  const entries = useSignal<readonly RequestLogEntry[]>([]);
  const last = useSignal(0);
  const calls = useSignal<readonly WebhookLogEntry[]>([]);
  const lastCall = useSignal(0);
  const { refused } = usePolled(async (signal) => {
    const seen = `/egret/v1/requests?since=${last.value}`;
    follow(await ask<Logged<RequestLogEntry>>(seen, { signal }), entries, last);
    const called = `/egret/v1/requests/webhooks?since=${lastCall.value}`;
    follow(await ask<Logged<WebhookLogEntry>>(called, { signal }), calls, lastCall);
  }, EVERY_MS);
  const client = route.query.get("agent") ?? "";
  const shown = client === "" ? entries.value : entries.value.filter((entry) => clientOf(entry) === client);
  return (
    <div class="traffic">
      <h1>Requests of clients</h1>
      {refused.value && <TellStatus status={refused.value} what="Requests cannot be seen" />}
      {client !== "" && (
        <p>
          Only those of <b>{client}</b>. <a href="/egret/ui/traffic">Show all</a>
        </p>
      )}
      {shown.length === 0 && !refused.value && (
        <p class="hint">
          Nobody has asked anything yet. Try: <code>kubectl get egressips</code>
        </p>
      )}
      {shown.length > 0 && <Rows entries={shown} />}
      {client === "" && calls.value.length > 0 && <WebhookCalls calls={calls.value} />}
      {shown.length > 0 && <Latest entries={shown} />}
    </div>
  );
}

/** Appends new entries. A lower sequence number means that the server has restarted and counts from zero. */
function follow<Entry>(answer: Logged<Entry>, entries: Signal<readonly Entry[]>, last: Signal<number>): void {
  const isAnew = answer.last < last.value;
  const before = isAnew ? [] : entries.value;
  last.value = isAnew ? 0 : answer.last;
  if (answer.items.length > 0 || before.length !== entries.value.length)
    entries.value = [...before, ...answer.items].slice(-ENTRIES_MAX);
}

function Rows({ entries }: { entries: readonly RequestLogEntry[] }) {
  return (
    <Table columns={["Client", "Verb", "What", "Requests", "Refused", "Last", "What looks wrong"]}>
      {trafficRows(entries).map(({ key, client, verb, what, count, refused, lastTime, warnings }) => (
        <tr key={key}>
          <th scope="row">
            <a href={`/egret/ui/traffic?agent=${encodeURIComponent(client)}`}>{client}</a>
          </th>
          <td>{verb}</td>
          <td>{what}</td>
          <td class="number">{count.toLocaleString()}</td>
          <td class="number">{refused === 0 ? "" : refused.toLocaleString()}</td>
          <td>
            <Moment time={lastTime} />
          </td>
          <td>
            {warnings.map((warning) => (
              <div key={warning} class="warning">
                <b>! {warning}.</b> {WARNINGS[warning]}
              </div>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Latest({ entries }: { entries: readonly RequestLogEntry[] }) {
  return (
    <section aria-label="Latest requests">
      <h2>Latest</h2>
      <Table columns={["Time", "Client", "Verb", "What", "Name", "Answer", "Milliseconds"]}>
        {entries
          .slice(-LATEST)
          .reverse()
          .map((entry) => (
            <tr key={entry.sequence} class={entry.status >= 400 ? "refused" : undefined}>
              <td>
                <Moment time={entry.time} />
              </td>
              <td>{clientOf(entry)}</td>
              <td>{entry.verb}</td>
              <td>{whatOf(entry)}</td>
              <td>{[entry.namespace, entry.name].filter(Boolean).join("/")}</td>
              <td>{entry.status === 0 ? "none" : entry.status}</td>
              <td class="number">{entry.durationMs.toLocaleString()}</td>
            </tr>
          ))}
      </Table>
    </section>
  );
}
