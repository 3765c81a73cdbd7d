// Rows of the three columns, with accessible names for all symbols.
import { type AddressFact, type Meter, type NodeFact, SIGNS, type Target } from "./facts.ts";
import type { Row } from "./fold.ts";
import { hasMeters } from "./layout.ts";
import { stopsOf } from "./stops.ts";
import { addressLabel, groupText, podEgress, podsText, rowLabel, titleOf } from "./words.ts";

export const GHOST_SIGN = "⇢";

export interface RowTools {
  /** The stop with tabIndex 0. */
  readonly stop: string;
  /** Key of the selected row, or "". */
  readonly chosen: string;
  /** Whether the user may list pods; otherwise counts are hidden. */
  readonly arePodsKnown: boolean;
  readonly onTurn: (key: string) => void;
  readonly onChoose: (key: string) => void;
  /** The first reason why a target is unassigned; "" until it is known. */
  readonly reasonOf: (target: Target) => string;
}

export function RowView({ row, tools }: { row: Row; tools: RowTools }) {
  if (row.kind === "target") return <TargetCard target={row.of} stops={stopsOf(row)} tools={tools} />;
  const own = { "aria-label": rowLabel(row, tools.arePodsKnown), tabIndex: tools.stop === row.key ? 0 : -1 };
  if (row.kind === "namespace") {
    return (
      <button
        type="button"
        class={`row namespace ${row.of.mark}`}
        {...own}
        aria-expanded={row.isOpen}
        onClick={() => tools.onTurn(row.key)}
      >
        <b>
          <Arrow isOpen={row.isOpen} /> {row.of.name}
        </b>
        <span class="aside">{tools.arePodsKnown ? podsText(row.of.pods) : ""}</span>
        <span class="second">{row.of.labels}</span>
      </button>
    );
  }
  if (row.kind === "pod") {
    return (
      <button
        type="button"
        class={`row pod ${row.egressIps.length > 1 ? "twice" : ""}`}
        {...own}
        onClick={() => tools.onChoose(row.key)}
      >
        <span class="name">{row.of.name}</span>
        <span class="aside">{podEgress(row.egressIps)}</span>
      </button>
    );
  }
  if (row.kind === "group") {
    return (
      <button
        type="button"
        class={`row group ${row.mark}`}
        {...own}
        aria-expanded={row.isOpen}
        onClick={() => tools.onTurn(row.key)}
      >
        <Arrow isOpen={row.isOpen} /> {groupText(row)}
      </button>
    );
  }
  return (
    <NodeCard node={row.of} hasMeters={hasMeters(row)} own={own} onChoose={() => tools.onChoose(row.key)} />
  );
}

const Arrow = ({ isOpen }: { isOpen: boolean }) => <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>;

interface TargetProps {
  readonly target: Target;
  readonly stops: readonly string[];
  readonly tools: RowTools;
}

function TargetCard({ target, stops, tools }: TargetProps) {
  const { kind, mark, addresses, isNew = false } = target;
  const held = addresses.filter(({ node }) => node !== "").length;
  const reason = mark === "bad" || mark === "wait" ? tools.reasonOf(target) : undefined;
  return (
    <div class={`row target ${mark} ${tools.chosen === target.key ? "chosen" : ""} ${isNew ? "new" : ""}`}>
      <div class="head">
        <b class="name">{titleOf(target)}</b>
        <span class="aside">
          {isNew
            ? "would be new"
            : kind === "EgressService" || addresses.length < 2
              ? kind
              : `${held} of ${addresses.length}`}
        </span>
      </div>
      {addresses.map((fact, index) => (
        <button
          key={fact.address}
          type="button"
          class={`address ${fact.mark} ${ghostClass(fact)}`}
          aria-label={addressLabel(target, fact)}
          title={fact.node === "" ? reason : undefined}
          tabIndex={tools.stop === stops[index] ? 0 : -1}
          onClick={() => tools.onChoose(target.key)}
        >
          <AddressLine fact={fact} />
        </button>
      ))}
      {reason !== undefined && <p class="reason">{reason}</p>}
    </div>
  );
}

const ghostClass = ({ ghost }: AddressFact): string => (!ghost ? "" : ghost.to === "" ? "lost" : "ghosted");

function AddressLine({ fact }: { fact: AddressFact }) {
  const { address, mark, node, note, move, ghost } = fact;
  const where = mark === "move" && move ? `${move.from} → ${node}` : node || note;
  const isLost = ghost?.to === "";
  return (
    <>
      <span class="mark">{isLost ? SIGNS.bad : ghost ? GHOST_SIGN : SIGNS[mark]}</span>
      <code>{address}</code>
      <span class="aside">
        {where}
        {ghost && (
          <span class="would-be">
            <span class="more">{isLost ? "would have " : "would be on "}</span>
            {isLost ? "no node" : ghost.to}
          </span>
        )}
      </span>
    </>
  );
}

interface NodeProps {
  readonly node: NodeFact;
  readonly hasMeters: boolean;
  readonly own: { readonly "aria-label": string; readonly tabIndex: number };
  readonly onChoose: () => void;
}

function NodeCard({ node, hasMeters, own, onChoose }: NodeProps) {
  const { name, zone, state, mark, isAssignable } = node;
  const sign = mark === "bad" ? SIGNS.bad : isAssignable ? SIGNS.ok : "○";
  return (
    <div
      class={`row node ${mark} ${isAssignable ? "" : "idle"} ${node.ghost === undefined ? "" : "ghosted"}`}
    >
      <button type="button" class="head" {...own} onClick={onChoose}>
        <b class="name">{name}</b>
        <span class="zone">{zone === "" ? "" : `zone ${zone}`}</span>
        <span class={`aside ${mark === "bad" || isAssignable ? mark : ""}`}>
          {sign} {state}
        </span>
      </button>
      {hasMeters && node.meters.map((meter) => <MeterLine key={meter.label} node={name} meter={meter} />)}
      {node.ghost !== undefined && <span class="ghost-line">{node.ghost}</span>}
    </div>
  );
}

function MeterLine({ node, meter: { label, used, of } }: { node: string; meter: Meter }) {
  const figures = of === undefined ? `${used} · no limit` : `${used} of ${of}`;
  return (
    <span class="meter-line">
      <span>{label}</span>
      {of === undefined ? (
        <span class="no-bar" />
      ) : (
        <meter aria-label={`${node} ${label}, ${figures}`} min={0} max={of} value={used} />
      )}
      <span class="aside">{figures}</span>
    </span>
  );
}
