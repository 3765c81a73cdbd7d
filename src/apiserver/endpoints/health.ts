// /healthz, /livez and /readyz with their individual checks, with the names, order and messages of a kube-apiserver.
import { type ApiRequest, type ApiResponse, textResponse } from "./api-request.ts";

export interface HealthCheck {
  readonly name: string;
  /** Absent: every endpoint includes the check. */
  readonly of?: readonly HealthEndpoint[];
  /** Returns the failure; undefined: healthy. */
  check(): string | undefined;
}

const ENDPOINTS = ["healthz", "livez", "readyz"] as const;
export type HealthEndpoint = (typeof ENDPOINTS)[number];

const isAskedBy = ({ of = ENDPOINTS }: HealthCheck, endpoint: HealthEndpoint): boolean =>
  of.includes(endpoint);

/** The paths of the endpoints and of their individual checks. */
export const healthPaths = (checks: readonly HealthCheck[]): string[] =>
  ENDPOINTS.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checks.filter((check) => isAskedBy(check, endpoint)).map(({ name }) => `/${endpoint}/${name}`),
  ]);

export const isHealthPath = (path: string): boolean =>
  ENDPOINTS.some((name) => path === `/${name}` || path.startsWith(`/${name}/`));

/** Handles /healthz, /livez and /readyz with their individual checks; undefined for another path. */
export function handleHealth(checks: readonly HealthCheck[], request: ApiRequest): ApiResponse | undefined {
  const [, first, ...rest] = request.path.split("/");
  const endpoint = ENDPOINTS.find((name) => name === first);
  if (endpoint === undefined) return undefined;
  const asked = checks.filter((check) => isAskedBy(check, endpoint));
  if (rest.length > 0) {
    const single = rest.join("/");
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
  let failed = false;
  const lines = checks.map(({ name, check }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok\n`;
    const problem = check();
    if (problem === undefined) return `[+]${name} ok\n`;
    failed = true;
    return `[-]${name} failed: ${problem}\n`;
  });
  if (failed) return textResponse(500, `${lines.join("")}${endpoint} check failed\n`);
  return textResponse(200, verbose ? `${lines.join("")}${endpoint} check passed\n` : "ok");
}
