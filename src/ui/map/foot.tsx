// Below the columns: why something is as it is, and what has just happened. Its place is always there, so that nothing jumps.
import { linkTo } from "../frame/kinds.ts";
import type { Why } from "./explained.ts";
import { MARKS, SIGNS, type Target } from "./facts.ts";
import type { Entry } from "./map-state.ts";
import { timeText, titleOf } from "./words.ts";

const LEGEND = {
  bad: "no node, dashed",
  twice: "matched twice, dotted",
  wait: "waiting, dotted",
  move: "moving, thick to new, dotted to old",
  ok: "assigned, solid line",
} as const;

export function Reason({ target, why }: { target: Target | undefined; why: Why | undefined }) {
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

export const objectLink = ({ kind, namespace, name }: Pick<Target, "kind" | "namespace" | "name">): string =>
  linkTo({
    ...{ group: "k8s.ovn.org", version: "v1", namespace, name },
    resource: kind === "EgressIP" ? "egressips" : "egressservices",
  });

interface TickerProps {
  readonly entries: readonly Entry[];
  readonly isMuted: boolean;
  /** What moves is of an earlier time than that of the browser. */
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
