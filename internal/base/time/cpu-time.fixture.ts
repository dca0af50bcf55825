/** Processor time that this process takes for `work`, in ms: unlike time on a clock, other processes do not add to it. */
export function cpuTimeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
