// The process that reads one file of an import. It sends objects as lines of JSON, in portions. Each portion waits
// for the acknowledgement of the one before, which bounds memory on both sides.
import process from "node:process";
import { encodeJson } from "../apimachinery/json/json-encode.ts";
import { setLevelsMax } from "../apimachinery/meta/max-nesting-depth.ts";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import type { SourceLimits } from "../features/import/sources/limits.ts";
import { StartError } from "./errors.ts";
import { type ReadSources, readSources } from "./import-sources.ts";

/** The first message to the process. */
export interface ReadOrder {
  readonly path: string;
  readonly limits: SourceLimits;
  /** Maximum nesting depth of a value. */
  readonly levels: number;
}

export type ReadReport =
  /** Whole lines; the next portion follows an acknowledgement. */
  | { readonly lines: Uint8Array }
  | { readonly done: ReadSources["skipped"] }
  /** Why the file cannot be read. */
  | { readonly refused: string }
  | { readonly mistake: string };

const PORTION_CHARACTERS = 256 * 1024;

export async function serveReading(): Promise<void> {
  const { path, limits, levels } = (await message()) as ReadOrder;
  setLevelsMax(levels);
  try {
    const { objects, skipped } = await readSources([path], undefined, limits);
    for (const lines of portionsOf(objects)) {
      const asked = message();
      report({ lines });
      await asked;
    }
    report({ done: skipped });
  } catch (error) {
    if (error instanceof StartError) report({ refused: error.message });
    else report({ mistake: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

const message = (): Promise<unknown> => new Promise((resolve) => process.once("message", resolve));

const report = (told: ReadReport): boolean | undefined => process.send?.(told);

function* portionsOf(objects: readonly KubeObject[]): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let text = "";
  for (const object of objects) {
    text += `${encodeJson(object)}\n`;
    if (text.length < PORTION_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}
