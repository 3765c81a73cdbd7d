// Effects of losing each node, most severe first.
import type { NodeLoss } from "../../features/analysis/verdicts.ts";
import { Table } from "../frame/table.tsx";
import { sentenceOf } from "./sentence.ts";

export function Ranking({ losses, onNode }: { losses: readonly NodeLoss[]; onNode: (node: string) => void }) {
  return (
    <section aria-label="Nodes by what their loss does">
      <Table columns={["Without", "What would be different"]}>
        {losses.map((loss) => (
          <tr key={loss.node}>
            <th scope="row">
              <button type="button" class="quiet" onClick={() => onNode(loss.node)}>
                {loss.node}
              </button>
            </th>
            <td>{sentenceOf(loss)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
