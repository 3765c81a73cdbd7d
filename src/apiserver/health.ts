// /healthz, /livez and /readyz with their single checks, as a real server lists them.
import type { ApiRequest, ApiResponse } from "./api-request.ts";
import { textResponse } from "./api-request.ts";

export interface HealthCheck {
  readonly name: string;
  /** Left out: every endpoint asks it. */
  readonly only?: "readyz";
  /** undefined: fine; else what is wrong. */
  check(): string | undefined;
}

const ENDPOINTS = ["healthz", "livez", "readyz"];

/** Answers a health path; undefined when the path is none. */
export function handleHealth(checks: readonly HealthCheck[], request: ApiRequest): ApiResponse | undefined {
  const [, endpoint = "", ...rest] = request.path.split("/");
  if (!ENDPOINTS.includes(endpoint)) return undefined;
  const asked = checks.filter((check) => check.only === undefined || check.only === endpoint);
  const single = rest.join("/");
  if (rest.length > 0 && single !== "") {
    const check = asked.find((item) => item.name === single);
    if (check === undefined) return undefined;
    const problem = check.check();
    return problem === undefined
      ? textResponse(200, "ok")
      : textResponse(500, `internal server error: ${problem}\n`);
  }
  const excluded = new Set(request.query.all("exclude"));
  return report(endpoint, asked, excluded, request.query.has("verbose"));
}

function report(
  endpoint: string,
  checks: readonly HealthCheck[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): ApiResponse {
  const lines: string[] = [];
  let failed = false;
  for (const { name, check } of checks) {
    const problem = excluded.has(name) ? undefined : check();
    if (excluded.has(name)) lines.push(`[+]${name} excluded: ok`);
    else if (problem === undefined) lines.push(`[+]${name} ok`);
    else {
      lines.push(`[-]${name} failed: ${problem}`);
      failed = true;
    }
  }
  if (failed) return textResponse(500, `${lines.join("\n")}\n${endpoint} check failed\n`);
  return textResponse(200, verbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok");
}
