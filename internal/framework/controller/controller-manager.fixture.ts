import type { LeaderElector } from '../base/concurrency/fence.ts';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { type Logger, nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createManager, type ManagerOptions } from '../process/manager.ts';
import { createController } from './controller.ts';
import { createControllers } from './controllers.ts';
import { done, type Reconcile } from './reconcile-result.ts';
import type { Source } from './sources/source.ts';

export function createFakeElector() {
  const elected = Promise.withResolvers<void>();
  let lose: () => void = () => undefined;
  const log: string[] = [];
  const elector: LeaderElector = {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        elected.promise.then(resolve, reject);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    onLost: (fn) => {
      lose = fn;
    },
    assertLeading: () => undefined,
    release: async () => void log.push('released'),
  };
  return { elector, log, elect: () => elected.resolve(), lose: () => lose() };
}

export function setup(options: Partial<ManagerOptions> = {}) {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const lines: string[] = [];
  /** The address of every endpoint, from the log. */
  const served: unknown[] = [];
  const log: Logger = {
    ...nopLogger,
    info: (message, fields) => {
      if (message === 'serving') served.push(fields?.address);
      else lines.push(`${message} ${String(fields?.controller ?? '')}`.trim());
    },
    error: (message) => void lines.push(message),
    child: () => log,
  };
  const process = createManager({
    clock,
    log,
    metrics: { contentType: 'text/plain', text: async () => 'metrics\n' },
    metricsAddress: '0',
    healthAddress: '127.0.0.1:0',
    ...options,
  });
  const manager = { ...process, ...createControllers({ manager: process, clock, log }) };
  const stop = new AbortController();
  const addController = (name: string, reconcile: Reconcile = async () => done, source?: Partial<Source>) => {
    const controller = createController({
      name,
      sources: [
        {
          start: () => () => undefined,
          hasSynced: () => true,
          whenSynced: async () => undefined,
          ...source,
        },
      ],
      reconcile,
      clock,
      log: nopLogger,
      metrics,
    });
    manager.addController(controller);
    return controller;
  };
  const settle = async () => {
    for (let i = 0; i < 5; i++) await clock.advance(0);
  };
  const ready = async () => {
    const response = await fetch(`http://${manager.addresses().health}/readyz`);
    return [response.status, await response.text()] as const;
  };
  /** Runs until the endpoints listen. */
  const start = async () => {
    const outcome = manager.run(stop.signal);
    outcome.catch(() => undefined);
    while (manager.addresses().health === undefined) await settle();
    await settle();
    return { outcome };
  };
  return { clock, metrics, lines, served, manager, stop, addController, settle, ready, start };
}

/** A reconcile that lasts until it is aborted. */
export const lastingUntilAborted =
  (onAbort: (reason: unknown) => void = () => undefined): Reconcile =>
  (_, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        onAbort(signal.reason);
        reject(signal.reason);
      }),
    );
