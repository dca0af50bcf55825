import fc from 'fast-check';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import { costlyAnnotations, costlyParameters, costlyTemplates } from '../../../inputs/arbitraries/costly.ts';
import { bindingOfTest, createNamespace, instanceOfTest } from '../../btp/objects-of-test.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { type AttackedSystem, foreignMetadata, ODD_NAMES, times } from './attacked-system.ts';
import { alive, limitOf } from './limits.ts';
import { HOSTILE, type TenantEnvironment } from './tenant-environment.ts';

const CREDENTIALS = 'sap-btp-service-operator';

/** ServiceInstances and ServiceBindings. The first hostile namespace has credentials of its own, the second those of administrators. */
export async function serviceObjects(environment: TenantEnvironment): Promise<AttackedSystem> {
  const { objects: honest, hostileObjects: objects, hosts, serviceManager, serviceOperator } = environment;
  const [own, shared] = HOSTILE;
  const text = (length: number) => 'x'.repeat(length);
  const apply = (type: ResourceType, metadata: object & { name: string; namespace: string }, spec: object) =>
    objects.apply<KubeObject>(type, {
      ...{ apiVersion: 'services.cloud.sap.com/v1', kind: type.kind, metadata, spec },
    } as KubeObject);
  const instance = (metadata: object & { name: string; namespace: string }, spec: object = {}) =>
    apply(serviceInstances, metadata, {
      serviceOfferingName: 'sample',
      servicePlanName: 'standard',
      ...spec,
    });
  const binding = (metadata: object & { name: string; namespace: string }, spec: object = {}) =>
    apply(serviceBindings, metadata, { serviceInstanceName: 'base', ...spec });
  const credentials = (url: string, token: string, client = 'c') =>
    objects.apply(
      secrets,
      secretManifest(
        { namespace: own, name: CREDENTIALS },
        { clientid: client, clientsecret: 's', sm_url: url, tokenurl: token, tokenurlsuffix: '/oauth/token' },
      ),
    );
  const base = async () => {
    await instance({ namespace: shared, name: 'base' });
  };
  let seeds = 1;
  /** Of the generated inputs that are meant to cost much. */
  const someOf = <T>(inputs: fc.Arbitrary<T>, count: number): T[] =>
    fc.sample(inputs, { seed: seeds++, numRuns: Math.ceil(count) });
  await base();

  return {
    name: 'service objects',
    meter: serviceOperator.meter,
    memoryLimit: limitOf.serviceOperator,
    prepare: async (tenant) => {
      const name = uniqueName(tenant);
      await createNamespace(honest, name);
      if (tenant === 'honest-b') {
        const { secret } = await serviceManager.credentials(tenant);
        await honest.apply(secrets, secretManifest({ namespace: name, name: CREDENTIALS }, secret));
      }
      const created = await instanceOfTest(honest, serviceManager, name);
      const bound = bindingOfTest(honest, serviceManager, created);
      return {
        perform: async () => {
          await created.create();
          await created.until('Ready', /^True/);
          await bound.create({ secretTemplate: 'stringData:\n  a: "{{ .credentials | toJson | b64enc }}"' });
          await bound.until('Ready', /^True/);
        },
        remove: async () => {
          for (const object of [bound, created]) {
            await object.delete();
            await object.untilGone();
          }
        },
      };
    },
    attacks: {
      'Service Managers of hosts': async ({ scaled, newName, nextHost, signal }) => {
        for (let n = 0; n < 6 && !signal.aborted; n++) {
          const { url } = nextHost();
          await credentials(url, n % 2 ? url : hosts.grants.url, newName());
          await scaled(30, () => instance({ namespace: own, name: newName() }));
        }
      },
      'Service Managers of many silent hosts': async ({ scaled, newName, signal }) => {
        await scaled(150, () => instance({ namespace: own, name: newName() }));
        for (let n = 0; n < 40 && !signal.aborted; n++) {
          const url = `https://${hosts.nextSilent()}`;
          await credentials(url, url, newName());
        }
      },
      templates: async ({ scaled, newName }) =>
        scaled(40, async () => {
          const [secretTemplate = ''] = someOf(costlyTemplates, 1);
          await binding({ namespace: shared, name: newName() }, { secretTemplate });
        }),
      parameters: async ({ scaled, newName }) =>
        scaled(40, async () => {
          const [parameters = '{}'] = someOf(costlyParameters, 1);
          await instance({ namespace: shared, name: newName() }, { parameters: JSON.parse(parameters) });
        }),
      'Secrets with parameters': async ({ scaled, newName }) =>
        scaled(20, async () => {
          const name = newName();
          const [value = '{}'] = someOf(costlyParameters, 1);
          await objects.apply(secrets, secretManifest({ namespace: shared, name }, { value }));
          const secretKeyRef = { name, key: 'value' };
          await instance({ namespace: shared, name }, { parametersFrom: Array(60).fill({ secretKeyRef }) });
        }),
      'Secrets with parameters that are watched and change': async ({ scaled, newName, signal }) =>
        scaled(4, async () => {
          const name = newName();
          const put = (n: number) =>
            objects.apply(
              secrets,
              secretManifest(
                { namespace: shared, name },
                { value: JSON.stringify({ n, text: text(200_000) }) },
              ),
            );
          await put(0);
          const parametersFrom = [{ secretKeyRef: { name, key: 'value' } }];
          await times(20, (n) =>
            instance(
              { namespace: shared, name: `${name}-${n}` },
              { parametersFrom, watchParametersFromChanges: true },
            ),
          );
          for (let n = 1; n < 30 && !signal.aborted; n++) await put(n);
        }),
      'annotations of 240 KB': ({ scaled, newName }) =>
        scaled(150, () =>
          instance({ namespace: shared, name: newName(), annotations: { a: text(240_000) } } as never),
        ),
      'annotations that change': ({ scaled, newName, signal }) =>
        scaled(10, async () => {
          const name = newName();
          await instance({ namespace: shared, name });
          for (let n = 0; n < 50 && !signal.aborted; n++) {
            const annotations = { [`a${n % 3}`]: `${n}${text(80_000)}` };
            await objects.patch(serviceInstances, { namespace: shared, name }, { metadata: { annotations } });
          }
        }),
      'metadata of Secrets': ({ scaled, newName }) =>
        scaled(60, async () => {
          const [annotations = {}] = someOf(costlyAnnotations, 1);
          const manifest = secretManifest({ namespace: shared, name: newName() }, {});
          await objects.apply(secrets, {
            ...manifest,
            metadata: {
              ...manifest.metadata,
              annotations,
              labels: { 'services.cloud.sap.com/watch-secret': 'true' },
            },
          });
        }),
      'instances of a megabyte': ({ scaled, newName }) =>
        scaled(150, () =>
          instance({ namespace: shared, name: newName() }, { parameters: { text: text(900_000) } }),
        ),
      'very many instances': ({ scaled, newName }) =>
        scaled(400, () => instance({ namespace: shared, name: newName() })),
      'creations and deletions': ({ scaled, newName }) =>
        scaled(100, async () => {
          const name = newName();
          await instance({ namespace: shared, name });
          await objects.delete(serviceInstances, { namespace: shared, name });
        }),
      'bindings of no instance': ({ scaled, newName }) =>
        scaled(300, () =>
          binding({ namespace: shared, name: newName() }, { serviceInstanceName: newName() }),
        ),
      'bindings that want one Secret': ({ scaled, newName }) =>
        scaled(100, () => binding({ namespace: shared, name: newName() }, { secretName: 'one' })),
      'plans that do not exist': ({ scaled, newName }) =>
        scaled(200, () =>
          instance(
            { namespace: shared, name: newName() },
            { servicePlanName: newName(), serviceOfferingName: text(250) },
          ),
        ),
      'tags, names and users': ({ scaled, newName }) =>
        scaled(60, () =>
          instance(
            { namespace: shared, name: newName() },
            {
              customTags: Array.from({ length: 1000 }, (_, n) => `${n}${text(900)}`),
              externalName: "x' or name eq '".repeat(16),
              userInfo: {
                username: text(1000),
                groups: Array(1000).fill(text(200)),
                extra: { a: Array(500).fill('x') },
              },
            },
          ),
        ),
      'Secrets of bindings that change': ({ scaled, newName, signal }) =>
        scaled(4, async () => {
          const name = newName();
          await binding({ namespace: shared, name }, { secretName: name });
          for (let n = 0; n < 60 && !signal.aborted; n++) {
            const data = { [`k${n % 5}`]: Buffer.from(text(50_000)).toString('base64') };
            await objects.patch(secrets, { namespace: shared, name }, { data }).catch(() => undefined);
          }
        }),
      'names of any characters': ({ scaled, newName }) =>
        scaled(60, async (n) => {
          const name = newName();
          const odd = ODD_NAMES[n % ODD_NAMES.length];
          const annotations = { 'services.cloud.sap.com/preventDeletion': odd, other: odd };
          await instance({ namespace: shared, name, annotations } as never, { externalName: odd });
          await binding({ namespace: shared, name }, { externalName: odd, secretKey: '__proto__' });
        }),
      'owners and finalizers of a restored dump': ({ scaled, newName }) =>
        scaled(60, (n) => instance({ namespace: shared, name: newName(), ...foreignMetadata(n) })),
      'statuses of a restored dump': ({ scaled, newName }) =>
        scaled(60, async (n) => {
          const name = newName();
          await instance({ namespace: shared, name });
          const id = serviceManager.store.instances()[n]?.id ?? ODD_NAMES[n % ODD_NAMES.length];
          const status = {
            ...{
              conditions: [],
              instanceID: id,
              ready: 'True',
              hashedSpec: 'x',
              forceReconcile: n % 2 === 0,
            },
            operationURL: `/v1/service_instances/${id}/operations/../../x`,
            operationType: 'create',
          };
          await objects.applyStatus(serviceInstances, {
            ...{ apiVersion: 'services.cloud.sap.com/v1', kind: 'ServiceInstance' },
            metadata: { namespace: shared, name },
            status,
          } as KubeObject);
        }),
      'namespaces that end': ({ scaled, newName }) =>
        scaled(10, async () => {
          const namespace = newName();
          await createNamespace(objects, namespace);
          await times(5, async (n) => {
            await instance({ namespace, name: `i-${n}` });
            await binding({ namespace, name: `b-${n}` }, { serviceInstanceName: `i-${n}` });
          });
          await objects.delete(namespaces, { name: namespace });
        }),
      'rotations each minute': ({ scaled, newName }) =>
        scaled(100, () =>
          binding(
            { namespace: shared, name: newName() },
            {
              credentialsRotationPolicy: { enabled: true, rotationFrequency: '1m', rotatedBindingTTL: '1s' },
            },
          ),
        ),
    },
    clean: async () => {
      await environment.remove(serviceBindings, serviceInstances, secrets);
      await base();
    },
    expectAlive: () => alive(serviceOperator),
  };
}
