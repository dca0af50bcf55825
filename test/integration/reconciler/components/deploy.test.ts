import { expect, test } from '@jest/globals';
import { type KubeObject, secrets } from '../../../../internal/framework/kube/index.ts';
import { eventually } from '../../../environment/eventually.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { forFile } from '../../harness/for-file.ts';
import {
  configMap,
  configMaps,
  deployments,
  jobs,
  namespaceOf,
  serviceAccounts,
  services,
  startDeployEnvironment,
  typeOf,
} from './deploy-environment.ts';

const environment = forFile(startDeployEnvironment);

const IGNORED = 'annotations: { reconciler.kyma-project.io/ignore-pod-state: "true" }';

const workload = ({ label = 'one', image = 'web:1', memory = '64Mi', more = '' } = {}) => `
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: web }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { color: ${label} }, ${IGNORED} }
spec:
  ${more}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      serviceAccountName: web
      containers:
        - { name: web, image: "${image}", resources: { limits: { memory: ${memory} } } }
`;

const job = (image: string) => `
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  suspend: true
  template:
    spec: { restartPolicy: Never, containers: [{ name: once, image: "${image}" }] }
`;

test('[R58] [R68] a component is deployed into its namespace, which is created and labelled, and removed with it', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace, name } = component;
  await component.deploy(`${workload()}${configMap('settings')}`);
  const labels = {
    'reconciler.kyma-project.io/managed-by': 'reconciler',
    'reconciler.kyma-project.io/origin-version': '1.0.0',
  };
  expect((await namespaceOf(objects, namespace))?.metadata.labels).toMatchObject({
    ...labels,
    name: namespace,
    'istio-injection': 'enabled',
  });
  expect((await objects.get(deployments, { namespace, name: 'web' })).metadata).toMatchObject({
    labels: { ...labels, color: 'one', 'reconciler.kyma-project.io/component': name },
  });
  expect(await component.inventory()).toEqual([
    'ConfigMap settings',
    'Deployment web',
    'Service web',
    'ServiceAccount web',
  ]);
  await component.remove(workload());
  expect(await namespaceOf(objects, namespace)).toBeUndefined();
  expect(await component.inventory()).toBeUndefined();
});

test('[R68] without a namespace, objects go to the default one, which stays', async () => {
  const { objects } = environment;
  const component = environment.component({ namespace: '' });
  const manifest = configMap(component.name);
  const key = { namespace: 'default', name: component.name };
  await component.deploy(manifest);
  expect(await objects.find(configMaps, key)).toBeDefined();
  await component.remove(manifest);
  expect(await objects.find(configMaps, key)).toBeUndefined();
  expect(await namespaceOf(objects, 'default')).toBeDefined();
});

test('[R69] manifests that alternate change objects in place; Jobs stay as they are', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const key = { namespace, name: 'web' };
  const uids = new Set<string | undefined>();
  const jobUids = new Set<string | undefined>();
  for (const round of [1, 2, 3, 4]) {
    const isOdd = round % 2 === 1;
    const look = isOdd ? {} : { label: 'two', image: 'web:2', memory: '128Mi' };
    await component.deploy(`${workload(look)}${job(`once:${round}`)}`, { version: `${round}` });
    const live = await objects.get(deployments, key);
    expect(live).toMatchObject({
      metadata: { labels: { color: isOdd ? 'one' : 'two' } },
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: isOdd ? 'web:1' : 'web:2',
                resources: { limits: { memory: isOdd ? '64Mi' : '128Mi' } },
              },
            ],
          },
        },
      },
    });
    uids.add(live.metadata.uid);
    const liveJob = await objects.get(jobs, { namespace, name: 'once' });
    expect(liveJob).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'once:1' }] } } } });
    jobUids.add(liveJob.metadata.uid);
  }
  expect([uids.size, jobUids.size]).toEqual([1, 1]);
  const accounts = await objects.list(serviceAccounts, namespace);
  expect(accounts.filter(({ metadata }) => metadata.name === 'web')).toHaveLength(1);
});

test('what left the chart is deleted, unless its annotation says that it stays', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const kept = ', annotations: { reconciler.kyma-project.io/prune: disabled }';
  await component.deploy(`${configMap('stays')}${configMap('goes')}${configMap('kept', {}, kept)}`);
  await component.deploy(configMap('stays'));
  const names = (await objects.list(configMaps, namespace)).map(({ metadata }) => metadata.name);
  expect(names).toEqual(expect.arrayContaining(['stays', 'kept']));
  expect(names).not.toContain('goes');
  expect(await component.inventory()).toEqual(['ConfigMap stays']);
});

test('an unchanged component sends no write; what others changed is reverted, and their own fields stay', async () => {
  const { objects, plane } = environment;
  const component = environment.component();
  const { namespace } = component;
  const manifest = `${workload()}${configMap('settings')}`;
  await component.deploy(manifest);
  const writes = async () =>
    (await plane.auditEvents(`"${namespace}"`)).filter(
      ({ verb, userAgent = '' }) =>
        ['create', 'patch', 'update', 'delete'].includes(verb) && userAgent.startsWith('provider-kyma'),
    ).length;
  const before = await eventually(async () => {
    const count = await writes();
    expect(count).toBeGreaterThan(0);
    return count;
  });
  await component.deploy(manifest);
  expect(await writes()).toBe(before);

  await objects.patch(configMaps, { namespace, name: 'settings' }, { data: { key: 'changed', theirs: 'x' } });
  await objects.patch(
    deployments,
    { namespace, name: 'web' },
    {
      spec: { replicas: 3, template: { metadata: { annotations: { theirs: 'x' } } } },
    },
  );
  await objects.delete(services, { namespace, name: 'web' });
  await component.deploy(manifest);
  expect(await objects.get(configMaps, { namespace, name: 'settings' })).toMatchObject({
    data: { key: 'value', theirs: 'x' },
  });
  expect(await objects.get(deployments, { namespace, name: 'web' })).toMatchObject({
    spec: { replicas: 3, template: { metadata: { annotations: { theirs: 'x' } } } },
  });
  expect(await objects.find(services, { namespace, name: 'web' })).toBeDefined();
});

test('[R66] custom resources: refused without their kind, applied with its CRD, and exactly as the chart has them', async () => {
  const { objects } = environment;
  const group = `${uniqueName('g')}.example.org`;
  const things = { ...typeOf(group, 'v1', 'Thing'), plural: 'things' };
  const component = environment.component();
  const { namespace } = component;
  const thing = (size: number, more = '') => `
---
apiVersion: ${group}/v1
kind: Thing
metadata: { name: thing }
spec: { size: ${size}${more} }
`;
  await expect(component.deploy(thing(1))).rejects.toThrow(
    `the cluster does not serve the kinds of Thing thing of ${group}/v1 in chart/templates/all.yaml`,
  );
  expect(await namespaceOf(objects, namespace)).toBeUndefined();
  await component.remove(thing(1));

  const crd = `
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: Thing, plural: things, singular: thing }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { size: { type: integer }, color: { type: string }, mode: { type: string, default: auto } }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;
  await component.deploy(`${thing(1)}${crd}`);
  const key = { namespace, name: 'thing' };
  await objects.patch(things, key, {
    metadata: { labels: { theirs: 'x' }, finalizers: ['example.org/theirs'] },
    spec: { size: 2, color: 'red', mode: 'manual' },
  });
  await component.deploy(`${thing(1)}${crd}`);
  const live = await objects.get(things, key);
  expect(live).toMatchObject({
    spec: { size: 1, mode: 'auto' },
    metadata: { finalizers: ['example.org/theirs'] },
  });
  expect(live).not.toHaveProperty('spec.color');
  expect(live.metadata.labels).not.toHaveProperty('theirs');
  const version = live.metadata.resourceVersion;
  await component.deploy(`${thing(1)}${crd}`);
  expect((await objects.get(things, key)).metadata.resourceVersion).toBe(version);
  await component.deploy(`${thing(3)}${crd}`);
  expect(await objects.get(things, key)).toMatchObject({ spec: { size: 3 } });

  // The CRD is not pruned as long as there is a custom resource.
  await component.deploy(thing(3));
  expect(await objects.find(things, key)).toBeDefined();
  await objects.patch(things, key, { metadata: { finalizers: null } });
  await component.remove(`${thing(3)}${crd}`);
  await expect(objects.list(things, namespace)).rejects.toThrow('404');
});

test('a custom resource that moves to another version of its API keeps the fields that are new there, and only those of the chart', async () => {
  const { objects } = environment;
  const group = `${uniqueName('g')}.example.org`;
  const things = { ...typeOf(group, 'v2', 'Thing'), plural: 'things' };
  const component = environment.component();
  const version = (name: string, fields: string) => `
    - name: ${name}
      served: true
      storage: ${name === 'v2'}
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer }, old: { type: string }${fields} } } }`;
  const chart = (versions: readonly string[], apiVersion: string, spec: string) => `
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: Thing, plural: things, singular: thing }
  versions:${versions.join('')}
---
apiVersion: ${group}/${apiVersion}
kind: Thing
metadata: { name: thing }
spec: { ${spec} }
`;
  const v1 = version('v1', '');
  const v2 = version('v2', ', color: { type: string }');

  await component.deploy(chart([v1.replace('storage: false', 'storage: true')], 'v1', 'size: 1, old: x'));
  await component.deploy(chart([v1, v2], 'v2', 'size: 2, color: red'));

  const live = await objects.get(things, { namespace: component.namespace, name: 'thing' });
  expect(live).toMatchObject({ spec: { size: 2, color: 'red' } });
  expect(live).not.toHaveProperty('spec.old');
});

test('[R67] if an interceptor throws, nothing is deployed', async () => {
  const component = environment.component({
    interceptors: [
      ({ type }) => {
        if (type.kind === 'ConfigMap') throw new Error('interceptor of the test');
      },
    ],
  });
  await expect(component.deploy(configMap('never'))).rejects.toThrow('interceptor of the test');
  expect(await namespaceOf(environment.objects, component.namespace)).toBeUndefined();
  expect(await component.inventory()).toBeUndefined();
});

test('objects of kubectl and Helm are taken over: fields that the chart does not have go', async () => {
  const { plane, objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  await component.deploy(configMap('first'));
  for (const manager of ['helm', 'kubectl-client-side-apply']) {
    const path = `/api/v1/namespaces/${namespace}/configmaps?fieldManager=${manager}`;
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: manager, labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
      data: { key: 'old', gone: 'x' },
    };
    expect((await plane.request(path, { method: 'POST', body })).status).toBe(201);
    await objects.patch(configMaps, { namespace, name: manager }, { data: { theirs: 'x' } });
  }
  await component.deploy(
    `${configMap('first')}${configMap('helm')}${configMap('kubectl-client-side-apply')}`,
  );
  for (const name of ['helm', 'kubectl-client-side-apply']) {
    const live = await objects.get(configMaps, { namespace, name });
    expect(live).toMatchObject({ data: { key: 'value', theirs: 'x' } });
    expect(live).not.toHaveProperty('data.gone');
    expect(live.metadata.labels).not.toHaveProperty(['app.kubernetes.io/managed-by']);
  }
});

test('texts of a Secret in stringData are its data: keys that left go, changes of others are reverted', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const key = { namespace, name: 'login' };
  const secret = (texts: string, data = '') => `
---
apiVersion: v1
kind: Secret
metadata: { name: login }
${data}
stringData: { ${texts} }
`;
  const stored = async () => {
    const { data = {}, metadata } = await objects.get(secrets, key);
    const texts = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
    );
    return { texts, version: metadata.resourceVersion };
  };
  await component.deploy(secret('user: ö, password: one', 'data: { other: eA==, user: eA== }'));
  expect((await stored()).texts).toEqual({ user: 'ö', password: 'one', other: 'x' });
  await objects.patch(secrets, key, { data: { password: 'dHdv', theirs: 'eA==' } });
  await component.deploy(secret('user: ö, password: one', 'data: { other: eA==, user: eA== }'));
  expect((await stored()).texts).toEqual({ user: 'ö', password: 'one', other: 'x', theirs: 'x' });
  await component.deploy(secret('password: three'));
  const { texts, version } = await stored();
  expect(texts).toEqual({ password: 'three', theirs: 'x' });
  await component.deploy(secret('password: three'));
  expect((await stored()).version).toBe(version);
});

test('defaults of a value that the chart gives up go with it, and so does the second name of an account', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const sets = typeOf('apps', 'v1', 'StatefulSet');
  const chart = (strategy: string, updateStrategy: string, account: string) => `
${workload({ more: strategy }).replace('serviceAccountName: web', account)}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: data, ${IGNORED} }
spec:
  serviceName: data
  ${updateStrategy}
  selector: { matchLabels: { app: data } }
  template: { metadata: { labels: { app: data } }, spec: { containers: [{ name: data, image: "data:1" }] } }
`;
  const stored = async () => {
    const web = await objects.get(deployments, { namespace, name: 'web' });
    const data = await objects.get(sets, { namespace, name: 'data' });
    return { web, data, versions: [web, data].map(({ metadata }) => metadata.resourceVersion) };
  };
  await component.deploy(chart('', '', 'serviceAccountName: web'));
  const others = { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } };
  await objects.patch(deployments, { namespace, name: 'web' }, others);
  const changed = chart('strategy: { type: Recreate }', 'updateStrategy: { type: OnDelete }', '');
  await component.deploy(changed);
  const { web, data, versions } = await stored();
  expect([web, data]).toMatchObject([
    { spec: { strategy: { type: 'Recreate' } } },
    { spec: { updateStrategy: { type: 'OnDelete' } } },
  ]);
  for (const field of [
    'strategy.rollingUpdate',
    'template.spec.serviceAccountName',
    'template.spec.serviceAccount',
  ])
    expect(web).not.toHaveProperty(`spec.${field}`);
  expect(data).not.toHaveProperty('spec.updateStrategy.rollingUpdate');
  await component.deploy(changed);
  expect((await stored()).versions).toEqual(versions);

  // An account that others have given is theirs.
  const theirs = { spec: { template: { spec: { serviceAccountName: 'theirs' } } } };
  await objects.patch(deployments, { namespace, name: 'web' }, theirs);
  await component.deploy(changed.replace('web:1', 'web:2'));
  expect((await stored()).web).toMatchObject(theirs);
});

test('a change of an immutable field names object and field; all objects of a stage are tried', async () => {
  const component = environment.component();
  const { namespace } = component;
  await component.deploy(workload());
  const { spec } = (await environment.objects.get(services, { namespace, name: 'web' })) as KubeObject & {
    readonly spec: { readonly clusterIP: string };
  };
  const other = spec.clusterIP.replace(/\d+$/, (last) => `${(Number(last) % 200) + 7}`);
  await expect(
    component.deploy(
      workload().replace('ports: [{ port: 80 }]', `ports: [{ port: 80 }], clusterIP: ${other}`),
    ),
  ).rejects.toThrow(`of Service ${namespace}/web: immutable; delete the object`);
  const changed = workload().replaceAll('{ app: web }', '{ app: other }');
  const broken = `${changed}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: broken }
spec: { selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: c } }, spec: { containers: [{ name: a, image: a }] } } }
`;
  await expect(component.deploy(broken)).rejects.toThrow(
    new RegExp(`spec.selector of Deployment ${namespace}/web: immutable.*Deployment ${namespace}/broken`),
  );
});

test('fields that a kind does not have are left out, as Helm and kubectl do', async () => {
  const component = environment.component();
  const { namespace } = component;
  await component.deploy(
    workload()
      .replace('image: "web:1"', 'image: "web:1", colour: red')
      .replace('spec:\n', 'spec:\n  colour: red\n'),
  );
  expect(await environment.objects.find(deployments, { namespace, name: 'web' })).toBeDefined();
});

interface Stored {
  readonly spec: {
    readonly minReadySeconds?: number;
    readonly template: {
      readonly spec: { readonly containers: readonly { env?: unknown; ports?: unknown; image?: string }[] };
    };
  };
}

test('environment variables and ports that are given twice are there as a creation has them, also after a change', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const repeated = (image: string, more = '') =>
    workload({ image }).replace(
      `image: "${image}"`,
      `image: "${image}", env: [{ name: A, value: "1" }, { name: B, value: "$(A)" }, { name: A, value: "2" }${more}],
            ports: [{ containerPort: 80, name: http }, { containerPort: 81 }, { containerPort: 80, name: metrics }]`,
    );
  const stored = async () => {
    const found = (await objects.find(deployments, { namespace, name: 'web' })) as
      | (KubeObject & Stored)
      | undefined;
    const { resourceVersion: version, generation } = found?.metadata ?? {};
    const [container] = found?.spec.template.spec.containers ?? [];
    const { env, ports, image } = container ?? {};
    return { env, ports, image, minReadySeconds: found?.spec.minReadySeconds, version, generation };
  };
  const env = [
    { name: 'A', value: '1' },
    { name: 'B', value: '$(A)' },
    { name: 'A', value: '2' },
  ];
  const ports = [
    { containerPort: 80, name: 'http', protocol: 'TCP' },
    { containerPort: 81, protocol: 'TCP' },
    { containerPort: 80, name: 'metrics', protocol: 'TCP' },
  ];

  await component.deploy(repeated('web:1'));
  const first = await stored();
  expect(first).toMatchObject({ env, ports, image: 'web:1', generation: 1 });

  // A field of a user stays, and nothing is written again.
  await objects.patch(deployments, { namespace, name: 'web' }, { spec: { minReadySeconds: 1 } });
  const { version } = await stored();
  await component.deploy(repeated('web:1'));
  expect(await stored()).toMatchObject({ version });

  await component.deploy(repeated('web:2', ', { name: C, value: "3" }'));
  const second = await stored();
  expect(second).toMatchObject({
    env: [...env, { name: 'C', value: '3' }],
    ports,
    image: 'web:2',
    generation: 3,
  });

  // What leaves the chart goes, as with other objects.
  await component.deploy(workload({ image: 'web:2' }));
  expect(await stored()).toMatchObject({ env: undefined, ports: undefined, minReadySeconds: 1 });
});

test('[R54] an object whose API version changed stays the same object', async () => {
  const { objects } = environment;
  const component = environment.component();
  const { namespace } = component;
  const hpa = (version: string) => `
---
apiVersion: autoscaling/${version}
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web } }
`;
  const hpas = typeOf('autoscaling', 'v2', 'HorizontalPodAutoscaler');
  await component.deploy(hpa('v1'));
  const { uid } = (await objects.get(hpas, { namespace, name: 'web' })).metadata;
  await component.deploy(hpa('v2'));
  expect((await objects.get(hpas, { namespace, name: 'web' })).metadata.uid).toBe(uid);
});

test.each(['the chart', 'others'])(
  '[R73] replicas that an autoscaler of %s has set stay, and cause no further write',
  async (owner) => {
    const { objects, plane } = environment;
    const component = environment.component();
    const { namespace } = component;
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    };
    const own = owner === 'the chart' ? `---\n${JSON.stringify(autoscaler)}\n` : '';
    const chart = `${workload({ more: 'replicas: 2' })}\n${own}`;
    const key = { namespace, name: 'web' };
    await component.deploy(chart);
    if (own === '') {
      const list = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
      await plane.request(list, { method: 'POST', body: autoscaler });
    }
    expect(await objects.get(deployments, key)).toMatchObject({ spec: { replicas: 2 } });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale?fieldManager=autoscaler`;
    const contentType = 'application/merge-patch+json';
    await plane.request(path, { method: 'PATCH', body: { spec: { replicas: 5 } }, contentType });
    await component.deploy(chart);
    const scaled = await objects.get(deployments, key);
    expect(scaled).toMatchObject({ spec: { replicas: 5 } });
    await component.deploy(chart);
    expect((await objects.get(deployments, key)).metadata.resourceVersion).toBe(
      scaled.metadata.resourceVersion,
    );
  },
);
