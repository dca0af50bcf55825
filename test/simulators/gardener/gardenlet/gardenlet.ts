/**
 * Plays scheduler and gardenlet: it binds Shoots to a seed, takes their operations through stages, and makes what
 * `adminkubeconfig` needs. It works by the API alone, with a real gardener-apiserver as with the simulated one.
 */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import type { Clock } from '../../../../internal/framework/base/time/clock.ts';
import type { KubeClient } from '../../../../internal/framework/kube/client/client.ts';
import { isNotFound } from '../../../../internal/framework/kube/errors/errors.ts';
import type { OperationType } from '../kinds.ts';
import { operationOf, statusOf } from './shoot-status.ts';
import { createShootWrites, type ShootAuthority } from './shoot-writes.ts';
import { createStageRules, type Stage, type StageRules } from './stages.ts';

/** Where the API server of a Shoot is, and who signed its certificate. */
export interface ShootApiServer {
  readonly url: string;
  readonly ca: string;
}

export interface GardenletOptions {
  readonly client: KubeClient;
  /** Sets `spec.seedName` by the subresource `binding`. */
  readonly bind: (shoot: Shoot, seedName: string) => Promise<void>;
  readonly clock: Clock;
  /** Name of the project, without `garden-`. */
  readonly project: string;
  /** Signs the clients of Shoots. */
  readonly authority: ShootAuthority;
  /** The seed of a Shoot; undefined: none, and the Shoot stays as it is. */
  readonly seedOf: (shoot: Shoot) => string | undefined;
  /** Whether it handles the Shoot; default: each one. */
  readonly handles?: (shoot: Shoot) => boolean;
  /** Default: a server that does not exist, at `api.<name>.<project>.example.org`. */
  readonly apiServerOf?: (shoot: Shoot) => ShootApiServer;
  /** Milliseconds between stages; default 0. */
  readonly stageMs?: number;
  /** Told of what fails, other than for a Shoot that is gone or changed meanwhile. */
  readonly report: (error: unknown) => void;
}

export interface Gardenlet {
  readonly rules: StageRules;
  /** May be changed at any time; Infinity: operations go on by `step` only. */
  stageMs: number;
  /** Takes one Shoot on by one stage. */
  step(name: string): Promise<void>;
  /** Begins an operation of its own, as in the maintenance window. */
  begin(name: string): Promise<void>;
  /** Resolves when it handles nothing at the moment. */
  stop(): Promise<void>;
}

interface Running {
  readonly operation: OperationType;
  readonly generation: number;
  readonly stages: readonly Stage[];
  /** Of the stage that is written next. */
  next: number;
}

export function startGardenlet(options: GardenletOptions): Gardenlet {
  const { client, clock, project, authority, seedOf, handles = () => true, report } = options;
  const namespace = `garden-${project}`;
  const apiServerOf =
    options.apiServerOf ??
    (({ metadata: { name } }: Shoot) => ({
      url: `https://api.${name}.${project}.example.org`,
      ca: authority.certificate,
    }));
  const writes = createShootWrites({ ...options, namespace });
  const rules = createStageRules();
  const running = new Map<string, Running>();
  const queues = new Map<string, Promise<void>>();
  const timers = new Map<string, () => void>();
  const forced = new Set<string>();
  const stopping = new AbortController();

  /** The operation to go on with; undefined if there is nothing to do. */
  const currentOf = (shoot: Shoot): Running | undefined => {
    const { name, generation = 1 } = shoot.metadata;
    const operation = operationOf(shoot);
    const known = running.get(name);
    if (known?.operation === operation && known.generation === generation && !forced.has(name)) return known;
    // An operation that another gardenlet began, or that ended, is not begun again.
    const { observedGeneration = 0, lastOperation } = shoot.status ?? {};
    const { type, state = '' } = lastOperation ?? {};
    // A creation that succeeded is followed by a reconcile when there is a change.
    const isSame = type === operation || (operation === 'Reconcile' && state === 'Succeeded');
    const isDone = observedGeneration >= generation && isSame && !['Pending', 'Processing'].includes(state);
    if (isDone && !forced.has(name)) return undefined;
    forced.delete(name);
    const begun = { operation, generation, stages: rules.stagesOf(name, operation), next: 0 };
    running.set(name, begun);
    return begun;
  };

  const advance = async (name: string): Promise<void> => {
    const key = { namespace, name };
    let shoot = await client.get(shoots, key);
    const before = currentOf(shoot);
    if (before === undefined) return;
    const [first] = before.stages;
    if (before.operation === 'Create' && before.next === 0 && first?.description === undefined) {
      shoot = await writes.accept(shoot, seedOf(shoot));
    }
    // Binding is a change of the spec.
    const current = { ...before, generation: shoot.metadata.generation ?? 1 };
    running.set(name, current);
    const stage = current.stages[current.next];
    if (stage === undefined) return;
    const isWell = stage.state === 'Succeeded';
    const server = apiServerOf(shoot);
    if (isWell && current.operation !== 'Delete') await writes.authorities(shoot, server.ca);
    const context = { project, operation: current.operation, stage, now: clock.now(), apiServer: server.url };
    await client.mergePatch(shoots, key, { status: statusOf(shoot, context) }, { subresource: 'status' });
    current.next += 1;
    if (isWell && current.operation === 'Delete') {
      running.delete(name);
      await writes.remove(name);
    } else if (current.next < current.stages.length) schedule(name);
  };

  /** One at a time for each Shoot. */
  const enqueue = (name: string): Promise<void> => {
    const work = async () => {
      if (stopping.signal.aborted) return;
      try {
        await advance(name);
      } catch (error) {
        if (isNotFound(error)) return void running.delete(name);
        if (!stopping.signal.aborted) report(error);
      }
    };
    const queued = (queues.get(name) ?? Promise.resolve()).then(work);
    queues.set(name, queued);
    return queued;
  };
  const schedule = (name: string): void => {
    if (gardenlet.stageMs === Number.POSITIVE_INFINITY || timers.has(name)) return;
    const fire = () => {
      timers.delete(name);
      void enqueue(name);
    };
    timers.set(name, clock.after(gardenlet.stageMs, fire));
  };

  const follow = async (): Promise<void> => {
    const { signal } = stopping;
    while (!signal.aborted) {
      try {
        for await (const { type, object } of client.watch(shoots, { namespace, signal })) {
          if (type === 'ADDED' || type === 'MODIFIED') wake(object);
        }
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        await new Promise<void>((resolve) => clock.after(100, resolve));
      }
    }
  };
  /** Begins what is new; what runs goes on by its timer. */
  const wake = (shoot: Shoot): void => {
    const { name, generation = 1 } = shoot.metadata;
    if (!handles(shoot)) return;
    const known = running.get(name);
    if (known?.operation === operationOf(shoot) && known.generation === generation) return;
    if (known !== undefined && generation < known.generation) return;
    schedule(name);
  };

  const gardenlet: Gardenlet = {
    rules,
    stageMs: options.stageMs ?? 0,
    step: (name) => enqueue(name),
    begin: (name) => {
      forced.add(name);
      return enqueue(name);
    },
    stop: async () => {
      stopping.abort();
      for (const cancel of timers.values()) cancel();
      await Promise.all([following, ...queues.values()]);
    },
  };
  const following = follow();
  return gardenlet;
}
