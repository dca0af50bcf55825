import { expect } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type ResourceType, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { pool, runtimeOf, zonesOf } from '../../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../../environment/eventually.ts';
import { forEach } from '../../harness/for-each.ts';
import { type AttackedSystem, foreignMetadata, ODD_NAMES } from './attacked-system.ts';
import { alive, limitOf } from './limits.ts';
import { RUNTIMES, type TenantEnvironment } from './tenant-environment.ts';

const ACCOUNT = 'kyma-project.io/global-account-id';
const zones = zonesOf('aws').slice(0, 1);
/** Of all Runtimes since the last clean-up, also of honest tenants. */
const names: string[] = [];
let numbers = 0;
/** A Shoot has a short name. */
function shootName(prefix: string): string {
  const name = `${prefix}${(numbers++).toString(36)}`;
  names.push(name);
  return name;
}

/** Runtimes, which all are in one namespace. A tenant is a global account. */
export function runtimesOfAccounts(environment: TenantEnvironment): AttackedSystem {
  const { objects: honest, hostileObjects: objects, hosts, apiServers, gardener } = environment;
  const { infrastructureManager } = environment;
  const text = (length: number, unit = 'x') => unit.repeat(length);
  const runtime = (
    account: string,
    name: string,
    shoot: object = {},
    metadata: object = {},
    spec: object = {},
  ) => {
    const made = runtimeOf('aws', name, [pool('aws', zones)], shoot, spec);
    const labels = { ...made.metadata.labels, [ACCOUNT]: account };
    return { ...made, metadata: { ...made.metadata, labels, ...metadata } } as Runtime;
  };
  const create = (shoot: object = {}, metadata: object = {}, spec: object = {}, name = shootName('h')) =>
    objects.apply(runtimes, runtime('hostile', name, shoot, metadata, spec));
  const patch = (name: string, change: object) =>
    objects.patch(runtimes, { namespace: RUNTIMES, name }, change);
  /** Without the programs, which would need minutes for the largest ones. */
  const remove = async (type: ResourceType, name: string) => {
    const key = { namespace: RUNTIMES, name };
    await honest.delete(type, key).catch(() => undefined);
    await honest.patch(type, key, { metadata: { finalizers: null } }).catch(() => undefined);
  };

  return {
    name: 'Runtimes',
    meter: infrastructureManager.meter,
    memoryLimit: limitOf.infrastructureManager,
    prepare: async (tenant) => {
      const name = shootName('g');
      return {
        perform: async () => {
          await honest.apply(runtimes, runtime(tenant, name));
          await eventually(async () => {
            const { status } = await honest.get(runtimes, { namespace: RUNTIMES, name });
            expect(status?.state).toBe('Ready');
          });
        },
      };
    },
    attacks: {
      'clusters of hosts': ({ scaled, nextHost }) =>
        scaled(60, () => {
          const name = shootName('h');
          const { url, authority } = nextHost();
          apiServers.set(name, { url, ca: authority });
          return create({}, {}, {}, name);
        }),
      'clusters of many silent hosts': ({ scaled }) =>
        scaled(80, () => {
          const name = shootName('h');
          apiServers.set(name, { url: `https://${hosts.nextSilent()}`, ca: hosts.grants.authority });
          return create({}, {}, {}, name);
        }),
      'very many': ({ scaled }) => scaled(200, () => create()),
      'annotations of 240 KB': ({ scaled }) =>
        scaled(100, () => create({}, { annotations: { a: text(240_000) } })),
      'annotations that change': ({ scaled, signal }) =>
        scaled(10, async () => {
          const name = shootName('h');
          await create({}, {}, {}, name);
          for (let n = 0; n < 50 && !signal.aborted; n++)
            await patch(name, { metadata: { annotations: { [`a${n % 3}`]: `${n}${text(80_000)}` } } });
        }),
      'thousands of administrators': ({ scaled }) =>
        scaled(10, () => {
          const administrators = Array.from({ length: 5000 }, (_, n) => `${n}${text(50)}@example.org`);
          return create(
            {},
            {},
            { security: { administrators, networking: { filter: { egress: { enabled: false } } } } },
          );
        }),
      'administrators that change': ({ scaled, signal }) =>
        scaled(10, async () => {
          const name = shootName('h');
          await create({}, {}, {}, name);
          for (let n = 0; n < 30 && !signal.aborted; n++)
            await patch(name, { spec: { security: { administrators: [`${n}@example.org`] } } });
        }),
      'texts without an end': ({ scaled }) =>
        scaled(40, () =>
          create({
            licenceType: text(200_000),
            kubernetes: {
              kubeAPIServer: {
                oidcConfig: {
                  ...{ clientID: text(200_000), issuerURL: 'https://i.example.org', caBundle: text(200_000) },
                  signingAlgs: Array(20_000).fill('RS256'),
                },
              },
            },
          }),
        ),
      'issuers of tokens': ({ scaled }) =>
        scaled(40, () =>
          create({
            kubernetes: {
              kubeAPIServer: {
                additionalOidcConfig: Array.from({ length: 60 }, (_, n) => ({
                  ...{ clientID: `c${n}`, issuerURL: `https://i${n}.example.org`, groupsClaim: text(1000) },
                  ...{
                    usernameClaim: 'sub',
                    signingAlgs: ['RS256'],
                    jwks: Buffer.from(text(5000)).toString('base64'),
                  },
                  requiredClaims: Object.fromEntries(
                    Array.from({ length: 12 }, (_, key) => [`k${key}`, text(100)]),
                  ),
                })),
              },
            },
          }),
        ),
      // Of half a megabyte each, with which requests take an API server as long as anything does.
      'as many pools as may be': ({ scaled }) =>
        scaled(12, () =>
          create({
            provider: {
              type: 'aws',
              workers: [pool('aws', zones)],
              additionalWorkers: Array.from({ length: 255 }, (_, n) =>
                pool('aws', zones, {
                  ...{ name: `w${n}`, minimum: 0 },
                  annotations: { a: text(1000) },
                  taints: Array.from({ length: 20 }, (_, key) => ({ key: `k${key}`, effect: 'NoSchedule' })),
                }),
              ),
            },
          }),
        ),
      'pools that change': ({ scaled, signal }) =>
        scaled(10, async () => {
          const name = shootName('h');
          await create({}, {}, {}, name);
          for (let n = 0; n < 40 && !signal.aborted; n++)
            await patch(name, {
              spec: {
                shoot: {
                  provider: { type: 'aws', workers: [pool('aws', zones, { maximum: 20 + (n % 9) })] },
                },
              },
            });
        }),
      'fields of raw JSON': ({ scaled }) =>
        scaled(40, (n) =>
          create({
            provider: {
              type: 'aws',
              workers: [
                pool('aws', zones, {
                  providerConfig: [nested(90), { a: Array(60_000).fill({}) }, { a: text(900_000) }][n % 3],
                } as never),
              ],
            },
          }),
        ),
      'owners and names of a restored dump': ({ scaled }) =>
        scaled(40, (n) => {
          const annotations = {
            'infrastructuremanager.kyma-project.io/runtime-id': ODD_NAMES[n % ODD_NAMES.length],
            'operator.kyma-project.io/force-patch-reconciliation': ODD_NAMES[(n + 1) % ODD_NAMES.length],
          };
          return create({}, { ownerReferences: foreignMetadata(n).ownerReferences, annotations });
        }),
      'one Shoot for all': ({ scaled }) => scaled(100, () => create({ name: 'one' })),
      'one runtime id for all': ({ scaled }) =>
        scaled(100, (n) =>
          create(
            {},
            { labels: { ...runtime('hostile', 'one').metadata.labels, n: `${n}`, [ACCOUNT]: 'hostile' } },
          ),
        ),
      'creations and deletions': ({ scaled }) =>
        scaled(60, async () => {
          const name = shootName('h');
          await create({}, {}, {}, name);
          await objects.delete(runtimes, { namespace: RUNTIMES, name });
        }),
      'ranges of addresses': ({ scaled }) =>
        scaled(40, () =>
          create({
            kubernetes: {
              kubeAPIServer: {
                acl: { allowedCIDRs: Array.from({ length: 1024 }, (_, n) => `10.${n >> 8}.${n & 255}.0/24`) },
              },
            },
            networking: {
              type: 'calico',
              nodes: '10.250.0.0/16',
              pods: '10.96.0.0/13',
              services: '10.104.0.0/13',
            },
          }),
        ),
      'kubeconfigs that the tenant may write': ({ scaled, signal }) =>
        scaled(10, async () => {
          const name = shootName('h');
          await create({}, {}, {}, name);
          for (let n = 0; n < 20 && !signal.aborted; n++) {
            const data = {
              config: Buffer.from(`# ${n}\n${'- {a: [b]}\n'.repeat(50_000)}`).toString('base64'),
            };
            await objects
              .patch(secrets, { namespace: RUNTIMES, name: `kubeconfig-${name}` }, { data })
              .catch(() => undefined);
          }
        }),
    },
    clean: async () => {
      const made = names.splice(0);
      await forEach(made, (name) => remove(runtimes, name));
      const kubeconfigs = await honest.list<GardenerCluster>(gardenerClusters, RUNTIMES);
      await forEach(kubeconfigs, ({ metadata: { name } }) => remove(gardenerClusters, name));
      await forEach(made, (name) => remove(secrets, `kubeconfig-${name}`));
      const garden = gardener.client.otherProgram();
      await forEach(made, async (name) => {
        const key = { namespace: gardener.namespace, name };
        const annotations = { 'confirmation.gardener.cloud/deletion': 'true' };
        await garden.mergePatch(shoots, key, { metadata: { annotations } }).catch(() => undefined);
        await garden.delete(shoots, key).catch(() => undefined);
      });
      apiServers.clear();
    },
    expectAlive: () => alive(infrastructureManager),
  };
}

function nested(depth: number): object {
  let value = {};
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}
