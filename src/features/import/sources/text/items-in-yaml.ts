// Finds the items of a YAML list in the layout of kubectl and other programs: each has a dash at the same column below
// `items:`. If an item does not decode, the caller must decode the whole text instead.
import type { ItemTexts } from "./item-texts.ts";

export const ITEMS = /^items:[ \t]*\r?\n(?=( *)- )/m;

/** undefined: the text is no single list in this layout. */
export function itemsInYaml(text: string): ItemTexts | undefined {
  const found = ITEMS.exec(text);
  if (found === null || /^(---|\.\.\.)/m.test(text.slice(found.index))) return undefined;
  const indent = found[1] ?? "";
  const from = found.index + found[0].length;
  const end = endOfItems(text, from, indent);
  const tail = text.slice(end);
  if (/^items:/m.test(tail)) return undefined;
  const items = itemsFrom(text.slice(from, end), indent);
  return { head: `${text.slice(0, found.index)}items: []\n${tail}`, items, end: "whole" };
}

/** The first line at column 0 that starts no item, comments apart. */
export function endOfItems(text: string, from: number, indent: string): number {
  const edge = indent === "" ? /^(?![ \t\r\n#]|- )/gm : /^(?=[^ \t\r\n#])/gm;
  edge.lastIndex = from;
  return edge.exec(text)?.index ?? text.length;
}

function* itemsFrom(text: string, indent: string): Generator<string, void, undefined> {
  const dash = new RegExp(`^${indent}- `, "gm");
  let start = 0;
  dash.lastIndex = 1;
  for (let next = dash.exec(text); next !== null; next = dash.exec(text)) {
    yield bare(text.slice(start, next.index), indent);
    start = next.index;
  }
  yield bare(text.slice(start), indent);
}

/** The text of one item: its dash is replaced by the indentation of its other lines. */
const bare = (item: string, indent: string): string => `${indent}  ${item.slice(indent.length + 2)}`;
