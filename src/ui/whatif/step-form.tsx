// One more step: something that happens to a node, or any object that goes.
import { useSignal } from "@preact/signals";
import { model, touched } from "../state.ts";
import { ASSIGNABLE, type Step, takesLabel, VERBS, type Verb } from "./steps.ts";

const WORDS: Readonly<Record<Verb, string>> = {
  notready: "is not Ready",
  ready: "is Ready",
  label: "gets the label",
  unlabel: "loses the label",
  delete: "is deleted",
};

export function StepForm({ onStep }: { onStep: (step: Step) => void }) {
  const verb = useSignal<Verb>("notready");
  const object = useSignal("");
  const label = useSignal("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const name = object.value.trim();
    const written = takesLabel(verb.value) ? label.value.trim() || ASSIGNABLE : "";
    onStep({
      verb: verb.value,
      object: name.includes("/") ? name : `node/${name}`,
      label: verb.value === "label" && !written.includes("=") ? `${written}=` : written,
    });
    object.value = "";
  };
  return (
    <form class="step-form" onSubmit={submit}>
      <label>
        What if
        <input
          required
          list="nodes"
          placeholder="a node, or KIND/NAMESPACE/NAME"
          value={object}
          onInput={({ currentTarget }) => (object.value = currentTarget.value)}
        />
      </label>
      <NodeNames />
      <select
        aria-label="What happens to it"
        value={verb}
        onChange={({ currentTarget }) => (verb.value = currentTarget.value as Verb)}
      >
        {VERBS.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </select>
      {takesLabel(verb.value) && (
        <input
          aria-label="Label"
          placeholder={ASSIGNABLE}
          value={label}
          onInput={({ currentTarget }) => (label.value = currentTarget.value)}
        />
      )}
      <button type="submit" class="main">
        Try it
      </button>
    </form>
  );
}

function NodeNames() {
  const { nodes } = touched.value; // drawn anew when a node has changed
  const names = [...model.nodes.values()].map(({ name }) => name).sort();
  return (
    <datalist id="nodes" data-changed={nodes.size}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
