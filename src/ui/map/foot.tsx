// Area below the columns: the explanation of the selected object, and the latest change. Its height is fixed, so that the
// layout does not shift.
import { linkTo } from "../frame/kinds.ts";
import { formatRoute } from "../frame/route.ts";
import type { Why } from "./explained.ts";
import { MARKS, type NodeFact, SIGNS, type Target } from "./facts.ts";
import type { Entry } from "./map-state.ts";
import { GHOST_SIGN } from "./rows.tsx";
import { timeText, titleOf } from "./words.ts";

const LEGEND = {
  bad: "no node, dashed",
  twice: "matched twice, dotted",
  wait: "waiting, dotted",
  move: "moving, thick to new, dotted to old",
  ok: "assigned, solid line",
} as const;

interface ReasonProps {
  readonly target: Target | undefined;
  readonly why: Why | undefined;
  readonly isPlan: boolean;
}

export function Reason({ target, why, isPlan }: ReasonProps) {
  if (!target && isPlan) {
    return (
      <p class="reason-strip legend">
        <span class="ok">{SIGNS.ok} as it is now, solid line</span>
        <span class="ghost">{GHOST_SIGN} where it would be, dotted line</span>
        <span class="bad">{SIGNS.bad} would have no node, dashed line to where it is now</span>
      </p>
    );
  }
  if (!target) {
    return (
      <p class="reason-strip legend">
        {MARKS.toReversed().map((mark) => (
          <span key={mark} class={mark}>
            {SIGNS[mark]} {LEGEND[mark]}
          </span>
        ))}
      </p>
    );
  }
  return (
    <p class="reason-strip">
      <b>
        {target.kind} {titleOf(target)}
      </b>{" "}
      <span>{why?.summary || "…"}</span> {why?.remedy && <i>{why.remedy}</i>}{" "}
      <a href={`${objectLink(target)}?tab=explain`}>why ›</a>
    </p>
  );
}

/** A node: its assigned addresses, and a link to the plan of its failure. */
export function OfNode({ node, isPlan }: { node: NodeFact; isPlan: boolean }) {
  const { name, used } = node;
  return (
    <p class="reason-strip">
      <b>Node {name}</b>{" "}
      <span>{node.ghost ?? (used === 1 ? "1 egress address" : `${used} egress addresses`)}</span>{" "}
      <a href={linkTo({ group: "", version: "v1", resource: "nodes", namespace: "", name })}>object ›</a>{" "}
      {!isPlan && <a href={failureOf(name)}>What if this node fails? ›</a>}
    </p>
  );
}

const failureOf = (node: string): string =>
  formatRoute({ view: "whatif", path: [], query: new URLSearchParams({ do: `notready:node/${node}` }) });

export const objectLink = ({ kind, namespace, name }: Pick<Target, "kind" | "namespace" | "name">): string =>
  linkTo({
    ...{ group: "k8s.ovn.org", version: "v1", namespace, name },
    resource: kind === "EgressIP" ? "egressips" : "egressservices",
  });

interface TickerProps {
  readonly entries: readonly Entry[];
  readonly isMuted: boolean;
  /** The moves are from the past, so the browser's time does not apply. */
  readonly isPast: boolean;
  readonly onMute: (isMuted: boolean) => void;
}

export function Ticker({ entries, isMuted, isPast, onMute }: TickerProps) {
  const last = entries.at(-1);
  return (
    <div class="ticker">
      <time>{last && !isPast ? timeText(last.atMs) : ""}</time>
      <p role="status" aria-live={isMuted ? "off" : "polite"}>
        {last?.sentence ?? ""}
      </p>
      {last?.egressIp !== undefined && (
        <a href={`${objectLink({ kind: "EgressIP", namespace: "", name: last.egressIp })}?tab=explain`}>
          why ›
        </a>
      )}
      <button type="button" class="quiet" aria-pressed={isMuted} onClick={() => onMute(!isMuted)}>
        Mute
      </button>
    </div>
  );
}
