/** What this process has computed so far, in milliseconds: other than a clock it stands still while others compute. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
