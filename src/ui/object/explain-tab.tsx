// Explanation of an object's state: summary, reasons, tables and advice.
import type { Explanation } from "../../ovn/explain/explanation.ts";
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import type { KindInfo } from "../frame/kinds.ts";
import { at, momentAsked } from "../frame/navigation.ts";
import { Table } from "../frame/table.tsx";
import type { ShownObject } from "./shown-object.ts";

/** Kinds that POST /egret/v1/explain supports. */
const EXPLAINED: ReadonlySet<string> = new Set([
  "EgressIP",
  "EgressService",
  "EgressFirewall",
  "EgressQoS",
  "CloudPrivateIPConfig",
  "EgressRouter",
  "AdminPolicyBasedExternalRoute",
  "UserDefinedNetwork",
  "Node",
  "Namespace",
  "Pod",
]);
export const isExplained = ({ kind }: KindInfo): boolean => EXPLAINED.has(kind);

export function ExplainTab({ kind, of }: ShownObject) {
  const body = {
    ...{ kind: kind.kind, name: of.name, ...momentAsked() },
    ...(of.namespace ? { namespace: of.namespace } : {}),
  };
  return (
    <Asked
      key={at.value}
      question={(signal) => ask<Explanation>("/egret/v1/explain", { method: "POST", body, signal })}
      otherwise="No explanation"
    >
      {(explanation) => <Explained explanation={explanation} />}
    </Asked>
  );
}

function Explained({ explanation: { summary, reasons, sections, advice } }: { explanation: Explanation }) {
  return (
    <div class="explanation">
      <p class="summary">{summary}</p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ text, likely }) => (
            <li key={text}>
              {text}
              {likely && " (likely)"}
            </li>
          ))}
        </ul>
      )}
      {sections.map(({ title, columns, rows }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Table columns={columns}>
            {rows.map((cells) => (
              <tr key={cells.join("\0")}>
                {cells.map((cell, index) => (
                  <td key={columns[index]}>{cell}</td>
                ))}
              </tr>
            ))}
          </Table>
        </section>
      ))}
      {advice.length > 0 && (
        <section aria-label="What can be done">
          <h2>What can be done</h2>
          <ul>
            {advice.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
