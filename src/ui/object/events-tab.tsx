// Events about the object, newest first.
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { Table } from "../frame/table.tsx";
import { Moment } from "./moment.tsx";
import type { ShownObject } from "./shown-object.ts";

interface EventList {
  readonly items: readonly {
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly count?: number;
    readonly lastTimestamp?: string | null;
    readonly eventTime?: string | null;
    readonly source?: { readonly component?: string };
    readonly reportingComponent?: string;
  }[];
}
type EventItem = EventList["items"][number];

export function EventsTab({ kind, of }: ShownObject) {
  const selector = `involvedObject.kind=${kind.kind},involvedObject.name=${of.name},involvedObject.namespace=${of.namespace}`;
  const path = `/api/v1/events?${new URLSearchParams({ fieldSelector: selector })}`;
  return (
    <Asked question={(signal) => ask<EventList>(path, { signal })} otherwise="Events cannot be listed">
      {({ items }) => <Events items={items} />}
    </Asked>
  );
}

function Events({ items }: EventList) {
  const events = items.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  if (events.length === 0) return <p class="hint">No Event speaks of it.</p>;
  return (
    <Table columns={["Last", "Type", "Reason", "Message", "From", "Times"]}>
      {events.map((event) => (
        <tr key={event.metadata.uid} class={event.type === "Warning" ? "warns" : undefined}>
          <td>
            <Moment time={timeOf(event)} />
          </td>
          <td>{event.type === "Warning" ? "! Warning" : event.type}</td>
          <td>{event.reason}</td>
          <td>{event.message}</td>
          <td>{event.source?.component ?? event.reportingComponent}</td>
          <td>{(event.count ?? 1).toLocaleString()}</td>
        </tr>
      ))}
    </Table>
  );
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: EventItem): string =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
