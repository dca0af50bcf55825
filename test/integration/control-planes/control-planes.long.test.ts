import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { apiRequester } from '../../../hack/control-planes/access/api-request.ts';
import { KUBERNETES_VERSION } from '../../../hack/control-planes/binaries/versions.ts';
import { eventually } from '../../environment/eventually.ts';
import { PLANES } from '../harness/control-planes/addresses.ts';
import { type ControlPlanes, controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

let planes: ControlPlanes;

beforeAll(async () => {
  planes = await controlPlanes();
});

const create = async (plane: ControlPlaneAccess, path: string, body: unknown) => {
  const answer = await plane.request(path, { method: 'POST', body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as { metadata: { uid: string; resourceVersion: string } };
};

const createNamespace = async (plane: ControlPlaneAccess) => {
  const name = uniqueName('planes');
  await create(plane, '/api/v1/namespaces', { metadata: { name } });
  return name;
};

describe.each(PLANES)('the %s control plane', (name) => {
  test('serves the pinned Kubernetes version', async () => {
    const answer = await planes[name].request('/version');

    expect(answer).toMatchObject({ status: 200, body: { gitVersion: `v${KUBERNETES_VERSION}` } });
  });

  test('removes a deleted namespace with all that is in it', async () => {
    const namespace = await createNamespace(planes[name]);
    const path = `/api/v1/namespaces/${namespace}`;
    await create(planes[name], `${path}/configmaps`, { metadata: { name: 'inside' } });

    await planes[name].request(path, { method: 'DELETE' });

    await eventually(async () => {
      expect(await planes[name].request(path)).toMatchObject({ status: 404 });
    });
    expect(await planes[name].request(`${path}/configmaps/inside`)).toMatchObject({ status: 404 });
  });

  test('garbage-collects a dependent when its owner is gone', async () => {
    const namespace = await createNamespace(planes[name]);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const owner = await create(planes[name], path, { metadata: { name: 'owner' } });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid };
    await create(planes[name], path, { metadata: { name: 'dependent', ownerReferences: [reference] } });

    await planes[name].request(`${path}/owner`, { method: 'DELETE' });

    await eventually(async () => {
      expect(await planes[name].request(`${path}/dependent`)).toMatchObject({ status: 404 });
    });
  });

  test('knows an added user by name and groups, and grants it nothing', async () => {
    const request = apiRequester(await planes[name].addUser({ name: 'jane', groups: ['shop', 'ops'] }));

    const review = await request('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review.body).toMatchObject({
      status: { userInfo: { username: 'jane', groups: expect.arrayContaining(['shop', 'ops']) } },
    });
    expect(await request('/api/v1/secrets')).toMatchObject({ status: 403 });
  });

  test('shows its stored objects and its audit events', async () => {
    const namespace = await createNamespace(planes[name]);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await create(planes[name], path, { metadata: { name: 'seen' }, data: { word: 'planted-in-etcd' } });

    const found: string[] = [];
    for await (const { key, value } of planes[name].etcdEntries()) {
      if (value.includes('planted-in-etcd')) found.push(key);
    }
    expect(found).toContain(`/registry/configmaps/${namespace}/seen`);
    await eventually(async () => {
      const objectRef = expect.objectContaining({ resource: 'configmaps', namespace, name: 'seen' });
      const user = expect.objectContaining({ username: 'admin' });
      expect(await planes[name].auditEvents(namespace)).toContainEqual(
        expect.objectContaining({ verb: 'create', user, objectRef }),
      );
    });
  });
});

test('the two control planes do not trust each other’s users', async () => {
  const foreign = apiRequester(planes.kyma.kubeconfig.replace(planes.kyma.server, planes.management.server));

  await expect(foreign('/version')).rejects.toThrow(/certificate/);
});
