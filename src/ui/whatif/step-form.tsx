// Form for one step of a plan: a change of a node, or the deletion of any object.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { model, touched } from "../state.ts";
import { ASSIGNABLE, type Step, takesLabel, VERBS, type Verb } from "./steps.ts";

const WORDS: Readonly<Record<Verb, string>> = {
  notready: "is not Ready",
  ready: "is Ready",
  label: "gets the label",
  unlabel: "loses the label",
  address: "asks for one more address",
  delete: "is deleted",
};

export function StepForm({ onStep }: { onStep: (step: Step) => void }) {
  const verb = useSignal<Verb>("notready");
  const object = useSignal("");
  const label = useSignal("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const name = object.value.trim();
    const isOfAddress = verb.value === "address";
    const written = takesLabel(verb.value) ? label.value.trim() || ASSIGNABLE : "";
    onStep({
      verb: verb.value,
      object: name.includes("/") ? name : `${isOfAddress ? "egressip" : "node"}/${name}`,
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
          list={verb.value === "address" ? "egressips" : "nodes"}
          placeholder={verb.value === "address" ? "an EgressIP" : "a node, or KIND/NAMESPACE/NAME"}
          value={object}
          onInput={({ currentTarget }) => (object.value = currentTarget.value)}
        />
      </label>
      <Names />
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
          required={verb.value === "address"}
          aria-label={verb.value === "address" ? "Address" : "Label"}
          placeholder={verb.value === "address" ? "192.168.126.120" : ASSIGNABLE}
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

/** Limit of the suggestions; other names can be typed. */
const NAMES_MAX = 500;

function Names() {
  void touched.value; // subscribes: the model changes in place
  const sizes = [model.nodes.size, model.egressips.size];
  const lists = useMemo(
    () => ({ nodes: firstNames(model.nodes.values()), egressips: firstNames(model.egressips.values()) }),
    sizes,
  );
  return (
    <>
      {Object.entries(lists).map(([id, names]) => (
        <datalist key={id} id={id}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ))}
    </>
  );
}

const firstNames = (records: Iterable<{ readonly name: string }>): readonly string[] =>
  [...records]
    .map(({ name }) => name)
    .sort()
    .slice(0, NAMES_MAX);
