// Notifies listeners when a server of this process first serves: by then V8 has compiled what a start needs.
const listeners: (() => void)[] = [];

/** Listeners are called in the order of registration. */
export function onceServing(listener: () => void): void {
  listeners.push(listener);
}

export function serving(): void {
  for (const listener of listeners.splice(0)) listener();
}
