/** Runs tasks in their order, so many at a time. A task that fails ends the program. */
export function startWorkers(workers: number): (task: () => Promise<void>) => void {
  const backlog: (() => Promise<void>)[] = [];
  let busy = 0;
  const next = async (): Promise<void> => {
    const task = busy < workers ? backlog.shift() : undefined;
    if (task === undefined) return;
    busy++;
    await task();
    busy--;
    void next();
  };
  return (task) => {
    backlog.push(task);
    void next();
  };
}
