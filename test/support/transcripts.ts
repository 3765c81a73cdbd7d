// What documents show of the command: in blocks of a console, a line with what was asked, and what was printed.

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
