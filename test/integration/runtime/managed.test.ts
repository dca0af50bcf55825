import '../harness/timeout.ts';
import { describe, expect, test } from '@jest/globals';
import { managedFinalizer } from '../../../internal/framework/controller/reconcile/finalizer.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile } from '../harness/for-file.ts';
import { startThingEnvironment } from './thing-environment.ts';

const environment = forFile(startThingEnvironment);

const conditionOf = async (name: string, type: string) =>
  (await environment.find(name))?.status?.conditions?.find((condition) => condition.type === type);
const untilReady = (name: string) =>
  eventually(async () => {
    expect(await conditionOf(name, 'Synced')).toMatchObject({ status: 'True', reason: 'ReconcileSuccess' });
    expect(await conditionOf(name, 'Ready')).toMatchObject({ status: 'True', reason: 'Available' });
  });
const patch = (name: string, content: object) =>
  environment.objects.patch(environment.type, { name, namespace: environment.namespace }, content);

/** The scenarios of internal/framework/managed have the others, and the kinds of the program what a real garbage collector does. */
describe('a managed resource on a real API server', () => {
  test('is ready in its first reconcile, by one write, one status and one event', async () => {
    const name = uniqueName('new');
    await environment.create(name);
    await untilReady(name);
    const thing = await environment.find(name);
    expect(thing?.metadata.finalizers).toEqual([managedFinalizer]);
    expect(thing?.metadata.annotations).toMatchObject({
      'crossplane.io/external-name': name,
      'crossplane.io/external-create-intent': `${thing?.metadata.uid} ${name}`,
    });
    expect(thing?.status?.atProvider).toEqual({ size: 1 });
    expect(await environment.writesTo(name)).toEqual(['update', 'update status']);
    await eventually(async () =>
      expect(await environment.eventsOf(name)).toEqual(['Normal CreatedExternalResource 1']),
    );
  });

  test('follows its spec, and its fields that no code knows survive', async () => {
    const name = uniqueName('changed');
    await environment.create(name, { forProvider: { size: 1, colour: 'red' } });
    await untilReady(name);
    await patch(name, { spec: { forProvider: { size: 2 } } });
    await eventually(() => expect(environment.external.get(name)).toEqual({ size: 2 }));
    expect((await environment.find(name))?.spec.forProvider.colour).toBe('red');
  });

  test('is deleted after its external resource, and owns its connection Secret, so that it is deleted too', async () => {
    const name = uniqueName('gone');
    const key = { name: `${name}-conn`, namespace: environment.namespace };
    await environment.create(name, { writeConnectionSecretToRef: { name: key.name } });
    await untilReady(name);
    const secret = await environment.objects.get(secrets, key);
    const uid = (await environment.find(name))?.metadata.uid;
    expect(secret).toMatchObject({
      type: 'connection.crossplane.io/v1alpha1',
      metadata: {
        ownerReferences: [{ kind: 'Thing', name, uid, controller: true, blockOwnerDeletion: true }],
      },
      data: { size: Buffer.from('1').toString('base64') },
    });
    await environment.objects.delete(environment.type, { name, namespace: environment.namespace });
    await eventually(async () => expect(await environment.find(name)).toBeUndefined());
    expect(environment.external.has(name)).toBe(false);
  });
});
