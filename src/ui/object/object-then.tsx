// An object as it was at an earlier revision: to be read, and why it was so. Nothing can be written there.
import { askText } from "../frame/ask.ts";
import { Asked } from "../frame/asked.tsx";
import { linkTo } from "../frame/kinds.ts";
import { ExplainTab, isExplained } from "./explain-tab.tsx";
import { withoutManagedFields } from "./object-text.ts";
import type { Shown } from "./object-view.tsx";

export function ObjectThen({ kind, of, revision }: Shown & { revision: number }) {
  const query = new URLSearchParams({
    ...{ group: of.group, resourceVersion: String(revision) },
    ...(of.namespace === "" ? {} : { namespace: of.namespace }),
  });
  const path = `/egret/v1/objects/${of.resource}/${encodeURIComponent(of.name)}?${query}`;
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
        key={path}
        question={(signal) => askText(path, { signal })}
        otherwise="It was not there then, or cannot be read"
      >
        {(text) => (
          <section aria-label="YAML">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be scrolled by the keyboard, too */}
            <pre class="then" tabIndex={0}>
              {withoutManagedFields(text)}
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
