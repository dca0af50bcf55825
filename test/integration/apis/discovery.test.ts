import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  clusterProviderConfigs,
  namespacedProviderConfigs,
  namespacedProviderConfigUsages,
  providerConfigs,
  providerConfigUsages,
} from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import {
  instanceMappings,
  namespacedInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  kymaInstanceMapping,
  kymaInstanceMappings,
  namespacedKymaInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import {
  apiVersionOf,
  groupResource,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { kindClient, paused } from './kind-client.ts';

let management: ControlPlaneAccess;

beforeAll(async () => {
  ({ management } = await controlPlanes());
});

interface Kind {
  readonly type: ResourceType;
  readonly categories: readonly string[];
  readonly columns: readonly string[];
  readonly wide: readonly string[];
  readonly hasStatus: boolean;
}

/** The same columns in every scope that serves the kind. */
const kinds: readonly (Omit<Kind, 'type'> & { readonly types: readonly ResourceType[] })[] = [
  {
    types: [kymaInstanceMappings, namespacedKymaInstanceMappings],
    categories: ['crossplane', 'managed', 'inventory'],
    columns: ['READY', 'SYNCED', 'CLUSTER-ID', 'SERVICE-INSTANCE', 'NAMESPACE', 'AGE'],
    wide: [],
    hasStatus: true,
  },
  {
    types: [instanceMappings, namespacedInstanceMappings],
    categories: ['crossplane', 'managed', 'inventory'],
    columns: ['READY', 'SYNCED', 'PLATFORM', 'INSTANCE-ID', 'PRIMARY-ID', 'SECONDARY-ID', 'AGE'],
    wide: [],
    hasStatus: true,
  },
  {
    types: [providerConfigs, namespacedProviderConfigs, clusterProviderConfigs],
    categories: ['crossplane', 'provider', 'hana'],
    columns: ['USERS', 'AGE'],
    wide: ['SECRET-NAME'],
    hasStatus: true,
  },
  {
    types: [providerConfigUsages, namespacedProviderConfigUsages],
    categories: ['crossplane', 'provider', 'hana'],
    columns: ['AGE', 'CONFIG-NAME', 'RESOURCE-KIND', 'RESOURCE-NAME'],
    wide: [],
    hasStatus: false,
  },
];

const served = kinds.flatMap(({ types, ...kind }) =>
  types.map((type): [string, Kind] => [groupResource(type), { ...kind, type }]),
);

describe.each(served)('%s', (_, kind) => {
  const path = `/apis/${apiVersionOf(kind.type)}`;

  test('is found by its names and categories, and has a status only if it needs one', async () => {
    const resources = await eventually(async () => {
      const { body } = await management.request(path);
      const { resources } = body as { resources: { name: string }[] };
      expect(resources).toContainEqual(expect.objectContaining({ name: kind.type.plural }));
      return resources;
    });
    expect(resources).toContainEqual(
      expect.objectContaining({
        name: kind.type.plural,
        singularName: kind.type.kind.toLowerCase(),
        kind: kind.type.kind,
        namespaced: kind.type.namespaced,
        categories: kind.categories,
      }),
    );
    expect(resources.some(({ name }) => name === `${kind.type.plural}/status`)).toBe(kind.hasStatus);
  });

  test('is listed by kubectl with its columns', async () => {
    const { body } = await management.request(`${path}/${kind.type.plural}`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    const { columnDefinitions } = body as { columnDefinitions: { name: string; priority: number }[] };
    const names = (wide: boolean) =>
      columnDefinitions.filter(({ priority }) => priority > 0 === wide).map(({ name }) => name);
    expect(names(false)).toEqual(['Name', ...kind.columns]);
    expect(names(true)).toEqual(kind.wide);
  });

  test('is explained by kubectl field by field', async () => {
    const undescribed = await eventually(async () => {
      const { status, body } = await management.request(`/openapi/v3${path}`);
      expect(status).toBe(200);
      const schemas = Object.values((body as OpenApi).components.schemas);
      const schema = schemas.find((candidate) =>
        candidate['x-kubernetes-group-version-kind']?.some((gvk) => gvk.kind === kind.type.kind),
      );
      if (schema === undefined) throw new Error(`no schema of ${kind.type.kind} is published yet`);
      return [...withoutDescription(schema, kind.type.kind)];
    });
    expect(undescribed).toEqual([]);
  });
});

test('the cells of a KymaInstanceMapping show its status', async () => {
  const mappings = kindClient(management, kymaInstanceMappings);
  const name = uniqueName('cells');
  await mappings.create(
    kymaInstanceMapping({
      name,
      annotations: paused,
      spec: {
        forProvider: {
          serviceInstanceRef: { name: 'db', namespace: 'shop' },
          adminBindingRef: { name: 'admin', namespace: 'shop' },
          targetNamespace: 'checkout',
        },
      },
    }),
  );
  try {
    const condition = { reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await mappings.patchStatus(name, {
      atProvider: { kyma: { clusterID: 'cluster-1', serviceInstanceID: 'instance-1' } },
      conditions: [
        { type: 'Ready', status: 'True', ...condition },
        { type: 'Synced', status: 'False', ...condition },
      ],
    });
    expect(await mappings.table(name)).toMatchObject({
      body: {
        rows: [{ cells: [name, 'True', 'False', 'cluster-1', 'instance-1', 'checkout', expect.any(String)] }],
      },
    });
  } finally {
    await mappings.delete(name);
  }
});

interface Published {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Published>>;
  readonly items?: Published;
  readonly allOf?: readonly object[];
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind: string }[];
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Published>> };
}

function* withoutDescription(schema: Published, path: string): Generator<string> {
  if (schema.description === undefined && schema.allOf === undefined) yield path;
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    yield* withoutDescription(value, `${path}.${name}`);
  }
  if (schema.items !== undefined) yield* withoutDescription(schema.items, `${path}[]`);
}
