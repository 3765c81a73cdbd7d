// Table of fields with value, last writing revision and field managers; now, or at an earlier revision.
import { useEffect, useMemo } from "preact/hooks";
import { isObject, type JsonObject, objectAt as memberAt } from "../../apimachinery/json/json.ts";
import { Asking, shownOf } from "../frame/answer.ts";
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { type ObjectRef, pathOf } from "../frame/kinds.ts";
import { formatRoute, type Route } from "../frame/route.ts";
import { Table } from "../frame/table.tsx";
import { TellStatus } from "../frame/told-status.tsx";
import { Can, NotAllowed } from "../rights/can.tsx";
import { EVERYTHING } from "../rights/question.ts";
import { writtenIn } from "./blame.ts";
import { type Field, fieldsOf, type ManagedFields } from "./fields.ts";
import { Moment } from "./moment.tsx";
import {
  atRevision,
  chosenIn,
  type History,
  objectAt,
  RevisionSlider,
  useHistory,
  writersOf,
} from "./revisions.tsx";
import { Value } from "./value.tsx";

interface FieldsTabProps {
  readonly of: ObjectRef;
  readonly route: Route;
  readonly version: string;
  /** The present object; undefined without a watch. */
  readonly object: JsonObject | undefined;
}

export function FieldsTab(props: FieldsTabProps) {
  const { of, object } = props;
  return (
    <Can all={EVERYTHING} otherwise={(why) => <Now of={of} object={object} why={why} />}>
      <AtRevisions {...props} />
    </Can>
  );
}

/** Shown without permission to read the history: fields and managers only. */
function Now({ of, object, why }: Pick<FieldsTabProps, "of" | "object"> & { why: string }) {
  return (
    <>
      <NotAllowed why={`When each field was written is not shown: ${why}`} />
      {object ? (
        <FieldTable fields={fieldsIn(object)} />
      ) : (
        <Asked question={(signal) => ask<JsonObject>(pathOf(of), { signal })} otherwise="It cannot be read">
          {(read) => <FieldTable fields={fieldsIn(read)} />}
        </Asked>
      )}
    </>
  );
}

function AtRevisions({ of, route, version }: FieldsTabProps) {
  const answer = useHistory(of, version);
  const history = shownOf(answer);
  if (answer.state === "refused")
    return <TellStatus status={answer.status} what="Its history cannot be read" />;
  if (!history) return null;
  if (history.revisions.length === 0) return <p class="hint">No revision of it is known any more.</p>;
  return <AtRevision of={of} route={route} history={history} />;
}

function AtRevision({ of, route, history }: { of: ObjectRef; route: Route; history: History }) {
  const asking = useMemo(() => new Asking<unknown>(), []);
  const at = chosenIn(history, route);
  const revision = history.revisions[at]?.resourceVersion ?? "";
  useEffect(() => asking.ask((signal) => objectAt(of, revision, signal)), [revision]);
  useEffect(() => () => asking.forget(), []);
  const answer = asking.answer.value;
  const object = shownOf(answer);
  return (
    <>
      <RevisionSlider route={route} history={history} />
      {answer.state === "refused" && <TellStatus status={answer.status} what="It was not there then" />}
      {isObject(object) && <FieldTable fields={fieldsIn(object)} blame={{ route, history, at }} />}
    </>
  );
}

const fieldsIn = (object: JsonObject): Field[] => {
  const managed = memberAt(object, "metadata")?.["managedFields"];
  return fieldsOf(object, Array.isArray(managed) ? (managed as ManagedFields[]) : []);
};

interface Blame {
  readonly route: Route;
  readonly history: History;
  /** Index of the revision at which the fields have these values. */
  readonly at: number;
}

function FieldTable({ fields, blame }: { fields: readonly Field[]; blame?: Blame }) {
  return (
    <Table columns={["Field", "Value", ...(blame ? ["Written"] : []), "Owners"]}>
      {fields.map((field) => (
        <FieldRow key={field.name} field={field} blame={blame} />
      ))}
    </Table>
  );
}

function FieldRow({ field, blame }: { field: Field; blame: Blame | undefined }) {
  const { name, value, owners } = field;
  const written = blame && writtenIn(field, blame.history.revisions.slice(0, blame.at + 1));
  const isFresh = blame && written === blame.history.revisions[blame.at];
  return (
    <tr class={isFresh ? "fresh" : undefined}>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>
        <Value value={value} />
      </td>
      {blame && <td>{written && <Written revision={written} blame={blame} />}</td>}
      <td>
        {owners.map(({ manager, operation, subresource }) => (
          <div key={`${manager} ${operation} ${subresource}`}>
            <b>{manager}</b> {operation}
            {subresource !== "" && ` of ${subresource}`}
          </div>
        ))}
      </td>
    </tr>
  );
}

/** Link to the revision. "≤": the oldest kept revision, so the field may have been written earlier. */
function Written({
  revision,
  blame: { route, history },
}: {
  revision: NonNullable<ReturnType<typeof writtenIn>>;
  blame: Blame;
}) {
  const { resourceVersion, time = "", type } = revision;
  const at = history.revisions.indexOf(revision);
  return (
    <>
      <a href={formatRoute(atRevision(route, history, at))}>
        {type === "KEPT" && "≤ "}
        {resourceVersion}
      </a>{" "}
      {writersOf(revision)} {time !== "" && <Moment time={time} />}
    </>
  );
}
