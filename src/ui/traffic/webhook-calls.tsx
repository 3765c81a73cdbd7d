// Latest calls of admission webhooks: verdict, duration, and the changes of the patch.
import type { ChangedField } from "../../features/history/field-changes.ts";
import type { WebhookLogEntry } from "../../features/webhook-calls/webhook-log.ts";
import { Table } from "../frame/table.tsx";
import { Moment } from "../object/moment.tsx";

const LATEST = 50;
const VALUE_LENGTH_MAX = 200;

export function WebhookCalls({ calls }: { calls: readonly WebhookLogEntry[] }) {
  return (
    <section aria-label="Calls of webhooks">
      <h2>Calls of webhooks</h2>
      <Table
        columns={["Time", "Webhook", "Type", "Object", "Verdict", "Milliseconds", "Message and changes"]}
      >
        {calls
          .slice(-LATEST)
          .reverse()
          .map((call) => (
            <tr key={call.sequence} class={call.verdict === "allowed" ? undefined : "refused"}>
              <td>
                <Moment time={call.time} />
              </td>
              <th scope="row" title={call.url}>
                {call.webhook}
              </th>
              <td>{call.reinvoked ? `${call.type}, again` : call.type}</td>
              <td>
                {call.operation} {objectOf(call)}
                {call.dryRun ? " (dry run)" : ""}
              </td>
              <td>{call.verdict}</td>
              <td class="number">{call.durationMs.toLocaleString()}</td>
              <td class="diff">
                <Details call={call} />
              </td>
            </tr>
          ))}
      </Table>
    </section>
  );
}

function Details({ call }: { call: WebhookLogEntry }) {
  const { message, warnings = [], changes, omitted } = call;
  return (
    <>
      {message !== undefined && <div>{message}</div>}
      {warnings.map((warning) => (
        <div key={warning}>Warning: {warning}</div>
      ))}
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
      {omitted !== undefined && <div class="hint">No review: {omitted}.</div>}
    </>
  );
}

function Change({ change: { path, before, after } }: { change: ChangedField }) {
  return (
    <>
      {before !== undefined && (
        <pre class="removed">
          - {path}: {valueText(before)}
        </pre>
      )}
      {after !== undefined && (
        <pre class="added">
          + {path}: {valueText(after)}
        </pre>
      )}
    </>
  );
}

function objectOf({ resource, group, subresource, namespace, name }: WebhookLogEntry): string {
  const what = `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
  return `${what} ${[namespace, name].filter(Boolean).join("/")}`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
