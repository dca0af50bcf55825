import { expect } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { Crd } from '../../environment/install-crds.ts';
import { sumIn } from '../../environment/metrics-page.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';

/** `works`: ready and working; else the remark, or why it is not ready. */
export type KindStates = Readonly<Record<string, string>>;

/** The state of each controller on /readyz. */
async function kindStates(provider: ProviderProcess): Promise<KindStates> {
  const { body } = await provider.get('/readyz');
  return Object.fromEntries(
    body.split('\n').flatMap((line) => {
      const [, check = '', rest = ''] = /^\[[+-]\]((?:managed|providerconfig)\/\S+) (.*)$/.exec(line) ?? [];
      return check === '' ? [] : [[check, rest === 'ok' ? 'works' : rest.replace(/^ok: /, '')]];
    }),
  );
}

/** Waits until the process is ready, and its controllers have the given states. */
export async function untilKinds(provider: ProviderProcess, wanted: KindStates): Promise<void> {
  await eventually(
    async () => {
      expect(await kindStates(provider)).toMatchObject(wanted);
      expect(await provider.get('/readyz')).toMatchObject({ status: 200 });
    },
    { timeoutMs: 90_000 },
  );
}

/** The name of the controller of a CRD's kind. */
export function controllerOf({ spec: { group, names } }: Crd): string {
  const sort = names.kind.endsWith('ProviderConfig') ? 'providerconfig' : 'managed';
  return `${sort}/${names.kind}.${group}`.toLowerCase();
}

/** A metric of one controller, the sum over its results; undefined where there is none. */
export async function controllerMetric(
  provider: ProviderProcess,
  metric: string,
  controller: string,
): Promise<number | undefined> {
  const { body } = await provider.get('/metrics');
  return sumIn(body, metric, `controller="${controller}"`);
}
