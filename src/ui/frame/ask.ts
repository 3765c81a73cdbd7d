// Requests of the page. What the server refuses is thrown as the Status that it answered with.
import { signal } from "@preact/signals";

/** A metav1.Status, as far as people are shown it. */
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
  /** Left out: JSON. A text goes as it is. */
  readonly type?: string;
  readonly accept?: string;
  /** Shown as that of the user, in the place of the page's cookie. */
  readonly token?: string;
  readonly signal?: AbortSignal | undefined;
}

const FORBIDDEN = 403;

/** How often the server has said that the user may not do something: what was known of his rights may be so no more. */
export const forbidden = signal(0);

/** The answer as JSON; undefined for one without a body. Throws Refused, and a Refused of code 0 where nobody answers. */
export async function ask<T>(path: string, question: Question = {}): Promise<T> {
  const text = await (await send(path, question)).text();
  return (text === "" ? undefined : JSON.parse(text)) as T; // whoever asks knows the form
}

/** The same for an answer that is a text, such as YAML. */
export async function askText(path: string, question: Question = {}): Promise<string> {
  const answer = await send(path, { accept: "application/yaml", ...question });
  return answer.text();
}

async function send(
  path: string,
  { method = "GET", body, type = "application/json", accept = "application/json", token, signal }: Question,
): Promise<Response> {
  // The header says that the page asks: a form of another site cannot set it.
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
