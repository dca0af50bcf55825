import { publishFakeWrite } from '../../../framework/http/transport/send-request.ts';
import { externalNameFrom, type Managed } from '../../../framework/managed/index.ts';
import type { HanaCloudClient, InstanceMapping, MappingList } from '../hana-cloud/client.ts';
import type { ClaimAnswer } from './claims/claim-record.ts';
import type { ExternalNames, MappingIdentity } from './mapping-identity.ts';
import type { MappingKind } from './mapping-kind.ts';

/** A mapping of this instance; the environment is always the same. */
export const mappingOf = (serviceInstanceID: string): MappingIdentity => ({
  serviceInstanceID,
  platform: 'kubernetes',
  primaryID: 'c-1',
  secondaryID: 'shop',
});

export const testNames: ExternalNames = {
  form: 'instance/primary/secondary',
  format: ({ serviceInstanceID, primaryID, secondaryID }) =>
    `${serviceInstanceID}/${primaryID}/${secondaryID}`,
  parse: (externalName) => {
    const [serviceInstanceID, primaryID, secondaryID, ...rest] = externalName.split('/');
    if (!serviceInstanceID || !primaryID || !secondaryID || rest.length > 0) return undefined;
    return { serviceInstanceID, platform: 'kubernetes', primaryID, secondaryID };
  },
};

/** A minimal kind of mappings. */
export interface TestMapping extends Managed {
  spec: Managed['spec'] & { isDefault?: boolean };
  status?: Managed['status'] & { known?: MappingIdentity; present?: boolean };
}

export const testKind: MappingKind<TestMapping> = {
  recordsOf: (resource) => ({
    names: testNames,
    metadataName: resource.metadata.name,
    externalName: externalNameFrom(resource),
    known: resource.status?.known,
    createUnfinished: false,
  }),
  wantsDefault: ({ spec }) => spec.isDefault ?? false,
  wasPresent: ({ status }) => status?.present ?? false,
  notePresent: (resource, known) => {
    resource.status = { ...resource.status, known, present: true };
  },
  noteAbsent: (resource) => {
    resource.status = { ...resource.status, present: false };
  },
  noteRequested: (resource, known) => {
    resource.status = { ...resource.status, known, present: false };
  },
};

/** The access of `fakeHana`. */
export const testAccess = { api: 'api', viewer: 'viewer' } as const;

/** HANA Cloud has shown the instance, and the mapping in it. */
export const shownAnswer = (identity: MappingIdentity, over: Partial<ClaimAnswer> = {}): ClaimAnswer => ({
  identity,
  access: testAccess,
  outcome: 'shown',
  isPresent: true,
  ...over,
});

/** A mapping as HANA Cloud lists it. */
export const listed = (
  { platform, primaryID, secondaryID }: MappingIdentity,
  isDefault = false,
): InstanceMapping => ({
  platform,
  primaryID,
  ...(secondaryID === undefined ? {} : { secondaryID }),
  isDefault,
});

export interface FakeHana {
  readonly client: HanaCloudClient;
  /** All calls in order: `list i-1`, `delete i-1 c-1 shop`. */
  readonly calls: string[];
}

/** HANA Cloud in memory, with a record of the calls. Unknown instances give `not-found`. */
export function fakeHana(
  mappings: Readonly<Record<string, readonly InstanceMapping[]>>,
  over: Partial<HanaCloudClient> = {},
): FakeHana {
  const calls: string[] = [];
  const list = (id: string): MappingList => {
    const found = mappings[id];
    return found === undefined
      ? { state: 'not-found', mappings: [], message: `instance ${id} is unknown` }
      : { state: 'listed', mappings: found };
  };
  const client: HanaCloudClient = {
    credentialsID: 'test',
    ...testAccess,
    hosts: {
      credentialsID: 'test',
      baseUrl: 'https://hana.example.org',
      tokenUrl: 'https://token.example.org',
    },
    listMappings: async (id) => {
      calls.push(`list ${id}`);
      return list(id);
    },
    createMapping: async (id, mapping) => {
      calls.push(`create ${id} ${JSON.stringify(mapping)}`);
      return 'created';
    },
    deleteMapping: async (id, { primaryID, secondaryID }) => {
      calls.push(`delete ${id} ${primaryID} ${secondaryID}`);
      return 'deleted';
    },
    checkToken: async () => ({}),
    close: async () => undefined,
    ...over,
  };
  const observed: HanaCloudClient = {
    ...client,
    createMapping: (id, mapping, options) => {
      publishFakeWrite('create', options);
      return client.createMapping(id, mapping, options);
    },
    deleteMapping: (id, key, options) => {
      publishFakeWrite('delete', options);
      return client.deleteMapping(id, key, options);
    },
  };
  return { client: observed, calls };
}
