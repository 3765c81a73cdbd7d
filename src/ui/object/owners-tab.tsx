// Who owns which field of an object.
import { ask } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { type ObjectRef, pathOf } from "../frame/kinds.ts";
import { Table } from "../frame/table.tsx";
import { Moment } from "./moment.tsx";
import { type ManagedFields, ownedFields } from "./owners.ts";

interface Owned {
  readonly metadata: { readonly managedFields?: readonly ManagedFields[] };
}

export function OwnersTab({ of }: { of: ObjectRef }) {
  return (
    <Asked question={(signal) => ask<Owned>(pathOf(of), { signal })} otherwise="It cannot be read">
      {({ metadata }) => <Owners entries={metadata.managedFields ?? []} />}
    </Asked>
  );
}

function Owners({ entries }: { entries: readonly ManagedFields[] }) {
  const rows = ownedFields(entries);
  if (rows.length === 0) return <p class="hint">Nobody owns a field of it.</p>;
  return (
    <Table columns={["Field", "Owners"]}>
      {rows.map(({ path, owners }) => (
        <tr key={path}>
          <th scope="row">
            <code>{path}</code>
          </th>
          <td>
            {owners.map(({ manager, operation, subresource, time }) => (
              <div key={`${manager} ${operation} ${subresource}`}>
                <b>{manager}</b> {operation}
                {subresource !== "" && ` of ${subresource}`} <Moment time={time} />
              </div>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
}
