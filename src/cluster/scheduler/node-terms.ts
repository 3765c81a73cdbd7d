// The node requirements of a pod: nodeSelector and node affinity terms. A term matches if all its requirements do; an
// empty term never matches.
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";

/** The fields of a node that a term can match. */
export interface AskedNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export type NodeTest = (node: AskedNode) => boolean;

const INTEGER = /^[+-]?\d+$/;

const OPERATORS: ReadonlyMap<string, (value: string | undefined, wanted: readonly string[]) => boolean> =
  new Map<string, (value: string | undefined, wanted: readonly string[]) => boolean>([
    ["In", (value, wanted) => value !== undefined && wanted.includes(value)],
    ["NotIn", (value, wanted) => value === undefined || !wanted.includes(value)],
    ["Exists", (value) => value !== undefined],
    ["DoesNotExist", (value) => value === undefined],
    ["Gt", (value, [bound = ""]) => areIntegers(value, bound) && BigInt(value) > BigInt(bound)],
    ["Lt", (value, [bound = ""]) => areIntegers(value, bound) && BigInt(value) < BigInt(bound)],
  ]);

const areIntegers = (value: string | undefined, bound: string): value is string =>
  value !== undefined && INTEGER.test(value) && INTEGER.test(bound);

/** Never throws: an unknown operator does not match. */
function expression(asked: JsonObject, read: (node: AskedNode, key: string) => string | undefined): NodeTest {
  const [key, wanted] = [textAt(asked, "key"), textsAt(asked, "values")];
  const holds = OPERATORS.get(textAt(asked, "operator"));
  return (node) => holds?.(read(node, key), wanted) ?? false;
}

const labelOf = ({ labels }: AskedNode, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

const fieldOf = ({ name }: AskedNode, key: string): string | undefined =>
  key === "metadata.name" ? name : undefined;

function nodeTerm(term: JsonObject): NodeTest {
  const tests = [
    ...objectsAt(term, "matchExpressions").map((asked) => expression(asked, labelOf)),
    ...objectsAt(term, "matchFields").map((asked) => expression(asked, fieldOf)),
  ];
  return (node) => tests.length > 0 && tests.every((test) => test(node));
}

/** The required node terms; undefined: any node matches. */
export function requiredNode(spec: JsonObject): NodeTest | undefined {
  const selector = Object.entries(objectAt(spec, "nodeSelector") ?? {});
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  const required = objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  if (selector.length === 0 && required === undefined) return undefined;
  const terms = required && objectsAt(required, "nodeSelectorTerms").map(nodeTerm);
  return (node) =>
    selector.every(([key, value]) => labelOf(node, key) === value) &&
    (terms === undefined || terms.some((term) => term(node)));
}

export interface PreferredNode {
  readonly weight: number;
  readonly test: NodeTest;
}

/** The preferred node terms. An empty term matches each node. */
export function preferredNodes(spec: JsonObject): PreferredNode[] {
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  return objectsAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution").map((preferred) => ({
    weight: numberAt(preferred, "weight") ?? 0,
    test: nodeTerm(objectAt(preferred, "preference") ?? {}),
  }));
}
