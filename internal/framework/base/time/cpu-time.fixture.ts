/** CPU time of this process for `work`, in ms. Unlike wall time, it does not depend on other processes. */
export function cpuTimeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
