// What the body of a control call says: a value, or Kubernetes objects, in JSON or YAML. A large one is read in another
// thread, as it would hold the server's.
import { parse } from "yaml";
import { badRequest, StatusError } from "../meta/status.ts";
import { inThisThread, type Job, type Workers } from "../workers/job.ts";
import { readDocuments } from "./transfer/documents.ts";

/** One value, or objects in as many documents as there are. */
type BodyForm = "value" | "objects";

interface ReadOrder {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;
}

type ReadOutcome = { readonly value: unknown } | { readonly refused: string };

/** A text of this size takes about 10 ms to read. */
const SMALL_BYTES_MAX = 32 * 1024;

/** Rejects with 400 for what cannot be read, and with 413, 429 and 504. */
export async function readControlBody(bytes: Uint8Array, form: BodyForm, workers: Workers): Promise<unknown> {
  const reader = bytes.length > SMALL_BYTES_MAX ? workers : inThisThread;
  const outcome = await reader.run(readControlBodyJob, { bytes, form });
  if ("refused" in outcome) throw badRequest(outcome.refused);
  return outcome.value;
}

export const readControlBodyJob: Job<ReadOrder, ReadOutcome> = {
  name: "readControlBody",
  run: ({ bytes, form }) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
    return form === "objects" ? readObjects(text) : readValue(text);
  },
};

function readObjects(text: string): ReadOutcome {
  try {
    return { value: readDocuments(text) };
  } catch (error) {
    if (error instanceof StatusError) return { refused: error.message };
    throw error;
  }
}

/** JSON is YAML, and one reader gives one kind of error. */
function readValue(text: string): ReadOutcome {
  try {
    return { value: parse(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { refused: `the body is neither JSON nor YAML: ${why}` };
  }
}
