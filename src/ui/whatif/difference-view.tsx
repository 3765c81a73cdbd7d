// Result of a what-if plan: a summary, and a table for each kind of difference.

import type { ComponentChildren } from "preact";
import type { Room } from "../../ovn/capacity.ts";
import type { Difference } from "../../ovn/compare.ts";
import { Table } from "../frame/table.tsx";
import { sentenceOf } from "./sentence.ts";

interface DifferenceProps {
  readonly difference: Difference;
  /** Rendered between summary and tables. */
  readonly children: ComponentChildren;
}

export function DifferenceView({ difference, children }: DifferenceProps) {
  const { moved, services, pods, decided, nodes, events, refused } = difference;
  const isBad = refused.length > 0 || moved.some(({ to }) => to === undefined);
  return (
    <>
      <p class={`verdict ${isBad ? "bad" : "good"}`} role="status">
        {sentenceOf(difference)}
      </p>
      {children}
      <Part title="Refused" columns={["Change", "Reason", "Message"]}>
        {refused.map(({ change, reason, message }) => [change, reason, message])}
      </Part>
      <Part title="Egress addresses" columns={["EgressIP", "Address", "Now", "Would be"]}>
        {moved.map(({ egressIp, address, from, to }) => [
          egressIp,
          address,
          from ?? "no node",
          to ?? "✕ no node",
        ])}
      </Part>
      <Part title="EgressServices" columns={["EgressService", "Now", "Would be"]}>
        {services.map(({ egressService, from, to }) => [egressService, from || "none", to || "✕ none"])}
      </Part>
      <Part title="Pods that leave by other addresses" columns={["Pod", "Now", "Would be"]}>
        {pods.map(({ pod, from, to }) => [pod, from, to])}
      </Part>
      <Part title="Allowed or denied otherwise" columns={["Pod", "Range", "Now", "Would be", "By"]}>
        {decided.map(({ pod, range, from, to, by }) => [pod, range, from, to, by])}
      </Part>
      <Part title="Nodes" columns={["Node", "Addresses now", "Would be", "Room now", "Would be"]}>
        {nodes.map(({ node, before, after, left }) => [
          node,
          before.toLocaleString(),
          after.toLocaleString(),
          roomText(left.before),
          roomText(left.after),
        ])}
      </Part>
      <Part title="New warnings" columns={["Object", "Reason", "Message"]}>
        {events.map(({ object, reason, message }) => [object, reason, message])}
      </Part>
    </>
  );
}

const familyText = (name: string, count: number | undefined): string =>
  `${name} ${count === undefined ? "no limit" : count.toLocaleString()}`;
const roomText = ({ ipv4, ipv6 }: Room): string => `${familyText("IPv4", ipv4)}, ${familyText("IPv6", ipv6)}`;

/** Further rows are only counted. */
const ROWS_MAX = 200;

interface PartProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly children: readonly (readonly string[])[];
}

function Part({ title, columns, children: rows }: PartProps) {
  if (rows.length === 0) return null;
  const left = rows.length - ROWS_MAX;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Table columns={columns}>
        {rows.slice(0, ROWS_MAX).map((cells) => (
          <tr key={cells.join("\0")}>
            {cells.map((cell, index) => (
              <td key={columns[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
      {left > 0 && <p class="hint">{left.toLocaleString()} more are not shown.</p>}
    </section>
  );
}
