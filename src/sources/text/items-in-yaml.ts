// Where the items of a list in YAML begin and end, as kubectl and other programs write it: each with a dash at the same place
// below `items:`. Who reads by this has to read the whole where an item turns out to be none.
import type { ItemTexts } from "./item-texts.ts";

export const ITEMS = /^items:[ \t]*\r?\n(?=( *)- )/m;

/** undefined: the text is no single list that is laid out like that. */
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

/** The first line that stands at the edge and is no item. */
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

/** The item alone: in place of its dash stands what indents its other lines. */
const bare = (item: string, indent: string): string => `${indent}  ${item.slice(indent.length + 2)}`;
