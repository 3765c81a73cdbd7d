// Export and import as one object, for tests in the same process and for the routes.
import type { Client } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type ExportDeps, type ExportOptions, exportObjects } from "./export.ts";
import { type ImportDeps, type ImportedObject, type ImportOptions, importObjects } from "./import.ts";
import { readDocuments } from "./read-documents.ts";

export class Transfer {
  readonly #deps: ExportDeps & ImportDeps;

  constructor(deps: ExportDeps & ImportDeps) {
    this.#deps = deps;
  }

  /** Throws a 400 for a kind that is not served. */
  export(options: ExportOptions = {}): Promise<Readonly<KubeObject>[]> {
    return exportObjects(this.#deps, options);
  }

  /**
   * Applies objects, or a text of them, with the rights of the client, or those of the server. What is refused is told
   * in the result; a text that cannot be read is a 400.
   */
  async import(
    objects: string | readonly KubeObject[],
    options: ImportOptions = {},
    client?: Client,
  ): Promise<ImportedObject[]> {
    const list = typeof objects === "string" ? readDocuments(objects) : objects;
    const reader = this.#deps.client;
    return importObjects({ ...this.#deps, reader, client: client ?? reader }, list, options);
  }
}
