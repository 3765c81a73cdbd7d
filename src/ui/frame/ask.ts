// Requests of the web UI. A rejected request throws Refused with the server's Status.
import { signal } from "@preact/signals";

/** A metav1.Status, reduced to the fields that are shown. */
export interface ToldStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly field: string; readonly message: string }[];
}

export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: ToldStatus;

  constructor(status: ToldStatus) {
    super(status.message);
    this.status = status;
  }
}

export interface Question {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** Content type of the body, JSON by default. A string body is sent unchanged. */
  readonly type?: string;
  readonly accept?: string;
  /** Bearer token for authentication, instead of the session cookie. */
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

const FORBIDDEN = 403;

/** Number of 403 answers; each one may mean that the user's permissions have changed. */
export const forbidden = signal(0);

/** Returns the JSON answer; undefined for an empty body. Throws Refused, with code 0 if the server does not answer. */
export async function ask<T>(path: string, question: Question = {}): Promise<T> {
  const text = await (await send(path, question)).text();
  return (text === "" ? undefined : JSON.parse(text)) as T; // the caller knows the type
}

/** The same for a text answer such as YAML. */
export async function askText(path: string, question: Question = {}): Promise<string> {
  const answer = await send(path, { accept: "application/yaml", ...question });
  return answer.text();
}

async function send(
  path: string,
  { method = "GET", body, type = "application/json", accept = "application/json", token, signal }: Question,
): Promise<Response> {
  // The header prevents cross-site request forgery: a form of another site cannot set it.
  const headers: Record<string, string> = { Accept: accept, "X-Egret-UI": "1" };
  if (body !== undefined) headers["Content-Type"] = type;
  if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: text }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused({ code: 0, reason: "", message: "The server does not answer.", causes: [] });
  }
  if (answer.ok) return answer;
  if (answer.status === FORBIDDEN) forbidden.value++;
  throw new Refused(await statusOf(answer));
}

async function statusOf(answer: Response): Promise<ToldStatus> {
  const { status: code, statusText } = answer;
  const text = await answer.text();
  const plain = { code, reason: statusText, message: text || statusText, causes: [] };
  if (!(answer.headers.get("Content-Type") ?? "").includes("json")) return plain;
  const told: unknown = JSON.parse(text);
  if (typeof told !== "object" || told === null) return plain;
  const {
    reason = statusText,
    message = text,
    details,
  } = told as Partial<ToldStatus> & {
    readonly details?: { readonly causes?: ToldStatus["causes"] };
  };
  return { code, reason, message, causes: details?.causes ?? [] };
}
