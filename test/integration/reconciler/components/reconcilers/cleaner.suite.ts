import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../../../internal/framework/kube/object/object.ts';
import {
  customResourceDefinitions,
  namespaces,
  secrets,
} from '../../../../../internal/framework/kube/object/resource-type.ts';
import { cleaner } from '../../../../../internal/systems/reconciler/components/reconcilers/cleaner.ts';
import { eventually } from '../../../../environment/eventually.ts';
import { installCrds } from '../../../../environment/install-crds.ts';
import { typeOf } from '../deploy-environment.ts';
import { openCrd, type ReconcilerEnvironment } from './reconciler-environment.ts';

/** The control plane must not be in use: namespaces have the names that they have in clusters. */
export const cleanerTests = (environmentOf: () => ReconcilerEnvironment): void =>
  describe('cleaner', () => {
    const claims = typeOf('', 'v1', 'PersistentVolumeClaim');
    const namespace = 'kyma-system';
    /** Of the version of Kyma; of an earlier one; of Istio; of a user. */
    const kinds = ['Function', 'Old', 'Envoy', 'Foreign'].map((kind) => typeOf('example.com', 'v1', kind));
    const [functions, , , foreign] = kinds;

    let environment: ReconcilerEnvironment;
    beforeAll(async () => {
      environment = environmentOf();
      const labels: Readonly<Record<string, Record<string, string>>> = {
        Old: { 'reconciler.kyma-project.io/managed-by': 'reconciler' },
        Envoy: { 'install.operator.istio.io/owning-resource-namespace': 'istio-system' },
      };
      const crds = kinds.map(({ kind }) => {
        const crd = openCrd('example.com', 'v1', kind);
        return { ...crd, metadata: { ...crd.metadata, labels: labels[kind] ?? {} } };
      });
      await installCrds(environment.plane, crds);
    });
    beforeEach(async () => {
      await environment.namespace(namespace);
    });

    const finalizers = ['example.com/hangs'];
    const object = (kind: string, apiVersion = 'example.com/v1', more: object = {}): KubeObject => ({
      apiVersion,
      kind,
      metadata: { name: `some-${kind.toLowerCase()}`, namespace, finalizers, ...more },
    });
    const finalizersOf = async (type: (typeof kinds)[number]) =>
      (await environment.objects.list(type)).map(({ metadata }) => metadata.finalizers ?? []);

    const run = async (configuration: Record<string, unknown> = {}) => {
      const crds = stringify(openCrd('example.com', 'v1', 'Function'));
      const context = environment.context({ component: 'cleaner', type: 'delete', configuration }, { crds });
      await cleaner.delete?.(context);
      return context.messages;
    };

    async function fill(): Promise<void> {
      const { objects } = environment;
      for (const type of kinds) await objects.apply(type, object(type.kind));
      const labels = { 'serverless.kyma-project.io/config': 'credentials' };
      await objects.apply(secrets, object('Secret', 'v1', { labels }));
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace },
      };
      await objects.apply(claims, { ...claim, spec } as KubeObject);
      // The controller that would remove it does not run.
      await objects.patch(claims, { name: 'data', namespace }, { metadata: { finalizers: null } });
    }

    test('the namespace goes with all that hangs in it, and resources of users lose no finalizers', async () => {
      if (foreign === undefined || functions === undefined) throw new Error('no kinds');
      await fill();
      await environment.namespace('of-users');
      // The namespace itself has nothing of users, or it would not go.
      await environment.objects.patch(
        foreign,
        { name: 'some-foreign', namespace },
        { metadata: { finalizers: null } },
      );
      const ofUsers = { ...object('Foreign'), metadata: { name: 'kept', namespace: 'of-users', finalizers } };
      await environment.objects.apply(foreign, ofUsers);
      const conversion = {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: 'https://gone.example.com/convert' },
        },
      };
      await environment.objects.patch(
        customResourceDefinitions,
        { name: 'functions.example.com' },
        { spec: { conversion } },
      );

      await run();

      expect(await environment.objects.find(namespaces, { name: namespace })).toBeUndefined();
      expect(await finalizersOf(foreign)).toEqual([finalizers]);
      const crd = await environment.objects.get(customResourceDefinitions, { name: 'functions.example.com' });
      expect(crd.spec).toMatchObject({ conversion: { strategy: 'None' } });
      await environment.objects.patch(
        foreign,
        { name: 'kept', namespace: 'of-users' },
        { metadata: { finalizers: null } },
      );
    });

    test('with the strategy all, all custom resources of the cluster lose their finalizers', async () => {
      await fill();

      const messages = await run({ delete_strategy: 'all' });

      expect(await environment.objects.find(namespaces, { name: namespace })).toBeUndefined();
      expect(await Promise.all(kinds.map(finalizersOf))).toEqual([[], [], [], expect.anything()]);
      expect(messages).toContain('waiting for the deletion of namespace kyma-system');
    });

    test('a second attempt after all is gone has nothing to do, and a reconcile task does nothing', async () => {
      await run();
      await run();
      await environment.namespace(namespace);

      await cleaner.reconcile?.(environment.context({ component: 'cleaner' }));

      const live = await environment.objects.get(namespaces, { name: namespace });
      expect(live.metadata.deletionTimestamp).toBeUndefined();
    });

    test('a volume claim that is in use fails the attempt, which names it', async () => {
      await environment.objects.apply(claims, {
        ...object('PersistentVolumeClaim', 'v1'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      } as KubeObject);

      await expect(run()).rejects.toThrow(
        'volume claims of namespace kyma-system are not deleted: some-persistentvolumeclaim',
      );

      const key = { name: 'some-persistentvolumeclaim', namespace };
      await environment.objects.patch(claims, key, { metadata: { finalizers: null } });
      await eventually(async () => expect(await environment.objects.find(claims, key)).toBeUndefined());
    });
  });
