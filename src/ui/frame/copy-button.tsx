// Button that copies a text to the clipboard.
import { useSignal } from "@preact/signals";

export function CopyButton({ text, word }: { text: string; word: string }) {
  const told = useSignal("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        told.value = "copied";
      },
      () => {
        told.value = "the browser does not let the page copy";
      },
    );
  return (
    <>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {word}
      </button>
      <span role="status">{told.value}</span>
    </>
  );
}
