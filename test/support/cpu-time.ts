/** Processor time of this process in milliseconds. Unlike wall-clock time it excludes the work of other processes. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
