import { isDeepStrictEqual } from 'node:util';
import { until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { podsContext } from '../pods-context.ts';
import type { PodsOptions } from '../pods-options.ts';

/** The simulators of the chain as the API server sees them: the ports of their Service. */
const PROXY = '/api/v1/namespaces/sap-btp/services/https:simulators';

/** A port of the Service. */
export type System = 'sm' | 'hana-cloud';

/** Calls the admin API of a simulator. */
export async function ask(
  options: PodsOptions,
  system: System,
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'PATCH'; readonly body?: object } = {},
): Promise<unknown> {
  const { management } = await podsContext(options);
  const request = { method, ...(body === undefined ? {} : { body }) };
  const answer = await management.request(`${PROXY}:${system}/proxy/_simulator${path}`, request);
  hold(answer.status === 200, `the simulator answers ${method} ${path} with ${answer.status}`);
  return answer.body;
}

/** What exists in Service Manager and HANA Cloud, each list in order. */
export interface ExternalState {
  /** `<name>=<ID>`: an instance that is lost and made again has another ID. */
  readonly instances: readonly string[];
  readonly bindings: readonly string[];
  /** `<instance>/<cluster ID>/<namespace>` */
  readonly mappings: readonly string[];
  /** Creates that were answered with success since the start. */
  readonly creates: number;
}

export async function externalState(options: PodsOptions): Promise<ExternalState> {
  const state = (await ask(options, 'sm', '/state')) as Record<'instances' | 'bindings', readonly Named[]>;
  const { instances } = (await ask(options, 'hana-cloud', '/state')) as {
    readonly instances: Readonly<Record<string, readonly { primaryID: string; secondaryID?: string }[]>>;
  };
  const named = (list: readonly Named[]) => list.map(({ name, id }) => `${name}=${id}`).sort();
  const mappings = Object.entries(instances).flatMap(([id, list]) =>
    list.map(({ primaryID, secondaryID = '' }) => `${id}/${primaryID}/${secondaryID}`),
  );
  const creates = await Promise.all([
    successful(options, 'sm', 'createInstance'),
    successful(options, 'sm', 'createBinding'),
    successful(options, 'hana-cloud', 'create'),
  ]);
  return {
    instances: named(state.instances),
    bindings: named(state.bindings),
    mappings: mappings.sort(),
    creates: creates.reduce((sum, count) => sum + count, 0),
  };
}

interface Named {
  readonly name: string;
  readonly id: string;
}

async function successful(options: PodsOptions, system: System, route: string): Promise<number> {
  const requests = (await ask(options, system, `/requests?route=${route}`)) as { status?: number }[];
  return requests.filter(({ status = 0 }) => status >= 200 && status < 300).length;
}

/** @throws if a request was against the contract of its API */
export async function holdContracts(options: PodsOptions): Promise<void> {
  for (const system of ['sm', 'hana-cloud'] as const) {
    const { violations } = (await ask(options, system, '/state')) as { violations: readonly string[] };
    hold(violations.length === 0, violations.join('; '));
  }
}

/** Waits until the systems have what they had before, and nothing else. */
export const untilState = (options: PodsOptions, { creates: _, ...before }: ExternalState): Promise<void> =>
  until(async () => {
    const { creates: _, ...now } = await externalState(options);
    hold(isDeepStrictEqual(now, before), `there is ${JSON.stringify(now)}, not ${JSON.stringify(before)}`);
  });

/** How long each system takes for a request more, in ms. */
export async function setLatency(options: PodsOptions, latencyMs: number): Promise<void> {
  for (const system of ['sm', 'hana-cloud'] as const) {
    await ask(options, system, '/settings', { method: 'PATCH', body: { latencyMs } });
  }
}
