// Raw import of objects of another cluster, used by `egret import`. One import runs at a time.

import type { Clock } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { internalServerError, StatusError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { accessForbidden } from "../../apiserver/authorization/access-check.ts";
import { flag, LINES_TYPE, type LinesRequest, WholeAnswer } from "../control-surface/control-route.ts";
import { Arrivals } from "./arrivals.ts";
import { type LayInDeps, type LayInOptions, restoreRaw } from "./raw-restore.ts";
import type { ImportReport } from "./report.ts";

export interface StandingImportsDeps extends LayInDeps {
  /** The clock of the reported duration: real time. */
  readonly realClock: Clock;
}

export class StandingImports {
  readonly #deps: StandingImportsDeps;

  constructor(deps: StandingImportsDeps) {
    this.#deps = deps;
  }

  /**
   * Writes objects unchanged, with uid, times and status. It bypasses validation and replaces objects of the same
   * names. Controllers restart and resync afterwards. Resolves when everything is written; rejects with StoreError.
   */
  async import(objects: Iterable<Readonly<KubeObject>>, options: LayInOptions = {}): Promise<ImportReport> {
    const arrivals = new Arrivals();
    for (const object of objects) {
      arrivals.add(object);
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    }
    return this.restoreRaw(arrivals, options);
  }

  async restoreRaw(arrivals: Arrivals, options: LayInOptions = {}): Promise<ImportReport> {
    const { realClock } = this.#deps;
    const startMs = realClock.now();
    const report = await restoreRaw(arrivals, this.#deps, options);
    return { ...report, seconds: Math.round((realClock.now() - startMs) / 100) / 10 };
  }
}

export const IMPORT_LINES_QUERY = {
  secrets: flag("Of lines: Secrets are taken, too.", { default: false }),
  webhooks: flag("Of lines: configurations of webhooks are taken, too, though nobody answers them here.", {
    default: false,
  }),
  progress: flag("Of lines: the answer is lines that tell how far it has come; the last one is the report.", {
    default: false,
  }),
};

const EVERYTHING =
  "objects as they stood are written beside all checks: that needs somebody who may do everything";

/** Imports one object per line. Requires the permission to do everything. */
export async function importLines(
  imports: StandingImports,
  { raw, caller, lines }: LinesRequest,
): Promise<ImportReport | WholeAnswer> {
  const { query, method, path } = raw;
  if (!caller.mayDoEverything())
    throw accessForbidden({ type: "path", user: caller.user, verb: method.toLowerCase(), path }, EVERYTHING);
  const arrivals = await arrived(lines);
  const options = { secrets: query.flag("secrets"), webhooks: query.flag("webhooks") };
  if (!query.flag("progress")) return imports.restoreRaw(arrivals, options);
  return told((onProgress) => imports.restoreRaw(arrivals, { ...options, onProgress }));
}

export async function arrived(lines: AsyncIterable<Uint8Array>): Promise<Arrivals> {
  const arrivals = new Arrivals();
  let number = 0;
  for await (const line of lines) {
    number++;
    arrivals.addLine(line, `line ${number}`);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return arrivals;
}

type Tell = (done: number, total: number) => void;

/** The work continues when the client disconnects. */
export function told(work: (tell: Tell) => Promise<ImportReport>): WholeAnswer {
  return new WholeAnswer({
    status: 200,
    headers: { "content-type": LINES_TYPE },
    body: async (sink) => {
      const write = (value: object) => void sink.write(Buffer.from(`${JSON.stringify(value)}\n`));
      try {
        write({ report: await work((done, total) => write({ done, total })) });
      } catch (error) {
        const known = error instanceof StatusError ? error : internalServerError(String(error), error);
        write({ error: known.status });
      }
    },
  });
}
