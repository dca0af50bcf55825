/** CPU time of this process for `work`, in ms. Unlike wall time, it does not depend on other processes. */
export function cpuTimeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (isMutated() ? 10 : 1);
}

/** Mutation tests count each expression that runs: code that reads characters takes ten times as long. */
const isMutated = () => '__stryker__' in globalThis;
