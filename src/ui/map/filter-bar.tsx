// Filter of the map: states with their counts, namespace, node, address family and text. The filter is part of the URL.
import { useMemo } from "preact/hooks";
import { go } from "../frame/navigation.ts";
import { type Route, withQuery } from "../frame/route.ts";
import { type Facts, MARKS, type Mark, SIGNS } from "./facts.ts";
import { FILTER_PARAMETERS, type Filter, STATE_WORDS } from "./filter.ts";
import { MANNERS } from "./fold.ts";

interface FilterBarProps {
  readonly route: Route;
  readonly filter: Filter;
  readonly facts: Facts;
  /** Number of objects that the filter hides. */
  readonly hidden: number;
}

const SHOWN_WORDS: Readonly<Record<Mark, string>> = {
  ...STATE_WORDS,
  ...{ bad: "without a node", twice: "matched twice" },
};

const clearFilters = (route: Route): void =>
  go(withQuery(route, Object.fromEntries(FILTER_PARAMETERS.map((name) => [name, ""]))));

export function FilterBar({ route, filter, facts, hidden }: FilterBarProps) {
  const set = (name: string, value: string, manner: "push" | "replace" = "push") =>
    go(withQuery(route, { [name]: value }), manner);
  const isTable = route.query.get("as") === "table";
  return (
    <search class="filter-bar" aria-label="Filter of the map">
      <States filter={filter} counts={facts.counts} onSet={(value) => set("state", value)} />
      <Choice
        word="namespace"
        all="all"
        names={facts.namespaces}
        value={filter.namespaces}
        onSet={(value) => set("ns", value)}
      />
      <Choice
        word="node"
        all="all"
        names={facts.nodes}
        value={filter.nodes}
        onSet={(value) => set("node", value)}
      />
      <label>
        family{" "}
        <select
          value={String(filter.family ?? "")}
          onChange={({ currentTarget: { value } }) => set("family", value)}
        >
          <option value="">both</option>
          <option value="4">IPv4</option>
          <option value="6">IPv6</option>
        </select>
      </label>
      <input
        type="search"
        aria-label="Find a name, an address or a label"
        placeholder="Find a name, address, label …"
        aria-keyshortcuts="/"
        value={route.query.get("q") ?? ""}
        onInput={({ currentTarget: { value } }) => set("q", value, "replace")}
      />
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => clearFilters(route)}>
          Clear filters ({hidden.toLocaleString()} hidden)
        </button>
      )}
      <span class="ways">
        <button type="button" aria-pressed={!isTable} onClick={() => set("as", "")}>
          Map
        </button>
        <button type="button" aria-pressed={isTable} onClick={() => set("as", "table")}>
          Table
        </button>
        <label>
          fold{" "}
          <select
            value={route.query.get("fold") ?? "auto"}
            onChange={({ currentTarget: { value } }) => set("fold", value === "auto" ? "" : value)}
          >
            {MANNERS.map((manner) => (
              <option key={manner}>{manner}</option>
            ))}
          </select>
        </label>
      </span>
    </search>
  );
}

/** States that are listed only if an address has them, or the filter selects them. */
const SELDOM: readonly Mark[] = ["twice", "wait"];

interface StatesProps {
  readonly filter: Filter;
  readonly counts: Facts["counts"];
  readonly onSet: (value: string) => void;
}

function States({ filter: { states }, counts, onSet }: StatesProps) {
  const shown = MARKS.filter((mark) => !SELDOM.includes(mark) || counts[mark] > 0 || states.includes(mark));
  return (
    <fieldset class="states">
      <legend class="unseen">States of addresses</legend>
      {shown.map((mark) => {
        const isOn = states.includes(mark);
        const next = isOn ? states.filter((other) => other !== mark) : [...states, mark];
        return (
          <button
            key={mark}
            type="button"
            class={`state ${mark}`}
            aria-pressed={isOn}
            onClick={() => onSet(next.map((one) => STATE_WORDS[one]).join(","))}
          >
            {SIGNS[mark]} {counts[mark].toLocaleString()} {SHOWN_WORDS[mark]}
          </button>
        );
      })}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly word: string;
  readonly all: string;
  readonly names: readonly { readonly name: string }[];
  readonly value: readonly string[];
  readonly onSet: (value: string) => void;
}

const namesText = (names: ChoiceProps["names"]): string => names.map(({ name }) => name).join();

/** The URL may name several values; the select shows the first. */
function Choice({ word, all, names, value, onSet }: ChoiceProps) {
  const [first = ""] = value;
  // Names rarely change; comparing one joined text avoids rendering hundreds of options again.
  const options = useMemo(
    () => names.map(({ name }) => <option key={name}>{name}</option>),
    [namesText(names)],
  );
  const isGone = first !== "" && !names.some(({ name }) => name === first);
  return (
    <label>
      {word}{" "}
      <select value={first} onChange={({ currentTarget }) => onSet(currentTarget.value)}>
        <option value="">{all}</option>
        {isGone && <option>{first}</option>}
        {options}
      </select>
    </label>
  );
}
