// A field's value as text.

/** In characters; longer texts are folded. */
const LENGTH_MAX = 2000;

export function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span class="hint">none</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
  if (text.length <= LENGTH_MAX) return <code class="value">{text}</code>;
  return (
    <details>
      <summary>
        <code class="value">{text.slice(0, LENGTH_MAX / 10)} …</code>
      </summary>
      <code class="value">{text}</code>
    </details>
  );
}
