import { test } from '@jest/globals';
import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../internal/framework/kube/fakes/memory-client.ts';
import { leases } from '../../../internal/framework/kube/object/resource-type.ts';
import { contractCases } from './cases.ts';
import type { ContractServer } from './contract-case.ts';
import { clusterWidgets, contractConfigMaps, contractWidgets } from './kinds.ts';

function memoryServer(): ContractServer {
  const clock = createFakeClock();
  const client = createMemoryClient({
    clock,
    kinds: [contractWidgets, clusterWidgets, contractConfigMaps, leases],
  });
  let namespaces = 0;
  return {
    client,
    namespace: 'shop',
    newNamespace: async () => `shop-${++namespaces}`,
    expiredVersion: async () => {
      const { resourceVersion } = await client.list(contractWidgets);
      await client.create(contractConfigMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'other', name: 'later' },
      });
      client.expireWatches();
      return resourceVersion;
    },
    pass: (ms) => clock.advance(ms),
  };
}

test.each(contractCases)('$title', ({ run }) => run(memoryServer()));
