// The map: three columns with lines between them.
import { type Signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Refusal } from "../data/feed.ts";
import { go } from "../frame/navigation.ts";
import { listAt, type Route, withQuery } from "../frame/route.ts";
import { Column, type ColumnProps } from "./column.tsx";
import {
  across,
  COLUMNS,
  type ColumnName,
  TITLES,
  useColumnStates,
  useFirst,
  usePicture,
  useShown,
} from "./columns.tsx";
import { DensityStrip } from "./density-strip.tsx";
import { EmptyColumn } from "./empty.tsx";
import { Explained } from "./explained.ts";
import { type Facts, type Known, type NodeFact, needsAttention, nodeKey, type Target } from "./facts.ts";
import type { Passing } from "./filter.ts";
import { NoneAssignable } from "./first-nodes.tsx";
import type { Folded, Rows } from "./fold.ts";
import { OfNode, Reason } from "./foot.tsx";
import { LineLayer, MoveLayer } from "./line-layer.tsx";
import type { Move } from "./moves.ts";
import { fromTold, leavesTold, whoTold } from "./told.ts";

/** Beyond this number of targets the density strip is shown. */
const STRIP_MIN = 100;

interface MapViewProps {
  readonly route: Route;
  readonly facts: Facts;
  readonly passed: Passing;
  readonly known: Known;
  readonly arrived: readonly Move[];
  readonly refused: readonly Refusal[];
  /** Shows a what-if plan with planned assignments as ghosts. */
  readonly isPlan?: boolean;
}

export function MapView({ route, facts, passed, known, arrived, refused, isPlan = false }: MapViewProps) {
  const states = useColumnStates();
  const tab = useSignal<ColumnName>("leaves");
  const near = useSignal("");
  const explained = useRef(new Explained()).current;
  void explained.version.value; // subscribes to new explanations
  const items = { who: passed.namespaces, leaves: passed.targets, from: passed.nodes };
  const attention = (name: ColumnName) => keysInNeed(items[name]);
  const first = useFirst(states, attention, passed);
  const { folded, links, layouts, scale } = usePicture({ route, passed, known, first });
  const side = (name: ColumnName) => ({ rows: folded[name], layout: layouts[name], view: states[name].view });
  const nearRow = (name: ColumnName) => placeOfRow(folded[name], near.value);
  const chosen = route.query.get("sel") ?? "";
  useShown(chosen, folded.leaves, layouts.leaves, states.leaves);
  const tools: ColumnProps["tools"] = {
    chosen,
    arePodsKnown: !refused.some(({ kind }) => kind === "pods"),
    onTurn: (key) => turn(route, key),
    onChoose: (key) => go(withQuery(route, { sel: key === chosen ? "" : key }), "replace"),
    reasonOf: (of) => explained.why(of, facts.nodes).reason,
  };
  const columnOf = (name: ColumnName): Omit<ColumnProps, "told" | "empty"> => ({
    ...{ title: TITLES[name], rows: folded[name].rows, layout: layouts[name], scale, tools },
    ...{ view: states[name].view, stop: states[name].stop },
    ...heldRows(states[name].held, () => attention(name)),
    onNear: (key) => {
      near.value = key;
    },
    onAcross: (from, by) => across({ from, by, name, folded, links, states }),
  });
  const between = (left: ColumnName, right: ColumnName) => ({
    ...{ scale, left: side(left), right: side(right), near: { left: nearRow(left), right: nearRow(right) } },
  });
  return (
    <>
      <Tabs shown={tab} counts={items} />
      <div class={`columns show-${tab.value}`}>
        <Column
          {...columnOf("who")}
          told={whoTold(passed, refused)}
          empty={<Nothing name="who" facts={facts} refused={refused} />}
        />
        <LineLayer links={links.use} {...between("who", "leaves")} />
        <Column
          {...columnOf("leaves")}
          told={leavesTold(passed, refused)}
          empty={<Nothing name="leaves" facts={facts} refused={refused} />}
        />
        <LineLayer links={links.place} {...between("leaves", "from")}>
          <MoveLayer
            moves={arrived}
            nodes={side("from")}
            scale={scale}
            placeOf={(node) => folded.from.placeOf.get(nodeKey(node))}
          />
        </LineLayer>
        <Column
          {...columnOf("from")}
          told={fromTold(passed, refused)}
          empty={<Nothing name="from" facts={facts} refused={refused} />}
        />
      </div>
      {!isPlan && <UnlessAssignable nodes={facts.nodes} />}
      {passed.targets.length > STRIP_MIN && !isPlan && (
        <DensityStrip targets={passed.targets} onPick={(picked) => pick(route, picked, folded)} />
      )}
      <Foot {...{ passed, facts, explained, chosen, isPlan }} near={near.value} />
    </>
  );
}

/** Holds the rows at their positions while the pointer or the focus is in the column. */
const heldRows = (
  held: Signal<ReadonlySet<string> | undefined>,
  attention: () => ReadonlySet<string>,
): Pick<ColumnProps, "late" | "onRelease" | "onHold"> => ({
  late: held.value ? lateIn(attention(), held.value) : 0,
  onRelease: () => {
    held.value = undefined;
  },
  onHold: (isHeld) => {
    if (!isHeld) held.value = undefined;
    else held.value ??= attention();
  },
});

const keysInNeed = (facts: readonly Pick<Target, "key" | "mark">[]): ReadonlySet<string> =>
  new Set(facts.filter(({ mark }) => needsAttention(mark)).map(({ key }) => key));

const lateIn = (now: ReadonlySet<string>, held: ReadonlySet<string>): number =>
  [...now].filter((key) => !held.has(key)).length;

const targetOf = (targets: readonly Target[], key: string): Target | undefined =>
  key === "" ? undefined : targets.find((target) => target.key === key);

const nodeOf = (nodes: readonly NodeFact[], key: string): NodeFact | undefined =>
  key === "" ? undefined : nodes.find((node) => node.key === key);

interface FootProps {
  readonly passed: Passing;
  readonly facts: Facts;
  readonly explained: Explained;
  /** Keys of the row under the pointer and of the selected one, or "". */
  readonly near: string;
  readonly chosen: string;
  readonly isPlan: boolean;
}

/** What the row under the pointer is about; without one, the selected row. */
function Foot({ passed, facts, explained, near, chosen, isPlan }: FootProps) {
  const nearTarget = targetOf(passed.targets, near);
  const node = nodeOf(passed.nodes, near) ?? nodeOf(passed.nodes, chosen);
  if (node && !nearTarget) return <OfNode node={node} isPlan={isPlan} />;
  const target = nearTarget ?? targetOf(passed.targets, chosen);
  return <Reason target={target} why={target && explained.why(target, facts.nodes)} isPlan={isPlan} />;
}

function UnlessAssignable({ nodes }: Pick<Facts, "nodes">) {
  if (nodes.length === 0 || nodes.some(({ isAssignable }) => isAssignable)) return null;
  return <NoneAssignable nodes={nodes} />;
}

interface TabsProps {
  readonly shown: Signal<ColumnName>;
  readonly counts: Readonly<Record<ColumnName, readonly unknown[]>>;
}

/** Column switch for narrow screens, which show one column at a time. */
function Tabs({ shown, counts }: TabsProps) {
  return (
    <fieldset class="column-tabs">
      <legend class="unseen">Columns</legend>
      {COLUMNS.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={shown.value === name}
          onClick={() => {
            shown.value = name;
          }}
        >
          {TITLES[name]} {counts[name].length.toLocaleString()}
        </button>
      ))}
    </fieldset>
  );
}

/** Toggles the expansion of a row. */
function turn(route: Route, key: string): void {
  const open = new Set(listAt(route, "open"));
  if (!open.delete(key)) open.add(key);
  go(withQuery(route, { open: [...open].join(",") }), "replace");
}

/** Selects a target, and expands its group. */
function pick(route: Route, { key }: Target, { leaves }: Folded): void {
  const row = leaves.rows[leaves.placeOf.get(key) ?? -1];
  const open = new Set(listAt(route, "open"));
  if (row?.kind === "group") open.add(row.key);
  go(withQuery(route, { sel: key, open: [...open].join(",") }), "replace");
}

const placeOfRow = ({ rows }: Rows, key: string): number | undefined => {
  const place = rows.findIndex((row) => row.key === key);
  return place < 0 ? undefined : place;
};

const FORBIDDEN = 403;

/** The kind that a column requires. */
const KINDS = { who: "namespaces", leaves: "egressips", from: "nodes" } as const;

interface NothingProps {
  readonly name: ColumnName;
  readonly facts: Facts;
  readonly refused: readonly Refusal[];
}

function Nothing({ name, facts, refused }: NothingProps) {
  const all = { who: facts.namespaces, leaves: facts.targets, from: facts.nodes };
  const refusal = refused.find(({ kind }) => kind === KINDS[name]);
  if (refusal) {
    return (
      <p class="empty">
        ⊘ {refusal.code === FORBIDDEN ? "Not allowed" : "Not known"}: {refusal.message}
      </p>
    );
  }
  return <EmptyColumn what={name} hidden={all[name].length} />;
}
