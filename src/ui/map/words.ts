// Accessible names of rows, and time formats. Pure except for the browser's language.
import { type AddressFact, type NodeFact, needsAttention, SIGNS, type Target } from "./facts.ts";
import type { Group, Row } from "./fold.ts";
import { ghostText } from "./ghosts.ts";

/** Created once: formatters are expensive, and texts are updated many times a second. */
const numbers = new Intl.NumberFormat();
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

export const numberText = (number: number): string => numbers.format(number);

const count = (many: number, one: string): string => `${numberText(many)} ${many === 1 ? one : `${one}s`}`;

export const podsText = (pods: number): string => count(pods, "pod");

export const timeText = (atMs: number): string => times.format(atMs);

export const titleOf = ({ namespace, name }: Target): string =>
  namespace === "" ? name : `${namespace}/${name}`;

export function addressLabel(target: Target, fact: AddressFact): string {
  const { address, node, note, move, mark, ghost } = fact;
  const of = `${address} of ${target.kind} ${titleOf(target)}`;
  const where =
    mark === "move" && move ? `moving from ${move.from} to ${node}` : node === "" ? note : `on ${node}`;
  const more = node !== "" && note !== "" ? `, ${note}` : "";
  const when = move ? `, moved at ${timeText(move.atMs)}` : "";
  const then = ghost ? `, ${ghostText(ghost)}` : "";
  return `${of}, ${where}${more}${when}${then}`;
}

export const nodeLabel = ({ name, zone, state, ghost }: NodeFact): string =>
  `Node ${name}, ${zone === "" ? "" : `zone ${zone}, `}${state}${ghost === undefined ? "" : `, ${ghost}`}`;

/** "34 for shop · ✕ needs attention". */
export function groupText({ title, count: many, mark, pods }: Group): string {
  const how = needsAttention(mark) ? ` · ${SIGNS[mark]} needs attention` : "";
  return `${numberText(many)} ${title}${pods > 0 ? ` · ${podsText(pods)}` : ""}${how}`;
}

/** If pods cannot be listed, their number is left out. */
export function rowLabel(row: Row, arePodsKnown: boolean): string {
  if (row.kind === "namespace") {
    const { name, pods, labels } = row.of;
    return [`Namespace ${name}`, arePodsKnown ? podsText(pods) : "", labels].filter(Boolean).join(", ");
  }
  if (row.kind === "pod") return `Pod ${row.of.name}, ${podEgress(row.egressIps)}`;
  if (row.kind === "node") return nodeLabel(row.of);
  return row.kind === "group" ? groupText(row) : `${row.of.kind} ${titleOf(row.of)}`;
}

export const podEgress = (egressIps: readonly string[]): string =>
  egressIps.length === 0
    ? "plain: node"
    : egressIps.length === 1
      ? (egressIps[0] ?? "")
      : `! ${egressIps.join(", ")}`;

/** The last part of an address, which distinguishes it from its neighbours: ".102". */
export const shortAddress = (address: string): string => /[.:][^.:]*$/.exec(address)?.[0] ?? address;
