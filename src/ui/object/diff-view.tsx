// Line diff of two texts.
import { diffLines, withContext } from "./line-diff.ts";

const SIGNS = { "+": "added", "-": "removed", " ": undefined } as const;

export function DiffView({ before, after, title }: { before: string; after: string; title: string }) {
  const lines = withContext(diffLines(before.split("\n"), after.split("\n")));
  if (lines.every((line) => line === undefined)) return <p class="hint">Nothing differs.</p>;
  return (
    <section class="diff" aria-label={title}>
      <h2>{title}</h2>
      <pre>
        {lines.map((line, index) =>
          line === undefined ? (
            <span key={`gap ${index}`} class="gap">{`⋯\n`}</span>
          ) : (
            <span
              key={`${index} ${line.text}`}
              class={SIGNS[line.sign]}
            >{`${line.sign} ${line.text}\n`}</span>
          ),
        )}
      </pre>
    </section>
  );
}
