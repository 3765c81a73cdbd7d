// Table of packet paths: one row per pod, one column per destination.
import type { ManyTraces, PartOfWay } from "../../ovn/trace/many.ts";
import { formatRoute } from "../frame/route.ts";
import { Table } from "../frame/table.tsx";
import { paramsOf, type TraceQuestion } from "./question.ts";

/** Further pods are only counted. */
const ROWS_MAX = 500;

export function ManyTable({ many, question }: { many: ManyTraces; question: TraceQuestion }) {
  const { to, ways, rows } = many;
  if (rows.length === 0) return <p class="hint">No pod sends anything there.</p>;
  return (
    <>
      <Table columns={["Pod", "Node", ...to]}>
        {rows.slice(0, ROWS_MAX).map(({ namespace, pod = "", node = "", ways: taken }) => (
          <tr key={`${namespace}/${pod}`}>
            <th scope="row">
              {namespace}/{pod}
            </th>
            <td>{node}</td>
            {to.map((destination, column) => (
              <td key={destination}>
                {(taken[column] ?? []).map((index) => (
                  <a
                    key={index}
                    class="way"
                    href={linkFor(question, `pod/${namespace}/${pod}`, destination)}
                    title="Show the way"
                  >
                    {(ways[index]?.parts ?? []).map(told).join(" · ")}
                  </a>
                ))}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {rows.length > ROWS_MAX && <p>{(rows.length - ROWS_MAX).toLocaleString()} more pods are not shown.</p>}
    </>
  );
}

const linkFor = (question: TraceQuestion, from: string, to: string): string =>
  formatRoute({ view: "trace", path: [], query: new URLSearchParams(paramsOf({ ...question, from, to })) });

function told({ ranges, outcomes }: PartOfWay): string {
  const each = outcomes.map(({ verdict, source, keepsAddress, node, likely }) => {
    const address = keepsAddress ? "its own address" : (source ?? "");
    const by = address === "" ? "" : ` by ${address}${node === undefined ? "" : ` from ${node}`}`;
    return `${verdict === "allowed" ? "✓" : `✕ ${verdict}`}${by}${likely ? " (likely)" : ""}`;
  });
  const said = [...new Set(each)].join(" or ");
  return ranges ? `${ranges.join(", ")}: ${said}` : said;
}
