/** What is too deep, too long or too often: a limit holds it, and others are served. See also `endless-responses`. */
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valueAt } from '../../../internal/framework/base/json/json-value.ts';
import { groupResource } from '../../../internal/framework/kube/object/resource-type.ts';
import { instanceMappingTypes } from '../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { eventually } from '../../environment/eventually.ts';
import { inFaultEnvironment } from '../faults/fault-environment.ts';
import { expectBystanderServed } from './bystander.ts';
import { forwardTo, startTlsServer } from './tls-server.ts';

const mappingKinds = [instanceMappingTypes, kymaInstanceMappingTypes]
  .flatMap(({ cluster, namespaced }) => [cluster, namespaced])
  .map(groupResource)
  .toSorted();

test.concurrent(
  'a maintenance page with a Retry-After of a day closes a watch for a minute',
  inFaultEnvironment(async (environment) => {
    const { kubeconfig, token } = environment.account;
    const { server } = environment.planes.management;
    const authority = valueAt(parse(kubeconfig), ['clusters', '0', 'cluster', 'certificate-authority-data']);
    const forward = forwardTo(server, Buffer.from(String(authority), 'base64').toString());
    const gateway = await startTlsServer((request, response) => {
      if (!/\/(kyma)?instancemappings\?/.test(request.url ?? '')) return forward(request, response);
      response
        .writeHead(503, { 'content-type': 'text/html', 'retry-after': '86400' })
        .end('<h1>Maintenance</h1>');
    });
    environment.onStop(gateway.close);
    const provider = await environment.run({ kubeconfig: gateway.kubeconfig(token) });
    // The informer's own test holds that it tries again then.
    await eventually(() => {
      const failed = provider.logged('the watch failed');
      expect(failed.map(({ resource }) => resource).toSorted()).toEqual(mappingKinds);
      for (const { retryInMs } of failed) expect(retryInMs).toBe(60_000);
    });
  }),
);

/** Close to the largest that a Secret can hold. */
const SIZE = 900_000;
const good = 'current-context: x\ncontexts: []\n';
const attacks: Record<string, string> = {
  'nested sequences': '['.repeat(SIZE),
  'nested mappings': '{a: '.repeat(SIZE / 4),
  'nested blocks': '- '.repeat(SIZE / 2),
  'many keys': good + Array.from({ length: SIZE / 10 }, (_, n) => `k${n}: v\n`).join(''),
  'many keys, not too large': good + Array.from({ length: 20_000 }, (_, n) => `k${n}: v\n`).join(''),
  'a server of slashes': `server: https://x/${'/'.repeat(SIZE)}x`,
};

test.concurrent(
  'kubeconfigs that are slow to parse are refused, and others are served meanwhile',
  inFaultEnvironment(async (environment) => {
    const provider = await environment.run({ args: ['--poll=1s'] });
    const hostile = await Promise.all(
      Object.values(attacks).map(async (kubeconfig) => {
        const scenario = await environment.scenario();
        await scenario.applyKubeconfig({ kubeconfig });
        await scenario.create();
        return scenario;
      }),
    );
    await expectBystanderServed(environment, provider);
    for (const scenario of hostile) {
      const { message } = await scenario.untilReason('Synced', 'ReconcileError');
      expect(message).toContain('kubeconfig is refused');
    }
    await expectBystanderServed(environment, provider);
  }),
);
