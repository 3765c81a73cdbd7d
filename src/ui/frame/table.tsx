// Table that scrolls within its frame.
import type { ComponentChildren } from "preact";

export function Table({ columns, children }: { columns: readonly string[]; children: ComponentChildren }) {
  return (
    <div class="table-frame">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
