/** The process ends at any request: the next attempt brings the cluster to the same state, with nothing left over. */
import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import type { Transport } from '../../../../internal/framework/kube/transport/transport.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { forFile } from '../../harness/for-file.ts';
import {
  configMap,
  configMaps,
  serviceAccounts,
  services,
  startDeployEnvironment,
  type TestComponent,
} from './deploy-environment.ts';

const environment = forFile(startDeployEnvironment);

/** `lost`: the last request is not sent. `unanswered`: it takes effect, and its response is lost. */
type End = 'lost' | 'unanswered';

/** Ends all requests with the one of this number. */
function endingAt(number: number, end: End) {
  const controller = new AbortController();
  let count = 0;
  const wrapTransport = (transport: Transport): Transport => ({
    ...transport,
    call: async (request, maxBytes) => {
      controller.signal.throwIfAborted();
      const isLast = ++count === number;
      if (isLast && end === 'lost') controller.abort(new Error('the process ends'));
      controller.signal.throwIfAborted();
      const response = await transport.call(request, maxBytes);
      if (isLast) controller.abort(new Error('the process ends'));
      controller.signal.throwIfAborted();
      return response;
    },
  });
  return { wrapTransport, signal: controller.signal };
}

/** The objects of a component in the namespace `default`, in which their names are unique. */
function manifests(name: string) {
  const account = `
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${name} }
`;
  const service = (port: number) => `
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: web }, ports: [{ port: ${port} }] }
`;
  return {
    first: `${account}${service(80)}${configMap(`${name}-a`)}${configMap(`${name}-gone`)}`,
    second: `${service(81)}${configMap(`${name}-a`, { key: 'new' })}${configMap(`${name}-b`)}`,
  };
}

/** What there is of a component, without what depends on time. */
async function stateOf({ name, inventory }: TestComponent) {
  const { objects } = environment;
  const found: KubeObject[] = [];
  for (const type of [configMaps, services, serviceAccounts])
    found.push(
      ...(await objects.list(type, 'default')).filter(({ metadata }) => metadata.name.startsWith(name)),
    );
  const plain = found.map((object) => {
    const { kind: _, metadata, ...others } = object;
    const spec = Object.fromEntries(
      Object.entries('spec' in others && typeof others.spec === 'object' ? { ...others.spec } : {}).filter(
        ([field]) => !field.startsWith('clusterIP'),
      ),
    );
    const { labels, annotations } = metadata;
    return { ...others, spec, name: metadata.name, labels, annotations };
  });
  return JSON.parse(JSON.stringify({ plain, inventory: await inventory() }).replaceAll(name, 'NAME'));
}

/** Ends `action` at each of its requests in turn. Returns the states after `again`, one for each request. */
async function endAtEach(
  end: End,
  before: (component: TestComponent, name: string) => Promise<void>,
  action: (component: TestComponent, name: string, signal: AbortSignal) => Promise<void>,
  again: (component: TestComponent, name: string) => Promise<void>,
) {
  const states: unknown[] = [];
  for (let number = 1; ; number++) {
    const name = uniqueName('crash');
    const component = environment.component({ name, namespace: '' });
    await before(component, name);
    const { wrapTransport, signal } = endingAt(number, end);
    const ended = environment.component({ name, namespace: '', wrapTransport });
    const result = await action(ended, name, signal).then(
      () => 'done',
      () => 'ended',
    );
    await again(component, name);
    states.push(await stateOf(component));
    if (result === 'done' && !signal.aborted) return states;
  }
}

describe.each<End>(['lost', 'unanswered'])('a process whose last request is %s', (end) => {
  test('an update that ended at any request is completed by the next attempt', async () => {
    const states = await endAtEach(
      end,
      (component, name) => component.deploy(manifests(name).first),
      (component, name, signal) => component.deploy(manifests(name).second, { signal }),
      (component, name) => component.deploy(manifests(name).second),
    );
    expect(states.length).toBeGreaterThan(8);
    expect(new Set(states.map((state) => JSON.stringify(state))).size).toBe(1);
    expect(states[0]).toMatchObject({
      inventory: ['ConfigMap NAME-a', 'ConfigMap NAME-b', 'Service NAME'],
      plain: [{ name: 'NAME-a', data: { key: 'new' } }, { name: 'NAME-b' }, { name: 'NAME' }],
    });
  });

  test('an installation that ended at any request is removed without a trace, whatever the chart has by then', async () => {
    const states = await endAtEach(
      end,
      async () => undefined,
      (component, name, signal) => component.deploy(manifests(name).first, { signal }),
      (component, name) => component.remove(manifests(name).second),
    );
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(new Set(['{"plain":[]}']));
  });

  test('a removal that ended at any request is completed by the next attempt', async () => {
    const states = await endAtEach(
      end,
      (component, name) => component.deploy(manifests(name).first),
      (component, name, signal) => component.remove(manifests(name).second, { signal }),
      (component, name) => component.remove(manifests(name).second),
    );
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(new Set(['{"plain":[]}']));
  });
});
