// Every request as a line of the log, beside whoever else is told of requests.
import type { RequestObserver, RequestRecord } from "../apiserver/request-hooks.ts";
import type { Log } from "./log.ts";

/** The observer itself where requests are not logged. */
export function loggedRequests(observer: RequestObserver, { debug }: Log): RequestObserver {
  if (debug === undefined) return observer;
  return {
    add: (record) => {
      observer.add(record);
      debug(fieldsOf(record), record.stage === "complete" ? "request" : `watch ${record.stage}`);
    },
  };
}

function fieldsOf(record: RequestRecord): Readonly<Record<string, unknown>> {
  const { info, method, url, user, userAgent, status, startedMs, endedMs, cause, revision } = record;
  return {
    verb: info.verb || method.toLowerCase(),
    path: url,
    user,
    status,
    ms: endedMs - startedMs,
    userAgent,
    ...(cause === "" ? {} : { fault: cause }),
    ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
  };
}
