// The deciding object as YAML, with the deciding rule highlighted.
import { useEffect, useRef } from "preact/hooks";
import type { Decider } from "../../ovn/trace/packet-path.ts";
import { askText } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { type KindInfo, kinds, linkTo, type ObjectRef, pathOf } from "../frame/kinds.ts";
import { linesOf } from "../frame/yaml-lines.ts";
import { objectName } from "./way.ts";

interface Shown {
  readonly ref: ObjectRef;
  readonly lines: readonly string[];
}

export function RuleView({ by }: { by: readonly Decider[] }) {
  const [first, ...more] = by;
  if (!first) return null;
  return (
    <section class="rule" aria-label="The rule that decides">
      <h2>
        {objectName(first)}
        {first.rule !== undefined && `, rule ${first.rule}`}
      </h2>
      <Asked question={(signal) => read(first, signal)} otherwise="It cannot be shown">
        {(shown) => <Lines shown={shown} rule={first.rule} />}
      </Asked>
      {more.length > 0 && <p>With it: {more.map(objectName).join(", ")}</p>}
    </section>
  );
}

async function read(by: Decider, signal: AbortSignal): Promise<Shown> {
  const ref = refOf(by, await kinds());
  const text = await askText(pathOf(ref), { signal });
  return { ref, lines: text.trimEnd().split("\n") };
}

function refOf({ kind, namespace = "", name }: Decider, known: readonly KindInfo[]): ObjectRef {
  const found = known.find((one) => one.kind === kind);
  if (!found) throw new Error(`The server has no ${kind}.`);
  return { ...found, namespace, name };
}

function Lines({ shown: { ref, lines }, rule }: { shown: Shown; rule: number | undefined }) {
  const place = useRef<HTMLPreElement>(null);
  const marked = rule === undefined ? undefined : linesOf(lines, `spec.egress[${rule}]`);
  const from = linesOf(lines, "spec")?.from ?? 0;
  useEffect(() => {
    const { current } = place;
    const first = current?.querySelector("mark");
    if (current && first) current.scrollTop = first.offsetTop - current.offsetTop;
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys */}
      <pre ref={place} tabIndex={0}>
        {lines.slice(from).map((line, index) => {
          const at = index + from;
          const isMarked = marked !== undefined && at >= marked.from && at < marked.to;
          return isMarked ? <mark key={at}>{`${line}\n`}</mark> : `${line}\n`;
        })}
      </pre>
      <a href={linkTo(ref)}>Open object</a>
    </>
  );
}
