/** The set-up of a take-over: SAP's operator leaves objects, and this provider runs until each is settled. */
import { expect } from '@jest/globals';
import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { eventually } from '../../../environment/eventually.ts';
import type { BtpEnvironment } from '../btp-environment.ts';
import { changesOf, finalCondition } from './outcome.ts';

/** Starts this provider, ends it as Kubernetes does when `until` resolves, and expects that it ends without an error. */
export async function runUntil(
  environment: BtpEnvironment,
  until: () => Promise<unknown>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const provider = await environment.start(env);
  await until();
  provider.signal('SIGTERM');
  expect(await provider.gone).toBe('it ended with 0');
}

export interface TakeOverOptions<T> {
  readonly environment: BtpEnvironment;
  readonly phases: readonly { readonly name: string; readonly result: string }[];
  readonly find: (name: string) => Promise<T | undefined>;
  /** Expects more than the result of an object that still exists. */
  readonly expectSettled?: (found: T) => void;
  /** Called when all have their results. `after`: the last request of SAP's operator. */
  readonly finish?: (after: number) => Promise<void>;
}

export interface TakeOver {
  /** Requests of this provider that change something in Service Manager for one object, in their order. */
  changesOf(name: string, id: string | undefined): string[];
}

/** Runs this provider until the object of each phase has its result. */
export async function takeOver<T extends ServiceInstance | ServiceBinding>({
  environment,
  phases,
  find,
  expectSettled,
  finish,
}: TakeOverOptions<T>): Promise<TakeOver> {
  const { simulator } = environment;
  const after = simulator.requests().at(-1)?.id ?? 0;
  const untilSettled = ({ name, result }: (typeof phases)[number]) =>
    eventually(
      async () => {
        const found = await find(name);
        expect([name, finalCondition(found)]).toEqual([name, result]);
        if (found !== undefined) expectSettled?.(found);
      },
      { timeoutMs: 120_000 },
    );
  const untilFinished = async () => {
    await Promise.all(phases.map(untilSettled));
    await finish?.(after);
  };
  await runUntil(environment, untilFinished, { INITIAL_CLUSTER_ID: 'cluster-1' });
  return { changesOf: (name, id = '') => changesOf(simulator, { after, ids: [id], name }) };
}
