// One operation of the API, in a form from which both OpenAPI 3.0 and Swagger 2.0 are written.
import type { Parameter } from "./parameters.ts";

export const METHODS = ["get", "put", "post", "delete", "patch"] as const;

export type Method = (typeof METHODS)[number];

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** What a Kubernetes client calls it: list, post, deletecollection … */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  /** All of them, those of the path included. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: string; readonly required: boolean };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Name of the schema by status code. 401 is understood. */
  readonly responses: Readonly<Record<number, string>>;
}

export interface PathItem {
  readonly path: string;
  readonly operations: readonly Operation[];
}

export const RESPONSE_DESCRIPTION: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

/** Parameters that all operations of a path have stand with the path. Both lists are in the order of names. */
export function splitParameters({ operations }: PathItem): {
  readonly common: readonly Parameter[];
  own(operation: Operation): readonly Parameter[];
} {
  const [first, ...others] = operations;
  const shared = new Set(
    first?.parameters.filter((item) => others.every((other) => other.parameters.includes(item))),
  );
  return {
    common: sortByName([...shared]),
    own: (operation) => sortByName(operation.parameters.filter((item) => !shared.has(item))),
  };
}

function sortByName(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}
