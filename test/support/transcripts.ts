// Reads console blocks of documents: a line with the command, followed by its output.

export interface Transcript {
  /** Without "node dist/main.js". */
  readonly command: string;
  readonly printed: string;
}

export function transcriptsIn(document: string): Transcript[] {
  const consoles = [...document.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  return consoles.flatMap((block) =>
    [...block.matchAll(/^\$ node dist\/main\.js (.*)\n([\s\S]*?)(?=^\$|(?![\s\S]))/gm)].map(
      ([, command = "", printed = ""]) => ({ command, printed }),
    ),
  );
}
