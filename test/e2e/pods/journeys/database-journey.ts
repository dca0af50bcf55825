import { tool } from '../../../environment/tool.ts';
import { until } from '../../e2e-context.ts';
import { hold } from '../../hold.ts';
import { externalState, holdContracts } from '../chain/external-systems.ts';
import type { PodsOptions } from '../pods-options.ts';
import type { Clone } from './clone.ts';

const PAGE = 'examples/composition/README.md';
const DATABASE = ['hanadatabase/orders', '--namespace=team-shop'];

const kubectl = (...args: string[]) => tool('kubectl', args);

/** The chain by its page: one database, one binding, one mapping. */
export async function composeDatabase(options: PodsOptions, clone: Clone): Promise<void> {
  await clone.follow(PAGE, 'kubectl wait function', {
    only: /functions\.yaml|wait function|create namespace/,
  });
  await clone.follow(PAGE, 'orders-parameters', { replace: { '<password>': 'not-a-real-one' } });
  await kubectl('wait', ...DATABASE, '--for=condition=Ready', '--timeout=5m');
  const { instances, bindings, mappings } = await externalState(options);
  hold(
    instances.length === 2 && bindings.length === 1 && mappings.length === 1,
    `there is ${JSON.stringify({ instances, bindings, mappings })}`,
  );
}

/** All of it is gone, also in Service Manager and HANA Cloud. */
export async function deleteDatabase(options: PodsOptions): Promise<void> {
  await kubectl('delete', ...DATABASE, '--timeout=5m');
  await until(async () => {
    const { instances, bindings, mappings } = await externalState(options);
    hold(instances.length + bindings.length + mappings.length === 0, 'there is something left');
  });
  await kubectl('delete', 'namespace', 'team-shop', '--timeout=5m');
  await holdContracts(options);
}
