import { join } from 'node:path';
import { stringify } from 'yaml';
import { sleep, systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { ControlPlaneAccess } from '../../access/access.ts';
import { GARDENER_VERSION } from '../binary.ts';
import { pruneDocument } from './prune-document.ts';

/** The document in the repository. */
export const RECORDED = join(import.meta.dirname, '../../../../apis/gardener/core.openapi.yaml');

/** Subresources are part of the document of their kind's group version. */
const PATH = '/openapi/v3/apis/core.gardener.cloud/v1beta1';

const KINDS = ['Shoot', 'Seed', 'AdminKubeconfigRequest'];

const HEADER = `# Recorded from gardener-apiserver ${GARDENER_VERSION} by \`make record-gardener-api\`: ${KINDS.join(', ')}, and what they refer to.
# Names are without the path of their Go package, descriptions are cut after the first sentence; enums, defaults and
# ObjectMeta are left out (the document states the zero values of Go for defaults, not those that Gardener sets).
# Fields of gardener-apiserver 1.140 that Runtimes may have, or the program writes, are added; this one drops them.
`;

/** By schema, with the descriptions of Gardener 1.140. */
const NEWER_FIELDS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  DNSProvider: {
    credentialsRef: {
      description:
        'CredentialsRef is a reference to a resource holding the credentials used for authentication with the external provider.',
      $ref: '#/components/schemas/CrossVersionObjectReference',
    },
  },
  KubeletConfig: {
    imageMaximumGCAge: {
      description:
        'ImageMaximumGCAge is the maximum age of an unused image before it can be garbage collected.',
      $ref: '#/components/schemas/Duration',
    },
    imageMinimumGCAge: {
      description:
        'ImageMinimumGCAge is the minimum age of an unused image before it can be garbage collected.',
      $ref: '#/components/schemas/Duration',
    },
    maxParallelImagePulls: {
      description: 'MaxParallelImagePulls describes the maximum number of image pulls in parallel.',
      type: 'integer',
      format: 'int32',
    },
  },
  WorkerControlPlane: {
    backup: {
      description:
        'Backup holds the object store configuration for the backups of shoot (currently only etcd).',
      type: 'object',
      required: ['provider'],
      properties: {
        credentialsRef: {
          description:
            'CredentialsRef is reference to a resource holding the credentials used for authentication with the object store service where the backups are stored.',
          $ref: '#/components/schemas/ObjectReference',
        },
        provider: { description: 'Provider is a provider name.', type: 'string' },
        providerConfig: {
          description: 'ProviderConfig is the configuration passed to BackupBucket resource.',
          $ref: '#/components/schemas/RawExtension',
        },
        region: { description: 'Region is a region name.', type: 'string' },
      },
    },
    exposure: {
      description:
        'Exposure holds the exposure configuration for the shoot (either `extension` or `dns` or omitted/empty).',
      type: 'object',
      properties: {
        dns: { description: 'DNS specifies that this shoot will be exposed by DNS.', type: 'object' },
        extension: {
          description: 'Extension holds the type and provider config of the exposure extension.',
          type: 'object',
          properties: {
            providerConfig: {
              description: 'ProviderConfig holds the extension specific configuration.',
              $ref: '#/components/schemas/RawExtension',
            },
            type: { description: 'Type defines the type of the extension exposure.', type: 'string' },
          },
        },
      },
    },
  },
};

interface Document {
  readonly components: { readonly schemas: Record<string, { properties?: object }> };
}

/** The text of the document for what a garden serves. */
export async function recordApi(garden: Pick<ControlPlaneAccess, 'request'>): Promise<string> {
  return documentText(pruneDocument(await served(garden), KINDS));
}

/** With the fields of the newer one. */
function documentText(document: object): string {
  const { schemas } = (document as unknown as Document).components;
  for (const [name, fields] of Object.entries(NEWER_FIELDS)) {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`cannot record the API: it has no ${name}`);
    const properties = Object.entries({ ...schema.properties, ...fields });
    schema.properties = Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  return HEADER + stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

/** The aggregator takes over documents a while after the kinds are served. */
async function served({ request }: Pick<ControlPlaneAccess, 'request'>): Promise<unknown> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { status, body } = await request(PATH);
    if (status === 200) return body;
    await sleep(systemClock, 100);
  }
  throw new Error(`cannot record the API: ${PATH} is not served`);
}
