/** Reconcilers that change workloads of their component: eventing, serverless, warden. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { valueAt } from '../../../../../internal/framework/base/json/json-value.ts';
import type { KubeObject } from '../../../../../internal/framework/kube/object/object.ts';
import { secrets } from '../../../../../internal/framework/kube/object/resource-type.ts';
import { eventing } from '../../../../../internal/systems/reconciler/components/reconcilers/eventing.ts';
import { example } from '../../../../../internal/systems/reconciler/components/reconcilers/example.ts';
import { serverless } from '../../../../../internal/systems/reconciler/components/reconcilers/serverless.ts';
import { warden } from '../../../../../internal/systems/reconciler/components/reconcilers/warden.ts';
import { eventually } from '../../../../environment/eventually.ts';
import { configMaps, deployments, serviceAccounts, services, typeOf } from '../deploy-environment.ts';
import type { ReconcilerEnvironment } from './reconciler-environment.ts';

/** The control plane must not be in use: namespaces have the names that they have in clusters. */
export const workloadTests = (environmentOf: () => ReconcilerEnvironment): void =>
  describe('eventing, serverless, warden', () => {
    const statefulSets = typeOf('apps', 'v1', 'StatefulSet');
    const daemonSets = typeOf('apps', 'v1', 'DaemonSet');
    const pods = typeOf('', 'v1', 'Pod');
    const clusterRoles = typeOf('rbac.authorization.k8s.io', 'v1', 'ClusterRole', false);
    const namespace = 'kyma-system';

    let environment: ReconcilerEnvironment;
    beforeAll(async () => {
      environment = environmentOf();
      await environment.namespace(namespace);
    });

    /** A workload with one container. */
    const workload = (
      kind: string,
      name: string,
      spec: object,
      pod: object = {},
    ): KubeObject & { spec: object } => ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace },
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
        template: {
          metadata: { labels: { 'app.kubernetes.io/name': name } },
          spec: { containers: [{ name: 'main', image: 'main:1' }], ...pod },
        },
        ...spec,
      },
    });

    describe('eventing', () => {
      const key = { name: 'eventing-nats', namespace };
      const deployNats = async (policy: string) => {
        const nats = workload('StatefulSet', key.name, {
          replicas: 2,
          podManagementPolicy: policy,
          serviceName: 'nats',
        });
        const labels = { 'app.kubernetes.io/name': 'nats' };
        const spec = {
          ...nats.spec,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
        };
        const created = await environment.objects.apply(statefulSets, { ...nats, spec });
        await eventually(async () => expect(await environment.objects.list(pods, namespace)).toHaveLength(2));
        return created.metadata.uid;
      };
      const chart = (podManagementPolicy: string) => ({
        values: { global: { jetstream: { podManagementPolicy } } },
      });

      test('the StatefulSet of NATS is replaced when its chart wants parallel pod management', async () => {
        await deployNats('OrderedReady');
        await eventing.preReconcile?.(environment.context({ component: 'eventing' }, chart('OrderedReady')));
        expect(await environment.objects.find(statefulSets, key)).toBeDefined();

        await eventing.preReconcile?.(environment.context({ component: 'eventing' }, chart('Parallel')));

        expect(await environment.objects.find(statefulSets, key)).toBeUndefined();
        expect(await environment.objects.list(pods, namespace)).toEqual([]);
      });

      test('one that has it stays, and none is no error', async () => {
        await eventing.preReconcile?.(environment.context({ component: 'eventing' }, chart('Parallel')));
        const uid = await deployNats('Parallel');

        await eventing.preReconcile?.(environment.context({ component: 'eventing' }, chart('Parallel')));

        expect((await environment.objects.get(statefulSets, key)).metadata.uid).toBe(uid);
        await environment.objects.delete(statefulSets, key);
      });
    });

    describe('warden', () => {
      const key = { name: 'warden-admission', namespace };
      const deployAdmission = (volumes: readonly string[]) =>
        environment.objects.apply(
          deployments,
          workload(
            'Deployment',
            key.name,
            { replicas: 0 },
            {
              containers: [
                {
                  name: 'other',
                  image: 'other:1',
                  volumeMounts: [{ name: 'certs', mountPath: '/other' }].slice(0, 0),
                },
                {
                  name: 'admission',
                  image: 'admission:0.9.0',
                  volumeMounts: volumes.map((name) => ({ name, mountPath: `/${name}` })),
                },
              ],
              volumes: volumes.map((name) => ({ name, emptyDir: {} })),
            },
          ),
        );
      const volumesOf = async () => {
        const live = await environment.objects.get(deployments, key);
        const pod = valueAt(live, ['spec', 'template', 'spec']);
        return [valueAt(pod, ['volumes']), valueAt(pod, ['containers', '1', 'volumeMounts'])].map((list) =>
          Array.isArray(list) ? list.map(({ name }) => name) : [],
        );
      };
      const run = (image: string) =>
        warden.preReconcile?.(
          environment.context({ component: 'warden' }, { values: { global: { admission: { image } } } }),
        );
      beforeEach(async () => {
        if (await environment.objects.find(deployments, key))
          await environment.objects.delete(deployments, key);
      });

      test('the volume of certificates is removed before an image without it, others stay', async () => {
        await run('registry/warden/admission:0.10.0');
        await deployAdmission(['cache', 'certs', 'data']);

        await run('registry/warden/admission:0.9.9');
        expect(await volumesOf()).toEqual([
          ['cache', 'certs', 'data'],
          ['cache', 'certs', 'data'],
        ]);
        await run('registry:5000/warden/admission:0.10.0');
        await run('registry:5000/warden/admission:0.10.0');

        expect(await volumesOf()).toEqual([
          ['cache', 'data'],
          ['cache', 'data'],
        ]);
      });
    });

    describe('serverless', () => {
      const registry = 'serverless-docker-registry';
      const run = async (random = () => 0) => {
        const context = { ...environment.context({ component: 'serverless', namespace }), random };
        await serverless.preReconcile?.(context);
        return context.configuration;
      };
      const service = (name: string, type: string, nodePort: number, port = 'http-registry') =>
        environment.objects.apply(services, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name, namespace },
          spec: { type, selector: { app: name }, ports: [{ name: port, port: 5000, nodePort }] },
        } as KubeObject);
      beforeEach(async () => {
        for (const type of [secrets, deployments, services])
          await environment.objects.deleteAll(type, namespace);
      });

      test('a first installation gets no values', async () => {
        expect(await run()).toEqual({});
      });

      test('credentials and the HTTP secret of the registry are kept', async () => {
        const data = Object.fromEntries(
          Object.entries({ username: 'user', password: '1', isInternal: 'true' }).map(([name, value]) => [
            name,
            Buffer.from(value).toString('base64'),
          ]),
        );
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'serverless-registry-config-default', namespace },
        };
        await environment.objects.apply(secrets, { ...secret, data } as KubeObject);
        const deployment = workload(
          'Deployment',
          registry,
          { replicas: 0 },
          {
            containers: [
              { name: 'main', image: 'registry:1', env: [{ name: 'REGISTRY_HTTP_SECRET', value: 'http' }] },
            ],
          },
        );
        await environment.objects.apply(deployments, deployment);
        const annotations = { spec: { template: { metadata: { annotations: { rollme: 'abcde' } } } } };
        await environment.objects.patch(deployments, { name: registry, namespace }, annotations);

        expect(await run()).toEqual({
          'dockerRegistry.username': 'user',
          'dockerRegistry.password': '1',
          'dockerRegistry.enableInternal': true,
          'docker-registry.rollme': 'abcde',
          'docker-registry.registryHTTPSecret': 'http',
        });
      });

      test('a node port of its own stays; one that others have is replaced by a free one', async () => {
        await service('other', 'NodePort', 32137, 'any');
        await service('another', 'LoadBalancer', 30000, 'any');
        const draws = [0, 0.5];
        expect(await run(() => draws.shift() ?? 0)).toEqual({ 'global.registryNodePort': 31383 });

        await service(registry, 'NodePort', 31000);
        expect(await run()).toEqual({ 'global.registryNodePort': 31000 });
      });

      test('without a free port the attempt fails', async () => {
        await service('other', 'NodePort', 32137, 'any');
        await service('another', 'NodePort', 30000, 'any');
        await expect(run(() => 0)).rejects.toThrow('no free node port');
      });

      test('objects of versions with Istio are deleted, others stay', async () => {
        const { objects } = environment;
        const meta = (name: string) => ({ metadata: { name, namespace } });
        const old = [
          [configMaps, { apiVersion: 'v1', kind: 'ConfigMap', ...meta(`${registry}-cert-patch`) }],
          [daemonSets, workload('DaemonSet', `${registry}-self-signed-cert`, {})],
          [
            serviceAccounts,
            { apiVersion: 'v1', kind: 'ServiceAccount', ...meta('serverless-self-signed-cert') },
          ],
          [
            clusterRoles,
            {
              apiVersion: 'rbac.authorization.k8s.io/v1',
              kind: 'ClusterRole',
              metadata: { name: 'serverless-self-signed-cert' },
            },
          ],
        ] as const;
        for (const [type, object] of old) await objects.apply(type, object);
        const kept = { apiVersion: 'v1', kind: 'ConfigMap', ...meta('kept') };
        await objects.apply(configMaps, kept);

        await serverless.postReconcile?.(environment.context({ component: 'serverless' }));

        const found = await Promise.all(
          old.map(([type, { metadata }]) =>
            objects.find(
              type,
              type.namespaced ? { name: metadata.name, namespace } : { name: metadata.name },
            ),
          ),
        );
        // Pods of the DaemonSet are deleted by its controllers.
        expect(found).toEqual(old.map(() => undefined));
        expect(await objects.find(configMaps, { name: 'kept', namespace })).toBeDefined();
      });
    });

    test('the example gives the chart a value', async () => {
      const context = environment.context({ component: 'example', namespace: 'not-there-yet' });

      await example.preReconcile?.(context);

      expect(context.configuration).toEqual({ 'global.firstInstallation': true });
    });
  });
