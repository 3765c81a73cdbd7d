// The same data and filters as an accessible table.
import { useSignal } from "@preact/signals";
import { go } from "../frame/navigation.ts";
import { type Route, withQuery } from "../frame/route.ts";
import { SIGNS, type Target } from "./facts.ts";
import { STATE_WORDS } from "./filter.ts";
import { objectLink } from "./foot.tsx";
import { COLUMNS, sortOf, type TableColumn, tableLines } from "./table-rows.ts";
import { timeText, titleOf } from "./words.ts";

const WORDS: Readonly<Record<TableColumn, string>> = {
  ...{ eip: "Leaves by", address: "Address", state: "State", node: "Node", for: "For", since: "Moved" },
};
const PAGE = 500;

export function MapTable({ route, targets }: { route: Route; targets: readonly Target[] }) {
  const shown = useSignal(PAGE);
  const sort = sortOf(route.query.get("sort") ?? "");
  const lines = tableLines(targets, sort);
  const left = lines.length - shown.value;
  return (
    <div class="map-table">
      <table>
        <thead>
          <tr>
            {COLUMNS.map((column) => {
              const isBy = sort.column === column;
              const next = isBy && !sort.isDown ? `-${column}` : column;
              return (
                <th key={column} aria-sort={isBy ? (sort.isDown ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => go(withQuery(route, { sort: next }), "replace")}>
                    {WORDS[column]} {isBy && (sort.isDown ? "▾" : "▴")}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shown.value).map(({ target, fact }) => (
            <tr key={`${target.key} ${fact.address}`}>
              <th>
                <a href={objectLink(target)}>{titleOf(target)}</a>
              </th>
              <td>
                <code>{fact.address}</code>
              </td>
              <td class={fact.mark}>
                {SIGNS[fact.mark]} {STATE_WORDS[fact.mark] === "none" ? "no node" : STATE_WORDS[fact.mark]}
              </td>
              <td>{fact.node || fact.note}</td>
              <td>{target.users.join(", ")}</td>
              <td>{fact.move ? timeText(fact.move.atMs) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button
          type="button"
          onClick={() => {
            shown.value += PAGE;
          }}
        >
          {left.toLocaleString()} more · show {Math.min(left, PAGE)}
        </button>
      )}
    </div>
  );
}
