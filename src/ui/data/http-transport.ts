// Transport of a browser. Watches use WebSockets, which the limit of parallel HTTP/1.1 connections does not cover; other
// requests use fetch. A failed WebSocket handshake exposes no reason, so the same request is repeated by fetch.
import { isObject, objectAt, objectsAt, parsedJson, textAt } from "../../apimachinery/json/json.ts";
import { type Failure, failureIn } from "./kind-table.ts";
import type { Transport } from "./kind-watch.ts";
import type { Kind } from "./records.ts";

/** Collection path of each kind. */
export const PATHS: Readonly<Record<Kind, string>> = {
  namespaces: "/api/v1/namespaces",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/pods",
  services: "/api/v1/services",
  egressips: "/apis/k8s.ovn.org/v1/egressips",
  egressservices: "/apis/k8s.ovn.org/v1/egressservices",
  cloudprivateipconfigs: "/apis/cloud.network.openshift.io/v1/cloudprivateipconfigs",
};

const IDENTITY = "/api/v1/namespaces/kube-system";
const NORMAL_CLOSURE = 1000;
const NOBODY: Failure = { code: 0, message: "" };

/** Opens a watch of any path; the returned function closes it. */
export const openWatch = (
  path: string,
  query: string,
  told: Parameters<Transport["watch"]>[2],
): (() => void) => {
  const url = new URL(`${path}?${query}`, location.origin);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  let isOpened = false;
  const ended = new AbortController();
  const { signal } = ended;
  socket.addEventListener(
    "open",
    () => {
      isOpened = true;
      told.opened();
    },
    { signal },
  );
  socket.addEventListener("message", ({ data }) => told.frame(String(data)), { signal });
  socket.addEventListener(
    "close",
    async ({ code }) => {
      if (isOpened) told.closed(code === NORMAL_CLOSURE ? undefined : NOBODY);
      else {
        const failure = await whyRefused(path, query, signal);
        if (!signal.aborted) told.closed(failure);
      }
    },
    { signal },
  );
  return () => {
    ended.abort();
    socket.close();
  };
};

export const httpTransport: Transport = {
  watch: (kind, query, told) => openWatch(PATHS[kind], query, told),

  identity(told) {
    const ended = new AbortController();
    const ask = async () => {
      const { failure, object } = await get(IDENTITY, ended.signal);
      if (!ended.signal.aborted) told(failure ?? textAt(objectAt(object, "metadata"), "uid"));
    };
    void ask();
    return () => ended.abort();
  },

  async list(kind, revision) {
    const query = `resourceVersion=${revision}&resourceVersionMatch=Exact`;
    const { failure, object } = await get(`${PATHS[kind]}?${query}`);
    return failure ?? objectsAt(object, "items");
  },
};

/** Repeats a rejected watch as a list, to read the Status. A list at the revision of the watch also detects 410 Gone. */
async function whyRefused(path: string, query: string, signal: AbortSignal): Promise<Failure> {
  const asked = new URLSearchParams(query);
  const list = new URLSearchParams({ limit: "1" });
  const [revision, selector] = [asked.get("resourceVersion"), asked.get("fieldSelector")];
  if (selector !== null) list.set("fieldSelector", selector);
  if (revision !== null) {
    list.set("resourceVersion", revision);
    list.set("resourceVersionMatch", "Exact");
  }
  const { failure } = await get(`${path}?${list}`, signal);
  return failure ?? { code: 502, message: "The server is there, but does not let a WebSocket through." };
}

/** Returns the JSON body, or the failure. */
export async function get(path: string, signal?: AbortSignal) {
  try {
    const response = await fetch(path, {
      ...(signal ? { signal } : {}),
      headers: { accept: "application/json" },
    });
    const read = parsedJson(await response.text());
    const object = isObject(read) ? read : undefined;
    return { object, failure: response.ok ? undefined : failureIn(object, response.status) };
  } catch {
    return { failure: NOBODY };
  }
}
