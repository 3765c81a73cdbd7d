// A resource in configuration files of a server: "deployments.apps", "secrets", "*.apps", "*." for all of the core
// group, "*.*".

export interface GroupResource {
  /** "" for the core group. */
  readonly group: string;
  readonly resource: string;
}

export function groupResource(text: string): GroupResource {
  const cut = text.indexOf(".");
  return cut < 0
    ? { group: "", resource: text }
    : { group: text.slice(cut + 1), resource: text.slice(0, cut) };
}
