import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../../../internal/framework/kube/object/resource-type.ts';
import { rma } from '../../../../../internal/systems/reconciler/components/reconcilers/rma.ts';
import { testTask } from '../../../../../internal/systems/reconciler/components/runner/fake-parts.fixture.ts';
import { configMaps, deployments } from '../deploy-environment.ts';
import type { ReconcilerEnvironment } from './reconciler-environment.ts';

/** The control plane must not be in use: namespaces have the names that they have in clusters. */
export const rmaTests = (environmentOf: () => ReconcilerEnvironment): void =>
  describe('rma: monitoring of a managed cluster', () => {
    const namespace = 'monitoring';
    let environment: ReconcilerEnvironment;
    beforeAll(async () => {
      environment = environmentOf();
      for (const name of [namespace, 'kyma-system']) await environment.namespace(name);
    });

    /** The control plane and the managed cluster are one; the action closes its own access alone. */
    const actions = rma({
      openControlPlane: async () => ({ ...environment.cluster, close: async () => undefined }),
    });

    /** As the integration chart: a Secret with the user of a release, and its settings. */
    const manifest = ({
      component,
      configuration,
    }: {
      component: string;
      configuration: Record<string, unknown>;
    }) => {
      const { auth, runtime } = JSON.parse(JSON.stringify(configuration));
      return `
apiVersion: v1
kind: Secret
metadata: { name: vmuser-rmi-${component} }
stringData: ${JSON.stringify(auth)}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: rmi-${component} }
data: ${JSON.stringify(runtime)}
`;
    };
    const attempt = (shootName = 'shoot-1', configuration: Record<string, unknown> = {}) =>
      environment.context(
        {
          component: 'rma',
          configuration: {
            'rmi.chartUrl': 'https://example.com/rmi-1.0.0.tgz',
            'rmi.namespace': namespace,
            ...configuration,
          },
          metadata: { ...testTask().metadata, shootName, instanceID: 'instance', servicePlanName: 'azure' },
        },
        { manifest },
      );

    test('each cluster has a release on the control plane, whose credentials are values of its chart', async () => {
      const { objects } = environment;
      const agent = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'avs-bridge', namespace: 'kyma-system' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'a' } },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: [{ name: 'a', image: 'a:1' }] },
          },
        },
      };
      await objects.apply(deployments, agent);
      const [first, second, other] = [attempt(), attempt(), attempt('shoot-2')];

      for (const context of [first, second, other]) await actions.preReconcile?.(context);

      const password = first.configuration['vmuser.password'];
      expect(password).toMatch(/^[0-9A-Za-z]{16}$/);
      expect(second.configuration).toMatchObject({
        'vmuser.username': 'instance',
        'vmuser.password': password,
      });
      expect(other.configuration['vmuser.password']).not.toBe(password);
      expect(await objects.get(configMaps, { name: 'rmi-shoot-1', namespace })).toMatchObject({
        data: { shootName: 'shoot-1', planName: 'azure', dnsDomain: '127.0.0.1' },
      });
      expect(
        await objects.find(deployments, { name: 'avs-bridge', namespace: 'kyma-system' }),
      ).toBeUndefined();
      // The namespace of the control plane is not the component's.
      expect((await objects.get(namespaces, { name: namespace })).metadata.labels).not.toHaveProperty(
        'istio-injection',
      );
    });

    test('the control plane is the cluster of KUBECONFIG', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kyma-rma-'));
      const before = process.env.KUBECONFIG;
      process.env.KUBECONFIG = join(folder, 'kubeconfig');
      try {
        await writeFile(process.env.KUBECONFIG, environment.plane.kubeconfig);
        const { preReconcile, postDelete } = rma();
        await preReconcile?.(attempt('shoot-3'));
        const settings = { name: 'rmi-shoot-3', namespace };
        expect(await environment.objects.get(configMaps, settings)).toMatchObject({
          data: { shootName: 'shoot-3' },
        });
        await postDelete?.(attempt('shoot-3'));
        expect(await environment.objects.find(configMaps, settings)).toBeUndefined();
      } finally {
        if (before === undefined) delete process.env.KUBECONFIG;
        else process.env.KUBECONFIG = before;
        await rm(folder, { recursive: true });
      }
    });

    test('the release goes with the cluster, with what Helm knew of it; the namespace and others stay', async () => {
      const { objects } = environment;
      const record = (release: string): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `sh.helm.release.v1.${release}.v1`,
          namespace,
          labels: { owner: 'helm', name: release },
        },
      });
      for (const release of ['shoot-1', 'shoot-2']) await objects.apply(secrets, record(release));

      await actions.postDelete?.(attempt());
      await actions.postDelete?.(attempt());

      const names = (await objects.list(secrets, namespace)).map(({ metadata }) => metadata.name).sort();
      expect(names).toEqual(['sh.helm.release.v1.shoot-2.v1', 'vmuser-rmi-shoot-2']);
      expect(await objects.find(namespaces, { name: namespace })).toBeDefined();
    });

    test.each([
      ['rmi.chartUrl', attemptOf({ 'rmi.chartUrl': '' })],
      ['rmi.namespace', attemptOf({ 'rmi.namespace': '' })],
    ])('without %s the attempt fails', async (key, context) => {
      await expect(actions.preReconcile?.(context())).rejects.toThrow(
        `the configuration of the component has no ${key}`,
      );
    });

    function attemptOf(configuration: Record<string, unknown>) {
      return () => attempt('shoot-1', configuration);
    }
  });
