// The thread that reads one file of an import. It posts objects as lines of JSON, in portions: each is posted after the one before
// was acknowledged, so that neither side holds more than it must.
import type { MessagePort } from "node:worker_threads";
import { encodeJson } from "../meta/json-encode.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { SourceLimits } from "../sources/limits.ts";
import { StartError } from "./errors.ts";
import { type ReadSources, readSources } from "./import-sources.ts";

/** What the thread is started with. */
export interface ReadOrder {
  readonly path: string;
  readonly limits: SourceLimits;
}

export type ReadReport =
  /** Whole lines; the next portion is sent once a message comes. */
  | { readonly lines: Uint8Array<ArrayBuffer> }
  | { readonly done: ReadSources["skipped"] }
  /** Why nothing can be read. */
  | { readonly refused: string }
  | { readonly mistake: string };

const PORTION_CHARACTERS = 256 * 1024;

export async function serveReading(port: MessagePort, { path, limits }: ReadOrder): Promise<void> {
  const report = (message: ReadReport, moved: ArrayBuffer[] = []) => port.postMessage(message, moved);
  try {
    const { objects, skipped } = await readSources([path], undefined, limits);
    for (const lines of portionsOf(objects)) {
      const asked = new Promise((resolve) => port.once("message", resolve));
      report({ lines }, [lines.buffer]);
      await asked;
    }
    report({ done: skipped });
  } catch (error) {
    if (error instanceof StartError) report({ refused: error.message });
    else report({ mistake: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function* portionsOf(objects: readonly KubeObject[]): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
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
