/**
 * examples/argocd/argocd-cm.yaml, applied as its first lines describe, on a ConfigMap as Argo CD's manifests leave it.
 */
import { expect, test } from '@jest/globals';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { exampleManifests } from '../../../gitops/example-manifests.ts';
import { controlPlanes, uniqueName } from '../../harness/control-planes/control-planes.ts';

test('the health checks are merged without a conflict, and Argo CD keeps its own keys', async () => {
  const { management } = await controlPlanes();
  const namespace = uniqueName('argocd');
  await objectsOf(management).apply(namespaces, namespaceManifest(namespace));
  const path = `/api/v1/namespaces/${namespace}/configmaps/argocd-cm`;
  const apply = (fieldManager: string, body: object) =>
    management.request(`${path}?fieldManager=${fieldManager}&fieldValidation=Strict`, {
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      body: { ...body, metadata: { name: 'argocd-cm', namespace } },
    });

  // Keys of manifests/install.yaml of Argo CD 3, and one that an administrator may have set.
  const own = {
    'resource.exclusions': '- kinds: [Endpoints]\n  apiGroups: [""]\n',
    'resource.customizations.ignoreResourceUpdates.all': 'jsonPointers:\n  - /status\n',
    'application.resourceTrackingMethod': 'annotation+label',
  };
  const installed = { apiVersion: 'v1', kind: 'ConfigMap', data: own };
  expect(await apply('kubectl', installed)).toMatchObject({ status: 201 });

  const [settings] = await exampleManifests('argocd/argocd-cm.yaml');
  if (settings === undefined) throw new Error('there are no settings');
  const { body, status } = await apply('provider-kyma', settings);
  expect({ status, body }).toMatchObject({ status: 200, body: { data: own } });
  expect(await apply('kubectl', installed)).toMatchObject({ status: 200, body });
});
