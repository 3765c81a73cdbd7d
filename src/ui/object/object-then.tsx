// An object at an earlier revision, read-only, with the explanation of its state then.
import { Asked } from "../frame/asked.tsx";
import { linkTo } from "../frame/kinds.ts";
import { ExplainTab, isExplained } from "./explain-tab.tsx";
import { readTextThen } from "./object-text.ts";
import type { ShownObject } from "./shown-object.ts";

export function ObjectThen({ kind, of, revision }: ShownObject & { revision: number }) {
  return (
    <div class="objects object">
      <p class="path">
        <a href="/egret/ui/o">Objects</a> ›{" "}
        <a href={linkTo({ ...of, namespace: "", name: "" })}>{kind.kind}</a> ›{" "}
        {of.namespace !== "" && `${of.namespace} › `}
        {of.name}
      </p>
      <h1>{of.name}</h1>
      <p class="hint">As it was at revision {revision.toLocaleString()}. Go back to now to change it.</p>
      <Asked
        key={revision}
        question={(signal) => readTextThen(of, kind.kind, revision, signal)}
        otherwise="It cannot be read"
      >
        {(text) => (
          <section aria-label="YAML">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be scrolled by the keyboard, too */}
            <pre class="then" tabIndex={0}>
              {text}
            </pre>
          </section>
        )}
      </Asked>
      {isExplained(kind) && (
        <section aria-label="Explain">
          <h2>Why it was so</h2>
          <ExplainTab kind={kind} of={of} />
        </section>
      )}
    </div>
  );
}
