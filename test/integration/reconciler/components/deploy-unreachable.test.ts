/** Clusters that cannot be reached, and that never answer. */
import { expect, test } from '@jest/globals';
import { forFile } from '../../harness/for-file.ts';
import { configMap, configMaps, startDeployEnvironment } from './deploy-environment.ts';

const environment = forFile(startDeployEnvironment);

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

test('[R55] a cluster that cannot be reached is an error that names it', async () => {
  const component = environment.component({ server: 'https://127.0.0.1:1' });
  await expect(component.deploy(configMap('never'))).rejects.toMatchObject({
    kind: 'transient',
    message: expect.stringContaining('on cluster 127.0.0.1:1: '),
  });
});

test('a cluster that never answers does not hold up a cancelled deployment', async () => {
  const component = environment.component({
    wrapTransport: (transport) => ({ ...transport, call: ({ signal }) => aborted(signal) }),
  });
  const controller = new AbortController();
  const deployment = component.deploy(configMap('never'), { signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(deployment).rejects.toThrow('cancelled');
});

test('a cluster that never answers does not hold up another one', async () => {
  const hung = environment.component({
    wrapTransport: (transport) => ({ ...transport, call: ({ signal }) => aborted(signal) }),
  });
  const controller = new AbortController();
  const waiting = Array.from({ length: 20 }, () =>
    hung.deploy(configMap('never'), { signal: controller.signal }).catch(() => 'cancelled'),
  );
  const other = environment.component();
  await other.deploy(configMap('other'));
  expect(
    await environment.objects.find(configMaps, { namespace: other.namespace, name: 'other' }),
  ).toBeDefined();
  controller.abort(new Error('cancelled'));
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['cancelled']));
});
