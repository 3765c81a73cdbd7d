// Whoever has loaded the code hears when a server of this process has started for the first time: by then V8 has compiled
// what a start needs.
const listeners: (() => void)[] = [];

/** They are told in the order in which they asked. */
export function onceServing(listener: () => void): void {
  listeners.push(listener);
}

export function serving(): void {
  for (const listener of listeners.splice(0)) listener();
}
