// The only functions through which commands print. Data of objects, files and servers must not send control characters
// to a terminal. Machine-readable output is unchanged unless it goes to a terminal.
import process from "node:process";
import { shown } from "../apimachinery/meta/terminal-text.ts";

/** Text for people. */
export const print = (text: string): void => void process.stdout.write(shown(text));

/** Text for people whose parts have passed `shown` before styling. */
export const printStyled = (text: string): void => void process.stdout.write(text);

/** JSON, YAML, CSV, XML and scripts: unchanged in a file or a pipe. */
export const printDocument = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY === true ? shown(text) : text);

/** Text for people, on standard error. */
export const printError = (text: string): void => void process.stderr.write(shown(text));

/** Egret's own control sequences, on standard error, which must be a terminal. */
export const drawProgress = (sequence: string, text: string): void =>
  void process.stderr.write(sequence + shown(text));
