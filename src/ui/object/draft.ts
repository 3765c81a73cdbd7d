// An edited text beside the object on the server: checked by a dry run, applied, and kept when the object changes on the
// server. An unedited text follows the server.
import { signal } from "@preact/signals";
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { type Finding, findingsOf } from "./findings.ts";
import { atVersion, scalarAt } from "./object-text.ts";

export type Check =
  | { readonly state: "unchanged" | "changed" | "asking" | "applied" }
  /** The object that the server would store. */
  | { readonly state: "passed"; readonly result: string }
  /** A conflict has no findings; `theirs` has the present object. */
  | { readonly state: "refused"; readonly status: ToldStatus; readonly findings: readonly Finding[] };

export interface TextEditor {
  text(): string;
  setText(text: string): void;
  setFindings(findings: readonly Finding[]): void;
}

/** Requests of a draft. The promises reject with Refused. */
export interface DraftServer {
  read(): Promise<string>;
  check(text: string): Promise<string>;
  apply(text: string): Promise<void>;
}

export class Draft {
  readonly check = signal<Check>({ state: "unchanged" });
  /** The text on the server when the edit began. */
  readonly base = signal("");
  /** The present text on the server, if it differs from the base of an edit. */
  readonly theirs = signal<string | undefined>(undefined);
  /** The text before the draft followed the server; undefined after the first edit. */
  readonly before = signal<string | undefined>(undefined);
  readonly #server: DraftServer;
  #editor: TextEditor | undefined;

  constructor(server: DraftServer, text: string) {
    this.#server = server;
    this.base.value = text;
  }

  /** Connects the editor, which shows the base. */
  open(editor: TextEditor): void {
    this.#editor = editor;
  }

  get text(): string {
    return this.#editor?.text() ?? this.base.value;
  }

  /** Called after each change of the text, by the user or by setText(). */
  typed(): void {
    const isEdited = this.text !== this.base.value;
    if (isEdited) this.before.value = undefined;
    if (isEdited) this.check.value = { state: "changed" };
    else if (this.check.value.state !== "applied") this.check.value = { state: "unchanged" };
  }

  /** Takes the present text from the server. */
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
      const isEdited = this.text !== text; // edited during the request
      this.#set(isEdited ? atVersion(this.text, versionOf(now)) : now, now);
      this.before.value = undefined;
      this.check.value = { state: isEdited ? "changed" : "applied" };
    });
  }

  undo(): void {
    const now = this.theirs.value ?? this.base.value;
    this.#set(now, now);
  }

  /** Rebases the edit onto the present version: applying it overwrites the changes on the server. */
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
