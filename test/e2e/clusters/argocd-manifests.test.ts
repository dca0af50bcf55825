import { expect, test } from '@jest/globals';
import { nodeManifests } from './argocd-manifests.ts';

const ARGOCD = 'quay.io/argoproj/argocd:v3.2.11';
const REDIS = 'public.ecr.aws/docker/library/redis:8-alpine';

const workload = (name: string, pod: object) => ({
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas: 1, template: { metadata: {}, spec: pod } },
});
const copyutil = { image: ARGOCD, command: ['/bin/cp', '-n', '/usr/local/bin/argocd', '/var/run/argocd'] };
const secretInit = { image: ARGOCD, command: ['argocd', 'admin', 'redis-initial-password'] };
const redis = { image: REDIS, args: ['--save', ''] };
const server = {
  image: ARGOCD,
  args: ['/usr/local/bin/argocd-repo-server'],
  env: [{ name: 'A', value: 'b' }],
};

test('each component is started by its name, without what needs a shell', () => {
  const documents = [
    workload('argocd-redis', { initContainers: [secretInit], containers: [redis] }),
    workload('argocd-repo-server', { initContainers: [copyutil], containers: [server] }),
  ];
  expect(nodeManifests(documents)).toEqual({
    images: { argocd: ARGOCD, redis: REDIS },
    objects: [
      workload('argocd-redis', { initContainers: [secretInit], containers: [redis] }),
      workload('argocd-repo-server', {
        initContainers: [],
        containers: [
          {
            image: ARGOCD,
            command: ['/usr/local/bin/argocd'],
            args: [],
            env: [
              { name: 'A', value: 'b' },
              { name: 'ARGOCD_BINARY_NAME', value: 'argocd-repo-server' },
            ],
          },
        ],
      }),
    ],
  });
});

test('the component for ApplicationSets is left out, and their definition is not', () => {
  const definition = { kind: 'CustomResourceDefinition', metadata: { name: 'applicationsets.argoproj.io' } };
  const used = workload('argocd-redis', { containers: [redis, server] });
  const documents = [
    definition,
    workload('argocd-applicationset-controller', { containers: [server] }),
    used,
  ];
  const names = nodeManifests(documents).objects.map((object) => (object as typeof used).metadata.name);
  expect(names).toEqual(['applicationsets.argoproj.io', 'argocd-redis']);
});

test('manifests of another kind are refused', () => {
  expect(() => nodeManifests([])).toThrow('name no images of Argo CD and Redis');
});
