// A text that is being edited, beside what the server holds: checked by it (a dry run), applied, and kept when the object changes
// elsewhere. What nobody has edited follows the server.
import { signal } from "@preact/signals";
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { type Finding, findingsOf } from "./findings.ts";
import { atVersion, scalarAt } from "./object-text.ts";

export type Check =
  | { readonly state: "unchanged" | "changed" | "asking" | "applied" }
  /** What it would come to. */
  | { readonly state: "passed"; readonly result: string }
  /** A conflict has no findings: what is there now is told beside it. */
  | { readonly state: "refused"; readonly status: ToldStatus; readonly findings: readonly Finding[] };

/** What the text is edited in. */
export interface TextEditor {
  text(): string;
  setText(text: string): void;
  setFindings(findings: readonly Finding[]): void;
}

/** How the server is asked. All throw Refused. */
export interface DraftServer {
  read(): Promise<string>;
  check(text: string): Promise<string>;
  apply(text: string): Promise<void>;
}

export class Draft {
  readonly check = signal<Check>({ state: "unchanged" });
  /** What the text was, before anybody edited it. */
  readonly base = signal("");
  /** What is there now, where that is another than the base of what is edited. */
  readonly theirs = signal<string | undefined>(undefined);
  /** What was there before the text followed the server, until somebody edits it. */
  readonly before = signal<string | undefined>(undefined);
  readonly #server: DraftServer;
  #editor: TextEditor | undefined;

  constructor(server: DraftServer, text: string) {
    this.#server = server;
    this.base.value = text;
  }

  /** The editor shows the base. */
  open(editor: TextEditor): void {
    this.#editor = editor;
  }

  get text(): string {
    return this.#editor?.text() ?? this.base.value;
  }

  /** Somebody has typed, or the text was set. */
  typed(): void {
    const isEdited = this.text !== this.base.value;
    if (isEdited) this.before.value = undefined;
    if (isEdited) this.check.value = { state: "changed" };
    else if (this.check.value.state !== "applied") this.check.value = { state: "unchanged" };
  }

  /** The object is so now. */
  follow(text: string): void {
    if (text === this.base.value) {
      this.theirs.value = undefined;
      return;
    }
    if (this.text !== this.base.value) {
      this.theirs.value = text;
      if (this.check.value.state === "passed") this.check.value = { state: "changed" };
      return;
    }
    this.before.value = this.base.value;
    this.#set(text, text);
  }

  async ask(): Promise<void> {
    const { text } = this;
    await this.#try(text, async () => {
      this.check.value = { state: "passed", result: await this.#server.check(text) };
    });
  }

  async apply(): Promise<void> {
    const { text } = this;
    await this.#try(text, async () => {
      await this.#server.apply(text);
      const now = await this.#server.read();
      const isEdited = this.text !== text; // while it was on its way
      this.#set(isEdited ? atVersion(this.text, versionOf(now)) : now, now);
      this.before.value = undefined;
      this.check.value = { state: isEdited ? "changed" : "applied" };
    });
  }

  undo(): void {
    const now = this.theirs.value ?? this.base.value;
    this.#set(now, now);
  }

  /** The edited text goes on from what is there now, and overwrites it when it is applied. */
  keepMine(): void {
    const theirs = this.theirs.value;
    if (theirs !== undefined) this.#set(atVersion(this.text, versionOf(theirs)), theirs);
  }

  #set(text: string, base: string): void {
    this.base.value = base;
    this.theirs.value = undefined;
    if (this.text !== text) this.#editor?.setText(text);
    this.#editor?.setFindings([]);
    this.typed();
  }

  async #try(text: string, act: () => Promise<void>): Promise<void> {
    this.check.value = { state: "asking" };
    try {
      await act();
      this.#editor?.setFindings([]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status } = error;
      const isConflict = status.reason === "Conflict";
      const findings = isConflict ? [] : findingsOf(status, text);
      this.#editor?.setFindings(findings);
      if (isConflict) this.theirs.value = await this.#server.read();
      this.check.value = { state: "refused", status, findings };
    }
  }
}

const versionOf = (text: string): string => scalarAt(text, "metadata.resourceVersion");
