/**
 * What listens to a signal stops listening at its end: the signal of a caller, a server or the process lives longer, and each listener
 * that stays keeps what it refers to. A listener with a name is removed by that name in its file, as often as it is added.
 */
const CHANGE = /(add|remove)EventListener\('abort', (\w+)?/g;
const CHECKED = /^internal\/.*(?<!\.test|\.fixture)\.ts$/;

/** Listeners that stay, since they end with their signal, or are as few as the parts of the program. */
const STAYING: ReadonlyMap<string, string> = new Map([
  ['internal/framework/controller/controllers.ts', 'one for each controller, for its life'],
  ['internal/framework/controller/gate/gated-kinds.ts', 'one for the process'],
  ['internal/framework/kube/client/request-sender.ts', 'the signal is that of a watch, and ends with it'],
  ['internal/framework/kube/events/event-broadcaster.ts', 'at the end of the process'],
  ['internal/framework/kube/fakes/fake-cache.ts', 'a fake'],
  ['internal/framework/process/manager.ts', 'one for each part of the program, for its life'],
  [
    'internal/systems/reconciler/components/charts/rendering/chart-jobs.ts',
    'it releases what is held until the end',
  ],
  ['internal/systems/reconciler/components/charts/sources/source-http.ts', 'the signal also ends the body'],
  ['internal/systems/reconciler/mothership/dispatch/create-worker-pool.ts', 'at the end of the process'],
  ['internal/systems/reconciler/mothership/program/api-server.ts', 'one for a server'],
]);

/** @param files texts by path @returns a line for each file */
export function checkAbortListeners(files: ReadonlyMap<string, string>): string[] {
  const problems = [...files].flatMap(([path, text]) => {
    if (!CHECKED.test(path)) return [];
    const counts = new Map<string, number>();
    for (const [, verb, name = 'a function without a name'] of text.matchAll(CHANGE))
      counts.set(name, (counts.get(name) ?? 0) + (verb === 'add' ? 1 : -1));
    const staying = [...counts].filter(([, count]) => count > 0).map(([name]) => name);
    if (staying.length > 0 === STAYING.has(path)) return [];
    return staying.length === 0
      ? [`${path}: all its listeners are removed; take it out of hack/checks/abort-listeners.ts`]
      : [`${path}: ${staying.join(' and ')} is never removed from the signal it listens to`];
  });
  return problems;
}
