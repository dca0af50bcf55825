/**
 * SIGKILL before and after each request that writes, in the life of a Runtime. The next process completes what was begun: one Shoot
 * for each Runtime that stays, and none for those that were deleted.
 */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { eventually } from '../../environment/eventually.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { serviceAccountToken } from '../harness/access/service-account.ts';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import type { ProxiedRequest } from '../harness/api-proxy/proxy-rules.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { type ModuleEnvironment, NAMESPACE, startModuleEnvironment } from './module-environment.ts';

type Phase = 'creation' | 'change' | 'deletion';

interface Step {
  readonly phase: Phase;
  readonly title: string;
  readonly at: 'management' | 'garden';
  readonly sends: (request: ProxiedRequest) => boolean;
}

const writes = (method: string, part: string) => (request: ProxiedRequest) =>
  request.method === method && request.path.includes(part) && !request.path.endsWith('/status');
const status = ({ method, path }: ProxiedRequest) => method === 'PUT' && path.endsWith('/status');

const steps: readonly Step[] = [
  { phase: 'creation', title: 'the finalizer', at: 'management', sends: writes('PUT', '/runtimes') },
  { phase: 'creation', title: 'the first condition', at: 'management', sends: status },
  { phase: 'creation', title: 'the creation of the Shoot', at: 'garden', sends: writes('POST', '/shoots') },
  { phase: 'change', title: 'the update of a worker pool', at: 'garden', sends: writes('PUT', '/shoots') },
  { phase: 'change', title: 'the patch of the Shoot', at: 'garden', sends: writes('PATCH', '/shoots') },
  { phase: 'change', title: 'the condition', at: 'management', sends: status },
  { phase: 'deletion', title: 'the confirmation', at: 'garden', sends: writes('PATCH', '/shoots') },
  { phase: 'deletion', title: 'the deletion of the Shoot', at: 'garden', sends: writes('DELETE', '/shoots') },
  {
    phase: 'deletion',
    title: 'the removal of the finalizer',
    at: 'management',
    sends: writes('PUT', '/runtimes'),
  },
];
const points = steps.flatMap((step, index) =>
  (['before', 'after'] as const).map((when) => ({ ...step, when, name: `k${index}-${when}` })),
);
const of = (phase: Phase) => points.filter((point) => point.phase === phase);

let environment: ModuleEnvironment;
let proxies: Readonly<Record<Step['at'], ApiProxy>>;
let provider: ProviderProcess;

beforeAll(async () => {
  environment = await startModuleEnvironment('kcp-kill');
  const { plane, garden } = environment;
  const proxied = async (access: typeof garden) =>
    startApiProxy(
      editKubeconfig(access.kubeconfig, {
        credentials: { token: await serviceAccountToken(access, uniqueName('killed')) },
      }),
    );
  const [management, ofGarden] = await Promise.all([proxied(plane), proxied(garden)]);
  proxies = { management, garden: ofGarden };
  await start();
}, 120_000);
afterAll(async () => {
  await environment?.stop();
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
});

async function start(): Promise<void> {
  const { management, garden } = proxies;
  provider = await environment.start({ management: management.kubeconfig, garden: garden.kubeconfig });
}

/** Lets the phase begin for all its Runtimes, kills the process when each hangs at its step, and starts another one. */
async function killIn(phase: Phase, begin: (name: string) => Promise<void>): Promise<void> {
  const held = of(phase).map(({ at, name, sends, when }) => ({
    name,
    rule: proxies[at].add({
      on: (request) => sends(request) && `${request.path} ${request.body}`.includes(name),
      first: 1,
      do: { kind: 'hold', when },
    }),
  }));
  for (const { name } of held) await begin(name);
  await eventually(
    () => expect(held.filter(({ rule }) => rule.hits() === 0).map(({ name }) => name)).toEqual([]),
    {
      timeoutMs: 30_000,
    },
  );
  await provider.kill();
  for (const proxy of Object.values(proxies)) proxy.resume();
  await start();
}

const shootNames = async () => {
  const { client, namespace } = environment.project;
  return (await client.list(shoots, { namespace })).items.map(({ metadata }) => metadata.name).sort();
};

test('while Runtimes are created', async () => {
  await killIn('creation', (name) => environment.create(name));
  const names = of('creation').map(({ name }) => name);
  for (const name of names) await environment.completed(name);
  expect(await shootNames()).toEqual([...names].sort());
}, 120_000);

test('while Runtimes are changed', async () => {
  const names = of('change').map(({ name }) => name);
  for (const name of names) await environment.create(name);
  for (const name of names) await environment.completed(name);
  await killIn('change', (name) => environment.setPool(name, { maximum: 33 }));
  const { client, namespace } = environment.project;
  for (const name of names) {
    await eventually(async () => {
      const { spec } = await client.get(shoots, { namespace, name });
      expect(spec?.provider.workers?.map(({ maximum }) => maximum)).toEqual([33]);
      expect(await environment.provisioned(name)).toMatch(/^Pending True /);
    });
  }
}, 120_000);

test('while Runtimes are deleted', async () => {
  const names = of('deletion').map(({ name }) => name);
  for (const name of names) await environment.create(name);
  for (const name of names) await environment.completed(name);
  await killIn('deletion', (name) => environment.objects.delete(runtimes, { namespace: NAMESPACE, name }));
  for (const name of names) {
    await eventually(
      async () =>
        expect(await environment.objects.find(runtimes, { namespace: NAMESPACE, name })).toBeUndefined(),
      { timeoutMs: 60_000 },
    );
  }
  const left = points.filter(({ phase }) => phase !== 'deletion').map(({ name }) => name);
  expect(await shootNames()).toEqual([...left].sort());
  expect(environment.project.errors).toEqual([]);
}, 180_000);
