// A Pod, or the Pod of a template, as input of the checks, and the wording of their findings.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";

export interface ContainerView {
  readonly name: string;
  readonly container: JsonObject;
  readonly security: JsonObject | undefined;
}

export interface PodView {
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly spec: JsonObject;
  readonly security: JsonObject | undefined;
  /** Init containers, containers and ephemeral containers. */
  readonly containers: readonly ContainerView[];
}

const LISTS = ["initContainers", "containers", "ephemeralContainers"];

/** Views an object with metadata and spec. */
export function viewPod(pod: Readonly<JsonObject>): PodView {
  const spec = objectAt(pod, "spec") ?? {};
  return {
    annotations: objectAt(objectAt(pod, "metadata"), "annotations") ?? {},
    spec,
    security: objectAt(spec, "securityContext"),
    containers: LISTS.flatMap((list) => objectsAt(spec, list)).map((container) => ({
      name: textAt(container, "name"),
      container,
      security: objectAt(container, "securityContext"),
    })),
  };
}

/** A violation: its short reason, and the detail with the violating containers. */
export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

/** undefined: no violation. */
export type Check = (pod: PodView) => Finding | undefined;

export const quoted = (items: Iterable<string>): string => [...items].map((item) => `"${item}"`).join(", ");

export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();

/** "container "a"", or "containers "a", "b"". */
export const counted = (word: string, names: readonly string[]): string =>
  `${plural(word, names.length)} ${quoted(names)}`;

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

export const namesOf = (containers: readonly ContainerView[]): string[] => containers.map(({ name }) => name);

type Context = JsonObject | undefined;

/** The security contexts of the Pod and of each container. */
export const contextsOf = ({ security, containers }: PodView): Context[] => [
  security,
  ...containers.map((view) => view.security),
];

/** Names the source of a forbidden setting: the Pod, or containers. undefined without one. */
export function setters(
  { security, containers }: PodView,
  isBad: (context: Context) => boolean,
): string | undefined {
  const bad = namesOf(containers.filter((view) => isBad(view.security)));
  const all = [...(isBad(security) ? ["pod"] : []), ...(bad.length > 0 ? [counted("container", bad)] : [])];
  return all.length > 0 ? all.join(" and ") : undefined;
}

/** A check of each container: finds those that violate it. */
export const containerCheck =
  (reason: string, isBad: (view: ContainerView) => boolean, told: string): Check =>
  ({ containers }) => {
    const bad = namesOf(containers.filter(isBad));
    return bad.length > 0 ? { reason, detail: `${counted("container", bad)} ${told}` } : undefined;
  };

/** A Pod with its own user namespace is no danger to its node, whatever users run inside. */
export const unlessOwnUsers =
  (check: Check): Check =>
  (pod) =>
    pod.spec["hostUsers"] === false ? undefined : check(pod);

/** Fields without meaning on Windows are not required there. */
export const unlessWindows =
  (check: Check): Check =>
  (pod) =>
    textAt(objectAt(pod.spec, "os"), "name") === "windows" ? undefined : check(pod);
