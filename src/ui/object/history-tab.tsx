// History of an object: a slider over its revisions, and the changes, time and writers of the selected one.
import { shownOf } from "../frame/answer.ts";
import type { ObjectRef } from "../frame/kinds.ts";
import type { Route } from "../frame/route.ts";
import { Table } from "../frame/table.tsx";
import { TellStatus } from "../frame/told-status.tsx";
import { Moment } from "./moment.tsx";
import { chosenIn, type History, RevisionSlider, useHistory, writersOf } from "./revisions.tsx";
import { Value } from "./value.tsx";

interface HistoryTabProps {
  readonly of: ObjectRef;
  readonly route: Route;
  /** The resourceVersion of the present object. */
  readonly version: string;
}

export function HistoryTab({ of, route, version }: HistoryTabProps) {
  const answer = useHistory(of, version);
  const history = shownOf(answer);
  if (answer.state === "refused")
    return <TellStatus status={answer.status} what="Its history cannot be read" />;
  return history ? <Changes history={history} route={route} /> : null;
}

function Changes({ history, route }: { history: History; route: Route }) {
  const chosen = history.revisions[chosenIn(history, route)];
  if (!chosen) return <p class="hint">No revision of it is known any more.</p>;
  const { resourceVersion, time = "", type, changes } = chosen;
  const writers = writersOf(chosen);
  return (
    <>
      <RevisionSlider route={route} history={history} />
      <p>
        <b>{WORDS[type]}</b> at revision {resourceVersion}, <Moment time={time} />
        {writers !== "" && `, by ${writers}`}
      </p>
      {type === "KEPT" && <p class="hint">What changed then is not known any more.</p>}
      {changes.length > 0 && (
        <Table columns={["Field", "Before", "After"]}>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <Value value={before} />
              </td>
              <td>
                <Value value={after} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

const WORDS = {
  KEPT: "As it was",
  ADDED: "Created",
  MODIFIED: "Changed",
  DELETED: "Deleted",
} as const;
