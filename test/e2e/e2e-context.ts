import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiRequest } from '../../hack/control-planes/access/api-request.ts';
import { type Objects, objectsOf } from '../environment/objects.ts';

/** A cluster with its admin's credentials. */
export interface Cluster {
  readonly name: string;
  readonly request: ApiRequest;
  readonly objects: Objects;
}

export const clusterOf = (name: string, request: ApiRequest): Cluster => ({
  name,
  request,
  objects: objectsOf({ name, request }),
});

/** The context of the steps that need no pods; on kind, or on bare control planes with the programs beside them. */
export interface E2eContext {
  /** Where Crossplane and the provider are. */
  readonly management: Cluster;
  /** Where the databases are used; on kind the same. */
  readonly kyma: Cluster;
  /** How the provider reaches the Kyma cluster: its address as the provider sees it, and its CA (PEM). */
  readonly kymaAddress: { readonly server: string; readonly ca: string };
  /** Calls the simulator's admin endpoint: `/state`. Throws on an error status. */
  readonly simulator: (path: string, method?: 'GET' | 'DELETE') => Promise<unknown>;
  /** The built package.yaml. */
  readonly packageYaml: string;
}

/** One step. It throws if the step fails. */
export interface Step<C = E2eContext> {
  readonly title: string;
  run(context: C): Promise<void>;
}

/** Milliseconds: pods of a fresh cluster pull images first. */
const TIMEOUT_MS = 300_000;

/** Tries until it no longer throws, for minutes if need be. @param intervalMs between attempts */
export async function until<T>(attempt: () => Promise<T>, intervalMs = 500): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await sleep(intervalMs);
  }
}
