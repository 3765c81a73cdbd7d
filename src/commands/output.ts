// All that commands print passes one of these functions. What objects, files and servers hold must not reach a terminal as
// control characters; what programs read stays exact wherever it does not go to a terminal.
import process from "node:process";
import { shown } from "../meta/terminal-text.ts";

/** Text for people. */
export const print = (text: string): void => void process.stdout.write(shown(text));

/** Text for people, of parts that were passed through `shown` before they got their colours. */
export const printStyled = (text: string): void => void process.stdout.write(text);

/** JSON, YAML, CSV, XML and scripts: exact in a file or a pipe. */
export const printDocument = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY === true ? shown(text) : text);

/** For people, on the standard error output. */
export const printError = (text: string): void => void process.stderr.write(shown(text));

/** Own control sequences, on the standard error output, which is a terminal then. */
export const drawProgress = (sequence: string, text: string): void =>
  void process.stderr.write(sequence + shown(text));
